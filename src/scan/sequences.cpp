#include "scan/sequences.h"

#include "base/try.h"
#include "graph/infer.h"
#include "graph/walk.h"

namespace pawl::scan {

using graph::Builder;
using graph::Node;
using graph::ValueId;

std::optional<std::vector<ValueId>> known_items(const graph::Graph& graph, ValueId sequence) {
  constexpr std::size_t kMost = 4096;
  std::vector<ValueId> last_first;
  for (std::size_t i = 0; i < kMost; ++i) {
    const Node* node = producer_of(graph, sequence);
    if (call_of(node, "SequenceConstruct") != nullptr) {
      last_first.insert(last_first.end(), node->inputs.rbegin(), node->inputs.rend());
      return std::vector<ValueId>(last_first.rbegin(), last_first.rend());
    }
    if (call_of(node, "SequenceEmpty") != nullptr) return std::vector<ValueId>(last_first.rbegin(), last_first.rend());
    const bool inserts = call_of(node, "SequenceInsert") != nullptr;
    if (!inserts || (node->inputs.size() > 2 && node->inputs[2].valid())) return std::nullopt;
    last_first.push_back(node->inputs[1]);
    sequence = node->inputs[0];
  }
  return std::nullopt;
}

Result<ValueId> rows_of(Builder& builder, const std::vector<ValueId>& items) {
  const ValueId axes = builder.add_integers({0}, "axes");
  std::vector<ValueId> rows;
  for (const ValueId item : items) {
    TRY_ASSIGN(const auto row, builder.call("Unsqueeze", {}, {item, axes}, "row"));
    rows.push_back(row[0]);
  }
  if (rows.size() == 1) return rows[0];
  TRY_ASSIGN(const auto all, builder.call("Concat", {{"axis", std::int64_t{0}}}, std::move(rows), "rows"));
  return all[0];
}

Result<ValueId> merge_axes(Builder& builder, ValueId tensor, std::size_t rank, std::size_t axis,
                           const std::string& name) {
  const SymbolicShape shape = builder.fact(tensor).type.shape.value_or(SymbolicShape(rank));
  const auto list = [&](std::vector<std::int64_t> values) { return builder.add_integers(values, "shape"); };
  std::vector<std::int64_t> target;
  bool is_static = true;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    if (i == axis + 1) continue;
    is_static = is_static && (i == axis || shape[i].value > 0);
    target.push_back(i == axis ? -1 : shape[i].value);
  }
  if (is_static) {
    TRY_ASSIGN(const auto made, builder.call("Reshape", {}, {tensor, list(target)}, name));
    return made[0];
  }
  TRY_ASSIGN(const auto extents, builder.call("Shape", {}, {tensor}, name));
  std::vector<ValueId> parts;
  const auto slice = [&](std::size_t from, std::size_t to) -> Result<ValueId> {
    const auto first = static_cast<std::int64_t>(from);
    const auto last = static_cast<std::int64_t>(to);
    TRY_ASSIGN(const auto made, builder.call("Slice", {}, {extents[0], list({first}), list({last})}, name));
    return made[0];
  };
  if (axis > 0) {
    TRY_ASSIGN(parts.emplace_back(), slice(0, axis));
  }
  TRY_ASSIGN(const ValueId outer, slice(axis, axis + 1));
  TRY_ASSIGN(const ValueId inner, slice(axis + 1, axis + 2));
  TRY_ASSIGN(const auto both, builder.call("Mul", {}, {outer, inner}, name));
  parts.push_back(both[0]);
  if (axis + 2 < shape.size()) {
    TRY_ASSIGN(parts.emplace_back(), slice(axis + 2, shape.size()));
  }
  TRY_ASSIGN(const auto wanted, builder.call("Concat", {{"axis", std::int64_t{0}}}, std::move(parts), name));
  TRY_ASSIGN(const auto made, builder.call("Reshape", {{"allowzero", std::int64_t{1}}}, {tensor, wanted[0]}, name));
  return made[0];
}

}  // namespace pawl::scan
