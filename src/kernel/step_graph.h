// What one step of a Scan computes, in five kinds of values: tensors that are there, lanes, views, sums, joined parts.
// Operators of many axes (MatMul, Softmax, ReduceMean, …) are written as these, so that what follows knows five things.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "expr/emitter.h"
#include "graph/graph.h"

namespace pawl::kernel {

/// factor * the place along an axis.
struct AxisTerm {
  std::int64_t factor = 1;
  std::size_t axis = 0;
  auto operator<=>(const AxisTerm&) const = default;
};
/// Where an axis of a tensor is read: offset + terms over the axes of whoever reads.
struct AxisIndex {
  std::int64_t offset = 0;
  std::vector<AxisTerm> terms;
  auto operator<=>(const AxisIndex&) const = default;
};
/// One per axis of the tensor that is read.
using Indices = std::vector<AxisIndex>;

/// Indices of indices: `outer` over the axes of a value whose own axes are at `inner`.
Indices compose(const Indices& outer, const Indices& inner);

struct StepId {
  std::uint32_t index = UINT32_MAX;
  [[nodiscard]] bool valid() const { return index != UINT32_MAX; }
  auto operator<=>(const StepId&) const = default;
};

/// How a reduce makes one value of many. Which of equal extremes an index is of: the first or the last.
enum class Fold : std::uint8_t { sum, product, most, least, first_most, last_most, first_least, last_least };
inline bool gives_index(Fold fold) { return fold >= Fold::first_most; }

struct StepValue {
  enum class Kind : std::uint8_t {
    source,  ///< a tensor that is there: a state, an element, a captured value, a constant
    lane,    ///< each element from those at the same place, broadcast by numpy's rule
    view,    ///< elements of the operand, elsewhere
    reduce,  ///< one element from all along some axes, which are gone
    join,    ///< the operands one after the other along an axis
  };
  enum class Source : std::uint8_t { state, element, captured, constant };
  using Lane = std::function<std::optional<expr::Value>(expr::Emitter& emit, std::span<const expr::Value> operands)>;

  Kind kind = Kind::source;
  std::string name;  ///< for messages
  DType dtype = DType::undefined;
  Dims shape;
  std::vector<StepId> operands;

  Source source = Source::state;
  std::size_t index = 0;         ///< of the Scan's states or elements, or of what the body captures
  graph::ValueId constant;       ///< of the body
  std::optional<double> number;  ///< of a constant: its only element, where a double holds it
  Lane lane;                     ///< 16-bit floats go in and out as f32, rounded
  bool is_function = false;      ///< of a lane: exp or the like, dear to do twice
  bool is_product = false;       ///< of a lane: of two operands
  Indices indices;               ///< of a view: by axis of the operand, over its own axes
  bool is_reshape = false;       ///< of a view: the same elements in row-major order; no indices
  Fold fold = Fold::sum;
  double start = 0;               ///< of a sum or product: what it begins with
  std::vector<std::size_t> axes;  ///< of a reduce: those of the operand, ascending
  std::size_t axis = 0;           ///< of a join
};

struct StepGraph {
  std::vector<StepValue> values;  ///< operands first
  std::vector<StepId> outputs;    ///< by the body's output; invalid where nobody needs it

  [[nodiscard]] const StepValue& operator[](StepId id) const { return values[id.index]; }
};

/// The graph, or why there is none, in words.
struct StepGraphResult {
  std::optional<StepGraph> graph;
  std::string refusal;
};

/// `facts` are those of all body values, with all extents known.
///   needed : by body output; a state that something needed reads is needed
///   exact  : sums are of f64, in the order of the axes, rounded once: the bits of the reference evaluator
StepGraphResult make_step_graph(const graph::ScanOp& scan, const std::vector<ops::Fact>& facts,
                                const std::vector<bool>& needed, bool exact);

/// The axis of time in elements and outputs: how many axes of one step lie before it.
struct TimeAxes {
  std::vector<std::size_t> elements;
  std::vector<std::size_t> outputs;
};
TimeAxes time_axes(const graph::ScanOp& scan, const std::vector<ops::Fact>& facts);

/// The same with neighbouring axes as one wherever all values have them side by side. States, captured values and
/// constants then have another shape than their tensors, of the same elements in the same order.
StepGraph merge_axes(const TimeAxes& times, std::size_t states, StepGraph graph);

}  // namespace pawl::kernel
