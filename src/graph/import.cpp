#include "graph/import.h"

#include <algorithm>
#include <unordered_set>

#include "base/try.h"
#include "graph/annotate.h"
#include "graph/attributes.h"
#include "graph/importer.h"
#include "graph/sort.h"

namespace pawl::graph {
namespace {

std::string normal_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

}  // namespace

std::string label_of(const onnx::Node& node) {
  if (!node.name.empty()) return fmt::format("{} \"{}\"", node.op_type, node.name);
  for (const std::string& output : node.outputs)
    if (!output.empty()) return fmt::format("{} of \"{}\"", node.op_type, output);
  return node.op_type;
}

void declare_types(const onnx::Graph& graph, Scope& scope) {
  for (const onnx::ValueInfo& info : graph.value_infos) scope.declared()[info.name] = info.type;
  for (const onnx::ValueInfo& info : graph.outputs) scope.declared()[info.name] = info.type;
}

Importer::Importer(const onnx::Model& model, Problems* problems, const ImportOptions& options)
    : model_(model), problems_(problems), options_(options) {
  for (const onnx::Function& function : model.functions)
    functions_.emplace(std::tuple(normal_domain(function.domain), function.name, function.overload), &function);
}

void Importer::report(Error error) {
  if (!first_) first_ = error;
  if (problems_ != nullptr) problems_->push_back(std::move(error));
}

Result<std::int64_t> Importer::opset(const std::string& domain, const CallFrame& frame) const {
  const std::string wanted = normal_domain(domain);
  if (frame.function != nullptr)
    for (const onnx::OpsetImport& import : frame.function->opset_imports)
      if (normal_domain(import.domain) == wanted) return import.version;
  for (const onnx::OpsetImport& import : model_.opset_imports)
    if (normal_domain(import.domain) == wanted) return import.version;
  // Files older than opset_import itself mean the first operator set.
  if (wanted.empty() && model_.ir_version < 3) return std::int64_t{1};
  return fail(Code::bad_model, "no opset_import for domain \"{}\"", domain);
}

Result<void> Importer::check_opsets(const std::vector<onnx::OpsetImport>& imports) const {
  if (imports.size() > kMaxOpsetImports)
    return fail(Code::limit, "{} opset imports; at most {} make sense", imports.size(), kMaxOpsetImports);
  for (std::size_t i = 0; i < imports.size(); ++i) {
    const onnx::OpsetImport& import = imports[i];
    const std::string domain = normal_domain(import.domain);
    if (import.version < 1)
      return fail(Code::bad_model, "opset_import of domain \"{}\" has version {}", domain, import.version);
    if (domain.empty() && import.version > ops::kNewestOpset) {
      return fail(Code::unsupported, "opset {} of domain \"\" is newer than the newest known one, {}", import.version,
                  ops::kNewestOpset);
    }
    for (std::size_t j = 0; j < i; ++j)
      if (normal_domain(imports[j].domain) == domain && imports[j].version != import.version)
        return fail(Code::bad_model, "opset_import of domain \"{}\" is given as {} and as {}", domain,
                    imports[j].version, import.version);
  }
  return {};
}

const onnx::Function* Importer::find_function(const onnx::Node& node) const {
  if (functions_.empty()) return nullptr;
  const auto found = functions_.find({normal_domain(node.domain), node.op_type, node.overload});
  return found == functions_.end() ? nullptr : found->second;
}

Result<ValueId> Importer::resolve(const std::string& name, Scope& scope) {
  const std::optional<ValueId> id = scope.resolve(name);
  if (!id) return fail(Code::bad_model, "value \"{}\" is not defined here", name);
  return *id;
}

Result<std::vector<ValueId>> Importer::resolve_inputs(const onnx::Node& node, Scope& scope) {
  std::vector<ValueId> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    ValueId id;
    if (!node.inputs[i].empty()) {
      TRY_ASSIGN_IN(fmt::format("input {}", i), id, resolve(node.inputs[i], scope));
    }
    inputs.push_back(id);
  }
  return inputs;
}

Result<ValueId> Importer::define(const std::string& name, Scope& scope) {
  // A name that an enclosing scope already uses may be shadowed by a body's inputs, never by its nodes.
  if (scope.sees(name)) return fail(Code::bad_model, "output \"{}\" is already the name of another value", name);
  ValueInfo info;
  info.name = name;
  if (const auto type = scope.declared().find(name); type != scope.declared().end()) info.declared = type->second;
  return scope.define(name, std::move(info));
}

Result<std::vector<ValueId>> Importer::define_outputs(const onnx::Node& node, Scope& scope) {
  std::vector<ValueId> outputs;
  for (const std::string& output : node.outputs) {
    ValueId id;
    if (!output.empty()) {
      TRY_ASSIGN(id, define(output, scope));
    }
    outputs.push_back(id);
  }
  return outputs;
}

void Importer::import_nodes(const std::vector<onnx::Node>& nodes, Scope& scope, const std::string& place) {
  const auto order = topological_order(nodes);
  if (!order.ok()) {
    Error error = order.error();
    return report(place.empty() ? error : std::move(error).in(place));
  }
  for (const std::size_t i : *order) {
    Result<void> done = import_node(nodes[i], scope, place);
    if (done.ok()) continue;
    Error error = std::move(done).error().in((place.empty() ? "" : place + " / ") + label_of(nodes[i]));
    report(std::move(error));
    if (problems_ == nullptr) return;
    // Go on as if the node were fine, so that its readers do not all complain too.
    for (const std::string& output : nodes[i].outputs)
      if (!output.empty() && !scope.sees(output)) static_cast<void>(define(output, scope));
  }
}

Result<void> Importer::import_node(const onnx::Node& node, Scope& scope, const std::string& place) {
  if (scope.frame().function != nullptr && ++inlined_nodes_ > kMaxInlinedNodes)
    return fail(Code::limit, "the model has more than {} nodes once its functions are inlined", kMaxInlinedNodes);
  if (scope.frame().from_table && node.domain == ops::kGraphDomain) return inline_graph(node, scope, place);
  if (const onnx::Function* function = find_function(node)) return inline_call(node, *function, false, scope, place);
  const std::string domain = normal_domain(node.domain);
  TRY_ASSIGN(const std::int64_t version, opset(node.domain, scope.frame()));
  const ops::Schema* schema = ops::find_schema(domain, node.op_type, version);
  const ops::OpDef* def = is_control_flow(domain, node.op_type) ? nullptr : ops::find_op(domain, node.op_type);
  const bool evaluated = def != nullptr && schema != nullptr &&
                         std::find(def->since.begin(), def->since.end(), schema->since) != def->since.end();
  if (schema != nullptr) {
    if (evaluated || def == nullptr) TRY(check_arity(node, *schema));
    TRY_ASSIGN(const onnx::Function* body, expansion(node, *schema, evaluated ? def : nullptr, scope));
    if (body != nullptr) return inline_call(node, *body, true, scope, place);
  }
  if (schema == nullptr || !(evaluated || is_control_flow(domain, node.op_type))) {
    return fail(Code::unsupported, "operator {} of domain \"{}\" at opset {} is not supported", node.op_type,
                node.domain, version);
  }
  TRY_ASSIGN(const std::vector<onnx::Attribute> attributes, resolve_references(node, scope.frame()));
  TRY_ASSIGN(ops::Attributes checked, check_attributes(attributes, *schema));

  Node made;
  made.name = node.name;
  made.label = label_of(node);
  TRY_ASSIGN(made.inputs, resolve_inputs(node, scope));
  if (def != nullptr) {
    made.operation = OpCall{def, schema, std::move(checked)};
  } else {
    TRY(import_control_flow(node, *schema, attributes, scope, (place.empty() ? "" : place + " / ") + made.label, made));
  }
  TRY_ASSIGN(made.outputs, define_outputs(node, scope));
  scope.graph().nodes.push_back(std::move(made));
  return {};
}

Result<void> Importer::check_arity(const onnx::Node& node, const ops::Schema& schema) const {
  // Trailing omitted arguments are the same as absent ones.
  std::size_t inputs = node.inputs.size();
  while (inputs > 0 && node.inputs[inputs - 1].empty()) --inputs;
  std::size_t outputs = node.outputs.size();
  while (outputs > 0 && node.outputs[outputs - 1].empty()) --outputs;
  if (node.inputs.size() > schema.max_inputs ||
      (inputs < schema.min_inputs && node.inputs.size() < schema.min_inputs)) {
    return fail(Code::bad_model, "{}-{} takes {} to {} inputs, found {}", schema.name, schema.since, schema.min_inputs,
                schema.max_inputs, node.inputs.size());
  }
  if (node.outputs.size() > schema.max_outputs ||
      (outputs < schema.min_outputs && node.outputs.size() < schema.min_outputs)) {
    return fail(Code::bad_model, "{}-{} has {} to {} outputs, found {}", schema.name, schema.since, schema.min_outputs,
                schema.max_outputs, node.outputs.size());
  }
  for (std::size_t i = 0; i < schema.inputs.size(); ++i) {
    const bool missing = i >= node.inputs.size() || node.inputs[i].empty();
    if (schema.inputs[i].occurs == ops::Occurs::single && missing)
      return fail(Code::bad_model, "input {} (\"{}\") of {}-{} is missing", i, schema.inputs[i].name, schema.name,
                  schema.since);
  }
  return {};
}

Result<void> Importer::define_initializers(const onnx::Graph& graph, Scope& scope) {
  std::unordered_set<std::string_view> seen;
  for (const onnx::NamedTensor& initializer : graph.initializers) {
    if (!seen.insert(initializer.name).second)
      return fail(Code::bad_model, "initializer \"{}\" is given twice", initializer.name);
    if (scope.has_own(initializer.name)) continue;  // an input with a default
    ValueInfo info;
    info.name = initializer.name;
    info.fact.type = Type::tensor(initializer.tensor.dtype(), initializer.tensor.shape());
    info.fact.constant = initializer.tensor;
    scope.define(initializer.name, std::move(info));
  }
  return {};
}

Result<ValueId> Importer::define_input(const onnx::ValueInfo& input, Scope& scope) {
  if (input.name.empty()) return fail(Code::bad_model, "a graph input has no name");
  if (scope.has_own(input.name)) return fail(Code::bad_model, "graph input \"{}\" is given twice", input.name);
  ValueInfo info;
  info.name = input.name;
  info.declared = input.type;
  const ValueId id = scope.define(input.name, std::move(info));
  scope.graph().inputs.push_back(id);
  return id;
}

Result<void> Importer::resolve_outputs(const onnx::Graph& graph, Scope& scope) {
  for (const onnx::ValueInfo& output : graph.outputs) {
    TRY_ASSIGN_IN(fmt::format("output \"{}\"", output.name), const ValueId id, resolve(output.name, scope));
    if (!id.valid()) return fail(Code::bad_model, "output \"{}\" is an omitted input", output.name);
    scope.graph().outputs.push_back(id);
  }
  return {};
}

Result<void> Importer::import_main() {
  imported_.graph = std::make_unique<Graph>();
  imported_.graph->name = model_.graph.name;
  const CallFrame main_frame;
  Scope scope(*imported_.graph, nullptr, main_frame);
  const Opened opened(*this, scope, {});
  if (model_.ir_version > kNewestIr)
    return fail(Code::unsupported, "IR version {} is newer than the newest known one, {}", model_.ir_version,
                kNewestIr);
  TRY(check_opsets(model_.opset_imports));
  declare_types(model_.graph, scope);
  std::unordered_map<std::string_view, const Tensor*> initializers;
  for (const onnx::NamedTensor& initializer : model_.graph.initializers)
    initializers.emplace(initializer.name, &initializer.tensor);
  for (const onnx::ValueInfo& input : model_.graph.inputs) {
    TRY_ASSIGN(const ValueId id, define_input(input, scope));
    imported_.graph->values[id.index].fact.type = input.type;
    const auto otherwise = initializers.find(input.name);
    imported_.defaults.push_back(otherwise == initializers.end() ? Tensor() : *otherwise->second);
  }
  TRY(define_initializers(model_.graph, scope));
  import_nodes(model_.graph.nodes, scope, "");
  if (first_ && problems_ == nullptr) return *first_;
  return resolve_outputs(model_.graph, scope);
}

Result<Imported> Importer::run() {
  if (Result<void> done = import_main(); !done.ok() && !first_) report(std::move(done).error());
  if (first_) return *first_;
  TRY(annotate(imported_, problems_));
  TRY(verify(*imported_.graph));
  return std::move(imported_);
}

Result<Imported> import(const onnx::Model& model, Problems* problems, const ImportOptions& options) {
  return Importer(model, problems, options).run();
}

}  // namespace pawl::graph
