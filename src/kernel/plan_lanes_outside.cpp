// Plans with all steps of a lane in a row.
#include <algorithm>
#include <set>

#include "kernel/step_axes.h"
#include "kernel/step_plan.h"

namespace pawl::kernel {
namespace {

using Kind = StepValue::Kind;

/// Plans with all steps of a lane in a row: lanes go over the axes that all results have and that are apart.
class LanesOutside {
 public:
  LanesOutside(const StepGraph& graph, const StepAxes& axes, std::size_t states)
      : graph_(graph), axes_(axes), states_(states) {}

  std::optional<StepPlan> plan() {
    find_lanes();
    StepPlan plan;
    plan.lanes_outside = true;
    Stage stage;
    for (const auto& [of_class, extent] : lanes_) {
      stage.lanes.push_back(extent);
      stage.classes.push_back(plan.classes++);
    }
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      if (!graph_.outputs[i].valid()) continue;
      std::optional<StepStore> made = store(i);
      if (!made) return std::nullopt;
      stage.stores.push_back(std::move(*made));
    }
    if (!in_order(stage) || (has_loops_ && longest_lane() < kFewLanes)) return std::nullopt;
    plan.stages.push_back(std::move(stage));
    return plan;
  }

 private:
  void find_lanes() {
    for (std::size_t i = 0; i < graph_.outputs.size(); ++i) {
      const StepId root = graph_.outputs[i];
      if (!root.valid()) continue;
      std::vector<std::pair<std::size_t, std::int64_t>> own;
      const Dims& shape = graph_[root].shape;
      for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const std::size_t of_class = axes_.class_of(root, axis);
        if (shape[axis] != 1 && axes_.is_apart(of_class)) own.emplace_back(of_class, shape[axis]);
      }
      if (!begun_) {
        lanes_ = own;
        begun_ = true;
      }
      std::erase_if(lanes_, [&](const auto& lane) { return std::find(own.begin(), own.end(), lane) == own.end(); });
    }
  }

  /// Axis i of the value: a lane, or the next loop.
  Indices places(StepId value, std::vector<std::int64_t>* loops) const {
    Indices made;
    std::size_t next = 0;
    const Dims& shape = graph_[value].shape;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (shape[axis] == 1) {
        made.emplace_back();
        continue;
      }
      const std::size_t of_class = axes_.class_of(value, axis);
      const auto lane =
          std::find_if(lanes_.begin(), lanes_.end(), [&](const auto& each) { return each.first == of_class; });
      if (lane != lanes_.end()) {
        made.push_back({0, {{1, static_cast<std::size_t>(lane - lanes_.begin())}}});
        continue;
      }
      if (loops != nullptr) loops->push_back(shape[axis]);
      made.push_back({0, {{1, kLoopAxis + next++}}});
    }
    return made;
  }

  std::optional<StepStore> store(std::size_t output) {
    StepStore made;
    made.value = graph_.outputs[output];
    made.to = output < states_ ? Keep{Keep::Kind::state, output} : Keep{Keep::Kind::output, output - states_};
    made.from = made.at = places(made.value, &made.loops);
    has_loops_ = has_loops_ || !made.loops.empty();
    reads_.emplace_back();
    if (!walk(made.value, made.from)) return std::nullopt;
    return made;
  }

  /// Whether a value can be computed in a lane; notes the states that it reads.
  bool walk(StepId id, const Indices& indices) {
    const StepValue& value = graph_[id];
    if (value.kind == Kind::source) {
      if (value.source != StepValue::Source::state) return true;
      reads_.back().insert(value.index);
      return indices == places(id, nullptr);
    }
    if (value.kind == Kind::join || value.is_reshape) return false;
    has_loops_ = has_loops_ || value.kind == Kind::reduce;
    if (value.kind == Kind::reduce && (has_loop(indices) || lacks_lane(indices))) return false;
    return std::all_of(value.operands.begin(), value.operands.end(),
                       [&](StepId operand) { return walk(operand, operand_indices(graph_, value, operand, indices)); });
  }

  [[nodiscard]] std::int64_t longest_lane() const {
    std::int64_t longest = 0;
    for (const auto& [of_class, extent] : lanes_) longest = std::max(longest, extent);
    return longest;
  }

  /// A sum that lanes share would be summed by each of them.
  [[nodiscard]] bool lacks_lane(const Indices& indices) const {
    std::set<std::size_t> there;
    for (const AxisIndex& index : indices)
      for (const AxisTerm& term : index.terms) there.insert(term.axis);
    return there.size() < lanes_.size();
  }

  /// States of several places in a lane are written in loops: none reads what another one has written already.
  [[nodiscard]] bool in_order(const Stage& stage) const {
    for (std::size_t i = 0; i < stage.stores.size(); ++i) {
      const StepStore& written = stage.stores[i];
      if (written.to.kind != Keep::Kind::state || written.loops.empty()) continue;
      for (std::size_t j = 0; j < stage.stores.size(); ++j)
        if (!stage.stores[j].loops.empty() && stage.stores[j].loops != written.loops &&
            reads_[j].contains(written.to.index))
          return false;
    }
    return true;
  }

  const StepGraph& graph_;
  const StepAxes& axes_;
  std::size_t states_;
  /// With fewer lanes vectors go along the loops inside of them, which stages do better.
  static constexpr std::int64_t kFewLanes = 8;

  bool begun_ = false, has_loops_ = false;
  std::vector<std::pair<std::size_t, std::int64_t>> lanes_;  ///< class and extent
  std::vector<std::set<std::size_t>> reads_;                 ///< by store: states
};

}  // namespace

std::optional<StepPlan> plan_lanes_outside(const StepGraph& graph, const StepAxes& axes, std::size_t states) {
  return LanesOutside(graph, axes, states).plan();
}

}  // namespace pawl::kernel
