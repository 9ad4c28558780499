// Operators that are functions of others: for each a body in ONNX's text syntax. The importer puts the body in place of
// a call, where that is asked for or where there is no evaluation.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ops/op.h"

namespace pawl::ops {

/// A graph attribute of a call, as far as the file declares its types.
struct GraphSignature {
  std::string_view name;
  std::vector<Type> inputs;
  std::vector<Type> outputs;
};

/// One call that is to be expanded. Its attributes and arity were checked against the schema.
struct FunctionCall {
  const Schema& schema;          ///< the version in force
  const Attributes& attributes;  ///< without graphs
  std::span<const GraphSignature> graphs;
  std::vector<bool> inputs;   ///< by position: given
  std::vector<bool> outputs;  ///< by position: named
  /// What is known of a given input before the run. It infers what precedes the call: ask only when it matters.
  std::function<Fact(std::size_t)> known;

  [[nodiscard]] bool has_input(std::size_t i) const { return i < inputs.size() && inputs[i]; }
  [[nodiscard]] bool has_output(std::size_t i) const { return i < outputs.size() && outputs[i]; }
  [[nodiscard]] const GraphSignature* graph(std::string_view name) const {
    for (const GraphSignature& each : graphs)
      if (each.name == name) return &each;
    return nullptr;
  }
};

/// The text of a function with the call's inputs and outputs, by position. A node `graph.NAME (…)` in it, or in a body
/// inside, stands for the call's graph attribute NAME, applied to these inputs.
///   none   : the body depends on something that is known only while it runs
///   Errors : what is wrong with the attributes; bad_value, bad_model
using BodyText = Result<std::optional<std::string>>;
using ExpandFn = BodyText (*)(const FunctionCall&);

/// The domain of nodes that stand for graph attributes in a function's text.
inline constexpr std::string_view kGraphDomain = "graph";

/// A row of the function table.
struct FunctionDef {
  std::string_view name;
  std::string_view domain = "";
  /// Every since_version whose meaning `expand` gives, ascending; 0 ends the list.
  std::array<int, 12> since{};
  ExpandFn expand = nullptr;
  /// The body is a Scan or a Loop.
  bool loops = false;

  [[nodiscard]] bool has(int version) const;
};

/// The row for an operator, or null. Domain "" and "ai.onnx" are the same.
const FunctionDef* find_function(std::string_view domain, std::string_view name);
/// All rows, file after file.
std::span<const std::span<const FunctionDef>> function_table();

std::span<const FunctionDef> activation_functions();  // function_activations.cpp: Relu, Gelu, …, GreaterOrEqual
std::span<const FunctionDef> reduction_functions();   // function_reductions.cpp: Reduce*, Softmax, *Normalization
std::span<const FunctionDef> recurrence_functions();  // function_recurrences.cpp: CumSum, CumProd, LinearAttention, …
std::span<const FunctionDef> graph_functions();       // function_graphs.cpp: FlexAttention, SequenceMap

/// Lines of a function's body, one node each, and the whole text.
class FunctionText {
 public:
  /// name = Constant <value = float {value}> ()
  FunctionText& real(std::string_view name, float value);
  /// The same, of the element type of `like`.
  FunctionText& real_like(std::string_view name, float value, std::string_view like);
  /// name = Constant <value = int64[n] {values}> ()
  FunctionText& integers(std::string_view name, std::span<const std::int64_t> values);
  FunctionText& integer(std::string_view name, std::int64_t value) { return integers(name, {&value, 1}); }
  /// Any nodes, as they are written.
  FunctionText& nodes(std::string_view text);
  /// `name (inputs) => (outputs) { … }`
  [[nodiscard]] BodyText function(std::string_view name, std::string_view inputs, std::string_view outputs) const;

 private:
  std::string body_;
};

}  // namespace pawl::ops
