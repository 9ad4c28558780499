// Softmax, LogSoftmax and Hardmax: along one axis since version 13; before, over all axes from `axis` on taken
// together.
#include <cmath>

#include "expr/scalar.h"
#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "tensor/dispatch.h"

namespace pawl::ops {
namespace {

/// How the elements group: `outer` × `length` × `inner`, with one distribution along `length` for each pair of the
/// others.
struct Groups {
  std::int64_t outer = 1;
  std::int64_t length = 1;
  std::int64_t inner = 1;
};

Result<std::size_t> axis_of(int since, const Attributes& attributes, std::size_t rank) {
  const std::int64_t axis = attributes.integer("axis", since >= 13 ? -1 : 1);
  // Version 1 flattens to [rows, 1] when the axis is the rank.
  if (since < 11 && axis == static_cast<std::int64_t>(rank)) return rank;
  return resolve_axis(axis, rank);
}

Result<void> infer_softmax(InferContext& context) {
  if (const SymbolicShape* shape = context.shape(0)) TRY(axis_of(context.since(), context.attributes, shape->size()));
  return infer_same(context);
}

Groups group(const Dims& shape, std::size_t axis, bool flatten) {
  Groups groups;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    std::int64_t& extent = i < axis ? groups.outer : i == axis || flatten ? groups.length : groups.inner;
    extent *= shape[i];
  }
  return groups;
}

template <class T>
double greatest(const T* from, std::int64_t length, std::int64_t step) {
  double most = -std::numeric_limits<double>::infinity();
  for (std::int64_t i = 0; i < length; ++i) {
    const auto x = static_cast<double>(from[i * step]);
    if (x > most || x != x) most = x;
  }
  return most;
}

template <class T>
float rounded(float value) {
  return static_cast<float>(static_cast<T>(value));
}

/// e = exp(x - max(x)); e / sum(e), or its logarithm. A group whose maximum is infinite becomes NaN.
///   f32, f64 : computed in f64 and rounded once
///   f16, bf16: each operator of the standard's function body (ReduceMax, Sub, Exp, ReduceSum, Div) rounds its result;
///   the
///              sum of bf16 rounds at every step, that of f16 once, as in the standard's own evaluator
template <bool Log>
struct Normalise {
  template <class T>
  static void run_rounded(const T* from, T* to, std::int64_t length, std::int64_t step) {
    const auto most = static_cast<float>(greatest(from, length, step));
    const auto shifted = [&](std::int64_t i) { return rounded<T>(static_cast<float>(from[i * step]) - most); };
    float sum = 0;
    for (std::int64_t i = 0; i < length; ++i) {
      sum += rounded<T>(expr::exp(shifted(i)));
      if (std::is_same_v<T, BF16>) sum = rounded<T>(sum);
    }
    sum = rounded<T>(sum);
    const float log_sum = rounded<T>(expr::log(sum));
    for (std::int64_t i = 0; i < length; ++i)
      to[i * step] = static_cast<T>(Log ? shifted(i) - log_sum : rounded<T>(expr::exp(shifted(i))) / sum);
  }

  template <class T>
  static void run(const T* from, T* to, std::int64_t length, std::int64_t step) {
    if constexpr (kIsSmallFloat<T>) return run_rounded(from, to, length, step);
    const double most = greatest(from, length, step);
    double sum = 0;
    for (std::int64_t i = 0; i < length; ++i) sum += expr::exp(static_cast<double>(from[i * step]) - most);
    const double log_sum = expr::log(sum);
    for (std::int64_t i = 0; i < length; ++i) {
      const double shifted = static_cast<double>(from[i * step]) - most;
      to[i * step] = static_cast<T>(Log ? shifted - log_sum : expr::exp(shifted) / sum);
    }
  }
};

/// 1 at the first greatest element, 0 elsewhere. The first NaN counts as the greatest.
struct OneHot {
  template <class T>
  static void run(const T* from, T* to, std::int64_t length, std::int64_t step) {
    const double most = greatest(from, length, step);
    bool found = false;
    for (std::int64_t i = 0; i < length; ++i) {
      const auto x = static_cast<double>(from[i * step]);
      const bool here = !found && (x == most || x != x);
      to[i * step] = static_cast<T>(here ? 1.0F : 0.0F);
      found = found || here;
    }
  }
};

template <class Rule>
Result<void> eval_groups(EvalContext& context) {
  TRY_ASSIGN(const Tensor data, context.dense(0));
  TRY_ASSIGN(const std::size_t axis, axis_of(context.since(), context.attributes, data.shape().size()));
  TRY_ASSIGN(Tensor out, Tensor::allocate(data.dtype(), data.shape()));
  return dispatch<Floats>(data.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    if (out.size() > 0) {
      const Groups groups = group(data.shape(), axis, context.since() < 13);
      for (std::int64_t i = 0; i < groups.outer; ++i)
        for (std::int64_t j = 0; j < groups.inner; ++j) {
          const std::int64_t first = i * groups.length * groups.inner + j;
          Rule::template run<T>(data.data<T>() + first, out.mutable_data<T>() + first, groups.length, groups.inner);
        }
    }
    context.outputs[0] = std::move(out);
    return {};
  });
}

constexpr OpDef kSoftmax[] = {
    {.name = "Softmax",
     .since = {1, 11, 13},
     .infer = infer_softmax,
     .eval = eval_groups<Normalise<false>>,
     .axes = kSoftmaxAxes},
    {.name = "LogSoftmax",
     .since = {1, 11, 13},
     .infer = infer_softmax,
     .eval = eval_groups<Normalise<true>>,
     .axes = kSoftmaxAxes},
    {.name = "Hardmax",
     .since = {1, 11, 13},
     .infer = infer_softmax,
     .eval = eval_groups<OneHot>,
     .axes = kSoftmaxAxes},
};

}  // namespace

std::span<const OpDef> softmax_ops() { return kSoftmax; }

}  // namespace pawl::ops
