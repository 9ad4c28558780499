// The types of attributes: AttributeProto.AttributeType.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "onnx/model.h"

namespace pawl::onnx {

/// The names in text syntax, by the numbers of AttributeProto.AttributeType.
inline constexpr std::array<std::string_view, 15> kAttributeTypes = {
    "undefined", "float",   "int",    "string",        "tensor",         "graph",      "floats",     "ints",
    "strings",   "tensors", "graphs", "sparse_tensor", "sparse_tensors", "type_proto", "type_protos"};

namespace attribute_type {
inline constexpr int kUndefined = 0;
inline constexpr int kFloat = 1;
inline constexpr int kInt = 2;
inline constexpr int kString = 3;
inline constexpr int kTensor = 4;
inline constexpr int kGraph = 5;
inline constexpr int kFloats = 6;
inline constexpr int kInts = 7;
inline constexpr int kStrings = 8;
inline constexpr int kTensors = 9;
inline constexpr int kGraphs = 10;
inline constexpr int kSparseTensor = 11;
inline constexpr int kSparseTensors = 12;
inline constexpr int kTypeProto = 13;
inline constexpr int kTypeProtos = 14;
}  // namespace attribute_type

/// The type of what an attribute holds; undefined when it holds nothing.
inline int payload_type(const Attribute& attribute) {
  using namespace attribute_type;
  constexpr std::array kTypes = {kUndefined, kFloat, kInt,     kString,  kTensor, kGraph,     kTypeProto,
                                 kFloats,    kInts,  kStrings, kTensors, kGraphs, kTypeProtos};
  static_assert(kTypes.size() == std::variant_size_v<decltype(Attribute::payload)>);
  return kTypes[attribute.payload.index()];
}

}  // namespace pawl::onnx
