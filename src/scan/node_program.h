// A node of a body for many rows at once: some of what it reads has one more leading axis, and so has what it makes. An
// operator has its axis rule; a Scan takes the axis into its states, elements and body.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "graph/rebuild.h"
#include "ops/axis_rule.h"

namespace pawl::scan {

struct ScanProgram;

/// How a node runs for all rows; one of the two.
struct NodeProgram {
  ops::Batching calls;                      ///< of an operator
  std::shared_ptr<const ScanProgram> scan;  ///< of a Scan
};

/// How a Scan runs for all rows, step after step.
struct ScanProgram {
  Dim count;                                      ///< how many rows there are
  std::vector<bool> has_rows;                     ///< by value of the body: it has the axis
  std::vector<std::optional<NodeProgram>> nodes;  ///< by node of the body; nothing for those that rows do not reach
};

/// By value of a graph: whether it has rows.
using HasRows = std::function<bool(graph::ValueId)>;

/// The program for a node of `graph`, or nothing: where an operator has no rule, where random numbers are drawn, and
/// where something may fail that would not have run.
///   rows : how many; where it may be none, the node may not have run at all
std::optional<NodeProgram> program_for(const graph::Graph& graph, const graph::Node& node, const HasRows& has_rows,
                                       const Dim& rows);

/// The program for a Scan whose states and elements with rows are these, in that order.
///   captured : whether a value that the body captures has rows
std::optional<ScanProgram> scan_program(const graph::ScanOp& scan, const std::vector<bool>& inputs,
                                        const HasRows& captured, const Dim& rows);

/// Where a program is written.
struct Rows {
  graph::Builder& to;
  const graph::Graph& from;  ///< the node's
  Dim count;                 ///< how many rows there are, as for program_for
  HasRows has_rows;
  std::function<Result<graph::ValueId>(graph::ValueId)> value;  ///< what a value of `from` is in `to`
};

/// Emits a program.
///   returns : the node's outputs, with rows, invalid where omitted
Result<std::vector<graph::ValueId>> emit_program(const Rows& rows, const graph::Node& node, const NodeProgram& program);

/// Whether values of that type can be repeated for each row of values that are `like` that, without the rows; nothing
/// of their extents is forgotten.
bool can_be_repeated(const Type& type, const Type& like, const Dim& rows);
/// A value repeated for each row of another one.
Result<graph::ValueId> repeated(graph::Builder& to, graph::ValueId value, graph::ValueId like, const Dim& rows,
                                const std::string& name);

/// Some value with rows that a node reads; one that others can be repeated like, where there is one.
graph::ValueId some_rows(const graph::Graph& graph, const graph::Node& node, const HasRows& has_rows, const Dim& rows);

/// A Scan's body, for all rows: `values` has its inputs and captured values, and gets the rest that is needed.
///   has_rows : as the program has it
Result<void> emit_body(const graph::ScanOp& scan, const ScanProgram& program, graph::Mapping& values,
                       graph::Builder& to);

}  // namespace pawl::scan
