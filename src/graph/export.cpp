#include "graph/export.h"

#include <algorithm>
#include <array>
#include <unordered_map>
#include <unordered_set>

#include "base/try.h"
#include "graph/infer.h"
#include "graph/versions.h"
#include "ops/extents.h"

namespace pawl::graph {
namespace {

onnx::Attribute to_onnx(const ops::Attribute& attribute) {
  onnx::Attribute made;
  made.name = attribute.name;
  std::visit([&](const auto& payload) { made.payload = payload; }, attribute.payload);
  // AttributeProto.AttributeType, by alternative of the payload. An empty list would not show what it is a list of.
  constexpr std::array kTypes = {1, 2, 3, 4, 13, 6, 7, 8, 9, 14};
  static_assert(kTypes.size() == std::variant_size_v<ops::Attribute::Payload>);
  made.declared_type = kTypes[attribute.payload.index()];
  return made;
}

/// What a node is in another version of its operator.
std::optional<Reworded> reworded_for(const Graph& graph, const Node& node, const ops::Schema& from,
                                     const ops::Schema& to) {
  const auto* call = std::get_if<OpCall>(&node.operation);
  return reword(from, call == nullptr ? ops::Attributes() : call->attributes, to, node.inputs.size(),
                [&](std::size_t place) -> std::optional<std::vector<std::int64_t>> {
                  const ValueId id = node.inputs[place];
                  const Tensor* constant = id.valid() ? graph[id].fact.tensor() : nullptr;
                  if (constant == nullptr) return std::nullopt;
                  const Result<Dims> list = ops::integers_of(*constant);
                  if (!list.ok()) return std::nullopt;
                  return std::vector<std::int64_t>(list->begin(), list->end());
                });
}

/// Whether a version of an operator takes values of these types, as the first `inputs` of a node.
bool takes(const ops::Schema& schema, const Graph& graph, const Node& node, std::size_t inputs) {
  inputs = std::min(inputs, node.inputs.size());
  if (inputs < schema.min_inputs || inputs > schema.max_inputs || node.outputs.size() > schema.max_outputs)
    return false;
  for (std::size_t i = 0; i < inputs; ++i) {
    if (!node.inputs[i].valid()) continue;
    const ops::Parameter* parameter = schema.input(i);
    if (parameter == nullptr || !parameter->types.admits(graph[node.inputs[i]].fact.type)) return false;
  }
  return true;
}

const ops::Schema& schema_of(const Operation& operation) {
  return std::visit([](const auto& made) -> const ops::Schema& { return *made.schema; }, operation);
}

/// Errors: unsupported, when a node cannot be said in that opset.
Result<void> check_opset(const Graph& graph, std::int64_t opset) {
  for (const Node& node : graph.nodes) {
    const ops::Schema& own = schema_of(node.operation);
    if (own.domain.empty()) {
      const ops::Schema* schema = ops::find_schema("", own.name, opset);
      if (schema == nullptr) return fail(Code::unsupported, "{}: opset {} has no {}", node.label, opset, own.name);
      const std::optional<Reworded> reworded = reworded_for(graph, node, own, *schema);
      if (schema != &own && (!reworded || !takes(*schema, graph, node, reworded->kept_inputs)))
        return fail(Code::unsupported, "{}: {} of opset {} cannot say what version {} does here", node.label, own.name,
                    opset, own.since);
    }
    Result<void> inside;
    for_each_body(node, [&](const Body& body, std::string_view) {
      if (inside.ok()) inside = check_opset(*body.graph, opset);
    });
    TRY(inside);
  }
  return {};
}

class Exporter {
 public:
  explicit Exporter(std::int64_t opset) : opset_(opset) {}

  /// The main graph: inputs and outputs have the names and types that the original has.
  onnx::Graph main(const Graph& graph, const onnx::Graph& original) {
    Names names(graph.values.size());
    for (const onnx::ValueInfo& input : original.inputs) taken_.insert(input.name);
    for (const onnx::ValueInfo& output : original.outputs) taken_.insert(output.name);
    onnx::Graph made;
    made.name = original.name;
    for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
      made.inputs.push_back(original.inputs[i]);
      names[graph.inputs[i].index] = original.inputs[i].name;
    }
    // Inputs that have a default keep it.
    for (const onnx::NamedTensor& initializer : original.initializers)
      if (std::any_of(made.inputs.begin(), made.inputs.end(),
                      [&](const onnx::ValueInfo& input) { return input.name == initializer.name; }))
        made.initializers.push_back(initializer);
    made.outputs = original.outputs;
    std::vector<std::string> wanted;
    for (const onnx::ValueInfo& output : original.outputs) wanted.push_back(output.name);
    fill(graph, names, wanted, made);
    return made;
  }

 private:
  using Names = std::vector<std::string>;

  std::string fresh(std::string_view base) {
    std::string name(base.empty() ? "value" : base);
    while (!taken_.insert(name).second) name = fmt::format("{}_{}", base, ++count_);
    return name;
  }

  std::string fresh_node(const std::string& base) {
    std::string name = base;
    while (!node_names_.insert(name).second) name = fmt::format("{}_{}", base, ++count_);
    return name;
  }

  /// Constants and nodes; the outputs get the `wanted` names.
  void fill(const Graph& graph, Names& names, const std::vector<std::string>& wanted, onnx::Graph& made) {
    std::vector<bool> produced(graph.values.size(), false);
    for (const Node& node : graph.nodes)
      for (const ValueId id : node.outputs)
        if (id.valid()) produced[id.index] = true;
    std::vector<ValueId> copied;
    // The first output that a node makes takes the output's name; others are copies.
    std::vector<bool> given(graph.values.size(), false);
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const ValueId id = graph.outputs[i];
      if (!produced[id.index] || given[id.index]) continue;
      given[id.index] = true;
      names[id.index] = wanted[i];
    }
    for (std::uint32_t i = 0; i < graph.values.size(); ++i) {
      if (!names[i].empty()) continue;
      names[i] = fresh(graph.values[i].name);
      if (!produced[i] && graph.values[i].fact.tensor() != nullptr)
        made.initializers.push_back({names[i], *graph.values[i].fact.tensor(), ""});
    }
    for (const Node& node : graph.nodes) add_node(graph, node, names, made);
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      const std::string& name = names[graph.outputs[i].index];
      if (name == wanted[i]) continue;
      onnx::Node copy;
      copy.op_type = "Identity";
      copy.inputs = {name};
      copy.outputs = {wanted[i]};
      made.nodes.push_back(std::move(copy));
    }
  }

  void add_node(const Graph& graph, const Node& node, const Names& names, onnx::Graph& made) {
    onnx::Node copy;
    if (!node.name.empty()) copy.name = fresh_node(node.name);
    const ops::Schema& schema = schema_of(node.operation);
    copy.domain = schema.domain;
    copy.op_type = schema.name;
    for (const ValueId id : node.inputs) copy.inputs.push_back(id.valid() ? names[id.index] : "");
    for (const ValueId id : node.outputs) copy.outputs.push_back(id.valid() ? names[id.index] : "");
    if (const auto* call = std::get_if<OpCall>(&node.operation)) {
      add_attributes(graph, node, *call, copy, made);
    } else if (const auto* scan = std::get_if<ScanOp>(&node.operation)) {
      add_scan(*scan, names, copy);
    } else if (const auto* loop = std::get_if<LoopOp>(&node.operation)) {
      add_body("body", loop->body, names, copy);
    } else {
      add_body("then_branch", std::get<IfOp>(node.operation).then_branch, names, copy);
      add_body("else_branch", std::get<IfOp>(node.operation).else_branch, names, copy);
    }
    while (!copy.outputs.empty() && copy.outputs.back().empty() && copy.outputs.size() > 1) copy.outputs.pop_back();
    made.nodes.push_back(std::move(copy));
  }

  void add_attributes(const Graph& graph, const Node& original, const OpCall& call, onnx::Node& node,
                      onnx::Graph& made) {
    const ops::Schema* target =
        call.schema->domain.empty() ? ops::find_schema("", call.schema->name, opset_) : call.schema;
    const std::optional<Reworded> reworded = reworded_for(graph, original, *call.schema, *target);
    CHECK(reworded.has_value());
    node.inputs.resize(std::min(node.inputs.size(), reworded->kept_inputs));
    for (const ops::Attribute& attribute : reworded->attributes.list()) node.attributes.push_back(to_onnx(attribute));
    for (const auto& [place, list] : reworded->inputs) {
      const std::string name = fresh(node.outputs[0] + "_" + std::to_string(place));
      made.initializers.push_back(
          {name,
           Tensor::of<std::int64_t>({static_cast<std::int64_t>(list.size())}, std::span<const std::int64_t>(list)),
           ""});
      if (node.inputs.size() <= place) node.inputs.resize(place + 1);
      node.inputs[place] = name;
    }
  }

  static onnx::Attribute integers(const char* name, std::vector<std::int64_t> values) {
    onnx::Attribute attribute;
    attribute.name = name;
    attribute.declared_type = 7;
    attribute.payload = std::move(values);
    return attribute;
  }

  void add_scan(const ScanOp& scan, const Names& names, onnx::Node& node) {
    onnx::Attribute count;
    count.name = "num_scan_inputs";
    count.declared_type = 2;
    count.payload = static_cast<std::int64_t>(scan.elements);
    node.attributes.push_back(std::move(count));
    const auto flags = [](const std::vector<bool>& reversed) {
      return std::vector<std::int64_t>(reversed.begin(), reversed.end());
    };
    if (scan.batched) {
      node.attributes.push_back(integers("directions", flags(scan.input_reversed)));
    } else {
      node.attributes.push_back(integers("scan_input_axes", scan.input_axes));
      node.attributes.push_back(integers("scan_input_directions", flags(scan.input_reversed)));
      node.attributes.push_back(integers("scan_output_axes", scan.output_axes));
      node.attributes.push_back(integers("scan_output_directions", flags(scan.output_reversed)));
    }
    add_body("body", scan.body, names, node);
  }

  /// What is known of a body's value; what is declared fills the gaps, and is checked when it runs.
  static Type type_of(const ValueInfo& value) { return meet(value.fact.type, value.declared); }

  void add_body(const char* role, const Body& body, const Names& outer, onnx::Node& node) {
    const Graph& graph = *body.graph;
    Names names(graph.values.size());
    auto made = std::make_shared<onnx::Graph>();
    made->name = graph.name.empty() ? role : graph.name;
    for (const Capture& capture : body.captures) names[capture.inner.index] = outer[capture.outer.index];
    for (const ValueId id : graph.inputs) {
      names[id.index] = fresh(graph[id].name);
      made->inputs.push_back({names[id.index], type_of(graph[id])});
    }
    std::vector<std::string> wanted;
    for (const ValueId id : graph.outputs) {
      wanted.push_back(fresh(graph[id].name));
      made->outputs.push_back({wanted.back(), type_of(graph[id])});
    }
    fill(graph, names, wanted, *made);
    onnx::Attribute attribute;
    attribute.name = role;
    attribute.declared_type = 5;
    attribute.payload = std::shared_ptr<const onnx::Graph>(std::move(made));
    node.attributes.push_back(std::move(attribute));
  }

  std::int64_t opset_;
  std::unordered_set<std::string> taken_;
  std::unordered_set<std::string> node_names_;
  std::size_t count_ = 0;
};

void declare_known_types(const Graph& graph, onnx::Graph& made) {
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    made.inputs[i].type = meet(graph[graph.inputs[i]].fact.type, made.inputs[i].type);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    made.outputs[i].type = meet(graph[graph.outputs[i]].fact.type, made.outputs[i].type);
}

std::int64_t opset_of(const onnx::Model& model) {
  for (const onnx::OpsetImport& import : model.opset_imports)
    if (import.domain.empty() || import.domain == "ai.onnx") return import.version;
  return 1;
}

/// The IR version that goes with an opset at least: 9 for opset 19, and so on, as the standard's releases have it.
std::int64_t ir_for(std::int64_t opset) {
  constexpr std::pair<int, int> kReleases[] = {{28, 14}, {26, 13}, {24, 12}, {23, 11},
                                               {21, 10}, {19, 9},  {15, 8},  {12, 7}};
  for (const auto& [since, ir] : kReleases)
    if (opset >= since) return ir;
  return 7;
}

}  // namespace

Result<onnx::Model> to_model(const Graph& graph, const onnx::Model& original, const ExportOptions& options) {
  std::int64_t opset = options.opset;
  if (opset == 0) {
    opset = opset_of(original);
    while (opset < ops::kNewestOpset && !check_opset(graph, opset).ok()) ++opset;
  }
  if (opset < 1 || opset > ops::kNewestOpset)
    return fail(Code::bad_argument, "opset {}: 1 to {} are known", opset, ops::kNewestOpset);
  TRY(check_opset(graph, opset));
  onnx::Model model;
  model.ir_version = std::max(original.ir_version, ir_for(opset));
  model.producer_name = "pawl";
  model.domain = original.domain;
  model.model_version = original.model_version;
  model.metadata = original.metadata;
  bool has_main = false;
  for (onnx::OpsetImport import : original.opset_imports) {
    const bool is_main = import.domain.empty() || import.domain == "ai.onnx";
    if (is_main) import.version = opset;
    has_main = has_main || is_main;
    model.opset_imports.push_back(std::move(import));
  }
  if (!has_main) model.opset_imports.push_back({"", opset});
  model.graph = Exporter(opset).main(graph, original.graph);
  if (options.known_types) declare_known_types(graph, model.graph);
  return model;
}

}  // namespace pawl::graph
