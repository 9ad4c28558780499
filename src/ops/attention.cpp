// Attention: softmax(scale·Q·Kᵀ, capped, + bias)·V, with grouped heads, a cache, masks, causality and windows. f32 and
// f64 are computed in double and rounded on the way out, whatever softmax_precision is.
#include <cmath>

#include "expr/scalar.h"
#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/multiply.h"
#include "tensor/scalar.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

enum Input : std::size_t { kQ, kK, kV, kMask, kPastKey, kPastValue, kLengths };

/// What qk_matmul_output holds.
enum class Stage : std::int64_t { product, capped, biased, softmax };

struct Heads {
  std::int64_t batch = 0, queries = 0, keys = 0;  ///< numbers of heads
  std::int64_t rows = 0;                          ///< query positions
  std::int64_t past = 0, total = 0;               ///< key positions: from the cache, and in all
  std::int64_t size = 0, value_size = 0;          ///< of one head
};

/// A [batch, positions, heads·size] or [batch, heads, positions, size] tensor as the latter, by strides.
Result<Tensor> as_heads(const Tensor& tensor, std::int64_t heads, std::string_view name) {
  const Dims &shape = tensor.shape(), &strides = tensor.strides();
  if (tensor.rank() == 4) return tensor;
  if (tensor.rank() != 3) return fail(Code::bad_shape, "{} of shape {} must have rank 3 or 4", name, to_string(shape));
  if (heads < 1 || shape[2] % heads != 0)
    return fail(Code::bad_shape, "{} of shape {} cannot be split into {} heads", name, to_string(shape), heads);
  const std::int64_t size = shape[2] / heads;
  return tensor.view({shape[0], heads, shape[1], size}, {strides[0], size * strides[2], strides[1], strides[2]});
}

/// The cache with the new positions behind it, dense.
Result<Tensor> append(const Tensor& past, const Tensor& next, std::string_view name) {
  if (!past.defined()) return next.to_dense();
  Dims shape = next.shape(), expected = next.shape();
  if (past.rank() == 4) expected[2] = past.shape()[2];
  if (past.shape() != expected)
    return fail(Code::bad_shape, "{} of shape {} cannot go before {}", name, to_string(past.shape()), to_string(shape));
  if (__builtin_add_overflow(shape[2], past.shape()[2], &shape[2])) return fail(Code::limit, "{} is too long", name);
  TRY_ASSIGN(Tensor joined, Tensor::allocate(next.dtype(), shape));
  Tensor front = joined.view(past.shape(), joined.strides());
  Tensor back =
      joined.view(next.shape(), joined.strides(), joined.size() == 0 ? 0 : past.shape()[2] * joined.strides()[2]);
  copy_elements(past, front);
  copy_elements(next, back);
  return joined;
}

struct Operands {
  Heads heads;
  Tensor q;           ///< [batch, query heads, rows, size], doubles
  Tensor key, value;  ///< present: [batch, key heads, total, size or value_size], as they are
  bool flat = false;  ///< Q came with rank 3, and so goes Y
};

Result<Operands> read_operands(const EvalContext& context) {
  Operands operands;
  Heads& heads = operands.heads;
  const std::int64_t q_heads = context.attributes.integer("q_num_heads", 0),
                     kv_heads = context.attributes.integer("kv_num_heads", 0);
  TRY_ASSIGN(const Tensor q, as_heads(context.tensor(kQ), q_heads, "Q"));
  TRY_ASSIGN(const Tensor k, as_heads(context.tensor(kK), kv_heads, "K"));
  TRY_ASSIGN(const Tensor v, as_heads(context.tensor(kV), kv_heads, "V"));
  operands.flat = context.tensor(kQ).rank() == 3;
  TRY_ASSIGN(operands.key, append(context.has_input(kPastKey) ? context.tensor(kPastKey) : Tensor(), k, "past_key"));
  TRY_ASSIGN(operands.value,
             append(context.has_input(kPastValue) ? context.tensor(kPastValue) : Tensor(), v, "past_value"));
  heads = {.batch = q.shape()[0],
           .queries = q.shape()[1],
           .keys = k.shape()[1],
           .rows = q.shape()[2],
           .past = context.has_input(kPastKey) ? context.tensor(kPastKey).shape()[2] : 0,
           .total = operands.key.shape()[2],
           .size = q.shape()[3],
           .value_size = v.shape()[3]};
  const Dims key_shape = {heads.batch, heads.keys, heads.total, heads.size},
             value_shape = {heads.batch, heads.keys, heads.total, heads.value_size};
  if (operands.key.shape() != key_shape || operands.value.shape() != value_shape)
    return fail(Code::bad_shape, "K of shape {} and V of shape {} do not go with Q of shape {}",
                to_string(operands.key.shape()), to_string(operands.value.shape()), to_string(q.shape()));
  if (heads.keys == 0 ? heads.queries != 0 : heads.queries % heads.keys != 0)
    return fail(Code::bad_shape, "{} query heads cannot share {} key heads", heads.queries, heads.keys);
  TRY_ASSIGN(operands.q, as_doubles(q));
  return operands;
}

/// What is added to the scores: the mask, and -inf where a position must not be seen.
struct Bias {
  Tensor mask;                        ///< doubles, a view [batch, query heads, rows, masked]; undefined: none
  std::int64_t masked = 0;            ///< key positions that the mask has; those behind are not seen
  std::vector<std::int64_t> offsets;  ///< per batch entry: where its first query stands among the keys
  std::vector<std::int64_t> lengths;  ///< per batch entry: key positions that count
  bool causal = false;
  std::int64_t left = -1, right = -1;  ///< positions that may be seen on each side; below 0 all of them

  [[nodiscard]] double at(std::int64_t n, std::int64_t head, std::int64_t row, std::int64_t column) const {
    constexpr double kHidden = -std::numeric_limits<double>::infinity();
    const std::int64_t behind = row + offsets[static_cast<std::size_t>(n)] - column;
    if (causal && behind < 0) return kHidden;
    if ((left >= 0 && behind > left) || (right >= 0 && -behind > right)) return kHidden;
    if (column >= lengths[static_cast<std::size_t>(n)]) return kHidden;
    if (!mask.defined()) return 0;
    if (column >= masked) return kHidden;
    const Dims& step = mask.strides();
    return mask.data<double>()[n * step[0] + head * step[1] + row * step[2] + column * step[3]];
  }
};

/// Masks as doubles: false hides, numbers are added.
Result<Tensor> mask_numbers(const Tensor& mask) {
  if (mask.dtype() != DType::boolean) return as_doubles(mask);
  TRY_ASSIGN(const Tensor dense, mask.to_dense());
  TRY_ASSIGN(Tensor numbers, Tensor::allocate(DType::f64, dense.shape()));
  for (std::int64_t i = 0; i < dense.size(); ++i)
    numbers.mutable_data<double>()[i] = dense.data<bool>()[i] ? 0 : -std::numeric_limits<double>::infinity();
  return numbers;
}

Result<void> read_mask(const EvalContext& context, const Heads& heads, Bias& bias) {
  if (!context.has_input(kMask)) return {};
  const Tensor& given = context.tensor(kMask);
  Dims shape = {heads.batch, heads.queries, heads.rows, heads.total};
  // Since version 24 a mask may be shorter than the keys.
  if (context.since() >= 24 && given.rank() > 0) shape[3] = std::min(given.shape().back(), heads.total);
  const auto common = broadcast_shapes(given.shape(), shape);
  if (!common.ok() || *common != shape)
    return fail(Code::bad_shape, "attn_mask of shape {} cannot be broadcast to {}", to_string(given.shape()),
                to_string(shape));
  TRY_ASSIGN(const Tensor numbers, mask_numbers(given));
  bias.mask = broadcast_view(numbers, shape);
  bias.masked = shape[3];
  return {};
}

Result<Bias> read_bias(const EvalContext& context, const Heads& heads) {
  Bias bias;
  bias.causal = context.attributes.integer("is_causal", 0) != 0;
  bias.left = context.attributes.integer("left_window_size", -1);
  bias.right = context.attributes.integer("right_window_size", -1);
  bias.offsets.assign(static_cast<std::size_t>(heads.batch), heads.past);
  bias.lengths.assign(static_cast<std::size_t>(heads.batch), heads.total);
  TRY(read_mask(context, heads, bias));
  if (!context.has_input(kLengths)) return bias;
  TRY_ASSIGN(const Dims lengths, context.integers(kLengths));
  if (static_cast<std::int64_t>(lengths.size()) != heads.batch)
    return fail(Code::bad_shape, "nonpad_kv_seqlen has {} numbers for a batch of {}", lengths.size(), heads.batch);
  for (std::size_t n = 0; n < lengths.size(); ++n) {
    if (lengths[n] < 0 || lengths[n] > heads.total)
      return fail(Code::bad_value, "nonpad_kv_seqlen holds {}; allowed are 0 to {}", lengths[n], heads.total);
    bias.lengths[n] = lengths[n];
    bias.offsets[n] = lengths[n] - heads.rows;
  }
  return bias;
}

/// Where results are rounded: f16 and bf16 after every operator of the standard's function body, other types at the
/// end.
struct Rounding {
  DType dtype = DType::undefined;  ///< undefined: nowhere on the way
  bool softmax = false;            ///< inside the softmax too, unless softmax_precision asks for more

  [[nodiscard]] double operator()(double value) const {
    if (dtype == DType::undefined) return value;
    return static_cast<double>(decode_float(dtype, encode_float(dtype, value, Overflow::propagate)));
  }
};

Rounding rounding_of(const EvalContext& context) {
  const DType dtype = context.tensor(kQ).dtype();
  if (dtype != DType::f16 && dtype != DType::bf16) return {};
  const std::int64_t precision = context.attributes.integer("softmax_precision", static_cast<std::int64_t>(dtype));
  return {dtype, precision == static_cast<std::int64_t>(dtype)};
}

/// Each number times `factor`, rounded.
Result<Tensor> scaled(const Tensor& numbers, double factor, const Rounding& round) {
  TRY_ASSIGN(Tensor product, numbers.clone());
  for (double& number : product.mutable_values<double>()) number = round(number * factor);
  return product;
}

/// exp(score - most), normalised.
void softmax(double* scores, std::int64_t n, double most, const Rounding& rounding) {
  const auto round = [&](double value) { return rounding.softmax ? rounding(value) : value; };
  double sum = 0;
  for (std::int64_t i = 0; i < n; ++i) {
    scores[i] = round(expr::exp(round(scores[i] - most)));
    sum += scores[i];
    // A sum of bf16 rounds at every step, one of f16 once, as in the standard's own evaluator.
    if (rounding.dtype == DType::bf16) sum = round(sum);
  }
  sum = round(sum);
  for (std::int64_t i = 0; i < n; ++i) scores[i] = rounding(scores[i] / sum);
}

/// One row of scores, as it goes from the product to the weights; `keep` is written at the stage that is asked for.
void weigh(double* scores, std::int64_t n, double softcap, const double* bias, Stage stage, double* keep,
           const Rounding& round) {
  const auto keep_if = [&](Stage reached) {
    if (keep != nullptr && stage == reached) std::copy_n(scores, n, keep);
  };
  keep_if(Stage::product);
  if (softcap > 0)
    for (std::int64_t i = 0; i < n; ++i) scores[i] = round(softcap * round(expr::tanh(round(scores[i] / softcap))));
  keep_if(Stage::capped);
  double most_bias = -std::numeric_limits<double>::infinity(), most = most_bias;
  for (std::int64_t i = 0; i < n; ++i) {
    scores[i] = round(scores[i] + bias[i]);
    if (bias[i] > most_bias || bias[i] != bias[i]) most_bias = bias[i];
    if (scores[i] > most || scores[i] != scores[i]) most = scores[i];
  }
  keep_if(Stage::biased);
  // A row that sees nothing weighs nothing.
  const bool blind = most_bias == -std::numeric_limits<double>::infinity();
  if (blind)
    std::fill_n(scores, n, 0.0);
  else
    softmax(scores, n, most, round);
  keep_if(Stage::softmax);
}

/// scale: of the product, split evenly between Q and K.
double scale_of(const Attributes& attributes, std::int64_t size) {
  return attributes.has("scale") ? attributes.real("scale", 1) : 1 / std::sqrt(static_cast<double>(size));
}

Result<Stage> stage_of(const Attributes& attributes) {
  const std::int64_t mode = attributes.integer("qk_matmul_output_mode", 0);
  if (mode < 0 || mode > 3) return fail(Code::bad_value, "qk_matmul_output_mode is {}; 0 to 3 are allowed", mode);
  return static_cast<Stage>(mode);
}

Result<void> eval_attention(EvalContext& context) {
  TRY_ASSIGN(const Operands operands, read_operands(context));
  const Heads& heads = operands.heads;
  TRY_ASSIGN(const Bias bias, read_bias(context, heads));
  TRY_ASSIGN(const Stage stage, stage_of(context.attributes));
  const Rounding round = rounding_of(context);
  const double root = round(std::sqrt(scale_of(context.attributes, heads.size)));
  TRY_ASSIGN(Tensor queries, as_doubles(operands.q));
  TRY_ASSIGN(Tensor keys, as_doubles(operands.key));
  if (round.dtype != DType::undefined) {
    TRY_ASSIGN(queries, scaled(queries, root, round));
    TRY_ASSIGN(keys, scaled(keys, root, round));
  }
  TRY_ASSIGN(const Tensor values, as_doubles(operands.value));
  TRY_ASSIGN(Tensor y, zero_doubles({heads.batch, heads.queries, heads.rows, heads.value_size}));
  TRY_ASSIGN(Tensor scores, zero_doubles({heads.rows, heads.total}));
  TRY_ASSIGN(Tensor biases, zero_doubles({heads.total}));
  const bool kept = context.outputs.size() > 3 && context.wanted[3];
  TRY_ASSIGN(Tensor stages, zero_doubles(kept ? Dims{heads.batch, heads.queries, heads.rows, heads.total} : Dims{0}));
  const double scale = round.dtype != DType::undefined ? 1 : scale_of(context.attributes, heads.size),
               softcap = context.attributes.real("softcap", 0);
  double *score = scores.mutable_data<double>(), *hidden = biases.mutable_data<double>();
  const std::int64_t group = heads.keys == 0 ? 1 : heads.queries / heads.keys;
  for (std::int64_t n = 0; n < heads.batch && y.size() + stages.size() > 0; ++n)
    for (std::int64_t head = 0; head < heads.queries; ++head) {
      const std::int64_t q = n * heads.queries + head, kv = n * heads.keys + head / group;
      const double *query = queries.data<double>() + q * heads.rows * heads.size,
                   *key = keys.data<double>() + kv * heads.total * heads.size;
      const double* value = values.data<double>() + kv * heads.total * heads.value_size;
      multiply(Matrix<double>{query, heads.rows, heads.size, heads.size, 1},
               Matrix<double>{key, heads.size, heads.total, 1, heads.size},
               [&](std::int64_t i, std::int64_t j, const double* sums, std::int64_t count) {
                 for (std::int64_t k = 0; k < count; ++k) score[i * heads.total + j + k] = round(sums[k] * scale);
               });
      for (std::int64_t row = 0; row < heads.rows; ++row) {
        for (std::int64_t column = 0; column < heads.total; ++column) hidden[column] = bias.at(n, head, row, column);
        double* keep = kept ? stages.mutable_data<double>() + (q * heads.rows + row) * heads.total : nullptr;
        weigh(score + row * heads.total, heads.total, softcap, hidden, stage, keep, round);
      }
      double* to = y.mutable_data<double>() + q * heads.rows * heads.value_size;
      multiply(Matrix<double>{score, heads.rows, heads.total, heads.total, 1},
               Matrix<double>{value, heads.total, heads.value_size, heads.value_size, 1},
               [&](std::int64_t i, std::int64_t j, const double* sums, std::int64_t count) {
                 std::copy_n(sums, count, to + i * heads.value_size + j);
               });
    }
  const DType dtype = context.tensor(kQ).dtype();
  if (operands.flat) {
    const Dims& step = y.strides();
    const Tensor turned =
        y.view({heads.batch, heads.rows, heads.queries, heads.value_size}, {step[0], step[2], step[1], step[3]});
    TRY_ASSIGN(const Tensor dense, rounded(turned, dtype));
    context.outputs[0] = dense.reshaped({heads.batch, heads.rows, heads.queries * heads.value_size});
  } else {
    TRY_ASSIGN(context.outputs[0], rounded(y, dtype));
  }
  if (context.outputs.size() > 1) context.outputs[1] = operands.key;
  if (context.outputs.size() > 2) context.outputs[2] = operands.value;
  if (kept) {
    TRY_ASSIGN(context.outputs[3], rounded(stages, dtype));
  }
  return {};
}

/// Extents of a rank 3 or 4 operand as [batch, heads, positions, size]; nullopt when its rank is unknown.
Result<std::optional<SymbolicShape>> symbolic_heads(const InferContext& context, std::size_t i,
                                                    std::string_view attribute) {
  const SymbolicShape* shape = context.shape(i);
  if (shape == nullptr) return std::optional<SymbolicShape>();
  if (shape->size() == 4) return std::optional<SymbolicShape>(*shape);
  if (shape->size() != 3)
    return fail(Code::bad_shape, "input {} of shape {} must have rank 3 or 4", i, to_string(*shape));
  const std::int64_t heads = context.attributes.integer(attribute, 0);
  if (heads < 1) return fail(Code::bad_value, "{} is {}; inputs of rank 3 need it", attribute, heads);
  const Dim& last = (*shape)[2];
  if (last.known() && last.value % heads != 0)
    return fail(Code::bad_shape, "input {} of shape {} cannot be split into {} heads", i, to_string(*shape), heads);
  return std::optional<SymbolicShape>(
      {(*shape)[0], Dim(heads), (*shape)[1], last.known() ? Dim(last.value / heads) : Dim()});
}

Dim sum_of(const Dim& a, const Dim& b) {
  std::int64_t sum = 0;
  return a.known() && b.known() && !__builtin_add_overflow(a.value, b.value, &sum) ? Dim(sum) : Dim();
}

Result<void> infer_attention(InferContext& context) {
  TRY(stage_of(context.attributes));
  TRY_ASSIGN(const auto q, symbolic_heads(context, kQ, "q_num_heads"));
  TRY_ASSIGN(const auto k, symbolic_heads(context, kK, "kv_num_heads"));
  TRY_ASSIGN(const auto v, symbolic_heads(context, kV, "kv_num_heads"));
  if (!q || !k || !v) return {};
  if (!agree_dim((*q)[3], (*k)[3]) || !agree_dim((*k)[2], (*v)[2]) || !agree_dim((*q)[0], (*k)[0]) ||
      !agree_dim((*q)[0], (*v)[0]))
    return fail(Code::bad_shape, "Q {}, K {} and V {} (batch, heads, positions, size) do not go together",
                to_string(*q), to_string(*k), to_string(*v));
  Dim total = (*k)[2];
  if (context.has_input(kPastKey)) {
    const SymbolicShape* past = context.shape(kPastKey);
    total = past != nullptr && past->size() == 4 ? sum_of((*past)[2], total) : Dim();
  }
  if (context.shape(kQ)->size() == 4) {
    context.set_shape(0, {(*q)[0], (*q)[1], (*q)[2], (*v)[3]});
  } else {
    std::int64_t width = 0;
    const bool known = (*v)[3].known() && !__builtin_mul_overflow((*q)[1].value, (*v)[3].value, &width);
    context.set_shape(0, {(*q)[0], (*q)[2], known ? Dim(width) : Dim()});
  }
  context.set_shape(1, {(*k)[0], (*k)[1], total, (*k)[3]});
  context.set_shape(2, {(*v)[0], (*v)[1], total, (*v)[3]});
  context.set_shape(3, {(*q)[0], (*q)[1], (*q)[2], total});
  return {};
}

constexpr OpDef kAttention[] = {{.name = "Attention",
                                 .since = {23, 24, 25},
                                 .infer = infer_attention,
                                 .eval = eval_attention,
                                 .axes = kAttentionAxes}};

}  // namespace

std::span<const OpDef> attention_ops() { return kAttention; }

}  // namespace pawl::ops
