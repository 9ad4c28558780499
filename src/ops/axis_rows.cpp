// Axis rules of the operators of a fixed rank whose entries along axis 0 are independent: all steps are one longer
// batch.
#include <algorithm>

#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

constexpr std::string_view kSharedDiffers = "an input that all rows share differs from step to step";

bool is_row(std::uint32_t rows, std::size_t i) { return i < 32 && ((rows >> i) & 1U) != 0; }

bool shares_differ(const Batcher& b, std::uint32_t rows) {
  for (std::size_t i = 0; i < b.node.inputs.size(); ++i)
    if (!is_row(rows, i) && b.batched(i)) return true;
  return false;
}

/// Inputs with the rows of all steps along axis 0; the others as they are.
struct Merged {
  std::vector<Operand> operands;
  Operand like;  ///< a value with the new axis and that of the rows apart
};

std::optional<Merged> merge_rows(Batcher& b, std::uint32_t rows) {
  Merged merged{b.inputs(), {}};
  for (std::size_t i = 0; i < b.node.inputs.size(); ++i) {
    if (!is_row(rows, i) || !b.node.has_input(i)) continue;
    if (b.node.rank(i) == 0) return std::nullopt;
    const Operand lifted = b.lifted(i);
    if (merged.like.kind == Operand::Kind::omitted) merged.like = lifted;
    merged.operands[i] = b.merge(lifted, *b.node.shape(i));
  }
  return merged;
}

/// The node on merged operands, with the rows of its outputs apart again.
Batching run_merged(Batcher& b, Merged merged) {
  const Operand first = b.again(std::move(merged.operands));
  std::vector<Operand> outputs;
  for (std::size_t k = 0; k < b.node.outputs.size(); ++k)
    outputs.push_back(b.unmerge(Batcher::output(first, k), b.node.outputs[k].shape, merged.like));
  return b.done(std::move(outputs));
}

Batching batch_by_rows(Batcher& b, std::uint32_t rows) {
  if (shares_differ(b, rows)) return b.refuse(kSharedDiffers);
  std::optional<Merged> merged = merge_rows(b, rows);
  return merged ? run_merged(b, std::move(*merged)) : b.refuse("there is no axis of rows");
}

}  // namespace

template <std::uint32_t Rows>
Batching batch_rows(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  return batch_by_rows(b, Rows);
}
template Batching batch_rows<0b1>(const NodeFacts&, std::span<const bool>);
template Batching batch_rows<0b11>(const NodeFacts&, std::span<const bool>);
template Batching batch_rows<0b10>(const NodeFacts&, std::span<const bool>);
template Batching batch_rows<0b110>(const NodeFacts&, std::span<const bool>);
template Batching batch_rows<0b111>(const NodeFacts&, std::span<const bool>);
template Batching batch_rows<0b1001>(const NodeFacts&, std::span<const bool>);
template Batching batch_rows<0b10101>(const NodeFacts&, std::span<const bool>);
template Batching batch_rows<0b111111>(const NodeFacts&, std::span<const bool>);

Batching batch_pool(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (node.outputs.size() > 1) return b.refuse("its indices count through the whole batch");
  return batch_by_rows(b, 0b1);
}

Batching batch_batch_norm(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (node.outputs.size() > 1 || node.attributes.integer("training_mode", 0) != 0)
    return b.refuse("it takes statistics of the whole batch");
  return batch_by_rows(b, 0b1);
}

Batching batch_loss(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (node.attributes.text("reduction", "mean") != "none") return b.refuse("its loss is that of the whole batch");
  return batch_by_rows(b, 0b11);
}

Batching batch_rotary(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  // Without position_ids the caches have a row for each position of each entry.
  return batch_by_rows(b, node.has_input(3) ? 0b1001 : 0b111);
}

Batching batch_attention(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  constexpr std::size_t kMask = 3;
  std::uint32_t rows = 0b1110111;
  if (node.rank(kMask) == 4) {
    const Dim &own = (*node.shape(kMask))[0], &entries = (*node.shape(0))[0];
    if (!own.known() || !entries.known())
      return b.refuse("it is not known whether the mask is for each entry of the batch");
    if (own.value == entries.value) rows |= 1U << kMask;
  }
  return batch_by_rows(b, rows);
}

Batching batch_affine_grid(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (shares_differ(b, 0b1)) return b.refuse("the size differs from step to step");
  std::optional<Merged> merged = merge_rows(b, 0b1);
  if (!merged) return b.refuse("there is no axis of rows");
  const Operand rest =
      b.call("Slice", {b.input(1), Batcher::integers({1}), Batcher::integers({6}), Batcher::integers({0})});
  merged->operands[1] = b.concat({b.extents(merged->operands[0], 0, 1), rest});
  return run_merged(b, std::move(*merged));
}

}  // namespace pawl::ops
