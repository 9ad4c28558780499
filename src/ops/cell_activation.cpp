#include "ops/cell_activation.h"

#include <algorithm>
#include <cctype>
#include <cmath>

#include "expr/scalar.h"

namespace pawl::ops {
namespace {

struct Row {
  std::string_view name;  ///< in lower case: models spell them in every way
  Activation::Kind kind;
  std::optional<double> alpha;  ///< the default, where the function takes one
  std::optional<double> beta;
};

constexpr Row kRows[] = {
    {"relu", Activation::Kind::relu, std::nullopt, std::nullopt},
    {"tanh", Activation::Kind::tanh, std::nullopt, std::nullopt},
    {"sigmoid", Activation::Kind::sigmoid, std::nullopt, std::nullopt},
    {"affine", Activation::Kind::affine, 1.0, 0.0},
    {"leakyrelu", Activation::Kind::leaky_relu, 0.01, std::nullopt},
    {"thresholdedrelu", Activation::Kind::thresholded_relu, 1.0, std::nullopt},
    {"scaledtanh", Activation::Kind::scaled_tanh, 1.0, 1.0},
    {"hardsigmoid", Activation::Kind::hard_sigmoid, 0.2, 0.5},
    {"elu", Activation::Kind::elu, 1.0, std::nullopt},
    {"softsign", Activation::Kind::softsign, std::nullopt, std::nullopt},
    {"softplus", Activation::Kind::softplus, std::nullopt, std::nullopt},
};

const Row* find_row(std::string_view name) {
  std::string lower(name);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  for (const Row& row : kRows)
    if (row.name == lower) return &row;
  return nullptr;
}

/// The next value of a list, or the default when the list has ended.
double next_value(std::span<const float> values, std::size_t& used, double otherwise) {
  return used < values.size() ? static_cast<double>(values[used++]) : otherwise;
}

std::span<const float> reals(const Attributes& attributes, std::string_view name) {
  const auto* values = attributes.get<std::vector<float>>(name);
  return values == nullptr ? std::span<const float>() : *values;
}

}  // namespace

double Activation::operator()(double x) const {
  if (clip >= 0 && x == x) x = std::clamp(x, -clip, clip);
  switch (kind) {
    case Kind::relu: return x > 0 || x != x ? x : 0;
    case Kind::tanh: return expr::tanh(x);
    case Kind::sigmoid: return expr::sigmoid(x);
    case Kind::affine: return alpha * x + beta;
    case Kind::leaky_relu: return x < 0 ? alpha * x : x;
    case Kind::thresholded_relu: return x > alpha || x != x ? x : 0;
    case Kind::scaled_tanh: return alpha * expr::tanh(beta * x);
    case Kind::hard_sigmoid: return x != x ? x : std::clamp(alpha * x + beta, 0.0, 1.0);
    case Kind::elu: return x < 0 ? alpha * expr::exp_minus_1(x) : x;
    case Kind::softsign: return x / (1 + std::fabs(x));
    case Kind::softplus: return std::max(x, 0.0) + expr::log_1_plus(expr::exp(-std::fabs(x)));
  }
  return x;
}

Result<std::vector<Activation>> read_activations(const Attributes& attributes,
                                                 std::span<const std::string_view> defaults, std::size_t directions) {
  std::vector<std::string_view> names;
  const auto* given = attributes.get<std::vector<std::string>>("activations");
  if (given != nullptr && !given->empty()) {
    names.assign(given->begin(), given->end());
  } else {
    for (std::size_t d = 0; d < directions; ++d) names.insert(names.end(), defaults.begin(), defaults.end());
  }
  if (names.size() != defaults.size() * directions)
    return fail(Code::bad_value, "activations has {} names; {} are needed", names.size(), defaults.size() * directions);
  const float clip = attributes.real("clip", -1);
  if (attributes.has("clip") && !(clip >= 0)) return fail(Code::bad_value, "clip is {}; it must not be negative", clip);
  std::vector<Activation> activations;
  std::size_t used_alpha = 0, used_beta = 0;
  for (const std::string_view name : names) {
    const Row* row = find_row(name);
    if (row == nullptr) return fail(Code::bad_value, "\"{}\" is no activation function of the standard", name);
    Activation activation{.kind = row->kind, .clip = attributes.has("clip") ? static_cast<double>(clip) : -1};
    if (row->alpha) activation.alpha = next_value(reals(attributes, "activation_alpha"), used_alpha, *row->alpha);
    if (row->beta) activation.beta = next_value(reals(attributes, "activation_beta"), used_beta, *row->beta);
    activations.push_back(activation);
  }
  return activations;
}

}  // namespace pawl::ops
