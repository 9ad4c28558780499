#include "ops/axis_rule.h"

#include "ops/extents.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

bool only_tensors(const NodeFacts& node) {
  for (const Fact* input : node.inputs)
    if (input != nullptr && !input->type.is_tensor()) return false;
  for (const Type& output : node.outputs)
    if (!output.is_tensor()) return false;
  return true;
}

bool ranks_known(const NodeFacts& node) {
  for (const Fact* input : node.inputs)
    if (input != nullptr && !input->type.shape) return false;
  return true;
}

Batching refused(std::string_view reason) {
  Batching batching;
  batching.refusal = reason;
  return batching;
}

}  // namespace

int NodeFacts::since() const { return schema.since; }

std::optional<Dims> NodeFacts::integers(std::size_t i) const {
  const Tensor* constant = has_input(i) ? inputs[i]->tensor() : nullptr;
  if (constant == nullptr) return std::nullopt;
  Result<Dims> values = integers_of(*constant);
  if (!values.ok()) return std::nullopt;
  return std::move(values).value();
}

const Tie* Ties::find(std::size_t output, std::size_t axis) const {
  for (const Tie& tie : list)
    if (tie.output == output && tie.axis == axis) return &tie;
  return nullptr;
}

Batching batch(const OpDef& row, const NodeFacts& node, std::span<const bool> batched) {
  CHECK(batched.size() == node.inputs.size());
  bool any = false;
  for (std::size_t i = 0; i < batched.size(); ++i) any = any || (batched[i] && node.has_input(i));
  if (row.random) return refused("it draws random numbers");
  if (row.axes.batch == nullptr) return refused("nothing is known of its axes");
  if (!any) return refused("no input has the new axis");
  if (!only_tensors(node)) return refused("not all of its values are tensors");
  // One operand alone cannot be out of line with others.
  const bool alone = row.axes.kind == AxisKind::pointwise && node.inputs.size() == 1;
  if (!alone && !ranks_known(node)) return refused("the rank of an input is not known");
  return row.axes.batch(node, batched);
}

Ties relate(const OpDef& row, const NodeFacts& node) {
  if (row.random || row.axes.relate == nullptr || !only_tensors(node) || !ranks_known(node)) return {};
  return row.axes.relate(node);
}

std::string_view name(AxisKind kind) {
  switch (kind) {
    case AxisKind::opaque: return "opaque";
    case AxisKind::pointwise: return "pointwise";
    case AxisKind::reduced: return "reduced";
    case AxisKind::contracted: return "contracted";
    case AxisKind::moved: return "moved";
    case AxisKind::along: return "along";
    case AxisKind::rows: return "rows";
  }
  return "opaque";
}

}  // namespace pawl::ops
