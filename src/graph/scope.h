// Names while a graph is imported: what each one means here, and how a value of an outer graph gets into a body.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "graph/graph.h"
#include "onnx/model.h"

namespace pawl::graph {

/// What a function call binds: opset imports, and attributes by name for ref_attr_name.
struct CallFrame {
  const onnx::Function* function = nullptr;  ///< null: the main graph
  std::unordered_map<std::string, onnx::Attribute> attributes;
  const CallFrame* caller = nullptr;
  std::size_t depth = 0;
  bool from_table = false;  ///< of the operators' own function table; graph attributes may be called by name
};

/// The names of one graph, or of one function inlined into a graph. `parent` is the scope of the node that holds this
/// body; a function has none: it sees its own names only.
class Scope {
 public:
  Scope(Graph& graph, Scope* parent, const CallFrame& frame) : graph_(&graph), parent_(parent), frame_(&frame) {}

  [[nodiscard]] Graph& graph() { return *graph_; }
  [[nodiscard]] const CallFrame& frame() const { return *frame_; }
  [[nodiscard]] const std::vector<Capture>& captures() const { return captures_; }

  /// Adds a value to the graph under a name of this scope. The name must be free here (has_own).
  ValueId define(const std::string& name, ValueInfo info);
  /// Gives a name to a value that the graph already has (a function's formal input; an invalid id is an omitted one).
  void bind(const std::string& name, ValueId id) { names_[name] = id; }

  /// Types that the file declares for names of this scope.
  std::unordered_map<std::string, Type>& declared() { return declared_; }

  [[nodiscard]] bool has_own(const std::string& name) const { return names_.count(name) != 0; }
  /// True when `name` means something in this scope or one around it.
  [[nodiscard]] bool sees(const std::string& name) const {
    return has_own(name) || (parent_ != nullptr && parent_->sees(name));
  }

  /// The value that `name` means; captured from an outer scope when it is not this graph's own. nullopt: no such name.
  std::optional<ValueId> resolve(const std::string& name);

 private:
  Graph* graph_;
  Scope* parent_;
  const CallFrame* frame_;
  std::unordered_map<std::string, ValueId> names_;
  std::unordered_map<std::string, Type> declared_;
  std::vector<Capture> captures_;
};

}  // namespace pawl::graph
