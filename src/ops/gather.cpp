// Gather: slices of a tensor, chosen by index.
#include <cstring>

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

}  // namespace

std::span<const OpDef> gather_ops() {
  static const OpDef rows[] = {
      {.name = "Gather", .since = {1, 11, 13}, .infer = infer_gather, .eval = eval_gather},
  };
  return rows;
}

}  // namespace pawl::ops
