// The axis rule of RNN, GRU and LSTM: their batch entries are independent, on axis 1 or, with layout = 1, on axis 0.
#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

constexpr std::size_t kX = 0, kLengths = 4, kHidden = 5, kMemory = 6;

bool batch_first(const NodeFacts& node) { return node.attributes.integer("layout", 0) != 0; }

/// A shape with the axis of the batch in front.
SymbolicShape entries_first(SymbolicShape shape, std::size_t axis) {
  const Dim entries = shape[axis];
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.begin(), entries);
  return shape;
}

/// X or a state of all steps, [T·batch, …].
Operand merged(Batcher& b, std::size_t i) {
  const bool first = batch_first(b.node);
  const Operand x = b.lifted(i);
  return b.merge(first ? x : b.transpose(x, {0, 2, 1, 3}), entries_first(*b.node.shape(i), first ? 0 : 1));
}

}  // namespace

Batching batch_recurrent(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({kX, kLengths, kHidden, kMemory})) return b.refuse("a weight differs from step to step");
  const bool first = batch_first(node);
  for (const std::size_t i : {kX, kHidden, kMemory})
    if (node.has_input(i) && node.rank(i) != 3) return b.refuse("X or a state is not of rank 3");
  std::vector<Operand> operands = b.inputs();
  for (const std::size_t i : {kX, kHidden, kMemory})
    if (node.has_input(i)) operands[i] = merged(b, i);
  if (node.has_input(kLengths)) operands[kLengths] = b.merge(b.lifted(kLengths), *node.shape(kLengths));
  const Operand x = b.lifted(kX);
  const Operand like = first ? x : b.transpose(x, {0, 2, 1, 3});
  const Attributes attributes = with(without(node.attributes, "output_sequence"), "layout", std::int64_t{1});
  const Operand run = b.newest(std::move(operands), attributes);
  std::vector<Operand> outputs;
  for (std::size_t k = 0; k < node.outputs.size(); ++k) {
    std::optional<SymbolicShape> shape = node.outputs[k].shape;
    const std::size_t axis = first ? 0 : k == 0 ? 2 : 1;
    if (shape && shape->size() > axis) shape = entries_first(*shape, axis);
    const Operand y = b.unmerge(Batcher::output(run, k), shape, like);
    outputs.push_back(first ? y
                            : b.transpose(y, k == 0 ? std::vector<std::int64_t>{0, 2, 3, 1, 4}
                                                    : std::vector<std::int64_t>{0, 2, 1, 3}));
  }
  return b.done(std::move(outputs));
}

Ties relate_recurrent(const NodeFacts& node) {
  Ties ties;
  const bool first = batch_first(node);
  for (std::size_t output = 0; output < node.outputs.size(); ++output) {
    Tie tie{output,
            first         ? std::size_t{0}
            : output == 0 ? std::size_t{2}
                          : std::size_t{1},
            std::vector<int>(node.inputs.size(), -1)};
    for (const std::size_t i : {kX, kHidden, kMemory})
      if (node.has_input(i)) tie.inputs[i] = first ? 0 : 1;
    if (node.has_input(kLengths)) tie.inputs[kLengths] = 0;
    ties.list.push_back(std::move(tie));
  }
  return ties;
}

}  // namespace pawl::ops
