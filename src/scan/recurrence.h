// A recurrence class: what one step does to the states of a component, as an element of a monoid that acts on states.
// Because elements combine associatively, a long sequence can be cut into parts that are worked on side by side.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "graph/builder.h"
#include "scan/dependence.h"

namespace pawl::scan {

/// One monoid element, or the states of a component: values of one graph.
using Tuple = std::vector<graph::ValueId>;

/// A class is a row, in a file of its own in recurrences/. The functions emit standard operators into a builder, so
/// that one definition serves the tests of the laws, the reference, written models and kernels.
///   act(combine(p, q), s) = act(q, act(p, s))       p is earlier in time than q
///   combine(p, combine(q, r)) = combine(combine(p, q), r)
///   combine(identity, p) = p = combine(p, identity), act(identity, s) = s
struct Recurrence {
  std::string_view name;  ///< the word that explanations use
  std::string_view law;   ///< one step, in letters
  bool commutative = false;
  bool float_exact = false;  ///< the same bits for floats however a sequence is cut
  Result<Tuple> (*combine)(graph::Builder& to, const Tuple& earlier, const Tuple& later) = nullptr;
  Result<Tuple> (*act)(graph::Builder& to, const Tuple& element, const Tuple& states) = nullptr;
  /// One element for states of these types; shapes are those of scalars.
  Result<Tuple> (*identity)(graph::Builder& to, const std::vector<DType>& states) = nullptr;
  /// How many values an element has when the component has `states` states.
  std::size_t (*width)(std::size_t states) = nullptr;
  /// Element types that the class is defined for.
  std::span<const DType> types;
  /// Elements and states are matrices that are multiplied, not arrays of lanes.
  bool multiplies_matrices = false;
  std::string_view source;
};

/// A component of a Scan's states: they need each other, and no state of theirs needs one that is not here, except as
/// given.
struct Component {
  const graph::ScanOp& scan;
  const graph::Graph& body;
  const Dependence& dependence;
  std::vector<std::size_t> states;

  [[nodiscard]] bool has(std::size_t state) const;
  /// Whether a body value depends on a state of the component.
  [[nodiscard]] bool reaches(graph::ValueId id) const;
};

/// How a state is laid out for a class that multiplies matrices: [..., rows, columns].
struct Arrangement {
  std::vector<std::int64_t> order;  ///< the state's axes in that order; empty: as they are
  bool column = false;              ///< an axis of extent 1 comes last
};

/// What a class needs of one step, made of values that do not depend on the component's states.
struct Match {
  const Recurrence* recurrence = nullptr;
  /// Inputs: those of the body, in order. Captured: those of the body. Outputs: the monoid element of one step.
  graph::Body lift;
  Arrangement arrangement;
  bool masked = false;   ///< in some steps the state is kept as it was, by a condition
  bool reset = false;    ///< in some steps the state starts anew, by a condition
  bool counter = false;  ///< what is added is the same in every step
};

/// What an element of the match's class does to the states as they are.
Result<Tuple> act_on_states(const Match& match, graph::Builder& to, const Tuple& element, const Tuple& states);

/// A class, or the node that stands in the way.
struct Recognition {
  std::optional<Match> match;
  std::string refusal;  ///< in words, naming a node; empty when there is a match
};

/// Asks the classes, in order.
Result<Recognition> recognise(const Component& component);

/// The rows: one file each in recurrences/.
extern const Recurrence kDelay;
extern const Recurrence kSum;
extern const Recurrence kProduct;
extern const Recurrence kAffine;
extern const Recurrence kMatrix;
extern const Recurrence kTransition;
extern const Recurrence kDelta;
extern const Recurrence kMaxPlusMatrix;
extern const Recurrence kMinPlusMatrix;
extern const Recurrence kLogSumExpMatrix;
extern const Recurrence kMax;
extern const Recurrence kMin;
extern const Recurrence kMaxPlus;
extern const Recurrence kMinPlus;
extern const Recurrence kClamp;
extern const Recurrence kClampAdd;
extern const Recurrence kLogical;
extern const Recurrence kBitwise;
extern const Recurrence kLogSumExp;

/// All classes, in the order in which they are asked.
std::span<const Recurrence* const> recurrences();

}  // namespace pawl::scan
