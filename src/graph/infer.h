// What is known before the run: types and constants of every value, from those of the inputs.
#pragma once

#include <functional>

#include "graph/graph.h"

namespace pawl::graph {

/// What inference does with what it finds besides returning it. All members may be empty.
struct InferSinks {
  /// Called with each graph, bodies included, and the facts of its values. A body may come several times; the last
  /// counts.
  std::function<void(const Graph&, const std::vector<ops::Fact>&)> facts;
  /// Takes an error; inference goes on with nothing known of the node's outputs. Without it the first error ends all.
  std::function<void(Error)> problem;
};

/// Facts of all values of `graph`, given those of its inputs and of its captured values (in that order).
/// Errors: bad_shape, bad_type, bad_value, where the model cannot run whatever its inputs hold.
Result<std::vector<ops::Fact>> infer_graph(const Graph& graph, std::vector<ops::Fact> inputs,
                                           std::vector<ops::Fact> captured, const InferSinks& sinks = {});

/// Facts of the outputs of one operator: types, and values where all inputs are constant and it is cheap; null where an
/// input is omitted. Errors: bad_type, bad_shape, bad_value, where it cannot run.
Result<std::vector<ops::Fact>> infer_call(const OpCall& call, std::span<const ops::Fact* const> inputs,
                                          std::size_t output_count);

/// Facts of the first `outputs` outputs of one node, given those of all values of its graph. node.outputs is not read.
Result<std::vector<ops::Fact>> infer_node(const Node& node, std::size_t outputs, const std::vector<ops::Fact>& facts);

/// Checks the types of an operator's inputs against its schema; null where omitted. Errors: bad_type.
Result<void> check_call(const OpCall& call, std::span<const ops::Fact* const> inputs);

/// What is known of the body's inputs when the node's inputs are known: states keep their shape, elements lose their
/// axis. `inputs` are the facts of the node's inputs. Errors as infer_graph.
Result<std::vector<ops::Fact>> scan_body_inputs(const ScanOp& scan, const std::vector<ops::Fact>& inputs);

/// `axis` of a tensor of `rank` axes, counted from the front. Errors: bad_shape, naming `what` and the allowed range.
Result<std::size_t> resolve_axis(std::int64_t axis, std::size_t rank, std::string_view what);

/// Does a value of type `actual` contradict `declared`? What one of them does not know never does, nor do symbols.
/// Errors: bad_type or bad_shape, naming the value and both types.
Result<void> check_declared(const Type& declared, const Type& actual, std::string_view value_name);

/// The only element of an integer constant, which may lie at any address; nothing where there is none.
std::optional<std::int64_t> integer_in(const Tensor* constant);

/// Whether every value of type `known` is what `declared` says; symbols say nothing.
bool implies(const Type& known, const Type& declared);

/// A tensor of a known type whose extents are all numbers or symbols. A symbol is the same number wherever it stands,
/// so what fits by symbols fits.
bool is_measured(const Type& type);
/// The same type, extents and symbols included.
bool same_type(const Type& a, const Type& b);

/// What is known of a value of which `a` and `b` both hold. Where they contradict each other, `a`.
Type meet(const Type& a, const Type& b);
/// What is known of a value that is either an `a` or a `b`.
Type join(const Type& a, const Type& b);

}  // namespace pawl::graph
