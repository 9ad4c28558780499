// What is known of a Scan: the struct between the passes and the plan.
#pragma once

#include "scan/recurrence.h"

namespace pawl::scan {

/// A state, as it comes in.
struct StateFacts {
  std::string name;
  Type type;
  std::size_t component = 0;
  /// Axes whose slices never need each other: slice j of the next state is made of slice j of this one, and of what
  /// depends on no state of the component.
  std::vector<std::size_t> independent;
};

/// States that need each other, in topological order: a component reads itself and earlier ones.
struct ComponentFacts {
  std::vector<std::size_t> states;
  std::vector<std::size_t> reads;  ///< earlier components
  std::string word;                ///< "sum", "affine", "arg-max", …; "sequential" where no class was found
  std::optional<Match> match;
  std::string refusal;    ///< why there is no class
  bool rank_one = false;  ///< what an affine step adds is an outer product
};

struct OutputFacts {
  std::string name;
  Type type;                       ///< of one step
  std::vector<std::size_t> reads;  ///< components that it is made of
};

/// Costs of one step. A multiplication and an addition count as two operations, an exponential as one.
struct StepCost {
  double operations = 0;
  double bytes_in = 0;   ///< elements
  double bytes_out = 0;  ///< outputs
  double bytes_state = 0;
  double bytes_fixed = 0;    ///< captured values: read in every step
  double bytes_weights = 0;  ///< of these, what something made of a state is multiplied with by rows and columns
  bool known = true;         ///< false: an extent is not known
};

struct ScanFacts {
  std::string label;
  Dim trips;
  const graph::Node* node = nullptr;
  std::vector<StateFacts> states;
  std::vector<ComponentFacts> components;
  std::vector<OutputFacts> outputs;
  std::vector<Type> elements;
  std::size_t nodes = 0;
  StepCost cost;
};

/// Facts of every Scan of version 9 or later, those inside bodies after the ones around them. The graph must outlive
/// them.
Result<std::vector<ScanFacts>> analyse(const graph::Graph& graph);

/// The components of a Scan's states, in topological order.
std::vector<std::vector<std::size_t>> components_of(const graph::ScanOp& scan, const Dependence& dependence);

/// Axes of state `state` whose slices never need each other.
std::vector<std::size_t> independent_axes(const Component& component, std::size_t state);

}  // namespace pawl::scan
