// What a model file is made of, as far as it can be said without verifying it.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "onnx/model.h"

namespace pawl::cli {

/// An operator: domain ("" is written "ai.onnx") and name.
using OperatorName = std::pair<std::string, std::string>;

/// An operator with the opset in whose scope it is used; 0 when the domain is not imported.
struct OperatorUse {
  std::string domain;  ///< as written
  std::string name;
  std::int64_t opset = 0;
  friend auto operator<=>(const OperatorUse&, const OperatorUse&) = default;
};

/// A Scan, Loop or If, wherever it stands. Counts are -1 where the node contradicts itself.
struct ControlFlowFacts {
  std::string op_type;
  std::string name;           ///< the node's name, or its first output's
  std::string place;          ///< "graph", "function f", "graph / Scan "S1" body"
  int since = 0;              ///< the operator version in force; 0 when the opset is not known
  std::int64_t states = 0;    ///< N; carried values of a Loop
  std::int64_t elements = 0;  ///< M; Scan only
  std::int64_t outputs = 0;   ///< K; of an If: all its outputs
  /// A Scan's, the defaults written out; a direction of 1 is reversed (prepended).
  std::vector<std::int64_t> input_axes, output_axes, input_directions, output_directions;
  std::vector<std::string> captures;  ///< outer values that the bodies read, in the order of first use
};

struct ModelFacts {
  std::map<OperatorName, std::size_t> operators;  ///< with counts: main graph, functions, and all bodies inside
  std::set<OperatorUse> uses;
  std::vector<ControlFlowFacts> control_flow;  ///< outer before inner
};

ModelFacts gather_facts(const onnx::Model& model);

/// The operators that pawl does not have, in the version that the model wants; calls of its own functions are none.
std::vector<OperatorName> missing_operators(const onnx::Model& model);

/// Names that the graph reads from outside of itself, at any depth, in the order of first use.
std::vector<std::string> captures_of(const onnx::Graph& graph);

/// The bodies of a node, with the names of the attributes that hold them.
std::vector<std::pair<std::string, const onnx::Graph*>> bodies_of(const onnx::Node& node);

/// "ai.onnx" for "".
std::string shown_domain(const std::string& domain);

}  // namespace pawl::cli
