// Whether two onnx::Models say the same: every field, tensors bit by bit. external_location aside, which encode()
// drops.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "onnx/model.h"

namespace pawl::onnx {

inline bool same(const std::string& a, const std::string& b) { return a == b; }
inline bool same(std::int64_t a, std::int64_t b) { return a == b; }
inline bool same(float a, float b) { return std::memcmp(&a, &b, sizeof(a)) == 0; }
inline bool same(std::monostate, std::monostate) { return true; }
inline bool same(const Tensor& a, const Tensor& b);
inline bool same(const Type& a, const Type& b);
inline bool same(const Dim& a, const Dim& b) { return a.value == b.value && a.symbol == b.symbol; }
inline bool same(const NamedTensor& a, const NamedTensor& b);
inline bool same(const Attribute& a, const Attribute& b);
inline bool same(const Node& a, const Node& b);
inline bool same(const ValueInfo& a, const ValueInfo& b);
inline bool same(const OpsetImport& a, const OpsetImport& b) { return a.domain == b.domain && a.version == b.version; }
inline bool same(const Function& a, const Function& b);
inline bool same(const Graph& a, const Graph& b);
inline bool same(const std::shared_ptr<const Graph>& a, const std::shared_ptr<const Graph>& b) { return same(*a, *b); }
inline bool same(const std::shared_ptr<const Type>& a, const std::shared_ptr<const Type>& b) {
  return (a == nullptr) == (b == nullptr) && (a == nullptr || same(*a, *b));
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!same(a[i], b[i])) return false;
  return true;
}

inline bool same(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  if (a.size() == 0) return true;
  const Tensor x = a.to_dense().value();
  const Tensor y = b.to_dense().value();
  if (a.dtype() == DType::string) {
    const auto left = x.values<std::string>();
    const auto right = y.values<std::string>();
    return std::equal(left.begin(), left.end(), right.begin(), right.end());
  }
  return std::memcmp(x.bytes(), y.bytes(), static_cast<std::size_t>(a.size()) * size_of(a.dtype())) == 0;
}

inline bool same(const Type& a, const Type& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.shape.has_value() == b.shape.has_value() &&
         (!a.shape || same(*a.shape, *b.shape)) && same(a.element, b.element);
}

inline bool same(const NamedTensor& a, const NamedTensor& b) { return a.name == b.name && same(a.tensor, b.tensor); }

inline bool same(const Attribute& a, const Attribute& b) {
  return a.name == b.name && a.ref_attr_name == b.ref_attr_name && a.declared_type == b.declared_type &&
         a.payload.index() == b.payload.index() &&
         std::visit([&](const auto& x) { return same(x, std::get<std::decay_t<decltype(x)>>(b.payload)); }, a.payload);
}

inline bool same(const Node& a, const Node& b) {
  return a.name == b.name && a.domain == b.domain && a.op_type == b.op_type && a.overload == b.overload &&
         a.inputs == b.inputs && a.outputs == b.outputs && same(a.attributes, b.attributes);
}

inline bool same(const ValueInfo& a, const ValueInfo& b) { return a.name == b.name && same(a.type, b.type); }

inline bool same(const Function& a, const Function& b) {
  return a.name == b.name && a.domain == b.domain && a.overload == b.overload && a.inputs == b.inputs &&
         a.outputs == b.outputs && a.attributes == b.attributes && same(a.attribute_defaults, b.attribute_defaults) &&
         same(a.opset_imports, b.opset_imports) && same(a.value_infos, b.value_infos) && same(a.nodes, b.nodes);
}

inline bool same(const Graph& a, const Graph& b) {
  return a.name == b.name && same(a.inputs, b.inputs) && same(a.outputs, b.outputs) &&
         same(a.value_infos, b.value_infos) && same(a.initializers, b.initializers) && same(a.nodes, b.nodes);
}

inline bool same(const Model& a, const Model& b) {
  return a.ir_version == b.ir_version && a.producer_name == b.producer_name &&
         a.producer_version == b.producer_version && a.domain == b.domain && a.model_version == b.model_version &&
         same(a.opset_imports, b.opset_imports) && a.metadata == b.metadata && same(a.functions, b.functions) &&
         same(a.graph, b.graph);
}

}  // namespace pawl::onnx
