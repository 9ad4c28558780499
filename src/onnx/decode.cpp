#include <new>

#include "onnx/decode_parts.h"
#include "onnx/decode_tensor.h"

namespace pawl::onnx {
namespace {

Result<ValueInfo> decode_value_info(Fields fields) {
  ValueInfo info;
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.read("name", info.name);
      case 2: return fields.read("type", "TypeProto", info.type, [](Fields sub) { return decode_type(sub, 0); });
      default: return fields.skip();
    }
  }));
  return info;
}

Result<Node> decode_node(Fields fields, Source& source, int depth) {
  Node node;
  const auto attribute = [&](Fields sub) { return decode_attribute(sub, source, depth); };
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.read("input", node.inputs);
      case 2: return fields.read("output", node.outputs);
      case 3: return fields.read("name", node.name);
      case 4: return fields.read("op_type", node.op_type);
      case 5: return fields.append("attribute", "AttributeProto", node.attributes, attribute);
      case 7: return fields.read("domain", node.domain);
      case 8: return fields.read("overload", node.overload);
      default: return fields.skip();
    }
  }));
  return node;
}

Result<OpsetImport> decode_opset(Fields fields) {
  OpsetImport opset;
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.read("domain", opset.domain);
      case 2: return fields.read("version", opset.version);
      default: return fields.skip();
    }
  }));
  return opset;
}

Result<std::pair<std::string, std::string>> decode_property(Fields fields) {
  std::pair<std::string, std::string> property;
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.read("key", property.first);
      case 2: return fields.read("value", property.second);
      default: return fields.skip();
    }
  }));
  return property;
}

Result<Function> decode_function(Fields fields, Source& source) {
  Function function;
  const auto attribute = [&](Fields sub) { return decode_attribute(sub, source, 0); };
  const auto node = [&](Fields sub) { return decode_node(sub, source, 0); };
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.read("name", function.name);
      case 4: return fields.read("input", function.inputs);
      case 5: return fields.read("output", function.outputs);
      case 6: return fields.read("attribute", function.attributes);
      case 7: return fields.append("node", "NodeProto", function.nodes, node);
      case 9: return fields.append("opset_import", "OperatorSetIdProto", function.opset_imports, decode_opset);
      case 10: return fields.read("domain", function.domain);
      case 11: return fields.append("attribute_proto", "AttributeProto", function.attribute_defaults, attribute);
      case 12: return fields.append("value_info", "ValueInfoProto", function.value_infos, decode_value_info);
      case 13: return fields.read("overload", function.overload);
      default: return fields.skip();
    }
  }));
  return function;
}

Result<Model> decode_model(Fields fields, Source& source) {
  Model model;
  bool has_graph = false;
  const auto graph = [&](Fields sub) { return decode_graph(sub, source, 0); };
  const auto function = [&](Fields sub) { return decode_function(sub, source); };
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.read("ir_version", model.ir_version);
      case 2: return fields.read("producer_name", model.producer_name);
      case 3: return fields.read("producer_version", model.producer_version);
      case 4: return fields.read("domain", model.domain);
      case 5: return fields.read("model_version", model.model_version);
      case 7:
        if (has_graph) return fail(Code::bad_file, "not a valid ONNX file: a model has two graphs");
        has_graph = true;
        return fields.read("graph", "GraphProto", model.graph, graph);
      case 8: return fields.append("opset_import", "OperatorSetIdProto", model.opset_imports, decode_opset);
      case 14: return fields.append("metadata_props", "StringStringEntryProto", model.metadata, decode_property);
      case 25: return fields.append("functions", "FunctionProto", model.functions, function);
      default: return fields.skip();
    }
  }));
  if (!has_graph) return fail(Code::bad_file, "not an ONNX model: it has no graph");
  if (model.ir_version <= 0) return fail(Code::bad_file, "not an ONNX model: it has no ir_version");
  return model;
}

}  // namespace

Result<Graph> decode_graph(Fields fields, Source& source, int depth) {
  if (depth >= kMaxNesting) return fail(Code::limit, "graphs are nested deeper than {}", kMaxNesting);
  Graph graph;
  const auto tensor = [&](Fields sub) { return decode_tensor(sub, source); };
  const auto sparse = [&](Fields sub) { return decode_sparse_tensor(sub, source); };
  const auto node = [&](Fields sub) { return decode_node(sub, source, depth); };
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.append("node", "NodeProto", graph.nodes, node);
      case 2: return fields.read("name", graph.name);
      case 5: return fields.append("initializer", "TensorProto", graph.initializers, tensor);
      case 11: return fields.append("input", "ValueInfoProto", graph.inputs, decode_value_info);
      case 12: return fields.append("output", "ValueInfoProto", graph.outputs, decode_value_info);
      case 13: return fields.append("value_info", "ValueInfoProto", graph.value_infos, decode_value_info);
      case 15: return fields.append("sparse_initializer", "SparseTensorProto", graph.initializers, sparse);
      default: return fields.skip();
    }
  }));
  return graph;
}

Result<Model> decode(const Bytes& bytes, const std::filesystem::path& folder) {
  try {
    Source source(bytes, folder);
    const std::string_view text(reinterpret_cast<const char*>(bytes.data.data()), bytes.data.size());
    return decode_model(Fields(text, "ModelProto"), source);
  } catch (const std::bad_alloc&) {
    return fail(Code::limit, "the model does not fit into memory");
  }
}

}  // namespace pawl::onnx
