#include <new>

#include "onnx/attribute_types.h"
#include "onnx/encode_tensor.h"
#include "onnx/write.h"

namespace pawl::onnx {
namespace {

/// Writes the messages of one model. The functions fill the message that they are given.
class ModelWriter {
 public:
  explicit ModelWriter(std::string& bytes) : bytes_(bytes) {}

  Result<void> model(pbf_writer& message, const Model& model);

 private:
  Result<void> graph(pbf_writer& message, const Graph& graph);
  Result<void> node(pbf_writer& message, const Node& node);
  Result<void> function(pbf_writer& message, const Function& function);
  Result<void> attribute(pbf_writer& message, const Attribute& attribute);
  Result<void> payload(pbf_writer& message, const Attribute& attribute);
  Result<void> value_info(pbf_writer& message, const ValueInfo& info);
  Result<void> type(pbf_writer& message, const Type& type);
  Result<void> tensor_type(pbf_writer& message, const Type& type);
  Result<void> dim(pbf_writer& message, const Dim& dim);
  Result<void> opset(pbf_writer& message, const OpsetImport& opset);

  /// Writes each item as a sub-message with a member function of this class.
  template <class T>
  Result<void> each(pbf_writer& message, std::uint32_t field, const std::vector<T>& items,
                    Result<void> (ModelWriter::*fill)(pbf_writer&, const T&)) {
    for (const T& item : items) TRY(one(message, field, item, fill));
    return {};
  }
  template <class T>
  Result<void> one(pbf_writer& message, std::uint32_t field, const T& item,
                   Result<void> (ModelWriter::*fill)(pbf_writer&, const T&)) {
    return write_message(bytes_, message, field, [&](pbf_writer& sub) { return (this->*fill)(sub, item); });
  }
  Result<void> tensor(pbf_writer& message, std::uint32_t field, const Tensor& tensor, const std::string& name,
                      bool sparse);

  std::string& bytes_;
};

void add_text(pbf_writer& message, std::uint32_t field, const std::string& text) {
  if (!text.empty()) message.add_string(field, text);
}

void add_texts(pbf_writer& message, std::uint32_t field, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) message.add_string(field, text);
}

Result<void> ModelWriter::model(pbf_writer& message, const Model& model) {
  message.add_int64(1, model.ir_version);
  add_text(message, 2, model.producer_name);
  add_text(message, 3, model.producer_version);
  add_text(message, 4, model.domain);
  if (model.model_version != 0) message.add_int64(5, model.model_version);
  TRY(one(message, 7, model.graph, &ModelWriter::graph));
  TRY(each(message, 8, model.opset_imports, &ModelWriter::opset));
  for (const auto& [key, value] : model.metadata) {
    pbf_writer entry(message, 14);
    entry.add_string(1, key);
    entry.add_string(2, value);
  }
  return each(message, 25, model.functions, &ModelWriter::function);
}

Result<void> ModelWriter::opset(pbf_writer& message, const OpsetImport& opset) {
  message.add_string(1, opset.domain);
  message.add_int64(2, opset.version);
  return {};
}

Result<void> ModelWriter::graph(pbf_writer& message, const Graph& graph) {
  TRY(each(message, 1, graph.nodes, &ModelWriter::node));
  add_text(message, 2, graph.name);
  for (const NamedTensor& initializer : graph.initializers)
    TRY(tensor(message, 5, initializer.tensor, initializer.name, false));
  TRY(each(message, 11, graph.inputs, &ModelWriter::value_info));
  TRY(each(message, 12, graph.outputs, &ModelWriter::value_info));
  return each(message, 13, graph.value_infos, &ModelWriter::value_info);
}

Result<void> ModelWriter::node(pbf_writer& message, const Node& node) {
  add_texts(message, 1, node.inputs);
  add_texts(message, 2, node.outputs);
  add_text(message, 3, node.name);
  add_text(message, 4, node.op_type);
  TRY(each(message, 5, node.attributes, &ModelWriter::attribute));
  add_text(message, 7, node.domain);
  add_text(message, 8, node.overload);
  return {};
}

Result<void> ModelWriter::function(pbf_writer& message, const Function& function) {
  add_text(message, 1, function.name);
  add_texts(message, 4, function.inputs);
  add_texts(message, 5, function.outputs);
  add_texts(message, 6, function.attributes);
  TRY(each(message, 7, function.nodes, &ModelWriter::node));
  TRY(each(message, 9, function.opset_imports, &ModelWriter::opset));
  add_text(message, 10, function.domain);
  TRY(each(message, 11, function.attribute_defaults, &ModelWriter::attribute));
  TRY(each(message, 12, function.value_infos, &ModelWriter::value_info));
  add_text(message, 13, function.overload);
  return {};
}

Result<void> ModelWriter::tensor(pbf_writer& message, std::uint32_t field, const Tensor& tensor,
                                 const std::string& name, bool sparse) {
  return write_message(bytes_, message, field, [&](pbf_writer& sub) {
    return sparse ? encode_sparse_tensor(bytes_, sub, tensor) : encode_tensor(bytes_, sub, tensor, name);
  });
}

Result<void> ModelWriter::attribute(pbf_writer& message, const Attribute& attribute) {
  add_text(message, 1, attribute.name);
  TRY(payload(message, attribute));
  if (attribute.declared_type != 0) message.add_enum(20, attribute.declared_type);
  add_text(message, 21, attribute.ref_attr_name);
  return {};
}

Result<void> ModelWriter::payload(pbf_writer& message, const Attribute& attribute) {
  const bool sparse = attribute.declared_type == attribute_type::kSparseTensor ||
                      attribute.declared_type == attribute_type::kSparseTensors;
  const auto& value = attribute.payload;
  if (const auto* f = std::get_if<float>(&value)) message.add_float(2, *f);
  if (const auto* i = std::get_if<std::int64_t>(&value)) message.add_int64(3, *i);
  if (const auto* s = std::get_if<std::string>(&value)) message.add_bytes(4, *s);
  if (const auto* t = std::get_if<Tensor>(&value)) return tensor(message, sparse ? 22 : 5, *t, "", sparse);
  if (const auto* g = std::get_if<std::shared_ptr<const Graph>>(&value))
    return one(message, 6, **g, &ModelWriter::graph);
  if (const auto* tp = std::get_if<Type>(&value)) return one(message, 14, *tp, &ModelWriter::type);
  if (const auto* floats = std::get_if<std::vector<float>>(&value))
    for (const float f : *floats) message.add_float(7, f);
  if (const auto* ints = std::get_if<std::vector<std::int64_t>>(&value))
    for (const std::int64_t i : *ints) message.add_int64(8, i);
  if (const auto* strings = std::get_if<std::vector<std::string>>(&value)) add_texts(message, 9, *strings);
  if (const auto* tensors = std::get_if<std::vector<Tensor>>(&value))
    for (const Tensor& t : *tensors) TRY(tensor(message, sparse ? 23 : 10, t, "", sparse));
  if (const auto* graphs = std::get_if<std::vector<std::shared_ptr<const Graph>>>(&value))
    for (const auto& g : *graphs) TRY(one(message, 11, *g, &ModelWriter::graph));
  if (const auto* types = std::get_if<std::vector<Type>>(&value)) return each(message, 15, *types, &ModelWriter::type);
  return {};
}

Result<void> ModelWriter::value_info(pbf_writer& message, const ValueInfo& info) {
  add_text(message, 1, info.name);
  return info.type.known() ? one(message, 2, info.type, &ModelWriter::type) : Result<void>();
}

Result<void> ModelWriter::type(pbf_writer& message, const Type& type) {
  const auto wrapped = [&](std::uint32_t field, std::uint32_t element_field) {
    return write_message(bytes_, message, field, [&](pbf_writer& sub) {
      if (type.kind == Type::Kind::map && type.dtype != DType::undefined)
        sub.add_int32(1, static_cast<std::int32_t>(type.dtype));
      return type.element ? one(sub, element_field, *type.element, &ModelWriter::type) : Result<void>();
    });
  };
  switch (type.kind) {
    case Type::Kind::tensor: return one(message, 1, type, &ModelWriter::tensor_type);
    case Type::Kind::sparse_tensor: return one(message, 8, type, &ModelWriter::tensor_type);
    case Type::Kind::sequence: return wrapped(4, 1);
    case Type::Kind::optional: return wrapped(9, 1);
    case Type::Kind::map: return wrapped(5, 2);
    case Type::Kind::unknown: break;
  }
  return {};
}

Result<void> ModelWriter::tensor_type(pbf_writer& message, const Type& type) {
  if (type.dtype != DType::undefined) message.add_int32(1, static_cast<std::int32_t>(type.dtype));
  if (!type.shape) return {};
  return write_message(bytes_, message, 2,
                       [&](pbf_writer& sub) { return each(sub, 1, *type.shape, &ModelWriter::dim); });
}

Result<void> ModelWriter::dim(pbf_writer& message, const Dim& dim) {
  if (dim.known()) {
    message.add_int64(1, dim.value);
  } else {
    add_text(message, 2, dim.symbol);
  }
  return {};
}

}  // namespace

Result<std::string> encode(const Model& model) {
  try {
    std::string bytes;
    pbf_writer message(bytes);
    TRY(ModelWriter(bytes).model(message, model));
    return bytes;
  } catch (const std::bad_alloc&) {
    return fail(Code::limit, "the encoded model does not fit into memory");
  }
}

}  // namespace pawl::onnx
