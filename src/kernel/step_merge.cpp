// Neighbouring axes that all values have side by side, or not at all, are one: fewer loops, and vectors that are full.
#include <algorithm>
#include <map>
#include <set>

#include "kernel/step_axes.h"

namespace pawl::kernel {
namespace {

using Kind = StepValue::Kind;

class Merging {
 public:
  Merging(const TimeAxes& times, std::size_t states, StepGraph graph)
      : times_(times), states_(states), graph_(std::move(graph)) {}

  StepGraph run() {
    while (merge_one()) {
    }
    return std::move(graph_);
  }

 private:
  /// Two classes that may be one axis: where they are, by value.
  struct Pair {
    std::size_t first = 0;
    std::size_t second = 0;
  };

  bool merge_one() {
    const StepAxes axes(graph_, states_);
    std::set<std::pair<std::size_t, std::size_t>> tried;
    for (std::uint32_t i = 0; i < graph_.values.size(); ++i) {
      const Dims& shape = graph_.values[i].shape;
      for (std::size_t axis = 0; axis + 1 < shape.size(); ++axis) {
        if (shape[axis] == 1 || shape[axis + 1] == 1) continue;
        const Pair pair{axes.class_of({i}, axis), axes.class_of({i}, axis + 1)};
        if (pair.first == pair.second || !tried.emplace(pair.first, pair.second).second) continue;
        std::vector<std::size_t> at;
        if (!find(axes, pair, at)) continue;
        merge(at);
        return true;
      }
    }
    return false;
  }

  /// The place of the pair in each value; SIZE_MAX: it has none. False where a value keeps the two apart.
  bool find(const StepAxes& axes, const Pair& pair, std::vector<std::size_t>& at) const {
    at.assign(graph_.values.size(), SIZE_MAX);
    for (std::uint32_t i = 0; i < graph_.values.size(); ++i) {
      const StepValue& value = graph_.values[i];
      if (value.is_reshape) return false;
      for (std::size_t axis = 0; axis < value.shape.size(); ++axis) {
        if (value.shape[axis] == 1) continue;
        const std::size_t own = axes.class_of({i}, axis);
        if (own == pair.first) {
          const bool beside = axis + 1 < value.shape.size() && value.shape[axis + 1] != 1 &&
                              axes.class_of({i}, axis + 1) == pair.second;
          if (!beside || at[i] != SIZE_MAX) return false;
          at[i] = axis;
        } else if (own == pair.second && (axis == 0 || at[i] != axis - 1)) {
          return false;
        }
      }
      if (!fits(value, at[i], at)) return false;
    }
    // Inside of time the strides of the tensor are known.
    for (std::size_t k = states_; k < graph_.outputs.size(); ++k) {
      const StepId root = graph_.outputs[k];
      if (root.valid() && at[root.index] != SIZE_MAX && at[root.index] < times_.outputs[k - states_]) return false;
    }
    return true;
  }

  /// Whether what makes the value takes both axes as one. Operands come first.
  [[nodiscard]] bool fits(const StepValue& value, std::size_t own, const std::vector<std::size_t>& at) const {
    if (value.kind == Kind::source) {
      return own == SIZE_MAX || value.source != StepValue::Source::element || own >= times_.elements[value.index];
    }
    for (const StepId operand : value.operands) {
      const std::size_t in = at[operand.index];
      if (value.kind == Kind::reduce && in != SIZE_MAX)
        for (const std::size_t axis : value.axes)
          if (axis == in || axis == in + 1) return false;
      if (value.kind == Kind::join && in != SIZE_MAX && (value.axis == in || value.axis == in + 1)) return false;
      if (value.kind == Kind::view && !view_fits(value, own, in)) return false;
      if (value.kind == Kind::lane && !lane_fits(value, own, graph_[operand].shape.size(), in)) return false;
    }
    return true;
  }

  /// An operand has both where the result does, or it ends before them: what is broadcast is found from the last axis
  /// on.
  [[nodiscard]] static bool lane_fits(const StepValue& value, std::size_t own, std::size_t rank, std::size_t in) {
    const std::size_t ahead = value.shape.size() - rank;
    if (in != SIZE_MAX) return own != SIZE_MAX && in + ahead == own;
    return own == SIZE_MAX || ahead >= own + 2;
  }

  [[nodiscard]] static bool view_fits(const StepValue& value, std::size_t own, std::size_t in) {
    for (std::size_t axis = 0; axis < value.indices.size(); ++axis) {
      const AxisIndex& index = value.indices[axis];
      const bool is_first = in != SIZE_MAX && axis == in, is_second = in != SIZE_MAX && axis == in + 1;
      if (is_first || is_second) {
        const std::size_t wanted = own + (is_second ? 1 : 0);
        if (own == SIZE_MAX || !(index == AxisIndex{0, {{1, wanted}}})) return false;
        continue;
      }
      for (const AxisTerm& term : index.terms)
        if (own != SIZE_MAX && (term.axis == own || term.axis == own + 1)) return false;
    }
    return true;
  }

  static std::size_t moved(std::size_t axis, std::size_t merged) {
    return merged != SIZE_MAX && axis > merged ? axis - 1 : axis;
  }

  void merge(const std::vector<std::size_t>& at) {
    for (std::uint32_t i = 0; i < graph_.values.size(); ++i) {
      StepValue& value = graph_.values[i];
      if (value.kind == Kind::view) {
        const std::size_t in = at[value.operands[0].index];
        if (in != SIZE_MAX) value.indices.erase(value.indices.begin() + static_cast<std::ptrdiff_t>(in) + 1);
        for (AxisIndex& index : value.indices)
          for (AxisTerm& term : index.terms) term.axis = moved(term.axis, at[i]);
      }
      if (value.kind == Kind::reduce)
        for (std::size_t& axis : value.axes) axis = moved(axis, at[value.operands[0].index]);
      if (value.kind == Kind::join) value.axis = moved(value.axis, at[i]);
      if (at[i] == SIZE_MAX) continue;
      value.shape[at[i]] *= value.shape[at[i] + 1];
      value.shape.erase(at[i] + 1);
    }
  }

  const TimeAxes& times_;
  std::size_t states_;
  StepGraph graph_;
};

}  // namespace

TimeAxes time_axes(const graph::ScanOp& scan, const std::vector<ops::Fact>& facts) {
  const graph::Graph& body = *scan.body.graph;
  const auto resolve = [&](std::int64_t axis, graph::ValueId id) {
    const Type& type = facts[id.index].type;
    const std::int64_t rank = type.is_tensor() && type.shape ? static_cast<std::int64_t>(type.shape->size()) : 0;
    return static_cast<std::size_t>(std::max<std::int64_t>(axis < 0 ? axis + rank + 1 : axis, 0));
  };
  TimeAxes times;
  for (std::size_t i = 0; i < scan.elements; ++i)
    times.elements.push_back(resolve(scan.input_axes[i], body.inputs[scan.states + i]));
  for (std::size_t k = 0; k < scan.outputs; ++k)
    times.outputs.push_back(resolve(scan.output_axes[k], body.outputs[scan.states + k]));
  return times;
}

StepGraph merge_axes(const TimeAxes& times, std::size_t states, StepGraph graph) {
  return Merging(times, states, std::move(graph)).run();
}

}  // namespace pawl::kernel
