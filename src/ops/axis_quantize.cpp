// Axis rules of QuantizeLinear and DequantizeLinear: element by element, with a scale for the whole tensor, an axis, or
// blocks of one.
#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/schema.h"

namespace pawl::ops {

Batching batch_quantize(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  const std::int64_t axis = node.attributes.integer("axis", 1);
  const Attributes shifted = with(node.attributes, "axis", axis < 0 ? axis : axis + 1);
  if (node.attributes.integer("block_size", 0) > 0) {
    // Scales in blocks have as many axes as x.
    const Operand x = b.lifted(0), scale = b.lifted(1), zero = b.lifted(2);
    return b.done(b.again({x, scale, zero}, shifted));
  }
  if (b.others_batched({0})) return b.refuse("a scale or zero point differs from step to step");
  return b.done(node.schema.attribute("axis") != nullptr ? b.again(b.inputs(), shifted)
                                                         : b.newest(b.inputs(), shifted));
}

Ties relate_quantize(const NodeFacts& node) {
  const auto rank = static_cast<std::int64_t>(node.rank(0));
  std::int64_t along = node.attributes.integer("axis", 1);
  if (along < 0) along += rank;
  const bool blocks = node.attributes.integer("block_size", 0) > 0;
  Ties ties = relate_first(node);
  for (Tie& tie : ties.list) {
    const auto axis = static_cast<std::int64_t>(tie.axis);
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      if (blocks && node.has_input(i)) tie.inputs[i] = static_cast<int>(axis);
      if (!blocks && axis == along && node.rank(i) == 1) tie.inputs[i] = 0;
    }
  }
  // The scales of a block are shared.
  if (blocks) std::erase_if(ties.list, [&](const Tie& tie) { return static_cast<std::int64_t>(tie.axis) == along; });
  return ties;
}

}  // namespace pawl::ops
