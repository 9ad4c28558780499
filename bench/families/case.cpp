#include "case.h"

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/try.h"
#include "pawl/value_file.h"
#include "tensor/scalar.h"

namespace pawl::bench {
namespace {

using nlohmann::json;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

Result<std::vector<NamedTensor>> load_arrays(const std::filesystem::path& folder, const json& list) {
  std::vector<NamedTensor> arrays;
  for (const json& each : list) {
    TRY_ASSIGN(const Value value, read_value(folder / each.at("file").get<std::string>(), Type{}));
    // Not the mapped file: pages of memory like any other.
    TRY_ASSIGN(Tensor tensor, value.tensor().clone());
    arrays.emplace_back(each.at("name").get<std::string>(), std::move(tensor));
  }
  return arrays;
}

Result<Case> read_case(const std::filesystem::path& folder, std::string text) {
  const json root = json::parse(text);
  Case c;
  c.text = std::move(text);
  c.family = root.at("family").get<std::string>();
  c.preset = root.at("preset").get<std::string>();
  c.dtype = root.at("dtype").get<std::string>();
  for (const auto& [size, value] : root.at("sizes").items()) c.sizes[size] = value.get<std::int64_t>();
  c.reverse = root.at("reverse").get<bool>();
  c.axis = root.at("axis").get<std::int64_t>();
  c.exact = root.at("exact").get<bool>();
  c.tolerance = root.at("tolerance").get<double>();
  c.bytes = root.at("bytes").get<std::int64_t>();
  c.scan = folder / root.at("models").at("scan").get<std::string>();
  if (root.at("models").contains("fused")) c.fused = folder / root.at("models").at("fused").get<std::string>();
  TRY_ASSIGN(c.inputs, load_arrays(folder, root.at("inputs")));
  TRY_ASSIGN(c.weights, load_arrays(folder, root.at("weights")));
  TRY_ASSIGN(c.outputs, load_arrays(folder, root.at("outputs")));
  return c;
}

/// Relative to the root mean square of all that is expected: sums pass through zero.
template <class T>
double largest_error(const Tensor& expected, const Tensor& got) {
  double worst = 0, squares = 0;
  for (const T want : expected.values<T>()) squares += static_cast<double>(want) * static_cast<double>(want);
  const double scale = 1 + std::sqrt(squares / static_cast<double>(std::max<std::int64_t>(expected.size(), 1)));
  for (std::size_t i = 0; i < expected.values<T>().size(); ++i) {
    const auto want = static_cast<double>(expected.values<T>()[i]), have = static_cast<double>(got.values<T>()[i]);
    if (want == have || (std::isnan(want) && std::isnan(have))) continue;
    const double off = std::is_integral_v<T> ? kInfinite : std::abs(have - want) / scale;
    if (!(off <= worst)) worst = std::isnan(off) ? kInfinite : off;
  }
  return worst;
}

}  // namespace

Result<Case> load_case(const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "case.json";
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream) return fail(Code::io, "{} cannot be read", file.string());
  try {
    return read_case(folder, text.str());
  } catch (const json::exception& e) {
    return fail(Code::bad_file, "{}: {}", file.string(), e.what());
  }
}

Result<std::vector<NamedTensor>> make_outputs(const Case& c) {
  std::vector<NamedTensor> outputs;
  for (const NamedTensor& each : c.outputs) {
    TRY_ASSIGN(Tensor tensor, Tensor::allocate(each.second.dtype(), each.second.shape()));
    std::memset(tensor.mutable_bytes(), 0xff, static_cast<std::size_t>(tensor.size()) * size_of(tensor.dtype()));
    outputs.emplace_back(each.first, std::move(tensor));
  }
  return outputs;
}

double error_of(const std::vector<NamedTensor>& expected, const std::vector<NamedTensor>& got) {
  double worst = expected.size() == got.size() ? 0 : kInfinite;
  for (std::size_t i = 0; i < std::min(expected.size(), got.size()); ++i) {
    const Tensor &want = expected[i].second, &have = got[i].second;
    if (have.dtype() != want.dtype() || !(have.shape() == want.shape()) || !have.dense()) return kInfinite;
    worst = std::max(worst, want.dtype() == DType::f16   ? largest_error<F16>(want, have)
                            : want.dtype() == DType::f32 ? largest_error<float>(want, have)
                            : want.dtype() == DType::f64 ? largest_error<double>(want, have)
                                                         : largest_error<std::int64_t>(want, have));
  }
  return worst;
}

bool acceptable(const Case& c, double error) { return error <= c.tolerance; }

}  // namespace pawl::bench
