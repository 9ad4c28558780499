#include "scan/recurrences/line_form.h"

#include <algorithm>

#include "scan/selection.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

/// Neighbouring places of a value.
struct Stretch {
  ValueId value;
  Run run;
};
using Stretches = std::optional<std::vector<Stretch>>;

/// Selections and Concats in a row that are followed.
constexpr int kMaxDepth = 8;
constexpr std::size_t kMaxStretches = 64;

class Walk {
 public:
  Walk(const Component& component, std::size_t axis) : component_(component), axis_(axis) {}

  /// What a value is made of along the axis: places of the state, and of what is free of it.
  Stretches of(ValueId id, int depth = 0) const {
    const auto width = extent_of(component_.body[id].fact.type, axis_);
    if (!width || depth > kMaxDepth) return std::nullopt;
    if (id == component_.body.inputs[component_.states[0]] || !component_.reaches(id))
      return std::vector<Stretch>{{id, {0, *width}}};
    const graph::Node* node = producer_of(component_.body, id);
    if (node == nullptr) return std::nullopt;
    if (concat_axis(component_.body, *node) == axis_) return joined(*node, depth);
    for (std::size_t i = 0; i < node->outputs.size(); ++i) {
      if (!(node->outputs[i] == id)) continue;
      const auto taken = selection_of(component_.body, *node, i);
      if (taken && !taken->drops && taken->axis == axis_) return selected(*taken, depth);
    }
    return std::nullopt;
  }

 private:
  static void add(std::vector<Stretch>& to, ValueId value, Run run) {
    if (!to.empty() && to.back().value == value && to.back().run.end == run.first)
      to.back().run.end = run.end;
    else
      to.push_back({value, run});
  }

  Stretches joined(const graph::Node& node, int depth) const {
    std::vector<Stretch> made;
    for (const ValueId input : node.inputs) {
      const Stretches part = of(input, depth + 1);
      if (!part || made.size() > kMaxStretches) return std::nullopt;
      for (const Stretch& each : *part) add(made, each.value, each.run);
    }
    return made;
  }

  Stretches selected(const Selection& taken, int depth) const {
    const Stretches whole = of(taken.source, depth + 1);
    if (!whole || taken.runs.size() > kMaxStretches) return std::nullopt;
    std::vector<Stretch> made;
    for (const Run& run : taken.runs) {
      std::int64_t place = 0;
      for (const Stretch& each : *whole) {
        const std::int64_t first = std::max(run.first, place);
        const std::int64_t end = std::min(run.end, place + each.run.width());
        if (first < end) add(made, each.value, {each.run.first + first - place, each.run.first + end - place});
        place += each.run.width();
      }
    }
    return made;
  }

  const Component& component_;
  std::size_t axis_;
};

/// The stretches that come in, joined.
Result<ValueId> fresh(std::span<const Stretch> stretches, std::size_t axis, const graph::Graph& body, Lift& lift) {
  Arithmetic make(lift.builder());
  const auto along = static_cast<std::int64_t>(axis);
  std::vector<ValueId> parts;
  for (const Stretch& each : stretches) {
    ValueId part = lift(each.value);
    if (each.run.width() != extent_of(body[each.value].fact.type, axis))
      part = make.call("Slice",
                       {part, make.integers({each.run.first}), make.integers({each.run.end}), make.integers({along})});
    parts.push_back(part);
  }
  const ValueId made = parts.size() == 1 ? parts[0] : make.call("Concat", parts, {{"axis", along}});
  TRY(make.status());
  return made;
}

}  // namespace

Result<std::optional<LineForm>> line_step(const Component& component, Lift& lift) {
  const ValueId state = component.body.inputs[component.states[0]];
  const Type& type = component.body[state].fact.type;
  for (std::size_t axis = 0; type.shape && axis < type.shape->size(); ++axis) {
    const auto length = extent_of(type, axis);
    const Stretches made = Walk(component, axis).of(component.next(0));
    if (!length || !made || made->size() < 2) continue;
    const auto is_state = [&](const Stretch& each) { return each.value == state; };
    if (std::count_if(made->begin(), made->end(), is_state) != 1) continue;
    const bool at_end = is_state(made->front());
    const Stretch& kept = at_end ? made->front() : made->back();
    // What is kept moves to the other end of the line.
    if (!is_state(kept) || kept.run != (at_end ? Run{*length - kept.run.width(), *length} : Run{0, kept.run.width()}))
      continue;
    const std::span<const Stretch> others = std::span(*made).subspan(at_end ? 1 : 0, made->size() - 1);
    TRY_ASSIGN(const ValueId comes_in, fresh(others, axis, component.body, lift));
    return std::optional<LineForm>(LineForm{axis, *length, at_end, comes_in});
  }
  return std::optional<LineForm>();
}

}  // namespace pawl::scan
