// AveragePool, MaxPool, LpPool. Sums are accumulated in double and rounded once; padding holds no elements.
#include <cmath>

#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/window.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

/// Until version 22 a last window is kept wherever it begins.
Rounding rounding_of(int since, const Attributes& attributes) {
  if (attributes.integer("ceil_mode", 0) == 0) return Rounding::floor;
  return since >= 22 ? Rounding::ceil_clipped : Rounding::ceil;
}

Result<Windows> pool_windows(const Attributes& attributes, std::size_t rank) {
  if (rank < 3) return fail(Code::bad_shape, "X of rank {} has no spatial axes", rank);
  if (attributes.integers("kernel_shape").empty()) return fail(Code::bad_value, "kernel_shape is missing");
  return read_windows(attributes, rank - 2);
}

Result<void> infer_pool(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  TRY_ASSIGN(const Windows windows, pool_windows(context.attributes, shape->size()));
  SymbolicShape out = *shape;
  for (std::size_t i = 2; i < out.size(); ++i) {
    TRY_ASSIGN(out[i], windows.count(i - 2, (*shape)[i], rounding_of(context.since(), context.attributes)));
  }
  context.set_shape(0, out);
  context.set_shape(1, std::move(out));
  return {};
}

/// What one window covers along one axis.
struct Reach {
  std::int64_t first = 0;   ///< position of the first element inside of the input
  std::int64_t inside = 0;  ///< elements inside of the input
  std::int64_t padded = 0;  ///< elements inside of the input and its padding
};

Reach reach_of(const WindowAxis& axis, std::int64_t window) {
  const std::int64_t start = window * axis.stride - axis.before;
  const auto up_to = [&](std::int64_t end) {
    return start >= end ? 0 : std::min(axis.kernel, (end - 1 - start) / axis.dilation + 1);
  };
  const std::int64_t skipped = start < 0 ? std::min(axis.kernel, (-start - 1) / axis.dilation + 1) : 0;
  Reach reach;
  reach.inside = std::max<std::int64_t>(up_to(axis.extent) - skipped, 0);
  if (reach.inside > 0) reach.first = start + skipped * axis.dilation;
  reach.padded = up_to(axis.extent + axis.after);
  return reach;
}

struct Pooling {
  Tensor x;
  Dims shape;                    ///< of the result
  std::vector<WindowAxis> axes;  ///< spatial
  Dims strides;                  ///< of the input's spatial axes
  Dims steps;                    ///< between two elements of a window
};

Result<Pooling> plan_pool(const EvalContext& context) {
  Pooling pool;
  TRY_ASSIGN(pool.x, context.dense(0));
  const Dims& shape = pool.x.shape();
  TRY_ASSIGN(const Windows windows, pool_windows(context.attributes, shape.size()));
  const Dims spatial(std::span(shape.begin() + 2, shape.size() - 2));
  pool.shape = {shape[0], shape[1]};
  pool.strides = dense_strides(spatial);
  for (std::size_t i = 0; i < spatial.size(); ++i) {
    TRY_ASSIGN(const WindowAxis axis, windows.place(i, spatial[i], rounding_of(context.since(), context.attributes)));
    pool.axes.push_back(axis);
    pool.shape.push_back(axis.windows);
    // A step longer than the input is never taken.
    pool.steps.push_back(axis.dilation < axis.extent ? axis.dilation * pool.strides[i] : 0);
  }
  return pool;
}

/// Calls f(channel, first, counts, padded) for every result, in order: channel = n·C + c; the offset of the window's
/// first element within the channel, how many elements it has along each axis, and how many in all with padding.
template <class F>
void for_each_window(const Pooling& pool, F&& f) {
  const std::size_t rank = pool.axes.size();
  Dims window(rank, 0), counts(rank, 0);
  const std::int64_t channels = pool.shape[0] * pool.shape[1];
  for (std::int64_t channel = 0; channel < channels;) {
    std::int64_t first = 0;
    double padded = 1;
    for (std::size_t i = 0; i < rank; ++i) {
      const Reach reach = reach_of(pool.axes[i], window[i]);
      first += reach.first * pool.strides[i];
      counts[i] = reach.inside;
      padded *= static_cast<double>(reach.padded);
    }
    f(channel, first, counts, padded);
    std::size_t axis = rank;
    while (axis > 0 && ++window[axis - 1] == pool.axes[axis - 1].windows) window[--axis] = 0;
    if (axis == 0) ++channel;
  }
}

/// Runs pool(elements, first, counts, padded) → result for every window; `elements` are those of one channel.
template <class Types, class Pool>
Result<void> eval_windows(EvalContext& context, const Pooling& plan, Pool pool) {
  TRY_ASSIGN(Tensor out, Tensor::allocate(plan.x.dtype(), plan.shape));
  if (out.size() > 0) {
    TRY(dispatch<Types>(plan.x.dtype(), [&](auto tag) -> Result<void> {
      using T = typename decltype(tag)::type;
      const std::int64_t channel_size = plan.x.size() / (plan.shape[0] * plan.shape[1]);
      T* to = out.mutable_data<T>();
      for_each_window(plan, [&](std::int64_t channel, std::int64_t first, const Dims& counts, double padded) {
        *to++ = pool(plan.x.data<T>() + channel * channel_size + first, counts, padded);
      });
      return {};
    }));
  }
  context.outputs[0] = std::move(out);
  return {};
}

/// Calls f(x, offset) for each element of a window.
template <class T, class F>
void for_each_element(const Pooling& plan, const T* from, const Dims& counts, F&& f) {
  walk<1>(counts, {&plan.steps}, [&](std::int64_t at) { f(from[at], at); });
}

Result<void> eval_average_pool(EvalContext& context) {
  TRY_ASSIGN(const Pooling plan, plan_pool(context));
  const bool with_padding = context.attributes.integer("count_include_pad", 0) != 0;
  return eval_windows<Floats>(context, plan, [&]<class T>(const T* from, const Dims& counts, double padded) {
    double sum = 0, count = 0;
    for_each_element(plan, from, counts, [&](T x, std::int64_t) {
      sum += static_cast<double>(x);
      ++count;
    });
    return static_cast<T>(sum / (with_padding ? padded : count));
  });
}

Result<void> eval_lp_pool(EvalContext& context) {
  TRY_ASSIGN(const Pooling plan, plan_pool(context));
  const double p =
      context.since() == 1 ? context.attributes.real("p", 2) : static_cast<double>(context.attributes.integer("p", 2));
  return eval_windows<Floats>(context, plan, [&]<class T>(const T* from, const Dims& counts, double) {
    double sum = 0;
    for_each_element(plan, from, counts,
                     [&](T x, std::int64_t) { sum += std::pow(std::fabs(static_cast<double>(x)), p); });
    return static_cast<T>(std::pow(sum, 1 / p));
  });
}

/// Offset within a channel as counted column by column (storage_order 1): the first spatial axis runs fastest.
std::int64_t column_major(std::int64_t offset, const Pooling& plan) {
  std::int64_t result = 0, step = 1;
  for (std::size_t i = 0; i < plan.axes.size(); ++i) {
    result += offset / plan.strides[i] * step;
    offset %= plan.strides[i];
    step *= plan.axes[i].extent;
  }
  return result;
}

Result<void> eval_max_pool(EvalContext& context) {
  TRY_ASSIGN(const Pooling plan, plan_pool(context));
  const bool columns = context.attributes.integer("storage_order", 0) != 0;
  const bool indexed = context.outputs.size() > 1 && context.wanted[1];
  TRY_ASSIGN(Tensor indices, Tensor::allocate(DType::i64, indexed ? plan.shape : Dims{0}));
  std::int64_t* index = indices.mutable_data<std::int64_t>();
  const std::int64_t channels = plan.shape[0] * plan.shape[1],
                     channel_size = channels == 0 ? 0 : plan.x.size() / channels;
  TRY(eval_windows<Join<Floats, TypeList<std::int8_t, std::uint8_t>>>(
      context, plan, [&]<class T>(const T* from, const Dims& counts, double) {
        using Limits = std::numeric_limits<Compute<T>>;
        auto best = static_cast<T>(Limits::has_infinity ? -Limits::infinity() : Limits::lowest());
        std::int64_t at = -1;
        for_each_element(plan, from, counts, [&](T x, std::int64_t offset) {
          const auto value = static_cast<Compute<T>>(x), record = static_cast<Compute<T>>(best);
          // NaN wins, the first of them; of equals the first.
          if (at >= 0 && !(value > record) && !(value != value && record == record)) return;
          best = x;
          at = (from - plan.x.data<T>()) + offset;
        });
        if (indexed) {
          if (columns && at >= 0) at = at / channel_size * channel_size + column_major(at % channel_size, plan);
          *index++ = at;
        }
        return best;
      }));
  if (indexed) context.outputs[1] = std::move(indices);
  return {};
}

constexpr OpDef kPool[] = {
    {.name = "AveragePool",
     .since = {1, 7, 10, 11, 19, 22},
     .infer = infer_pool,
     .eval = eval_average_pool,
     .axes = kPoolAxes},
    {.name = "MaxPool", .since = {1, 8, 10, 11, 12, 22}, .infer = infer_pool, .eval = eval_max_pool, .axes = kPoolAxes},
    {.name = "LpPool", .since = {1, 2, 11, 18, 22}, .infer = infer_pool, .eval = eval_lp_pool, .axes = kPoolAxes},
};

}  // namespace

std::span<const OpDef> pool_ops() { return kPool; }

}  // namespace pawl::ops
