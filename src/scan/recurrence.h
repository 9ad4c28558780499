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
  /// The step that changes nothing, made to fit beside an element; null where `identity` does.
  Result<Tuple> (*unchanged)(graph::Builder& to, const Tuple& beside) = nullptr;
  /// How many values an element has when the component has `states` states.
  std::size_t (*width)(std::size_t states) = nullptr;
  /// Element types that the class is defined for.
  std::span<const DType> types;
  /// Elements and states are matrices that are multiplied, not arrays of lanes.
  bool multiplies_matrices = false;
  std::string_view source;
  /// The class of the steps between which the state starts anew; null: it does not.
  const Recurrence* between = nullptr;
};

/// A component of a Scan's states: they need each other, and no state of theirs needs one that is not here, except as
/// given.
struct Component {
  const graph::ScanOp& scan;
  const graph::Graph& body;
  const Dependence& dependence;
  std::vector<std::size_t> states;

  /// The graph around the Scan, and the Scan in it; null where they are not at hand.
  const graph::Graph* outer = nullptr;
  const graph::Node* node = nullptr;
  /// What is asked about in place of the next states, by index into `states`; empty: they themselves.
  std::vector<graph::ValueId> instead{};

  /// Values that no state of the component reaches, which the lift gives out after the element.
  std::vector<graph::ValueId> also{};

  /// What states[i] becomes.
  [[nodiscard]] graph::ValueId next(std::size_t i) const {
    return instead.empty() ? body.outputs[states[i]] : instead[i];
  }
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

/// A value laid out as the match's class takes states of that rank; one of fewer axes gets leading ones first.
///   returns : invalid where its rank is not known
Result<graph::ValueId> arranged(const Arrangement& arrangement, graph::Builder& to, graph::ValueId value,
                                std::size_t rank);

/// What an element of the match's class does to the states as they are.
Result<Tuple> act_on_states(const Match& match, graph::Builder& to, const Tuple& element, const Tuple& states);

/// What stands in the way of a class.
struct Obstacle {
  std::string words;   ///< naming a node
  std::size_t at = 0;  ///< the node's place in the body, from 1; 0: no node
};

/// The step that changes nothing of a class's states.
Result<Tuple> unchanged(const Recurrence& recurrence, graph::Builder& to, const Tuple& beside,
                        const std::vector<DType>& states);

/// A class, or the node that stands in the way.
struct Recognition {
  std::optional<Match> match;
  std::string refusal;  ///< in words, naming a node; empty when there is a match
};

/// Asks the classes, in order.
Result<Recognition> recognise(const Component& component);

/// Classes with steps in between in which the state starts anew; null where a class has no such.
std::span<const Recurrence> with_resets();
const Recurrence* with_reset(const Recurrence& recurrence);

/// The rows: one file each in recurrences/.
extern const Recurrence kDelay;
extern const Recurrence kDelayLine;           ///< what comes in stands behind the last one
extern const Recurrence kDelayLineFromFront;  ///< before the first one
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
extern const Recurrence kReset;

/// All classes but those with resets.
std::span<const Recurrence* const> recurrences();

}  // namespace pawl::scan
