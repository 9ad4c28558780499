// Scatter, ScatterElements, ScatterND, TensorScatter: a tensor with some of its elements replaced or folded into.
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/fold.h"
#include "ops/indices.h"
#include "ops/infer.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

/// Combines `count` adjacent updates with what is there.
using Fold = void (*)(std::byte* to, const std::byte* from, std::int64_t count);

template <class T, class Combine>
Fold fold_by(Combine) {
  return [](std::byte* to, const std::byte* from, std::int64_t count) {
    auto* target = reinterpret_cast<T*>(to);
    const auto* source = reinterpret_cast<const T*>(from);
    for (std::int64_t i = 0; i < count; ++i) target[i] = T(Combine()(Compute<T>(target[i]), Compute<T>(source[i])));
  };
}

/// Null for "none". Reductions came with version 16, max and min with 18.
Result<Fold> fold_of(const EvalContext& context, DType dtype) {
  const std::string reduction = context.attributes.text("reduction", "none");
  if (reduction == "none") return Fold(nullptr);
  const bool ordered = reduction == "max" || reduction == "min";
  if (reduction != "add" && reduction != "mul" && !(ordered && context.since() >= 18))
    return fail(Code::bad_value, "\"{}\" is not a reduction of version {}", reduction, context.since());
  return dispatch<Join<Numbers, TypeList<bool>, Complex>>(dtype, [&](auto tag) -> Result<Fold> {
    using T = typename decltype(tag)::type;
    if (reduction == "add") return fold_by<T>(Sum());
    if (reduction == "mul") return fold_by<T>(Product());
    if constexpr (kIsComplex<T>) {
      return fail(Code::bad_type, "complex numbers have no {}", reduction);
    } else {
      return reduction == "max" ? fold_by<T>(Most()) : fold_by<T>(Least());
    }
  });
}

/// Input 0 as memory that may be written to: its own where nobody else needs it.
Result<Tensor> writable_data(EvalContext& context) {
  Tensor data = take_tensor(context, 0);
  if (data.unique() && data.dense() && data.aligned()) return data;
  return data.clone();
}

class Writer {
 public:
  Writer(Tensor& target, Fold fold) : copy_(target.dtype()), fold_(fold), to_(target.mutable_bytes()) {}
  /// Writes `count` adjacent elements at element `offset`.
  void operator()(std::int64_t offset, const std::byte* from, std::int64_t count = 1) const {
    if (fold_ != nullptr)
      fold_(to_ + offset * copy_.width(), from, count);
    else
      copy_(to_ + offset * copy_.width(), from, 0, count);
  }
  [[nodiscard]] std::int64_t width() const { return copy_.width(); }

 private:
  ElementCopy copy_;
  Fold fold_;
  std::byte* to_;
};

Result<void> eval_scatter_elements(EvalContext& context) {
  const Dims shape = context.tensor(0).shape();
  const Tensor& indices = context.tensor(1);
  TRY_ASSIGN(const Tensor updates, context.dense(2));
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), shape.size()));
  TRY(check_element_indices(shape, indices.shape(), axis));
  if (updates.shape() != indices.shape())
    return fail(Code::bad_shape, "updates {} and indices {} differ", to_string(updates.shape()),
                to_string(indices.shape()));
  TRY_ASSIGN(const Dims positions, resolve_indices(indices, shape[axis]));
  TRY_ASSIGN(const Fold fold, fold_of(context, updates.dtype()));
  const Dims index_shape = indices.shape();
  TRY_ASSIGN(Tensor result, writable_data(context));
  const Writer write(result, fold);
  Dims strides = result.strides();
  strides[axis] = 0;
  const std::byte* from = updates.bytes();
  std::size_t next = 0;
  walk<1>(index_shape, {&strides}, [&](std::int64_t at) {
    write(at + positions[next++] * result.strides()[axis], from);
    from += write.width();
  });
  context.outputs[0] = std::move(result);
  return {};
}

Result<void> eval_scatter_nd(EvalContext& context) {
  const Dims shape = context.tensor(0).shape();
  TRY_ASSIGN(const Tensor updates, context.dense(2));
  TRY_ASSIGN(const TuplePlaces places, resolve_tuples(context.tensor(1), shape, 0));
  const Dims& index_shape = context.tensor(1).shape();
  Dims expected(std::span<const std::int64_t>(index_shape).first(index_shape.size() - 1));
  for (std::size_t i = places.axes; i < shape.size(); ++i) expected.push_back(shape[i]);
  if (updates.shape() != expected)
    return fail(Code::bad_shape, "updates must have shape {}, not {}", to_string(expected), to_string(updates.shape()));
  TRY_ASSIGN(const Fold fold, fold_of(context, updates.dtype()));
  TRY_ASSIGN(Tensor result, writable_data(context));
  const Writer write(result, fold);
  const std::byte* from = updates.bytes();
  for (const std::int64_t offset : places.offsets) {
    write(offset, from, places.block);
    from += places.block * write.width();
  }
  context.outputs[0] = std::move(result);
  return {};
}

/// Where in the cache each row of the batch is written from; empty where the node does not say, which means 0.
Result<Dims> write_positions(const EvalContext& context, std::int64_t batch) {
  if (!context.has_input(2)) return Dims();
  TRY_ASSIGN(Dims positions, context.integers(2));
  if (static_cast<std::int64_t>(positions.size()) != batch)
    return fail(Code::bad_shape, "{} write_indices for a batch of {}", positions.size(), batch);
  return positions;
}

Result<void> check_cache(const Dims& cache, const Dims& update, std::size_t axis) {
  bool fits = cache.size() == update.size() && axis > 0;
  for (std::size_t i = 0; fits && i < cache.size(); ++i)
    fits = i == axis ? update[i] <= cache[i] : update[i] == cache[i];
  if (fits) return {};
  return fail(Code::bad_shape, "update {} does not fit cache {} along axis {}", to_string(update), to_string(cache),
              axis);
}

Result<void> eval_tensor_scatter(EvalContext& context) {
  const Dims shape = context.tensor(0).shape();
  const Tensor update = context.tensor(1);
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", -2), shape.size()));
  TRY(check_cache(shape, update.shape(), axis));
  const std::string mode = context.attributes.text("mode", "linear");
  if (mode != "linear" && mode != "circular")
    return fail(Code::bad_value, "\"{}\" is not a mode of TensorScatter", mode);
  TRY_ASSIGN(const Dims positions, write_positions(context, shape[0]));
  const std::int64_t length = update.shape()[axis];
  const std::int64_t extent = shape[axis];
  for (const std::int64_t position : positions) {
    const bool fits = position >= 0 && (mode == "circular" || position <= extent - length);
    if (!fits) return fail(Code::bad_value, "{} elements do not fit at {} of a cache of {}", length, position, extent);
  }
  TRY_ASSIGN(Tensor result, writable_data(context));
  const auto time = static_cast<std::int64_t>(axis) - 1;
  for (std::int64_t b = 0; b < shape[0] && update.size() > 0; ++b) {
    const Tensor from = update.select(0, b);
    const Tensor to = result.select(0, b);
    const std::int64_t start = positions.empty() ? 0 : positions[static_cast<std::size_t>(b)] % extent;
    for (std::int64_t i = 0; i < length; ++i) {
      Tensor place = to.select(time, (start + i) % extent);
      copy_elements(from.select(time, i), place);
    }
  }
  context.outputs[0] = std::move(result);
  return {};
}

}  // namespace

std::span<const OpDef> scatter_ops() {
  static const OpDef rows[] = {
      {.name = "Scatter",
       .since = {9, 11},
       .infer = infer_same,
       .eval = eval_scatter_elements,
       .axes = kAtElementsAxes},
      {.name = "ScatterElements",
       .since = {11, 13, 16, 18},
       .infer = infer_same,
       .eval = eval_scatter_elements,
       .axes = kAtElementsAxes},
      {.name = "ScatterND",
       .since = {11, 13, 16, 18},
       .infer = infer_same,
       .eval = eval_scatter_nd,
       .axes = kScatterNDAxes},
      {.name = "TensorScatter",
       .since = {24},
       .infer = infer_same,
       .eval = eval_tensor_scatter,
       .axes = kTensorScatterAxes},
  };
  return rows;
}

}  // namespace pawl::ops
