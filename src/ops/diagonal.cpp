// Operators that look at where an element stands: EyeLike, Trilu, OneHot.
#include <cstring>

#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/infer.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

Result<DType> eye_dtype(const Attributes& attributes, DType input) {
  const std::int64_t number = attributes.integer("dtype", static_cast<std::int64_t>(input));
  if (!is_dtype(number)) return fail(Code::bad_value, "dtype {} is no element type", number);
  return static_cast<DType>(number);
}

Result<void> infer_eye(InferContext& context) {
  TRY_ASSIGN(const DType dtype, eye_dtype(context.attributes, context.dtype(0)));
  context.outputs[0] = Type::tensor(dtype);
  if (context.shape(0) != nullptr && context.shape(0)->size() != 2)
    return fail(Code::bad_shape, "EyeLike needs a matrix, not {}", to_string(*context.shape(0)));
  return infer_same(context);
}

Result<void> eval_eye(EvalContext& context) {
  const Dims& shape = context.tensor(0).shape();
  if (shape.size() != 2) return fail(Code::bad_shape, "EyeLike needs a matrix, not {}", to_string(shape));
  TRY_ASSIGN(const DType dtype, eye_dtype(context.attributes, context.tensor(0).dtype()));
  TRY_ASSIGN(Tensor result, zeros(dtype, shape));
  const std::int64_t k = context.attributes.integer("k", 0);
  // Element [i, i + k] for every i where that is inside.
  const std::int64_t first = k < 0 ? (k < -shape[0] ? shape[0] : -k) : 0;
  if (k > shape[1]) return context.outputs[0] = std::move(result), Result<void>();
  TRY(dispatch<Join<Numbers, TypeList<bool>>>(dtype, [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    T* to = result.mutable_data<T>();
    for (std::int64_t i = first; i < shape[0] && i + k < shape[1]; ++i) to[i * shape[1] + i + k] = T(1.0F);
    return {};
  }));
  context.outputs[0] = std::move(result);
  return {};
}

Result<void> infer_trilu(InferContext& context) {
  if (context.shape(0) != nullptr && context.shape(0)->size() < 2)
    return fail(Code::bad_shape, "Trilu needs a matrix, not {}", to_string(*context.shape(0)));
  return infer_same(context);
}

Result<void> eval_trilu(EvalContext& context) {
  const Tensor& data = context.tensor(0);
  const std::size_t rank = data.shape().size();
  if (rank < 2) return fail(Code::bad_shape, "Trilu needs a matrix, not {}", to_string(data.shape()));
  std::int64_t k = 0;
  if (context.has_input(1)) {
    TRY_ASSIGN(k, integer_scalar(context, 1, "k"));
  }
  const bool upper = context.attributes.integer("upper", 1) != 0;
  TRY_ASSIGN(Tensor result, zeros(data.dtype(), data.shape()));
  if (result.size() == 0) return context.outputs[0] = std::move(result), Result<void>();
  // Row by row, the columns that stay are a range.
  Dims outer = data.shape();
  outer[rank - 1] = 1;
  const std::int64_t rows = data.shape()[rank - 2];
  const std::int64_t columns = data.shape()[rank - 1];
  const std::int64_t stride = data.strides()[rank - 1];
  const ElementCopy copy(data.dtype());
  std::int64_t row = 0;
  walk<2>(outer, {&data.strides(), &result.strides()}, [&](std::int64_t from, std::int64_t to) {
    // Where the diagonal meets this row, anywhere between "before the first" and "after the last" column.
    const std::int64_t meets = k < -rows ? 0 : std::min(row + std::min(k, columns), columns);
    const std::int64_t begin = upper ? std::max<std::int64_t>(meets, 0) : 0;
    const std::int64_t end = upper ? columns : (k < -rows ? 0 : std::clamp<std::int64_t>(meets + 1, 0, columns));
    for (std::int64_t j = begin; j < end; ++j)
      copy(result.mutable_bytes() + (to + j) * copy.width(), data.bytes(), from + j * stride);
    row = row + 1 == rows ? 0 : row + 1;
  });
  context.outputs[0] = std::move(result);
  return {};
}

/// Numbers of any type as int64, fractions cut off; what does not fit becomes a number that no depth reaches.
Result<std::vector<std::int64_t>> whole_values(const Tensor& tensor) {
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  return dispatch<Numbers>(dense.dtype(), [&](auto tag) -> Result<std::vector<std::int64_t>> {
    using T = typename decltype(tag)::type;
    constexpr std::int64_t kOutside = std::numeric_limits<std::int64_t>::max();
    std::vector<std::int64_t> result;
    result.reserve(static_cast<std::size_t>(dense.size()));
    for (const T& value : dense.values<T>()) {
      if constexpr (kIsFloat<T>) {
        const auto number = static_cast<double>(value);
        result.push_back(std::abs(number) < 0x1p62 ? static_cast<std::int64_t>(number) : kOutside);
      } else if constexpr (std::is_same_v<T, std::uint64_t>) {
        result.push_back(value < static_cast<std::uint64_t>(kOutside) ? static_cast<std::int64_t>(value) : kOutside);
      } else {
        result.push_back(value);
      }
    }
    return result;
  });
}

Result<std::int64_t> one_hot_depth(const Tensor& depth) {
  if (depth.size() != 1)
    return fail(Code::bad_shape, "depth must be one number, and has shape {}", to_string(depth.shape()));
  TRY_ASSIGN(const std::vector<std::int64_t> value, whole_values(depth));
  if (value[0] < 0) return fail(Code::bad_value, "a depth of {}", value[0]);
  return value[0];
}

Result<void> infer_one_hot(InferContext& context) {
  Dim depth;
  if (const Tensor* constant = context.constant(1)) {
    TRY_ASSIGN(const std::int64_t value, one_hot_depth(*constant));
    depth = Dim(value);
  }
  const SymbolicShape* indices = context.shape(0);
  if (indices == nullptr) return {};
  SymbolicShape shape = *indices;
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", -1), shape.size() + 1));
  shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), depth);
  context.set_shape(0, std::move(shape));
  return {};
}

Result<void> eval_one_hot(EvalContext& context) {
  const Tensor& indices = context.tensor(0);
  TRY_ASSIGN(const std::int64_t depth, one_hot_depth(context.tensor(1)));
  const Tensor& values = context.tensor(2);
  if (values.shape() != Dims{2})
    return fail(Code::bad_shape, "values must have shape [2], not {}", to_string(values.shape()));
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", -1), indices.shape().size() + 1));
  Dims shape = indices.shape();
  shape.insert(axis, depth);
  TRY_ASSIGN(Tensor result, Tensor::allocate(values.dtype(), shape));
  copy_elements(broadcast_view(values.select(0, 0), shape), result);
  TRY_ASSIGN(const std::vector<std::int64_t> positions, whole_values(indices));
  Dims strides = result.strides();
  strides.erase(axis);
  const Tensor on = values.select(0, 1);
  const ElementCopy copy(values.dtype());
  // Negative indices count from the end since version 11; before, they are outside.
  const std::int64_t lowest = context.since() < 11 ? 0 : -depth;
  std::size_t next = 0;
  walk<1>(indices.shape(), {&strides}, [&](std::int64_t at) {
    const std::int64_t position = positions[next++];
    if (position < lowest || position >= depth) return;
    const std::int64_t offset = at + (position < 0 ? position + depth : position) * result.strides()[axis];
    copy(result.mutable_bytes() + offset * copy.width(), on.bytes(), 0);
  });
  context.outputs[0] = std::move(result);
  return {};
}

}  // namespace

std::span<const OpDef> diagonal_ops() {
  static const OpDef rows[] = {
      {.name = "EyeLike", .since = {9, 22}, .infer = infer_eye, .eval = eval_eye, .axes = kEyeAxes},
      {.name = "Trilu", .since = {14}, .infer = infer_trilu, .eval = eval_trilu, .axes = kMatricesAxes},
      {.name = "OneHot", .since = {9, 11, 28}, .infer = infer_one_hot, .eval = eval_one_hot, .axes = kOneHotAxes},
  };
  return rows;
}

}  // namespace pawl::ops
