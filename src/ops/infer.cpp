#include "ops/infer.h"

#include "ops/schema.h"

namespace pawl::ops {
namespace {

/// Nullopt when the extents contradict each other.
std::optional<Dim> broadcast_extents(const Dim& a, const Dim& b) {
  if (a.known() && a.value == 1) return b;
  if (b.known() && b.value == 1) return a;
  if (a.same(b)) return a;
  if (a.known() && b.known()) return std::nullopt;
  if (a.known()) return a;
  if (b.known()) return b;
  return Dim();
}

}  // namespace

Result<SymbolicShape> broadcast_shapes(const SymbolicShape& a, const SymbolicShape& b) {
  const SymbolicShape& longer = a.size() >= b.size() ? a : b;
  const SymbolicShape& shorter = a.size() >= b.size() ? b : a;
  SymbolicShape shape = longer;
  const std::size_t shift = longer.size() - shorter.size();
  for (std::size_t i = 0; i < shorter.size(); ++i) {
    const std::optional<Dim> extent = broadcast_extents(longer[i + shift], shorter[i]);
    if (!extent) return fail(Code::bad_shape, "shape {} cannot be broadcast with {}", to_string(a), to_string(b));
    shape[i + shift] = *extent;
  }
  return shape;
}

Result<void> infer_same(InferContext& context) {
  if (const SymbolicShape* shape = context.shape(0)) context.set_shape(0, *shape);
  return {};
}

Result<void> infer_broadcast(InferContext& context) {
  SymbolicShape shape;
  for (std::size_t i = 0; i < context.inputs.size(); ++i) {
    if (!context.has_input(i)) continue;
    const SymbolicShape* input = context.shape(i);
    if (input == nullptr) return {};
    TRY_ASSIGN(shape, broadcast_shapes(shape, *input));
  }
  context.set_shape(0, std::move(shape));
  return {};
}

Result<DType> dtype_attribute(const Schema& schema, const Attributes& attributes, std::string_view attribute,
                              DType otherwise, std::size_t output) {
  const std::int64_t number = attributes.integer(attribute, 0);
  if (number == 0) return otherwise;
  const Parameter* parameter = schema.output(output);
  const bool allowed = is_dtype(number) && parameter != nullptr && ((parameter->types.tensor >> number) & 1U) != 0;
  if (!allowed)
    return fail(Code::bad_value, "{} = {} is no element type that {}-{} can give", attribute, number, schema.name,
                schema.since);
  return static_cast<DType>(number);
}

}  // namespace pawl::ops
