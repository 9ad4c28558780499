// Plans with steps outside of the lanes.
#include <algorithm>
#include <map>

#include "kernel/step_axes.h"
#include "kernel/step_plan.h"

namespace pawl::kernel {
namespace {

using Kind = StepValue::Kind;

/// Plans with steps outside: stage after stage, each over all places of its values.
class StepsOutside {
 public:
  StepsOutside(const StepGraph& graph, const StepAxes& axes, std::size_t states)
      : graph_(graph), axes_(axes), states_(states) {}

  StepPlan plan() {
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const StepId root = graph_.outputs[i];
      if (!root.valid() || stays(i, root)) continue;
      Item& item = items_[make(root)];
      item.to.push_back(i < states_ ? Keep{Keep::Kind::state, i} : Keep{Keep::Kind::output, i - states_});
    }
    lay_down();
    find_classes();
    return std::move(plan_);
  }

 private:
  struct Read {
    std::size_t state = 0;
    bool in_place = false;  ///< by the lane of the same place
  };
  /// A value that is computed for all of its places.
  struct Item {
    StepId value;
    int level = 0;
    std::vector<Read> reads;
    std::vector<Keep> to;
    bool is_read = false;  ///< by later stages
  };
  struct Walk {
    Dims lanes;
    Item& item;
  };

  /// A state that is passed on.
  [[nodiscard]] bool stays(std::size_t output, StepId root) const {
    const StepValue& value = graph_[root];
    return output < states_ && value.kind == Kind::source && value.source == StepValue::Source::state &&
           value.index == output;
  }

  /// Makes sure that a value is an item; its number.
  std::size_t make(StepId id) {
    if (const auto found = by_value_.find(id); found != by_value_.end()) return found->second;
    Item item;
    item.value = id;
    const StepValue& value = graph_[id];
    if (value.kind == Kind::join) {
      for (const StepId operand : value.operands) {
        Walk walk{graph_[operand].shape, item};
        visit(walk, operand, identity(graph_[operand].shape), false, graph_[operand].kind != Kind::join);
        // The parts of a state that is joined anew move.
        for (Read& read : item.reads) read.in_place = false;
      }
    } else {
      Walk walk{value.shape, item};
      visit(walk, id, identity(value.shape), false, true);
    }
    items_.push_back(std::move(item));
    by_value_.emplace(id, items_.size() - 1);
    return items_.size() - 1;
  }

  void need(Walk& walk, StepId id) {
    const std::size_t at = make(id);
    items_[at].is_read = true;
    walk.item.level = std::max(walk.item.level, items_[at].level + 1);
  }

  void visit(Walk& walk, StepId id, const Indices& indices, bool in_sum, bool is_root) {
    const StepValue& value = graph_[id];
    if (value.kind == Kind::source) {
      if (value.source == StepValue::Source::state)
        walk.item.reads.push_back({value.index, value.shape == walk.lanes && indices == identity(value.shape)});
      return;
    }
    if (value.kind == Kind::view && value.is_reshape) return need(walk, value.operands[0]);
    const bool shared = lacks_lane(walk, indices), looped = has_loop(indices);
    if (!is_root) {
      if (value.kind == Kind::join) return need(walk, id);
      if (value.kind == Kind::reduce && (shared || looped)) return need(walk, id);
      if (value.kind == Kind::lane && (in_sum || looped) && shared && is_dear(id)) return need(walk, id);
    }
    for (const StepId operand : value.operands)
      visit(walk, operand, operand_indices(graph_, value, operand, indices), in_sum || value.kind == Kind::reduce,
            false);
  }

  [[nodiscard]] static bool lacks_lane(const Walk& walk, const Indices& indices) {
    std::vector<bool> there(walk.lanes.size(), false);
    for (const AxisIndex& index : indices)
      for (const AxisTerm& term : index.terms)
        if (term.axis < there.size()) there[term.axis] = true;
    for (std::size_t axis = 0; axis < there.size(); ++axis)
      if (!there[axis] && walk.lanes[axis] != 1) return true;
    return false;
  }

  /// Sums and functions: what is computed once for all lanes that need it.
  bool is_dear(StepId id) {
    if (const auto found = dear_.find(id); found != dear_.end()) return found->second;
    const StepValue& value = graph_[id];
    bool dear = value.kind == Kind::reduce || value.is_function;
    for (const StepId operand : value.operands) dear = dear || is_dear(operand);
    dear_.emplace(id, dear);
    return dear;
  }

  /// Whether the state's place can take its next value while the stages are still being computed.
  [[nodiscard]] bool goes_in_place(const Item& item, std::size_t state) const {
    const StepValue& value = graph_[item.value];
    if (value.kind == Kind::join) return false;
    for (const Item& other : items_) {
      const bool together = other.level == item.level && graph_[other.value].shape == value.shape &&
                            graph_[other.value].kind != Kind::join;
      for (const Read& read : other.reads) {
        if (read.state != state || other.level < item.level) continue;
        if (!together || !read.in_place) return false;
      }
    }
    return true;
  }

  Keep add_scratch(StepId value) {
    plan_.scratch.push_back({graph_[value].dtype, graph_[value].shape});
    return {Keep::Kind::scratch, plan_.scratch.size() - 1};
  }

  void lay_down() {
    std::vector<const Item*> order;
    for (const Item& item : items_) order.push_back(&item);
    std::sort(order.begin(), order.end(),
              [](const Item* a, const Item* b) { return std::pair(a->level, a) < std::pair(b->level, b); });
    std::vector<StepStore> copies;
    int level = -1;
    std::size_t first = 0;  // of the level's stages
    for (const Item* item : order) {
      if (item->level != level) first = plan_.stages.size();
      level = item->level;
      std::vector<Keep> to;
      std::optional<Keep> kept;
      std::vector<Keep> later;
      for (const Keep& each : item->to) {
        if (each.kind != Keep::Kind::state || goes_in_place(*item, each.index)) {
          to.push_back(each);
          if (each.kind == Keep::Kind::state) kept = each;
        } else {
          later.push_back(each);
        }
      }
      if ((item->is_read && !kept) || !later.empty()) {
        kept = add_scratch(item->value);
        to.push_back(*kept);
      }
      if (kept) plan_.kept.emplace_back(item->value, *kept);
      for (const Keep& each : later) {
        const Indices whole = identity(graph_[item->value].shape);
        copies.push_back({item->value, each, whole, whole, {}, kept->index});
      }
      place(*item, to, first);
    }
    const std::size_t first_copy = plan_.stages.size();
    for (StepStore& copy : copies) {
      const Dims shape = graph_[copy.value].shape;
      stage_of(shape, first_copy).stores.push_back(std::move(copy));
    }
  }

  void place(const Item& item, const std::vector<Keep>& to, std::size_t first) {
    const StepValue& value = graph_[item.value];
    if (value.kind != Kind::join) {
      const Indices whole = identity(value.shape);
      Stage& stage = stage_of(value.shape, first);
      for (const Keep& each : to) stage.stores.push_back({item.value, each, whole, whole, {}});
      return;
    }
    std::int64_t offset = 0;
    for (const StepId part : value.operands) {
      const Indices from = identity(graph_[part].shape);
      Indices at = from;
      at[value.axis].offset += offset;
      Stage& stage = stage_of(graph_[part].shape, plan_.stages.size());
      for (const Keep& each : to) stage.stores.push_back({part, each, from, at, {}});
      offset += graph_[part].shape[value.axis];
    }
  }

  /// A stage over that shape, no earlier than stage `first`.
  Stage& stage_of(const Dims& shape, std::size_t first) {
    const std::vector<std::int64_t> lanes(shape.begin(), shape.end());
    for (std::size_t i = first; i < plan_.stages.size(); ++i)
      if (plan_.stages[i].lanes == lanes) return plan_.stages[i];
    Stage made;
    made.lanes = lanes;
    plan_.stages.push_back(std::move(made));
    return plan_.stages.back();
  }

  /// Axes that every stage has.
  void find_classes() {
    std::map<std::size_t, std::size_t> common;  // class → extent
    bool begun = false;
    std::vector<std::vector<std::size_t>> of_stage;
    for (const Stage& stage : plan_.stages) {
      const StepId value = stage.stores[0].value;
      std::vector<std::size_t> own;
      for (std::size_t axis = 0; axis < stage.lanes.size(); ++axis) own.push_back(axes_.class_of(value, axis));
      of_stage.push_back(own);
      std::map<std::size_t, std::size_t> apart;
      for (std::size_t axis = 0; axis < own.size(); ++axis)
        if (stage.lanes[axis] != 1 && axes_.is_apart(own[axis]))
          apart.emplace(own[axis], static_cast<std::size_t>(stage.lanes[axis]));
      if (!begun) common = apart;
      begun = true;
      std::erase_if(common, [&](const auto& each) { return !apart.contains(each.first); });
    }
    for (std::size_t i = 0; i < plan_.stages.size(); ++i) {
      Stage& stage = plan_.stages[i];
      for (std::size_t axis = 0; axis < stage.lanes.size(); ++axis) {
        const auto found = common.find(of_stage[i][axis]);
        stage.classes.push_back(found == common.end() || stage.lanes[axis] == 1
                                    ? SIZE_MAX
                                    : static_cast<std::size_t>(std::distance(common.begin(), found)));
      }
    }
    plan_.classes = common.size();
  }

  const StepGraph& graph_;
  const StepAxes& axes_;
  std::size_t states_;
  std::vector<Item> items_;
  std::map<StepId, std::size_t> by_value_;
  std::map<StepId, bool> dear_;
  StepPlan plan_;
};

}  // namespace

StepPlan plan_steps_outside(const StepGraph& graph, const StepAxes& axes, std::size_t states) {
  return StepsOutside(graph, axes, states).plan();
}

}  // namespace pawl::kernel
