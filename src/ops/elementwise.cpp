#include "ops/elementwise.h"

#include "ops/infer.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

bool broadcasts_by_axis(const Schema& schema) { return schema.attribute("broadcast") != nullptr; }

/// B with the shape of A, its own axes standing at axis, axis + 1, … of A.
Result<Tensor> placed_at_axis(const Tensor& b, const Dims& shape, const Attributes& attributes) {
  if (b.shape() == shape) return b;
  if (attributes.integer("broadcast", 0) == 0)
    return fail(Code::bad_shape, "shapes {} and {} differ and the node does not broadcast", to_string(shape),
                to_string(b.shape()));
  Dims strides(shape.size(), 0);
  if (b.size() == 1) return b.view(shape, std::move(strides));
  const auto rank = static_cast<std::int64_t>(shape.size());
  std::int64_t axis = attributes.integer("axis", rank - b.rank());
  if (axis < 0 && attributes.has("axis")) axis += rank;
  bool fits = axis >= 0 && b.rank() <= rank && axis <= rank - b.rank();
  for (std::size_t i = 0; fits && i < b.shape().size(); ++i) {
    const std::size_t at = static_cast<std::size_t>(axis) + i;
    fits = b.shape()[i] == shape[at] || b.shape()[i] == 1;
    strides[at] = b.shape()[i] == 1 ? 0 : b.strides()[i];
  }
  if (!fits)
    return fail(Code::bad_shape, "shape {} is no run of the extents of {} at axis {}", to_string(b.shape()),
                to_string(shape), axis);
  return b.view(shape, std::move(strides));
}

}  // namespace

Result<Operands> take_operands(EvalContext& context) {
  Value a = context.take(0);
  Value b = context.take(1);
  Operands operands{std::move(a.tensor()), std::move(b.tensor())};
  if (broadcasts_by_axis(context.schema)) {
    TRY_ASSIGN(operands.b, placed_at_axis(operands.b, operands.a.shape(), context.attributes));
  }
  return operands;
}

Result<void> infer_operands(InferContext& context) {
  return broadcasts_by_axis(context.schema) ? infer_same(context) : infer_broadcast(context);
}

}  // namespace pawl::ops
