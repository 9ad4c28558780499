// LinearAttention and CausalConvWithState: sequence mixers whose state is handed from call to call. In double, rounded
// on the way out.
#include <cmath>

#include "expr/scalar.h"
#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/wide.h"

namespace pawl::ops {
namespace {

enum Input : std::size_t { kQuery, kKey, kValue, kState, kDecay, kBeta };

/// S = exp(decay)·S; S += k·(beta·(v - kᵀS))ᵀ; y = scale·qᵀS, with the parts that the rule has.
struct Rule {
  bool decays = false;    ///< gated
  bool corrects = false;  ///< delta
};

Result<Rule> rule_of(const Attributes& attributes) {
  const std::string text = attributes.text("update_rule", "gated_delta");
  if (text == "linear") return Rule{false, false};
  if (text == "gated") return Rule{true, false};
  if (text == "delta") return Rule{false, true};
  if (text == "gated_delta") return Rule{true, true};
  return fail(Code::bad_value, "update_rule is \"{}\"; linear, gated, delta and gated_delta are allowed", text);
}

struct Sizes {
  std::int64_t batch = 0, steps = 0, queries = 0, keys = 0;  ///< the last two: numbers of heads
  std::int64_t key = 0, value = 0;                           ///< sizes of one head
  std::int64_t decay = 0, beta = 0;  ///< numbers for one head (1 or `key`), for one step (1 or `keys`)
};

/// The last extent of a [batch, steps, …] input.
Result<std::int64_t> width_of(const EvalContext& context, std::size_t i, std::string_view name, const Sizes& sizes) {
  const Dims& shape = context.tensor(i).shape();
  if (shape.size() != 3 || shape[0] != sizes.batch || shape[1] != sizes.steps)
    return fail(Code::bad_shape, "{} has shape {}, [{},{},…] is needed", name, to_string(shape), sizes.batch,
                sizes.steps);
  return shape[2];
}

Result<std::int64_t> share(std::int64_t width, std::int64_t heads, std::string_view name) {
  if (heads < 1 || width % heads != 0)
    return fail(Code::bad_shape, "{} of width {} cannot be split into {} heads", name, width, heads);
  return width / heads;
}

Result<Sizes> read_sizes(const EvalContext& context, Rule rule) {
  Sizes sizes;
  const Dims& query = context.tensor(kQuery).shape();
  if (query.size() != 3) return fail(Code::bad_shape, "query of shape {} must have rank 3", to_string(query));
  sizes = {.batch = query[0],
           .steps = query[1],
           .queries = context.attributes.integer("q_num_heads", 0),
           .keys = context.attributes.integer("kv_num_heads", 0)};
  TRY_ASSIGN(sizes.key, share(query[2], sizes.queries, "query"));
  TRY_ASSIGN(const std::int64_t key_width, width_of(context, kKey, "key", sizes));
  TRY_ASSIGN(const std::int64_t value_width, width_of(context, kValue, "value", sizes));
  TRY_ASSIGN(const std::int64_t key, share(key_width, sizes.keys, "key"));
  TRY_ASSIGN(sizes.value, share(value_width, sizes.keys, "value"));
  if (key != sizes.key) return fail(Code::bad_shape, "heads of query have size {}, those of key {}", sizes.key, key);
  if (sizes.queries % sizes.keys != 0)
    return fail(Code::bad_shape, "{} query heads cannot share {} key heads", sizes.queries, sizes.keys);
  if (rule.decays) {
    if (!context.has_input(kDecay)) return fail(Code::bad_value, "decay is missing, which the update rule needs");
    TRY_ASSIGN(const std::int64_t width, width_of(context, kDecay, "decay", sizes));
    TRY_ASSIGN(sizes.decay, share(width, sizes.keys, "decay"));
    if (sizes.decay != 1 && sizes.decay != sizes.key)
      return fail(Code::bad_shape, "decay has {} numbers for a head of size {}", sizes.decay, sizes.key);
  }
  if (rule.corrects) {
    if (!context.has_input(kBeta)) return fail(Code::bad_value, "beta is missing, which the update rule needs");
    TRY_ASSIGN(sizes.beta, width_of(context, kBeta, "beta", sizes));
    if (sizes.beta != 1 && sizes.beta != sizes.keys)
      return fail(Code::bad_shape, "beta has {} numbers for {} heads", sizes.beta, sizes.keys);
  }
  return sizes;
}

/// One step of one head. state [key, value] changes; retrieved [value] is scratch.
void update(const Sizes& sizes, double* state, const double* k, const double* v, const double* decay,
            const double* beta, double* retrieved) {
  if (decay != nullptr)
    for (std::int64_t i = 0; i < sizes.key; ++i) {
      const double factor = expr::exp(decay[sizes.decay == 1 ? 0 : i]);
      for (std::int64_t j = 0; j < sizes.value; ++j) state[i * sizes.value + j] *= factor;
    }
  std::copy_n(v, sizes.value, retrieved);
  if (beta != nullptr) {
    for (std::int64_t i = 0; i < sizes.key; ++i)
      for (std::int64_t j = 0; j < sizes.value; ++j) retrieved[j] -= k[i] * state[i * sizes.value + j];
    for (std::int64_t j = 0; j < sizes.value; ++j) retrieved[j] *= *beta;
  }
  for (std::int64_t i = 0; i < sizes.key; ++i)
    for (std::int64_t j = 0; j < sizes.value; ++j) state[i * sizes.value + j] += k[i] * retrieved[j];
}

/// y [value] = scale·qᵀ·state
void read_state(const Sizes& sizes, const double* state, const double* q, double scale, double* y) {
  for (std::int64_t i = 0; i < sizes.key; ++i)
    for (std::int64_t j = 0; j < sizes.value; ++j) y[j] += q[i] * state[i * sizes.value + j];
  for (std::int64_t j = 0; j < sizes.value; ++j) y[j] *= scale;
}

Result<Tensor> first_state(const EvalContext& context, const Sizes& sizes) {
  const Dims shape = {sizes.batch, sizes.keys, sizes.key, sizes.value};
  if (!context.has_input(kState)) return zero_doubles(shape);
  if (context.tensor(kState).shape() != shape)
    return fail(Code::bad_shape, "past_state has shape {}, {} is needed", to_string(context.tensor(kState).shape()),
                to_string(shape));
  TRY_ASSIGN(const Tensor wide, as_doubles(context.tensor(kState)));
  return wide.clone();
}

Result<void> eval_linear_attention(EvalContext& context) {
  TRY_ASSIGN(const Rule rule, rule_of(context.attributes));
  TRY_ASSIGN(const Sizes sizes, read_sizes(context, rule));
  TRY_ASSIGN(const Tensor q, as_doubles(context.tensor(kQuery)));
  TRY_ASSIGN(const Tensor k, as_doubles(context.tensor(kKey)));
  TRY_ASSIGN(const Tensor v, as_doubles(context.tensor(kValue)));
  Tensor decay, beta;
  if (rule.decays) {
    TRY_ASSIGN(decay, as_doubles(context.tensor(kDecay)));
  }
  if (rule.corrects) {
    TRY_ASSIGN(beta, as_doubles(context.tensor(kBeta)));
  }
  TRY_ASSIGN(Tensor states, first_state(context, sizes));
  std::int64_t width = 0;
  if (__builtin_mul_overflow(sizes.queries, sizes.value, &width))
    return fail(Code::limit, "{} heads are too many", sizes.queries);
  TRY_ASSIGN(Tensor y, zero_doubles({sizes.batch, sizes.steps, width}));
  TRY_ASSIGN(Tensor scratch, zero_doubles({sizes.value}));
  const float given = context.attributes.real("scale", 0);
  const double scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(sizes.key));
  const std::int64_t group = sizes.queries / sizes.keys;
  for (std::int64_t n = 0; n < sizes.batch && y.size() + states.size() > 0; ++n)
    for (std::int64_t t = 0; t < sizes.steps; ++t) {
      const std::int64_t at = n * sizes.steps + t;
      for (std::int64_t head = 0; head < sizes.keys; ++head) {
        double* state = states.mutable_data<double>() + (n * sizes.keys + head) * sizes.key * sizes.value;
        const std::int64_t row = at * sizes.keys + head;
        update(sizes, state, k.data<double>() + row * sizes.key, v.data<double>() + row * sizes.value,
               rule.decays ? decay.data<double>() + row * sizes.decay : nullptr,
               rule.corrects ? beta.data<double>() + (sizes.beta == 1 ? at : row) : nullptr,
               scratch.mutable_data<double>());
        for (std::int64_t query = at * sizes.queries + head * group; query < at * sizes.queries + (head + 1) * group;
             ++query)
          read_state(sizes, state, q.data<double>() + query * sizes.key, scale,
                     y.mutable_data<double>() + query * sizes.value);
      }
    }
  TRY_ASSIGN(context.outputs[0], rounded(y, context.tensor(kQuery).dtype()));
  TRY_ASSIGN(context.outputs[1], rounded(states, context.tensor(context.has_input(kState) ? kState : kQuery).dtype()));
  return {};
}

Result<void> infer_linear_attention(InferContext& context) {
  TRY(rule_of(context.attributes));
  if (context.outputs.size() > 1 && context.outputs[1].dtype == DType::undefined)
    context.outputs[1] = Type::tensor(context.dtype(kQuery));
  const SymbolicShape *q = context.shape(kQuery), *v = context.shape(kValue);
  const std::int64_t queries = context.attributes.integer("q_num_heads", 0),
                     keys = context.attributes.integer("kv_num_heads", 0);
  if (queries < 1 || keys < 1)
    return fail(Code::bad_value, "q_num_heads is {} and kv_num_heads {}; 1 is the least allowed", queries, keys);
  if (q == nullptr || v == nullptr) return {};
  if (q->size() != 3 || v->size() != 3)
    return fail(Code::bad_shape, "query of shape {} and value of shape {} must have rank 3", to_string(*q),
                to_string(*v));
  const auto per_head = [](const Dim& width, std::int64_t heads) {
    return width.known() ? Dim(width.value / heads) : Dim();
  };
  const Dim key = per_head((*q)[2], queries), value = per_head((*v)[2], keys);
  std::int64_t width = 0;
  const bool known = value.known() && !__builtin_mul_overflow(value.value, queries, &width);
  context.set_shape(0, {(*q)[0], (*q)[1], known ? Dim(width) : Dim()});
  context.set_shape(1, {(*q)[0], Dim(keys), key, value});
  return {};
}

/// Each channel with its own kernel, over the past and the input; nothing of the future is seen.
Result<void> eval_causal_conv(EvalContext& context) {
  const Dims &shape = context.tensor(0).shape(), &kernel = context.tensor(1).shape();
  if (shape.size() != 3 || kernel.size() != 3 || kernel[0] != shape[1] || kernel[1] != 1 || kernel[2] < 1)
    return fail(Code::bad_shape, "input of shape {} and weight of shape {} do not fit [N,C,L] and [C,1,K]",
                to_string(shape), to_string(kernel));
  const std::int64_t channels = shape[1], length = shape[2], taps = kernel[2], past = taps - 1;
  const std::string activation = context.attributes.text("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    return fail(Code::bad_value, "activation is \"{}\"; none, silu and swish are allowed", activation);
  TRY_ASSIGN(const Tensor x, as_doubles(context.tensor(0)));
  TRY_ASSIGN(const Tensor w, as_doubles(context.tensor(1)));
  TRY_ASSIGN(Tensor bias, zero_doubles({channels}));
  if (context.has_input(2)) {
    if (context.tensor(2).shape() != Dims{channels})
      return fail(Code::bad_shape, "bias has shape {}, [{}] is needed", to_string(context.tensor(2).shape()), channels);
    TRY_ASSIGN(bias, as_doubles(context.tensor(2)));
  }
  const Dims state_shape = {shape[0], channels, past};
  TRY_ASSIGN(Tensor before, zero_doubles(state_shape));
  if (context.has_input(3)) {
    if (context.tensor(3).shape() != state_shape)
      return fail(Code::bad_shape, "past_state has shape {}, {} is needed", to_string(context.tensor(3).shape()),
                  to_string(state_shape));
    TRY_ASSIGN(before, as_doubles(context.tensor(3)));
  }
  TRY_ASSIGN(Tensor y, zero_doubles(shape));
  TRY_ASSIGN(Tensor after, zero_doubles(state_shape));
  const std::int64_t rows = y.size() + after.size() > 0 ? shape[0] * channels : 0;
  for (std::int64_t row = 0; row < rows; ++row) {
    // Position i of the past and the input laid end to end.
    const auto at = [&](std::int64_t i) {
      return i < past ? before.data<double>()[row * past + i] : x.data<double>()[row * length + i - past];
    };
    for (std::int64_t i = 0; i < length; ++i) {
      double sum = 0;
      for (std::int64_t tap = 0; tap < taps; ++tap) sum += w.data<double>()[row % channels * taps + tap] * at(i + tap);
      sum += bias.data<double>()[row % channels];
      y.mutable_data<double>()[row * length + i] = activation == "none" ? sum : sum * expr::sigmoid(sum);
    }
    for (std::int64_t i = 0; i < past; ++i) after.mutable_data<double>()[row * past + i] = at(length + i);
  }
  TRY_ASSIGN(context.outputs[0], rounded(y, context.tensor(0).dtype()));
  TRY_ASSIGN(context.outputs[1], rounded(after, context.tensor(0).dtype()));
  return {};
}

Result<void> infer_causal_conv(InferContext& context) {
  const SymbolicShape *x = context.shape(0), *w = context.shape(1);
  if (x != nullptr && w != nullptr && (x->size() != 3 || w->size() != 3 || !agree_dim((*x)[1], (*w)[0])))
    return fail(Code::bad_shape, "input of shape {} and weight of shape {} do not fit [N,C,L] and [C,1,K]",
                to_string(*x), to_string(*w));
  if (x != nullptr && w != nullptr)
    context.set_shape(1, {(*x)[0], (*x)[1], (*w)[2].known() && (*w)[2].value > 0 ? Dim((*w)[2].value - 1) : Dim()});
  return infer_same(context);
}

constexpr OpDef kLinearAttention[] = {
    {.name = "LinearAttention",
     .since = {27},
     .infer = infer_linear_attention,
     .eval = eval_linear_attention,
     .axes = kLinearAttentionAxes},
    {.name = "CausalConvWithState",
     .since = {27},
     .infer = infer_causal_conv,
     .eval = eval_causal_conv,
     .axes = kCausalConvAxes},
};

}  // namespace

std::span<const OpDef> linear_attention_ops() { return kLinearAttention; }

}  // namespace pawl::ops
