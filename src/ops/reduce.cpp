// Reduce*: one value from the elements along some axes. Floats are accumulated in double and rounded once; integers
// wrap.
#include <cmath>
#include <type_traits>

#include "expr/scalar.h"
#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/wide.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

using Reducible = Join<Floats, TypeList<std::int32_t, std::int64_t, std::uint32_t, std::uint64_t>>;
using Comparable = Join<Reducible, TypeList<std::int8_t, std::uint8_t, bool>>;

/// Which axes are reduced. `axes` is null when the node does not say; an empty list means all, or none under
/// noop_with_empty_axes.
Result<std::vector<bool>> reduced_axes(const Dims* axes, const Attributes& attributes, std::size_t rank) {
  if (axes != nullptr && !axes->empty()) return mark_axes(*axes, rank);
  return std::vector<bool>(rank, attributes.integer("noop_with_empty_axes", 0) == 0);
}

Dims attribute_axes(const Attributes& attributes) { return Dims(attributes.integers("axes")); }

void infer_shape(InferContext& context, const std::vector<bool>& reduced) {
  const bool keep = context.attributes.integer("keepdims", 1) != 0;
  const SymbolicShape& shape = *context.shape(0);
  SymbolicShape out;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!reduced[axis])
      out.push_back(shape[axis]);
    else if (keep)
      out.emplace_back(1);
  }
  context.set_shape(0, std::move(out));
}

/// The axes are an input that is not constant: at best the rank is known.
void infer_rank(InferContext& context) {
  const SymbolicShape& shape = *context.shape(0);
  const SymbolicShape* axes = context.shape(1);
  const bool counted = axes != nullptr && axes->size() == 1 && (*axes)[0].known();
  if (counted && static_cast<std::size_t>((*axes)[0].value) == shape.size() && !shape.empty())
    return infer_shape(context, std::vector<bool>(shape.size(), true));
  if (context.attributes.integer("keepdims", 1) != 0) {
    SymbolicShape out(shape.size());
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
      if (shape[axis].known() && shape[axis].value == 1) out[axis] = 1;
    context.set_shape(0, std::move(out));
  } else if (counted && (*axes)[0].value > 0 && static_cast<std::size_t>((*axes)[0].value) < shape.size()) {
    context.set_shape(0, SymbolicShape(shape.size() - static_cast<std::size_t>((*axes)[0].value)));
  }
}

Result<void> infer_reduce(InferContext& context) {
  if (context.shape(0) == nullptr) return {};
  Dims axes = attribute_axes(context.attributes);
  if (context.has_input(1)) {
    const SymbolicShape* listed = context.shape(1);
    const bool none = listed != nullptr && listed->size() == 1 && (*listed)[0].known() && (*listed)[0].value == 0;
    if (const Tensor* constant = context.constant(1)) {
      TRY_ASSIGN(axes, integers_of(*constant));
    } else if (!none) {
      infer_rank(context);
      return {};
    }
  }
  TRY_ASSIGN(const auto reduced, reduced_axes(&axes, context.attributes, context.shape(0)->size()));
  infer_shape(context, reduced);
  return {};
}

/// How a reduction runs over its data, once and in row-major order.
struct Plan {
  Tensor data;
  Dims shape;              ///< of the result
  Dims strides;            ///< of the result along the axes of the data: 0 where reduced
  std::int64_t count = 1;  ///< elements behind each result
};

Result<Plan> plan_reduction(EvalContext& context) {
  Plan plan;
  TRY_ASSIGN(plan.data, context.dense(0));
  Dims axes = attribute_axes(context.attributes);
  if (context.has_input(1)) {
    TRY_ASSIGN(axes, context.integers(1));
  }
  const Dims& shape = plan.data.shape();
  TRY_ASSIGN(const auto reduced, reduced_axes(&axes, context.attributes, shape.size()));
  const bool keep = context.attributes.integer("keepdims", 1) != 0;
  Dims kept;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (!reduced[axis]) kept.push_back(shape[axis]);
    // A data extent of 0 elsewhere makes the count meaningless, and unused.
    else if (__builtin_mul_overflow(plan.count, shape[axis], &plan.count))
      plan.count = 0;
    if (!reduced[axis] || keep) plan.shape.push_back(reduced[axis] ? 1 : shape[axis]);
  }
  const Dims kept_strides = dense_strides(kept);
  for (std::size_t axis = 0, next = 0; axis < shape.size(); ++axis)
    plan.strides.push_back(reduced[axis] ? 0 : kept_strides[next++]);
  return plan;
}

// One struct per fold: `add` takes an element in, `finish` makes the result from the accumulator.

template <class T>
double as_real(Wide<T> value) {
  return static_cast<double>(from_wide<T>(value));
}

/// A real result as T: rounded for floats, truncated for integers.
template <class T>
T from_real(double value) {
  if constexpr (kIsFloat<T>)
    return static_cast<T>(value);
  else
    return truncate_to<T>(value);
}

struct Sum {
  static constexpr int kStart = 0;
  template <class T>
  static void add(Wide<T>& sum, T x) {
    sum += to_wide(x);
  }
  template <class T>
  static T finish(Wide<T> sum, std::int64_t) {
    return from_wide<T>(sum);
  }
};

struct SumSquare : Sum {
  template <class T>
  static void add(Wide<T>& sum, T x) {
    sum += to_wide(x) * to_wide(x);
  }
};

struct L1 : Sum {
  template <class T>
  static void add(Wide<T>& sum, T x) {
    if constexpr (kIsFloat<T>)
      sum += std::fabs(to_wide(x));
    else if constexpr (std::is_signed_v<T>)
      sum += x < 0 ? 0 - to_wide(x) : to_wide(x);
    else
      sum += to_wide(x);
  }
};

struct L2 : SumSquare {
  template <class T>
  static T finish(Wide<T> sum, std::int64_t) {
    if constexpr (kIsFloat<T>)
      return static_cast<T>(std::sqrt(sum));
    else
      return from_real<T>(std::sqrt(as_real<T>(sum)));
  }
};

struct LogSum : Sum {
  template <class T>
  static T finish(Wide<T> sum, std::int64_t) {
    if constexpr (kIsFloat<T>)
      return static_cast<T>(expr::log(sum));
    else
      return from_real<T>(expr::log(as_real<T>(sum)));
  }
};

struct Mean : Sum {
  template <class T>
  static T finish(Wide<T> sum, std::int64_t count) {
    if constexpr (kIsFloat<T>)
      return static_cast<T>(sum / static_cast<double>(count));
    else if constexpr (std::is_signed_v<T>)
      return static_cast<T>(static_cast<std::int64_t>(sum) / count);
    else
      return static_cast<T>(sum / static_cast<std::uint64_t>(count));
  }
};

struct Prod : Sum {
  static constexpr int kStart = 1;
  template <class T>
  static void add(Wide<T>& product, T x) {
    product *= to_wide(x);
  }
};

template <class Fold>
Result<void> eval_fold(EvalContext& context) {
  TRY_ASSIGN(const Plan plan, plan_reduction(context));
  return dispatch<Reducible>(plan.data.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    using W = Wide<T>;
    TRY_ASSIGN(Tensor out, Tensor::allocate(dtype_of<T>, plan.shape));
    TRY_ASSIGN(Tensor sums, Tensor::allocate(dtype_of<W>, plan.shape));
    if (std::is_same_v<Fold, Mean> && kIsInteger<T> && plan.count == 0 && out.size() > 0)
      return fail(Code::bad_value, "the mean of no elements is not an integer: data has shape {}",
                  to_string(plan.data.shape()));
    W* sum = sums.mutable_data<W>();
    // -0 is the neutral element of addition that keeps the sign of zeros; no elements give +0.
    const double start = Fold::kStart != 0 ? Fold::kStart : plan.count == 0 ? 0.0 : -0.0;
    std::fill_n(sum, sums.size(), static_cast<W>(start));
    const T* from = plan.data.data<T>();
    walk<2>(plan.data.shape(), {&plan.data.strides(), &plan.strides},
            [&](std::int64_t a, std::int64_t b) { Fold::template add<T>(sum[b], from[a]); });
    T* to = out.mutable_data<T>();
    for (std::int64_t i = 0; i < out.size(); ++i) to[i] = Fold::template finish<T>(sum[i], plan.count);
    context.outputs[0] = std::move(out);
    return {};
  });
}

/// The greatest (or least) element. NaN wins over everything; no elements give -inf (inf) or the type's least
/// (greatest).
template <bool Greatest>
Result<void> eval_extreme(EvalContext& context) {
  TRY_ASSIGN(const Plan plan, plan_reduction(context));
  return dispatch<Comparable>(plan.data.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    using Limits = std::numeric_limits<Compute<T>>;
    Compute<T> start = Greatest ? Limits::lowest() : Limits::max();
    if constexpr (kIsFloat<T>) start = Greatest ? -Limits::infinity() : Limits::infinity();
    TRY_ASSIGN(Tensor out, Tensor::allocate(dtype_of<T>, plan.shape));
    T* best = out.mutable_data<T>();
    std::fill_n(best, out.size(), static_cast<T>(start));
    const T* from = plan.data.data<T>();
    walk<2>(plan.data.shape(), {&plan.data.strides(), &plan.strides}, [&](std::int64_t a, std::int64_t b) {
      const auto x = static_cast<Compute<T>>(from[a]);
      const auto y = static_cast<Compute<T>>(best[b]);
      if ((Greatest ? x > y : x < y) || x != x) best[b] = from[a];
    });
    context.outputs[0] = std::move(out);
    return {};
  });
}

/// m + log(sum(exp(x - m))) with m the greatest element, so that no exponential overflows.
Result<void> eval_log_sum_exp(EvalContext& context) {
  TRY_ASSIGN(const Plan plan, plan_reduction(context));
  return dispatch<Reducible>(plan.data.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    TRY_ASSIGN(Tensor out, Tensor::allocate(dtype_of<T>, plan.shape));
    TRY_ASSIGN(Tensor maxima, Tensor::allocate(DType::f64, plan.shape));
    TRY_ASSIGN(Tensor sums, Tensor::allocate(DType::f64, plan.shape));
    double* most = maxima.mutable_data<double>();
    double* sum = sums.mutable_data<double>();
    std::fill_n(most, maxima.size(), -std::numeric_limits<double>::infinity());
    std::fill_n(sum, sums.size(), 0.0);
    const T* from = plan.data.data<T>();
    const std::array strides = {&plan.data.strides(), &plan.strides};
    walk<2>(plan.data.shape(), strides, [&](std::int64_t a, std::int64_t b) {
      const auto x = static_cast<double>(from[a]);
      if (x > most[b] || x != x) most[b] = x;
    });
    walk<2>(plan.data.shape(), strides, [&](std::int64_t a, std::int64_t b) {
      // Infinite maxima are the answer already; inf - inf would spoil it.
      if (std::isfinite(most[b])) sum[b] += expr::exp(static_cast<double>(from[a]) - most[b]);
    });
    T* to = out.mutable_data<T>();
    for (std::int64_t i = 0; i < out.size(); ++i)
      to[i] = from_real<T>(std::isfinite(most[i]) ? most[i] + expr::log(sum[i]) : most[i]);
    context.outputs[0] = std::move(out);
    return {};
  });
}

constexpr OpDef kReduce[] = {
    {.name = "ReduceSum", .since = {1, 11, 13}, .infer = infer_reduce, .eval = eval_fold<Sum>, .axes = kReducedAxes},
    {.name = "ReduceSumSquare",
     .since = {1, 11, 13, 18},
     .infer = infer_reduce,
     .eval = eval_fold<SumSquare>,
     .axes = kReducedAxes},
    {.name = "ReduceMean",
     .since = {1, 11, 13, 18},
     .infer = infer_reduce,
     .eval = eval_fold<Mean>,
     .axes = kReducedAxes},
    {.name = "ReduceProd",
     .since = {1, 11, 13, 18},
     .infer = infer_reduce,
     .eval = eval_fold<Prod>,
     .axes = kReducedAxes},
    {.name = "ReduceL1", .since = {1, 11, 13, 18}, .infer = infer_reduce, .eval = eval_fold<L1>, .axes = kReducedAxes},
    {.name = "ReduceL2", .since = {1, 11, 13, 18}, .infer = infer_reduce, .eval = eval_fold<L2>, .axes = kReducedAxes},
    {.name = "ReduceLogSum",
     .since = {1, 11, 13, 18, 28},
     .infer = infer_reduce,
     .eval = eval_fold<LogSum>,
     .axes = kReducedAxes},
    {.name = "ReduceLogSumExp",
     .since = {1, 11, 13, 18, 28},
     .infer = infer_reduce,
     .eval = eval_log_sum_exp,
     .axes = kReducedAxes},
    {.name = "ReduceMax",
     .since = {1, 11, 12, 13, 18, 20},
     .infer = infer_reduce,
     .eval = eval_extreme<true>,
     .axes = kReducedAxes},
    {.name = "ReduceMin",
     .since = {1, 11, 12, 13, 18, 20},
     .infer = infer_reduce,
     .eval = eval_extreme<false>,
     .axes = kReducedAxes},
};

}  // namespace

std::span<const OpDef> reduce_ops() { return kReduce; }

}  // namespace pawl::ops
