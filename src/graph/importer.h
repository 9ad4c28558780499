// The walk over an onnx::Model that makes the typed graph. import.cpp holds graphs, nodes and functions; control_flow.cpp
// holds Scan, Loop and If.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "graph/import.h"
#include "graph/scope.h"

namespace pawl::graph {

/// Remembers the types that the file declares for values of the graph.
void declare_types(const onnx::Graph& graph, Scope& scope);

class Importer {
 public:
  Importer(const onnx::Model& model, Problems* problems);
  Result<Imported> run();

 private:
  /// Bounds for hostile files: functions that multiply, chains of calls, lists that are searched for every node.
  static constexpr std::size_t kMaxInlinedNodes = 500'000;
  static constexpr std::size_t kMaxCallDepth = 64;
  static constexpr std::size_t kMaxOpsetImports = 1000;
  static constexpr std::int64_t kNewestIr = 14;

  void report(Error error);
  Result<void> import_main();
  void import_nodes(const std::vector<onnx::Node>& nodes, Scope& scope, const std::string& place);
  Result<void> import_node(const onnx::Node& node, Scope& scope, const std::string& place);
  Result<void> inline_call(const onnx::Node& node, const onnx::Function& function, Scope& scope, const std::string& place);
  Result<void> check_arity(const onnx::Node& node, const ops::Schema& schema) const;

  Result<std::int64_t> opset(const std::string& domain, const CallFrame& frame) const;
  Result<void> check_opsets(const std::vector<onnx::OpsetImport>& imports) const;
  [[nodiscard]] const onnx::Function* find_function(const onnx::Node& node) const;

  Result<ValueId> resolve(const std::string& name, Scope& scope);
  Result<std::vector<ValueId>> resolve_inputs(const onnx::Node& node, Scope& scope);
  Result<void> resolve_outputs(const onnx::Graph& graph, Scope& scope);
  Result<ValueId> define(const std::string& name, Scope& scope);
  Result<ValueId> define_input(const onnx::ValueInfo& input, Scope& scope);
  Result<std::vector<ValueId>> define_outputs(const onnx::Node& node, Scope& scope);
  Result<void> define_initializers(const onnx::Graph& graph, Scope& scope);

  Result<void> import_control_flow(const onnx::Node& node, const ops::Schema& schema, const std::vector<onnx::Attribute>& attributes,
                                   Scope& scope, const std::string& place, Node& made);
  Result<ScanOp> import_scan(const onnx::Node& node, const ops::Schema& schema, const std::vector<onnx::Attribute>& attributes,
                             Scope& scope, const std::string& place);
  Result<LoopOp> import_loop(const onnx::Node& node, const std::vector<onnx::Attribute>& attributes, Scope& scope, const std::string& place);
  Result<IfOp> import_if(const onnx::Node& node, const std::vector<onnx::Attribute>& attributes, Scope& scope, const std::string& place);
  /// Imports a graph attribute whose first `bound` inputs are fed by the node.
  Result<Body> import_body(const onnx::Graph& graph, std::size_t bound, Scope& scope, const std::string& place);

  const onnx::Model& model_;
  Problems* problems_;
  std::optional<Error> first_;
  Imported imported_;
  std::size_t inlined_nodes_ = 0;
  std::map<std::tuple<std::string, std::string, std::string>, const onnx::Function*> functions_;  ///< by domain, name, overload
};

}  // namespace pawl::graph
