// Gather, GatherElements, GatherND: slices and elements of a tensor, chosen by index.
#include <cstring>

#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

Result<void> infer_gather(InferContext& context) {
  const SymbolicShape* data = context.shape(0);
  const SymbolicShape* indices = context.shape(1);
  if (data == nullptr) return {};
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), data->size()));
  if (const Tensor* constant = context.constant(1); constant != nullptr && (*data)[axis].known()) {
    TRY(resolve_indices(*constant, (*data)[axis].value));
  }
  if (indices == nullptr) return {};
  const auto split = data->begin() + static_cast<std::ptrdiff_t>(axis);
  SymbolicShape result(data->begin(), split);
  result.insert(result.end(), indices->begin(), indices->end());
  result.insert(result.end(), split + 1, data->end());
  context.set_shape(0, std::move(result));
  return {};
}

/// Copies slices: result[before, i, after] = data[before, indices[i], after].
Result<Tensor> gather(const Tensor& data, std::size_t axis, const Tensor& indices, const Dims& positions) {
  Dims shape;
  Dims data_strides;
  Dims index_strides;
  const Dims index_dense = dense_strides(indices.shape());
  const auto add_axes = [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      shape.push_back(data.shape()[i]);
      data_strides.push_back(data.strides()[i]);
      index_strides.push_back(0);
    }
  };
  add_axes(0, axis);
  for (std::size_t i = 0; i < indices.shape().size(); ++i) {
    shape.push_back(indices.shape()[i]);
    data_strides.push_back(0);
    index_strides.push_back(index_dense[i]);
  }
  add_axes(axis + 1, data.shape().size());
  TRY_ASSIGN(Tensor result, Tensor::allocate(data.dtype(), shape));
  if (result.size() == 0) return result;
  // The innermost axes that lie without gaps are copied in one run.
  std::int64_t run = 1;
  while (shape.size() > axis + indices.shape().size() && (data_strides.back() == run || shape.back() == 1)) {
    run *= shape.back();
    const std::size_t last = shape.size() - 1;
    shape.erase(last);
    data_strides.erase(last);
    index_strides.erase(last);
  }
  const ElementCopy copy(data.dtype());
  const std::byte* from = data.bytes();
  std::byte* to = result.mutable_bytes();
  const std::int64_t stride = data.strides()[axis];
  walk<2>(shape, {&data_strides, &index_strides}, [&](std::int64_t at, std::int64_t index) {
    copy(to, from, at + positions[static_cast<std::size_t>(index)] * stride, run);
    to += run * copy.width();
  });
  return result;
}

Result<void> eval_gather(EvalContext& context) {
  const Tensor& data = context.tensor(0);
  const Tensor& indices = context.tensor(1);
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), data.shape().size()));
  TRY_ASSIGN(const Dims positions, resolve_indices(indices, data.shape()[axis]));
  if (indices.rank() == 0) {
    context.outputs[0] = data.select(static_cast<std::int64_t>(axis), positions[0]);
    return {};
  }
  TRY_ASSIGN(context.outputs[0], gather(data, axis, indices, positions));
  return {};
}

/// GatherElements and ScatterElements: indices reach into `data` along one axis and beside it no further than data
/// goes.
Result<void> infer_gather_elements(InferContext& context) {
  const SymbolicShape* data = context.shape(0);
  const SymbolicShape* indices = context.shape(1);
  if (data != nullptr) TRY(resolve_axis(context.attributes.integer("axis", 0), data->size()));
  if (indices == nullptr) return {};
  if (data != nullptr && data->size() != indices->size())
    return fail(Code::bad_shape, "indices {} do not have the rank of data {}", to_string(*indices), to_string(*data));
  context.set_shape(0, *indices);
  return {};
}

Result<void> eval_gather_elements(EvalContext& context) {
  const Tensor& data = context.tensor(0);
  const Tensor& indices = context.tensor(1);
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), data.shape().size()));
  TRY(check_element_indices(data.shape(), indices.shape(), axis));
  TRY_ASSIGN(const Dims positions, resolve_indices(indices, data.shape()[axis]));
  TRY_ASSIGN(Tensor result, Tensor::allocate(data.dtype(), indices.shape()));
  Dims strides = data.strides();
  strides[axis] = 0;
  const ElementCopy copy(data.dtype());
  std::byte* to = result.mutable_bytes();
  std::size_t next = 0;
  walk<1>(indices.shape(), {&strides}, [&](std::int64_t at) {
    copy(to, data.bytes(), at + positions[next++] * data.strides()[axis]);
    to += copy.width();
  });
  context.outputs[0] = std::move(result);
  return {};
}

std::size_t batch_dims(const Attributes& attributes) {
  return static_cast<std::size_t>(std::clamp<std::int64_t>(attributes.integer("batch_dims", 0), 0, 1 << 16));
}

Result<void> infer_gather_nd(InferContext& context) {
  const SymbolicShape* data = context.shape(0);
  const SymbolicShape* indices = context.shape(1);
  if (data == nullptr || indices == nullptr || indices->empty() || !indices->back().known()) return {};
  const std::size_t batch = batch_dims(context.attributes);
  const std::int64_t depth = indices->back().value;
  if (batch >= indices->size() || depth > static_cast<std::int64_t>(data->size()) ||
      batch + static_cast<std::size_t>(depth) > data->size())
    return fail(Code::bad_shape, "indices {} reach further than data {} with {} batch axes", to_string(*indices),
                to_string(*data), batch);
  SymbolicShape result(indices->begin(), indices->end() - 1);
  result.insert(result.end(), data->begin() + static_cast<std::ptrdiff_t>(batch) + depth, data->end());
  context.set_shape(0, std::move(result));
  return {};
}

Result<void> eval_gather_nd(EvalContext& context) {
  TRY_ASSIGN(const Tensor data, context.dense(0));
  const Tensor& indices = context.tensor(1);
  const std::size_t batch = batch_dims(context.attributes);
  TRY_ASSIGN(const TuplePlaces places, resolve_tuples(indices, data.shape(), batch));
  Dims shape(std::span<const std::int64_t>(indices.shape()).first(indices.shape().size() - 1));
  for (std::size_t i = places.axes; i < data.shape().size(); ++i) shape.push_back(data.shape()[i]);
  TRY_ASSIGN(Tensor result, Tensor::allocate(data.dtype(), shape));
  const ElementCopy copy(data.dtype());
  std::byte* to = result.mutable_bytes();
  for (const std::int64_t offset : places.offsets) {
    copy(to, data.bytes(), offset, places.block);
    to += places.block * copy.width();
  }
  context.outputs[0] = std::move(result);
  return {};
}

}  // namespace

std::span<const OpDef> gather_ops() {
  static const OpDef rows[] = {
      {.name = "Gather", .since = {1, 11, 13}, .infer = infer_gather, .eval = eval_gather, .axes = kGatherAxes},
      {.name = "GatherElements",
       .since = {11, 13},
       .infer = infer_gather_elements,
       .eval = eval_gather_elements,
       .axes = kAtElementsAxes},
      {.name = "GatherND",
       .since = {11, 12, 13},
       .infer = infer_gather_nd,
       .eval = eval_gather_nd,
       .axes = kGatherNDAxes},
  };
  return rows;
}

}  // namespace pawl::ops
