// The walk over an onnx::Model that makes the typed graph. import.cpp holds graphs and nodes; inline.cpp the functions
// of the model, those of the operators' function table, and graphs that they apply; control_flow.cpp holds Scan, Loop
// and If; known.cpp what is known of values while their graphs are still growing.
#pragma once

#include <map>
#include <optional>
#include <tuple>

#include "graph/import.h"
#include "graph/infer_walk.h"
#include "graph/scope.h"
#include "ops/functions.h"

namespace pawl::graph {

/// How messages call a node: `Scan "S1"`, or by its first output when it has no name.
std::string label_of(const onnx::Node& node);

/// Remembers the types that the file declares for values of the graph.
void declare_types(const onnx::Graph& graph, Scope& scope);

class Importer {
 public:
  Importer(const onnx::Model& model, Problems* problems, const ImportOptions& options);
  Result<Imported> run();

 private:
  /// A graph that is being filled, and what is known of its values so far.
  struct OpenGraph {
    Scope* scope = nullptr;  ///< the one that owns the graph
    std::vector<ValueId>
        fed;  ///< of the enclosing graph: what the node feeds the body's inputs, invalid where not known
    std::vector<ops::Fact> facts;  ///< by value
    std::size_t nodes = 0;         ///< inferred so far
    std::size_t captures = 0;      ///< looked up so far
    InferSinks sinks;
    InferWalk walk{sinks};
  };
  /// Opens a graph for as long as it lives.
  class Opened {
   public:
    Opened(Importer& importer, Scope& scope, std::vector<ValueId> fed);
    ~Opened() { importer_.open_.pop_back(); }
    Opened(const Opened&) = delete;
    Opened& operator=(const Opened&) = delete;

   private:
    Importer& importer_;
  };

  /// Bounds for hostile files: functions that multiply, chains of calls, lists that are searched for every node.
  static constexpr std::size_t kMaxInlinedNodes = 500'000;
  static constexpr std::size_t kMaxCallDepth = 64;
  static constexpr std::size_t kMaxOpsetImports = 1000;
  static constexpr std::int64_t kNewestIr = 14;

  void report(Error error);
  Result<void> import_main();
  void import_nodes(const std::vector<onnx::Node>& nodes, Scope& scope, const std::string& place);
  Result<void> import_node(const onnx::Node& node, Scope& scope, const std::string& place);
  Result<void> inline_call(const onnx::Node& node, const onnx::Function& function, bool from_table, Scope& scope,
                           const std::string& place);
  /// The body of a call of the operator table; null where the call stays as it is. Errors: those of ExpandFn.
  Result<const onnx::Function*> expansion(const onnx::Node& node, const ops::Schema& schema, const ops::OpDef* def,
                                          Scope& scope);
  /// A node of a table's function that applies a graph attribute of the call.
  Result<void> inline_graph(const onnx::Node& node, Scope& scope, const std::string& place);
  /// Makes what the call's graph attributes read from around them reachable inside the function.
  void bind_outer_reads(const CallFrame& frame, Scope& scope, Scope& body);
  /// What is known before the run of a value of the innermost open graph.
  ops::Fact known(ValueId id);
  const std::vector<ops::Fact>& known_in(std::size_t level);
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

  Result<void> import_control_flow(const onnx::Node& node, const ops::Schema& schema,
                                   const std::vector<onnx::Attribute>& attributes, Scope& scope,
                                   const std::string& place, Node& made);
  Result<ScanOp> import_scan(const onnx::Node& node, const ops::Schema& schema,
                             const std::vector<onnx::Attribute>& attributes, Scope& scope, const std::string& place);
  Result<LoopOp> import_loop(const onnx::Node& node, const std::vector<onnx::Attribute>& attributes, Scope& scope,
                             const std::string& place);
  Result<IfOp> import_if(const onnx::Node& node, const std::vector<onnx::Attribute>& attributes, Scope& scope,
                         const std::string& place);
  /// Imports a graph attribute whose first `bound` inputs are fed by the node.
  ///   fed : names of the values whose types the first inputs have, "" where that is not so
  Result<Body> import_body(const onnx::Graph& graph, std::size_t bound, std::span<const std::string> fed, Scope& scope,
                           const std::string& place);

  const onnx::Model& model_;
  Problems* problems_;
  ImportOptions options_;
  std::optional<Error> first_;
  Imported imported_;
  std::size_t inlined_nodes_ = 0;
  std::vector<std::unique_ptr<OpenGraph>> open_;                             ///< outermost first
  std::map<std::string, std::unique_ptr<const onnx::Function>> expansions_;  ///< by text
  std::map<std::tuple<std::string, std::string, std::string>, const onnx::Function*>
      functions_;  ///< by domain, name, overload
};

}  // namespace pawl::graph
