// pawl info: what a model is made of, for people or as JSON. Reads the file, and does not verify it.
#include <fmt/core.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "base/try.h"
#include "command.h"
#include "model_facts.h"
#include "onnx/read.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

using Json = nlohmann::ordered_json;

struct InfoArguments {
  std::string model;
  bool json = false;
};

bool has_default(const onnx::Graph& graph, const std::string& input) {
  for (const onnx::NamedTensor& initializer : graph.initializers)
    if (initializer.name == input) return true;
  return false;
}

std::string list(const std::vector<std::int64_t>& values) {
  std::string text = "[";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i > 0 ? "," : "") + std::to_string(values[i]);
  return text + "]";
}

std::string list(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "nothing" : text;
}

std::string count(std::int64_t number) { return number < 0 ? "?" : std::to_string(number); }

std::string describe(const ControlFlowFacts& facts) {
  std::string text = facts.op_type + (facts.since > 0 ? fmt::format("-{}", facts.since) : "") + " \"" + facts.name +
                     "\" in " + facts.place + ":";
  if (facts.op_type == "Scan") {
    text += fmt::format(" N {} M {} K {}", count(facts.states), count(facts.elements), count(facts.outputs));
    const auto add = [&](const char* what, const std::vector<std::int64_t>& values) {
      if (!values.empty()) text += fmt::format("  {} {}", what, list(values));
    };
    add("input axes", facts.input_axes);
    add("output axes", facts.output_axes);
    add("input directions", facts.input_directions);
    add("output directions", facts.output_directions);
  } else if (facts.op_type == "Loop") {
    text += fmt::format(" N {} K {}", count(facts.states), count(facts.outputs));
  } else {
    text += fmt::format(" {} outputs", facts.outputs);
  }
  return text + "  captures " + list(facts.captures);
}

std::string text_of(const onnx::Model& model, const ModelFacts& facts) {
  std::string text;
  const auto line = [&text](const std::string& content) { text += printable(content) + "\n"; };
  line(fmt::format(
      "IR {}{}", model.ir_version,
      model.producer_name.empty() ? "" : fmt::format(", made by {} {}", model.producer_name, model.producer_version)));
  for (const onnx::OpsetImport& opset : model.opset_imports)
    line(fmt::format("opset {} {}", shown_domain(opset.domain), opset.version));
  for (const onnx::ValueInfo& input : model.graph.inputs)
    line(fmt::format("input {}: {}{}", input.name, to_string(input.type),
                     has_default(model.graph, input.name) ? " (has a default)" : ""));
  for (const onnx::ValueInfo& output : model.graph.outputs)
    line(fmt::format("output {}: {}", output.name, to_string(output.type)));
  for (const auto& [name, uses] : facts.operators)
    line(fmt::format("operator {}{}: {}", name.first == "ai.onnx" ? "" : name.first + ".", name.second, uses));
  for (const onnx::Function& function : model.functions)
    line(fmt::format("function {}.{}{}: {} inputs, {} outputs, {} nodes", shown_domain(function.domain), function.name,
                     function.overload.empty() ? "" : ":" + function.overload, function.inputs.size(),
                     function.outputs.size(), function.nodes.size()));
  for (const ControlFlowFacts& node : facts.control_flow) line(describe(node));
  return text;
}

Json json_of(const std::vector<onnx::ValueInfo>& values, const onnx::Graph* defaults) {
  Json array = Json::array();
  for (const onnx::ValueInfo& value : values) {
    Json entry = {{"name", value.name}, {"type", to_string(value.type)}};
    if (defaults != nullptr) entry["has_default"] = has_default(*defaults, value.name);
    array.push_back(std::move(entry));
  }
  return array;
}

Json json_of(const ControlFlowFacts& facts) {
  Json entry = {{"op_type", facts.op_type}, {"name", facts.name}, {"in", facts.place}, {"since", facts.since}};
  if (facts.op_type != "If") entry["N"] = facts.states;
  if (facts.op_type == "Scan") entry["M"] = facts.elements;
  entry["K"] = facts.outputs;
  if (facts.op_type == "Scan") {
    entry["input_axes"] = facts.input_axes;
    entry["output_axes"] = facts.output_axes;
    entry["input_directions"] = facts.input_directions;
    entry["output_directions"] = facts.output_directions;
  }
  entry["captures"] = facts.captures;
  return entry;
}

Json json_of(const onnx::Model& model, const ModelFacts& facts) {
  Json json = {{"ir_version", model.ir_version},
               {"producer", {{"name", model.producer_name}, {"version", model.producer_version}}}};
  json["opsets"] = Json::array();
  for (const onnx::OpsetImport& opset : model.opset_imports)
    json["opsets"].push_back({{"domain", shown_domain(opset.domain)}, {"version", opset.version}});
  json["inputs"] = json_of(model.graph.inputs, &model.graph);
  json["outputs"] = json_of(model.graph.outputs, nullptr);
  json["operators"] = Json::array();
  for (const auto& [name, uses] : facts.operators)
    json["operators"].push_back({{"domain", name.first}, {"name", name.second}, {"count", uses}});
  json["functions"] = Json::array();
  for (const onnx::Function& function : model.functions)
    json["functions"].push_back({{"domain", shown_domain(function.domain)},
                                 {"name", function.name},
                                 {"overload", function.overload},
                                 {"inputs", function.inputs},
                                 {"outputs", function.outputs},
                                 {"nodes", function.nodes.size()}});
  json["control_flow"] = Json::array();
  for (const ControlFlowFacts& node : facts.control_flow) json["control_flow"].push_back(json_of(node));
  return json;
}

}  // namespace

Action define_info(CLI::App& command) {
  const auto arguments = std::make_shared<InfoArguments>();
  command.add_option("MODEL", arguments->model, "An .onnx file, or .onnxtxt in ONNX's text syntax")->required();
  command.add_flag("--json", arguments->json, "Print a JSON object");
  return [arguments]() -> Result<int> {
    TRY_ASSIGN_IN_FILE(arguments->model, const onnx::Model model, onnx::read_model(arguments->model));
    const ModelFacts facts = gather_facts(model);
    // Names may be any bytes; JSON is UTF-8.
    if (arguments->json)
      print(json_of(model, facts).dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
    else
      print(text_of(model, facts));
    return 0;
  };
}

}  // namespace pawl::cli
