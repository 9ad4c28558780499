// An operator is a row: what one ONNX operator means, in every version. Rows live in one file per family and are listed
// in table.cpp. They see tensors, never a graph or a back end.
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/try.h"
#include "pawl/tensor.h"
#include "pawl/type.h"

namespace pawl::ops {

struct Schema;
class RandomStreams;

/// The value of one attribute of a node. Graph attributes are not here: they belong to control flow (graph::Node).
struct Attribute {
  using Payload =
      std::variant<float, std::int64_t, std::string, Tensor, Type, std::vector<float>, std::vector<std::int64_t>,
                   std::vector<std::string>, std::vector<Tensor>, std::vector<Type>>;
  std::string name;
  Payload payload;
};

/// The attributes of one node. Names and payload kinds were checked against the schema when the model was loaded.
class Attributes {
 public:
  Attributes() = default;
  explicit Attributes(std::vector<Attribute> list) : list_(std::move(list)) {}

  [[nodiscard]] const std::vector<Attribute>& list() const { return list_; }
  [[nodiscard]] bool has(std::string_view name) const { return find<void>(name) != nullptr; }
  /// The value, or null when the node does not have the attribute. T is one of Attribute::Payload's alternatives.
  template <class T>
  [[nodiscard]] const T* get(std::string_view name) const {
    const Attribute* attribute = find<void>(name);
    return attribute == nullptr ? nullptr : std::get_if<T>(&attribute->payload);
  }
  [[nodiscard]] std::int64_t integer(std::string_view name, std::int64_t otherwise) const {
    const auto* value = get<std::int64_t>(name);
    return value == nullptr ? otherwise : *value;
  }
  [[nodiscard]] float real(std::string_view name, float otherwise) const {
    const auto* value = get<float>(name);
    return value == nullptr ? otherwise : *value;
  }
  [[nodiscard]] std::string text(std::string_view name, std::string_view otherwise) const {
    const auto* value = get<std::string>(name);
    return value == nullptr ? std::string(otherwise) : *value;
  }
  /// Empty when absent.
  [[nodiscard]] std::span<const std::int64_t> integers(std::string_view name) const {
    const auto* value = get<std::vector<std::int64_t>>(name);
    return value == nullptr ? std::span<const std::int64_t>() : *value;
  }

 private:
  template <class>
  [[nodiscard]] const Attribute* find(std::string_view name) const {
    for (const Attribute& attribute : list_)
      if (attribute.name == name) return &attribute;
    return nullptr;
  }
  std::vector<Attribute> list_;
};

/// What is known of one element of an integer tensor: a number, the extent that a symbol stands for, or nothing.
struct Element {
  std::optional<std::int64_t> number;
  std::string symbol;
};

/// What is known of a value before the run: its type and, where it is constant, its value.
struct Fact {
  Type type;
  std::optional<Value> constant;
  /// Of an integer scalar or vector that is no constant: its elements, where some are known. Extents pass through here.
  std::vector<Element> elements = {};

  [[nodiscard]] const Tensor* tensor() const {
    return constant && constant->is_tensor() ? &constant->tensor() : nullptr;
  }
};

/// One node's inference. Output types come preset with what the schema says (kind and, by the type variables, element
/// type); `infer` adds shapes, and element types that depend on attributes.
struct InferContext {
  const Schema& schema;  ///< the version in force: schema.since
  const Attributes& attributes;
  std::span<const Fact* const> inputs;  ///< null where an optional input is omitted
  std::span<Type> outputs;
  /// One per output, empty: an operator that knows a value from the types alone (Shape) sets it here.
  std::span<std::optional<Value>> output_constants = {};

  [[nodiscard]] int since() const;
  [[nodiscard]] bool has_input(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  /// The shape of tensor input i, or null when its rank is unknown or the input is omitted.
  [[nodiscard]] const SymbolicShape* shape(std::size_t i) const {
    return has_input(i) && inputs[i]->type.is_tensor() && inputs[i]->type.shape ? &*inputs[i]->type.shape : nullptr;
  }
  [[nodiscard]] DType dtype(std::size_t i) const { return has_input(i) ? inputs[i]->type.dtype : DType::undefined; }
  /// The value of tensor input i when it is constant, else null.
  [[nodiscard]] const Tensor* constant(std::size_t i) const { return has_input(i) ? inputs[i]->tensor() : nullptr; }
  void set_shape(std::size_t output, SymbolicShape shape) {
    if (output < outputs.size()) outputs[output].shape = std::move(shape);
  }
  void set_constant(std::size_t output, Value value) {
    if (output < output_constants.size()) output_constants[output] = std::move(value);
  }
};

/// One node's evaluation. Inputs were checked against the schema's element types; shapes and values were not.
struct EvalContext {
  const Schema& schema;
  const Attributes& attributes;
  std::span<Value* const> inputs;  ///< null where an optional input is omitted
  std::span<const bool> last_use;  ///< input i is not needed after this node: take(i) may give its memory away
  std::span<Value> outputs;        ///< to be filled: at least every wanted one
  std::span<const bool> wanted;    ///< false where the node's output is omitted or never read
  RandomStreams* random;           ///< the run's, for the operators that draw

  [[nodiscard]] int since() const;
  [[nodiscard]] bool has_input(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  /// Input i as a tensor, any strides. The import made sure that it is one.
  [[nodiscard]] const Tensor& tensor(std::size_t i) const { return inputs[i]->tensor(); }
  /// Input i as a dense, aligned tensor. Errors: limit.
  [[nodiscard]] Result<Tensor> dense(std::size_t i) const { return tensor(i).to_dense(); }
  /// Input i, moved out where this is its last use, so that unique() memory can be written in place.
  [[nodiscard]] Value take(std::size_t i) { return last_use[i] ? std::move(*inputs[i]) : *inputs[i]; }
  /// All elements of an int64 or int32 tensor input (axes, shape, pads, …), in row-major order.
  [[nodiscard]] Result<Dims> integers(std::size_t i) const;
};

using InferFn = Result<void> (*)(InferContext&);
using EvalFn = Result<void> (*)(EvalContext&);

/// How an operator treats axes, in a word.
enum class AxisKind : std::uint8_t {
  opaque,      ///< nothing is said: the result depends on everything, or its shape on values
  pointwise,   ///< each element from those at the same place, broadcast by numpy's rule
  reduced,     ///< axes disappear or become 1: Reduce*, ArgMax
  contracted,  ///< products summed over common axes: MatMul, Gemm, Einsum
  moved,       ///< elements go elsewhere unchanged: Transpose, Reshape, Slice, Concat, Gather, Pad
  along,       ///< works along some axes and keeps the others apart: Softmax, CumSum, TopK, LayerNormalization
  rows         ///< a fixed rank, with independent entries along axis 0: Conv, pooling, Attention
};

struct NodeFacts;
struct Batching;
struct Ties;
using BatchFn = Batching (*)(const NodeFacts& node, std::span<const bool> batched);
using RelateFn = Ties (*)(const NodeFacts& node);

/// The axis rule of a row: axis_rule.h says what its functions answer. There is no default, so that every row states
/// one; kOpaqueAxes is the one that knows nothing, and axis_rules.h has the others.
struct AxisRule {
  AxisKind kind;
  BatchFn batch;    ///< null: refuses always
  RelateFn relate;  ///< null: ties nothing

  constexpr AxisRule(AxisKind axis_kind, BatchFn batch_with, RelateFn relate_with)
      : kind(axis_kind), batch(batch_with), relate(relate_with) {}
};
inline constexpr AxisRule kOpaqueAxes{AxisKind::opaque, nullptr, nullptr};

/// A row of the operator table. Arity, attributes and element types of each version come from the standard's schemas
/// (schema.h); a row lists the versions that its functions implement.
struct OpDef {
  std::string_view name;
  std::string_view domain = "";
  /// Every since_version that `infer` and `eval` know, ascending; 0 ends the list. They branch on context.since().
  std::array<int, 12> since{};
  InferFn infer = nullptr;
  EvalFn eval = nullptr;
  AxisRule axes;
  /// Draws random numbers: never folded, merged, duplicated or moved.
  bool random = false;
};

/// The row for an operator, or null. Domain "" and "ai.onnx" are the same.
const OpDef* find_op(std::string_view domain, std::string_view name);
/// All rows, family after family.
std::span<const std::span<const OpDef>> op_table();

}  // namespace pawl::ops
