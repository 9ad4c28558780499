#include "scan/raise/written_reads.h"

#include "base/try.h"
#include "graph/infer.h"
#include "ops/extents.h"

namespace pawl::scan {
namespace {

using graph::Node;
using graph::OpCall;

/// Whether a place along an axis is the one of the entry that was written last, of `length` entries.
bool is_last(const IndexForm& at, bool in_front, const Linear& length) {
  if (at.scale == 0 && at.rest.constant()) return at.rest.offset == (in_front ? 0 : -1);
  const auto place = plus(length, Linear(-1));
  return !in_front && at.scale == 1 && place && same(at.rest, *place);
}

}  // namespace

Result<WrittenReads::Found> WrittenReads::find(const Node& node) {
  if (!Reads::may_read(node)) return Found();
  const ValueId from = site_.behind(node.inputs[0]);
  for (std::size_t i = 0; i < site_.loop.carried; ++i) {
    if (!writes_.is_written(i)) continue;
    const bool after = from == site_.behind(site_.next(i));
    if (!after && from != site_.carried(i)) continue;
    if (writes_.places(i)) return replaced(node, i, after);
    Found found;
    if (writes_.get<Pushed>(i) != nullptr) {
      TRY_ASSIGN(found.seen, pushed(node, i, after));
    } else {
      TRY_ASSIGN(found.seen, grown(node, i, after));
    }
    return found;
  }
  return Found();
}

Result<WrittenReads::Found> WrittenReads::replaced(const Node& node, std::size_t i, bool after) {
  Found found;
  const Places places = *writes_.places(i);
  TRY_ASSIGN(auto read, reads_.find(node, site_.initial(i)));
  const IndexForm& at = places.at;
  if (!read || read->axis != places.axis || read->at.scale != at.scale) return found;
  if (!forms_.never_negative(at)) return found;
  const auto ahead = difference(read->at.rest, at.rest);
  if (!ahead) return found;
  // Read in step t is what step t + ahead / scale writes, if any does.
  const bool never_written = *ahead % at.scale != 0;
  const std::int64_t steps = *ahead / at.scale;
  if (never_written || steps > 0 || (steps == 0 && !after)) {
    if (forms_.never_negative(read->at)) found.unwritten = std::move(read);
    return found;
  }
  // Counted from the end, what the first step reads may be the entry that it has just written.
  if (after && !forms_.never_negative(read->at)) return found;
  // Where the places are written nobody would see that one is outside.
  if (steps < -1 || !writes_.entry(i) || !site_.wants(i)) return found;
  found.seen = Seen{i, steps == 0, read->kept};
  found.seen->first = std::move(read);
  return found;
}

Result<std::optional<Seen>> WrittenReads::pushed(const Node& node, std::size_t i, bool after) {
  const Pushed& write = *writes_.get<Pushed>(i);
  if (call_of(&node, "SequenceAt") == nullptr || !writes_.entry(i)) return std::optional<Seen>();
  TRY_ASSIGN(const auto at, forms_.of(node.inputs[1]));
  const auto count = static_cast<std::int64_t>(write.before.size()) + (after ? 1 : 0);
  if (!at || count == 0 || !is_last(*at, write.in_front, Linear(count))) return std::optional<Seen>();
  Seen seen{i, after};
  if (!after) seen.first_item = write.in_front ? write.before.front() : write.before.back();
  return std::optional(std::move(seen));
}

Result<std::optional<Seen>> WrittenReads::grown(const Node& node, std::size_t i, bool after) {
  const Grown& write = *writes_.get<Grown>(i);
  const OpCall* gather = call_of(&node, "Gather");
  const Type initial = site_.initial_type(i);
  const Dim& extent = (*initial.shape)[write.axis];
  if (gather == nullptr || !writes_.entry(i) || !extent.known()) return std::optional<Seen>();
  const auto axis = graph::resolve_axis(gather->attributes.integer("axis", 0), initial.shape->size(), "axis");
  const auto& index = site_.type(node.inputs[1]).shape;
  if (!axis.ok() || *axis != write.axis || !index) return std::optional<Seen>();
  for (const Dim& dim : *index)
    if (dim.value != 1) return std::optional<Seen>();
  TRY_ASSIGN(const auto at, forms_.of(node.inputs[1]));
  const std::int64_t count = extent.value + (after ? 1 : 0);
  if (!at || count == 0 || !is_last(*at, write.in_front, Linear(count))) return std::optional<Seen>();
  Seen seen{i, after};
  for (std::size_t k = 0; k < index->size(); ++k) seen.kept.push_back(static_cast<std::int64_t>(write.axis + k));
  if (!after)
    seen.first = Read{site_.initial(i), write.axis, IndexForm{1, Linear(write.in_front ? 0 : extent.value - 1)}};
  return std::optional(std::move(seen));
}

Result<ValueId> first_entry(LoopSite& site, const Read& read, const Steps& steps) {
  graph::Builder& outer = site.outer;
  const auto axis = static_cast<std::int64_t>(read.axis);
  const auto list = [&](std::int64_t value) { return outer.add_integers({value}, "first"); };
  const auto call = [&](std::string_view op, std::vector<ops::Attribute> attributes,
                        std::vector<ValueId> inputs) -> Result<ValueId> {
    TRY_ASSIGN(const auto made, outer.call(op, std::move(attributes), std::move(inputs), "first"));
    return made[0];
  };
  TRY_ASSIGN(const ValueId place, site.integers.emit(read.at.rest, "first"));
  const Dim extent = (*outer.fact(read.tensor).type.shape)[read.axis];
  const auto at = graph::integer_in(outer.fact(place).tensor());
  const bool is_there = at && extent.known() && *at >= -extent.value && *at < extent.value;
  const bool surely_runs = graph::integer_in(outer.fact(steps.count).tensor()).value_or(0) > 0;
  if (is_there || surely_runs) return call("Gather", {{"axis", axis}}, {read.tensor, place});
  // One place or none, and zeros after that.
  const ValueId zero = outer.add_constant(Tensor::scalar<std::int64_t>(0), "first");
  const ValueId one = outer.add_constant(Tensor::scalar<std::int64_t>(1), "first");
  TRY_ASSIGN(const ValueId count, call("Min", {}, {steps.count, one}));
  TRY_ASSIGN(ValueId places, call("Range", {}, {zero, count, one}));
  TRY_ASSIGN(places, call("Add", {}, {places, place}));
  TRY_ASSIGN(const ValueId entries, call("Gather", {{"axis", axis}}, {read.tensor, places}));
  TRY_ASSIGN(const ValueId shape, call("Shape", {}, {read.tensor}));
  const auto rank = static_cast<std::int64_t>(outer.fact(read.tensor).type.shape->size());
  TRY_ASSIGN(const ValueId before, call("Slice", {}, {shape, list(0), list(axis)}));
  TRY_ASSIGN(const ValueId behind, call("Slice", {}, {shape, list(axis + 1), list(rank)}));
  TRY_ASSIGN(const ValueId wanted, call("Concat", {{"axis", std::int64_t{0}}}, {before, list(1), behind}));
  TRY_ASSIGN(Tensor nothing, ops::zeros(outer.fact(read.tensor).type.dtype, {}));
  TRY_ASSIGN(const ValueId zeros, call("Expand", {}, {outer.add_constant(std::move(nothing), "zero"), wanted}));
  TRY_ASSIGN(const ValueId padded, call("Concat", {{"axis", axis}}, {entries, zeros}));
  return call("Gather", {{"axis", axis}}, {padded, zero});
}

}  // namespace pawl::scan
