#include "graph/attributes.h"

#include "base/try.h"

namespace pawl::graph {
namespace {

using ops::AttributeKind;

std::string_view name(AttributeKind kind) {
  switch (kind) {
    case AttributeKind::real: return "a float";
    case AttributeKind::integer: return "an int";
    case AttributeKind::text: return "a string";
    case AttributeKind::tensor: return "a tensor";
    case AttributeKind::graph: return "a graph";
    case AttributeKind::type: return "a type";
    case AttributeKind::sparse_tensor: return "a sparse tensor";
    case AttributeKind::reals: return "floats";
    case AttributeKind::integers: return "ints";
    case AttributeKind::texts: return "strings";
    case AttributeKind::tensors: return "tensors";
  }
  return "unknown";
}

struct KindOf {
  std::optional<AttributeKind> operator()(const std::monostate&) const { return std::nullopt; }
  std::optional<AttributeKind> operator()(const float&) const { return AttributeKind::real; }
  std::optional<AttributeKind> operator()(const std::int64_t&) const { return AttributeKind::integer; }
  std::optional<AttributeKind> operator()(const std::string&) const { return AttributeKind::text; }
  std::optional<AttributeKind> operator()(const Tensor&) const { return AttributeKind::tensor; }
  std::optional<AttributeKind> operator()(const std::shared_ptr<const onnx::Graph>&) const {
    return AttributeKind::graph;
  }
  std::optional<AttributeKind> operator()(const Type&) const { return AttributeKind::type; }
  std::optional<AttributeKind> operator()(const std::vector<float>&) const { return AttributeKind::reals; }
  std::optional<AttributeKind> operator()(const std::vector<std::int64_t>&) const { return AttributeKind::integers; }
  std::optional<AttributeKind> operator()(const std::vector<std::string>&) const { return AttributeKind::texts; }
  std::optional<AttributeKind> operator()(const std::vector<Tensor>&) const { return AttributeKind::tensors; }
  template <class Other>
  std::optional<AttributeKind> operator()(const Other&) const {
    return std::nullopt;
  }
};

/// The payload in the form that operators read; false for graphs, which they never see.
struct ToOps {
  ops::Attribute::Payload& out;
  bool operator()(const std::monostate&) const { return false; }
  bool operator()(const std::shared_ptr<const onnx::Graph>&) const { return false; }
  bool operator()(const std::vector<std::shared_ptr<const onnx::Graph>>&) const { return false; }
  template <class T>
  bool operator()(const T& value) const {
    out = value;
    return true;
  }
};

}  // namespace

Result<std::vector<onnx::Attribute>> resolve_references(const onnx::Node& node, const CallFrame& frame) {
  std::vector<onnx::Attribute> resolved;
  for (const onnx::Attribute& attribute : node.attributes) {
    if (attribute.ref_attr_name.empty()) {
      resolved.push_back(attribute);
      continue;
    }
    if (frame.function == nullptr) {
      return fail(Code::bad_model,
                  "attribute \"{}\" refers to attribute \"{}\" of a function, but stands outside of one",
                  attribute.name, attribute.ref_attr_name);
    }
    const auto found = frame.attributes.find(attribute.ref_attr_name);
    if (found == frame.attributes.end()) continue;
    onnx::Attribute copy = found->second;
    copy.name = attribute.name;
    resolved.push_back(std::move(copy));
  }
  return resolved;
}

Result<ops::Attributes> check_attributes(const std::vector<onnx::Attribute>& attributes, const ops::Schema& schema) {
  std::vector<ops::Attribute> list;
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const onnx::Attribute& attribute = attributes[i];
    for (std::size_t j = 0; j < i; ++j)
      if (attributes[j].name == attribute.name)
        return fail(Code::bad_model, "attribute \"{}\" is given twice", attribute.name);
    const ops::AttributeSpec* spec = schema.attribute(attribute.name);
    if (spec == nullptr)
      return fail(Code::bad_model, "{}-{} has no attribute \"{}\"", schema.name, schema.since, attribute.name);
    std::optional<AttributeKind> kind = std::visit(KindOf{}, attribute.payload);
    // Sparse tensors were made dense when they were read.
    if (kind == AttributeKind::tensor && spec->kind == AttributeKind::sparse_tensor) kind = spec->kind;
    if (kind != spec->kind) {
      return fail(Code::bad_model, "attribute \"{}\" must be {}, found {}", attribute.name, name(spec->kind),
                  kind ? name(*kind) : "nothing that fits");
    }
    ops::Attribute checked;
    checked.name = attribute.name;
    if (std::visit(ToOps{checked.payload}, attribute.payload)) list.push_back(std::move(checked));
  }
  for (const ops::AttributeSpec& spec : schema.attributes) {
    if (!spec.required) continue;
    bool found = false;
    for (const onnx::Attribute& attribute : attributes) found = found || attribute.name == spec.name;
    if (!found)
      return fail(Code::bad_model, "{}-{} needs attribute \"{}\" ({})", schema.name, schema.since, spec.name,
                  name(spec.kind));
  }
  return ops::Attributes(std::move(list));
}

}  // namespace pawl::graph
