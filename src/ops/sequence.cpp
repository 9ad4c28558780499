// Sequences of tensors: made, changed, measured, put together and taken apart.
#include "ops/concat.h"
#include "ops/extents.h"
#include "ops/families.h"

namespace pawl::ops {
namespace {

/// What is certain of a tensor that has either of two types.
Type either(const Type& a, const Type& b) {
  if (!a.is_tensor() || !b.is_tensor() || a.dtype != b.dtype) return Type();
  Type type = Type::tensor(a.dtype);
  if (!a.shape || !b.shape || a.shape->size() != b.shape->size()) return type;
  type.shape = *a.shape;
  for (std::size_t i = 0; i < a.shape->size(); ++i)
    if (!(*a.shape)[i].same((*b.shape)[i])) (*type.shape)[i] = Dim();
  return type;
}

/// The type of the tensors in sequence input 0; unknown where it is not known.
Type element_type(const InferContext& context) {
  if (!context.has_input(0) || !context.inputs[0]->type.is_sequence() || !context.inputs[0]->type.element)
    return Type();
  return *context.inputs[0]->type.element;
}

void set_sequence(InferContext& context, Type element) {
  if (element.known()) context.outputs[0] = Type::sequence(std::move(element));
}

/// `position` counted from the front of a sequence with `places` places. Errors: bad_value.
Result<std::size_t> resolve_position(std::int64_t position, std::size_t size, std::size_t places) {
  const auto limit = static_cast<std::int64_t>(size);
  if (position < -limit || position >= static_cast<std::int64_t>(places))
    return fail(Code::bad_value, "position {} is out of range for a sequence of {}", position, size);
  return static_cast<std::size_t>(position < 0 ? position + limit : position);
}

Result<DType> empty_dtype(const Attributes& attributes) {
  const std::int64_t number = attributes.integer("dtype", static_cast<std::int64_t>(DType::f32));
  if (!is_dtype(number)) return fail(Code::bad_value, "dtype {} is no element type", number);
  return static_cast<DType>(number);
}

Result<void> infer_empty(InferContext& context) {
  TRY_ASSIGN(const DType dtype, empty_dtype(context.attributes));
  context.outputs[0] = Type::sequence(Type::tensor(dtype));
  return {};
}

Result<void> eval_empty(EvalContext& context) {
  TRY_ASSIGN(const DType dtype, empty_dtype(context.attributes));
  context.outputs[0] = Sequence(dtype);
  return {};
}

Result<void> infer_construct(InferContext& context) {
  Type element = context.has_input(0) ? context.inputs[0]->type : Type();
  for (std::size_t i = 1; i < context.inputs.size(); ++i)
    element = context.has_input(i) ? either(element, context.inputs[i]->type) : Type();
  set_sequence(context, std::move(element));
  return {};
}

Result<void> eval_construct(EvalContext& context) {
  std::vector<Value> items;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) items.push_back(context.take(i));
  const DType dtype = items[0].tensor().dtype();
  context.outputs[0] = Sequence(dtype, std::move(items));
  return {};
}

Result<void> infer_insert(InferContext& context) {
  const Type element = element_type(context);
  const DType dtype = context.dtype(1);
  if (element.is_tensor() && element.dtype != DType::undefined && dtype != DType::undefined && element.dtype != dtype)
    return fail(Code::bad_type, "a {} tensor does not go into a sequence of {}", name(dtype), name(element.dtype));
  if (context.has_input(1)) set_sequence(context, either(element, context.inputs[1]->type));
  return {};
}

Result<void> eval_insert(EvalContext& context) {
  Value value = context.take(0);
  Sequence& sequence = value.sequence();
  std::size_t at = sequence.size();
  if (context.has_input(2)) {
    TRY_ASSIGN(const std::int64_t position, integer_scalar(context, 2, "position"));
    TRY_ASSIGN(at, resolve_position(position, sequence.size(), sequence.size() + 1));
  }
  const DType dtype = context.tensor(1).dtype();
  if (sequence.element() != DType::undefined && sequence.element() != dtype)
    return fail(Code::bad_type, "a {} tensor does not go into a sequence of {}", name(dtype), name(sequence.element()));
  if (sequence.element() == DType::undefined) sequence = Sequence(dtype);
  std::vector<Value>& items = sequence.mutable_items();
  items.insert(items.begin() + static_cast<std::ptrdiff_t>(at), context.take(1));
  context.outputs[0] = std::move(value);
  return {};
}

Result<void> infer_at(InferContext& context) {
  if (Type element = element_type(context); element.known()) context.outputs[0] = std::move(element);
  return {};
}

Result<void> eval_at(EvalContext& context) {
  const Sequence& sequence = context.inputs[0]->sequence();
  TRY_ASSIGN(const std::int64_t position, integer_scalar(context, 1, "position"));
  TRY_ASSIGN(const std::size_t at, resolve_position(position, sequence.size(), sequence.size()));
  context.outputs[0] = sequence[at];
  return {};
}

Result<void> infer_erase(InferContext& context) {
  set_sequence(context, element_type(context));
  return {};
}

Result<void> eval_erase(EvalContext& context) {
  Value value = context.take(0);
  Sequence& sequence = value.sequence();
  std::int64_t position = -1;
  if (context.has_input(1)) {
    TRY_ASSIGN(position, integer_scalar(context, 1, "position"));
  }
  TRY_ASSIGN(const std::size_t at, resolve_position(position, sequence.size(), sequence.size()));
  std::vector<Value>& items = sequence.mutable_items();
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(at));
  context.outputs[0] = std::move(value);
  return {};
}

Result<void> infer_length(InferContext& context) {
  context.set_shape(0, {});
  return {};
}

Result<void> eval_length(EvalContext& context) {
  context.outputs[0] = Tensor::scalar(static_cast<std::int64_t>(context.inputs[0]->sequence().size()));
  return {};
}

bool stacks(const Attributes& attributes) { return attributes.integer("new_axis", 0) != 0; }

Result<void> infer_concat_from(InferContext& context) {
  const Type element = element_type(context);
  if (element.is_tensor()) context.outputs[0] = Type::tensor(element.dtype);
  if (!element.is_tensor() || !element.shape) return {};
  SymbolicShape shape = *element.shape;
  const bool stack = stacks(context.attributes);
  TRY_ASSIGN(const std::size_t axis,
             resolve_axis(context.attributes.integer("axis", 0), shape.size() + (stack ? 1 : 0)));
  if (stack)
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(axis), Dim());
  else
    shape[axis] = Dim();
  context.set_shape(0, std::move(shape));
  return {};
}

Result<void> eval_concat_from(EvalContext& context) {
  const Sequence& sequence = context.inputs[0]->sequence();
  if (sequence.size() == 0)
    return fail(Code::bad_shape, "an empty sequence cannot be concatenated: its shape is not known");
  const bool stack = stacks(context.attributes);
  const std::size_t rank = sequence[0].tensor().shape().size() + (stack ? 1 : 0);
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), rank));
  std::vector<Tensor> parts;
  for (const Value& item : sequence.items()) {
    const Tensor& tensor = item.tensor();
    if (!stack) {
      parts.push_back(tensor);
      continue;
    }
    if (tensor.shape() != sequence[0].tensor().shape())
      return fail(Code::bad_shape, "shapes {} and {} cannot be stacked", to_string(sequence[0].tensor().shape()),
                  to_string(tensor.shape()));
    Dims shape = tensor.shape();
    Dims strides = tensor.strides();
    shape.insert(axis, 1);
    strides.insert(axis, 0);
    parts.push_back(tensor.view(std::move(shape), std::move(strides)));
  }
  TRY_ASSIGN(context.outputs[0], concat(parts, axis));
  return {};
}

/// Whether the split axis of SplitToSequence goes: only where no sizes are given.
bool drops_axis(const Attributes& attributes, bool has_sizes) {
  return !has_sizes && attributes.integer("keepdims", 1) == 0;
}

Result<void> infer_split_to(InferContext& context) {
  Type element = Type::tensor(context.dtype(0));
  if (element.dtype == DType::undefined) return {};
  const SymbolicShape* shape = context.shape(0);
  if (shape != nullptr) {
    TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), shape->size()));
    SymbolicShape part = *shape;
    if (drops_axis(context.attributes, context.has_input(1)))
      part.erase(part.begin() + static_cast<std::ptrdiff_t>(axis));
    else
      part[axis] = context.has_input(1) ? Dim() : Dim(1);
    element.shape = std::move(part);
  }
  context.outputs[0] = Type::sequence(std::move(element));
  return {};
}

/// A sequence of more parts than this is a mistake or an attack: each takes memory of its own, its elements may not.
constexpr std::int64_t kMaxParts = std::int64_t{1} << 22;

/// The extents of the parts: as listed, or by one size with a smaller rest at the end.
Result<std::vector<std::int64_t>> part_extents(const Tensor& split, std::int64_t extent) {
  TRY_ASSIGN(const Dims sizes, integers_of(split));
  std::vector<std::int64_t> parts;
  std::int64_t left = extent;
  if (split.rank() == 0) {
    if (sizes[0] <= 0) return fail(Code::bad_value, "parts of {} elements", sizes[0]);
    if (extent / sizes[0] > kMaxParts)
      return fail(Code::limit, "{} parts are more than {}", extent / sizes[0], kMaxParts);
    for (; left > 0; left -= parts.back()) parts.push_back(std::min(left, sizes[0]));
    return parts;
  }
  if (split.size() > kMaxParts) return fail(Code::limit, "{} parts are more than {}", split.size(), kMaxParts);
  for (const std::int64_t size : sizes) {
    if (size < 0) return fail(Code::bad_value, "split {} has a negative part", to_string(sizes));
    if (size > left) break;
    left -= size;
    parts.push_back(size);
  }
  if (parts.size() != sizes.size() || left != 0)
    return fail(Code::bad_shape, "split {} does not add up to {}", to_string(sizes), extent);
  return parts;
}

Result<void> eval_split_to(EvalContext& context) {
  const Tensor& data = context.tensor(0);
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), data.shape().size()));
  const Tensor one = Tensor::scalar<std::int64_t>(1);
  TRY_ASSIGN(const std::vector<std::int64_t> parts,
             part_extents(context.has_input(1) ? context.tensor(1) : one, data.shape()[axis]));
  const bool drop = drops_axis(context.attributes, context.has_input(1));
  std::vector<Value> items;
  std::int64_t start = 0;
  for (const std::int64_t part : parts) {
    if (drop) {
      items.emplace_back(data.select(static_cast<std::int64_t>(axis), start));
    } else {
      Dims shape = data.shape();
      shape[axis] = part;
      items.emplace_back(data.view(std::move(shape), data.strides(), start * data.strides()[axis]));
    }
    start += part;
  }
  context.outputs[0] = Sequence(data.dtype(), std::move(items));
  return {};
}

}  // namespace

std::span<const OpDef> sequence_ops() {
  static const OpDef rows[] = {
      {.name = "SequenceEmpty", .since = {11}, .infer = infer_empty, .eval = eval_empty, .axes = kOpaqueAxes},
      {.name = "SequenceConstruct",
       .since = {11},
       .infer = infer_construct,
       .eval = eval_construct,
       .axes = kOpaqueAxes},
      {.name = "SequenceInsert", .since = {11}, .infer = infer_insert, .eval = eval_insert, .axes = kOpaqueAxes},
      {.name = "SequenceAt", .since = {11}, .infer = infer_at, .eval = eval_at, .axes = kOpaqueAxes},
      {.name = "SequenceErase", .since = {11}, .infer = infer_erase, .eval = eval_erase, .axes = kOpaqueAxes},
      {.name = "SequenceLength", .since = {11}, .infer = infer_length, .eval = eval_length, .axes = kOpaqueAxes},
      {.name = "ConcatFromSequence",
       .since = {11},
       .infer = infer_concat_from,
       .eval = eval_concat_from,
       .axes = kOpaqueAxes},
      {.name = "SplitToSequence",
       .since = {11, 24},
       .infer = infer_split_to,
       .eval = eval_split_to,
       .axes = kOpaqueAxes},
  };
  return rows;
}

}  // namespace pawl::ops
