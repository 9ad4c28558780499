// An ONNX model as plain structs: what the file says, before any meaning is given to it. One struct per message of the
// format; field names follow it. Tensors are decoded, and view the file where its bytes allow.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "pawl/tensor.h"
#include "pawl/type.h"

namespace pawl::onnx {

struct Graph;

/// A tensor with its name. Sparse tensors are made dense when they are read.
struct NamedTensor {
  std::string name;
  Tensor tensor;
  /// Where the bytes are, when the file keeps them elsewhere and the tensor was read from there.
  std::string external_location;
};

/// An attribute; `payload` is empty (monostate) where only ref_attr_name is set.
struct Attribute {
  std::string name;
  std::string ref_attr_name;  ///< inside a function: the attribute of the call whose value is meant
  int declared_type = 0;      ///< AttributeProto.AttributeType; 0 when the file does not say
  std::variant<std::monostate, float, std::int64_t, std::string, Tensor, std::shared_ptr<const Graph>, Type,
               std::vector<float>, std::vector<std::int64_t>, std::vector<std::string>, std::vector<Tensor>,
               std::vector<std::shared_ptr<const Graph>>, std::vector<Type>>
      payload;
};

struct Node {
  std::string name;
  std::string domain;
  std::string op_type;
  std::string overload;
  std::vector<std::string> inputs;   ///< "" is an omitted input
  std::vector<std::string> outputs;  ///< "" is an omitted output
  std::vector<Attribute> attributes;
};

struct ValueInfo {
  std::string name;
  Type type;
};

struct Graph {
  std::string name;
  std::vector<ValueInfo> inputs;
  std::vector<ValueInfo> outputs;
  std::vector<ValueInfo> value_infos;
  std::vector<NamedTensor> initializers;
  std::vector<Node> nodes;
};

struct OpsetImport {
  std::string domain;  ///< "ai.onnx" is kept as written; "" and "ai.onnx" mean the same
  std::int64_t version = 0;
};

struct Function {
  std::string name;
  std::string domain;
  std::string overload;
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  std::vector<std::string> attributes;        ///< names of attributes without a default
  std::vector<Attribute> attribute_defaults;  ///< attributes with one
  std::vector<OpsetImport> opset_imports;
  std::vector<ValueInfo> value_infos;
  std::vector<Node> nodes;
};

struct Model {
  std::int64_t ir_version = 0;
  std::string producer_name;
  std::string producer_version;
  std::string domain;
  std::int64_t model_version = 0;
  std::vector<OpsetImport> opset_imports;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::vector<Function> functions;
  Graph graph;
};

}  // namespace pawl::onnx
