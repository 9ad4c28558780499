#include <array>

#include "onnx/attribute_types.h"
#include "onnx/decode_parts.h"
#include "onnx/decode_tensor.h"

namespace pawl::onnx {
namespace {

using namespace attribute_type;

constexpr auto kCount = static_cast<int>(kAttributeTypes.size());

using GraphRef = std::shared_ptr<const Graph>;

/// An AttributeProto as the file has it: in a well-formed one, at most one of the values is there.
struct AttributeFields {
  std::string name;
  std::string ref_attr_name;
  std::int64_t type = 0;
  std::array<bool, kAttributeTypes.size()> present = {};

  float f = 0;
  std::int64_t i = 0;
  std::string s;
  Tensor t;
  GraphRef g;
  Type tp;
  std::vector<float> floats;
  std::vector<std::int64_t> ints;
  std::vector<std::string> strings;
  std::vector<Tensor> tensors;
  std::vector<GraphRef> graphs;
  std::vector<Type> types;
};

Result<AttributeFields> gather(Fields fields, Source& source, int depth) {
  AttributeFields a;
  const auto tensor = [&](Fields sub) -> Result<Tensor> {
    TRY_ASSIGN(NamedTensor named, decode_tensor(sub, source));
    return std::move(named.tensor);
  };
  const auto sparse = [&](Fields sub) -> Result<Tensor> {
    TRY_ASSIGN(NamedTensor named, decode_sparse_tensor(sub, source));
    return std::move(named.tensor);
  };
  const auto graph = [&](Fields sub) -> Result<GraphRef> {
    TRY_ASSIGN(Graph body, decode_graph(sub, source, depth + 1));
    return GraphRef(std::make_shared<const Graph>(std::move(body)));
  };
  const auto type = [&](Fields sub) { return decode_type(sub, 0); };
  const auto mark = [&](int kind) { a.present[static_cast<std::size_t>(kind)] = true; };
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.read("name", a.name);
      case 2: mark(kFloat); return fields.read("f", a.f);
      case 3: mark(kInt); return fields.read("i", a.i);
      case 4: mark(kString); return fields.read("s", a.s);
      case 5: mark(kTensor); return fields.read("t", "TensorProto", a.t, tensor);
      case 6: mark(kGraph); return fields.read("g", "GraphProto", a.g, graph);
      case 7: mark(kFloats); return fields.read("floats", a.floats);
      case 8: mark(kInts); return fields.read("ints", a.ints);
      case 9: mark(kStrings); return fields.read("strings", a.strings);
      case 10: mark(kTensors); return fields.append("tensors", "TensorProto", a.tensors, tensor);
      case 11: mark(kGraphs); return fields.append("graphs", "GraphProto", a.graphs, graph);
      case 14: mark(kTypeProto); return fields.read("tp", "TypeProto", a.tp, type);
      case 15: mark(kTypeProtos); return fields.append("type_protos", "TypeProto", a.types, type);
      case 20: return fields.read("type", a.type);
      case 21: return fields.read("ref_attr_name", a.ref_attr_name);
      case 22: mark(kSparseTensor); return fields.read("sparse_tensor", "SparseTensorProto", a.t, sparse);
      case 23: mark(kSparseTensors); return fields.append("sparse_tensors", "SparseTensorProto", a.tensors, sparse);
      default: return fields.skip();
    }
  }));
  return a;
}

/// What the attribute holds: as the file says, or, where it does not, as the value shows. kUndefined: a reference.
Result<int> type_of(const AttributeFields& a) {
  if (a.type < 0 || a.type >= kCount)
    return fail(Code::bad_model, "attribute \"{}\" has type {}, which ONNX does not define", a.name, a.type);
  const auto name = [](int type) { return kAttributeTypes[static_cast<std::size_t>(type)]; };
  int type = static_cast<int>(a.type);
  for (int found = 1; found < kCount; ++found) {
    if (!a.present[static_cast<std::size_t>(found)]) continue;
    if (!a.ref_attr_name.empty())
      return fail(Code::bad_model, "attribute \"{}\" refers to \"{}\" and has a value of its own", a.name,
                  a.ref_attr_name);
    if (type == kUndefined) type = found;
    if (type != found)
      return fail(Code::bad_model, "attribute \"{}\" of type {} has a value of type {}", a.name, name(type),
                  name(found));
  }
  if (!a.ref_attr_name.empty()) return kUndefined;
  const bool needs_value =
      type == kTensor || type == kGraph || type == kTypeProto || type == kSparseTensor || type == kUndefined;
  // Writers of the third protobuf syntax leave out a number or string that is zero, and an empty list has no fields.
  if (needs_value && !a.present[static_cast<std::size_t>(type)])
    return fail(Code::bad_model, "attribute \"{}\" of type {} has no value", a.name, name(type));
  return type;
}

}  // namespace

Result<Attribute> decode_attribute(Fields fields, Source& source, int depth) {
  TRY_ASSIGN(AttributeFields a, gather(fields, source, depth));
  TRY_ASSIGN(const int type, type_of(a));
  Attribute result;
  result.declared_type = static_cast<int>(a.type);
  switch (type) {
    case kUndefined: break;
    case kFloat: result.payload = a.f; break;
    case kInt: result.payload = a.i; break;
    case kString: result.payload = std::move(a.s); break;
    case kTensor:
    case kSparseTensor: result.payload = std::move(a.t); break;
    case kGraph: result.payload = std::move(a.g); break;
    case kTypeProto: result.payload = std::move(a.tp); break;
    case kFloats: result.payload = std::move(a.floats); break;
    case kInts: result.payload = std::move(a.ints); break;
    case kStrings: result.payload = std::move(a.strings); break;
    case kTensors:
    case kSparseTensors: result.payload = std::move(a.tensors); break;
    case kGraphs: result.payload = std::move(a.graphs); break;
    case kTypeProtos: result.payload = std::move(a.types); break;
  }
  result.name = std::move(a.name);
  result.ref_attr_name = std::move(a.ref_attr_name);
  return result;
}

}  // namespace pawl::onnx
