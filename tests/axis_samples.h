// Random valid nodes of the operators, for testing what is said of their axes.
#pragma once

#include <optional>
#include <random>
#include <vector>

#include "ops/op.h"
#include "ops/schema.h"

namespace pawl::ops {

/// A node and its inputs.
struct Sample {
  Attributes attributes;
  std::vector<Value> inputs;    ///< none where an optional input is omitted
  std::vector<bool> parameter;  ///< as many as inputs: axes, shapes and the like, which are drawn with the structure
  std::size_t outputs = 1;

  Sample& add(Tensor tensor) { return push(std::move(tensor), false); }
  Sample& add_parameter(Tensor tensor) { return push(std::move(tensor), true); }
  Sample& omit() { return push(Value(), true); }
  Sample& set(std::string_view name, Attribute::Payload payload);

 private:
  Sample& push(Value value, bool is_parameter) {
    inputs.push_back(std::move(value));
    parameter.push_back(is_parameter);
    return *this;
  }
};

/// Two sources of chance: one for the structure (shapes, attributes, parameters), one for the elements. Nodes drawn
/// with the same structure differ in their elements only.
class Draw {
 public:
  Draw(std::uint64_t structure, std::uint64_t elements) : structure_(structure), elements_(elements) {}

  // Structure.
  std::int64_t between(std::int64_t low, std::int64_t high);
  bool chance(double probability);
  template <class T>
  T pick(std::vector<T> list) {
    return list[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(list.size()) - 1))];
  }
  /// 0 seldom, 1 to `most`.
  std::int64_t extent(std::int64_t most = 4);
  Dims shape(std::int64_t rank, std::int64_t most = 4);
  Dims shape_between(std::int64_t low, std::int64_t high) { return shape(between(low, high)); }
  /// An axis of that rank, sometimes counted from the end.
  std::int64_t axis(std::int64_t rank, bool may_be_negative = true);
  /// Some axes, each once.
  std::vector<std::int64_t> axes(std::int64_t rank, bool may_be_negative = true);
  std::vector<std::int64_t> permutation(std::int64_t rank);
  /// One of the element types that schema input i admits, of those that `allowed` has (a mask; all where it is 0).
  /// Inputs with the same type variable get the same type.
  DType dtype(const Schema& schema, std::size_t i, std::uint32_t allowed = 0);

  // Elements.
  /// Any numbers, special ones too; short strings.
  Tensor tensor(DType dtype, const Dims& shape);
  /// Whole numbers from low to high, in any number type.
  Tensor whole(DType dtype, const Dims& shape, std::int64_t low, std::int64_t high);
  /// Numbers from low to high.
  Tensor reals(DType dtype, const Dims& shape, double low, double high);

 private:
  std::mt19937_64 structure_;
  std::mt19937_64 elements_;
  std::vector<std::pair<std::string_view, DType>> types_;
};

/// A list of int64, or one number.
Tensor list_of(const std::vector<std::int64_t>& values);
Tensor list_of(const Dims& values);
Tensor number_of(std::int64_t value);
std::uint32_t mask_of(std::initializer_list<DType> types);
inline std::uint32_t float_types() { return mask_of({DType::f32, DType::f64, DType::f16, DType::bf16}); }

using Sampler = Sample (*)(Draw& draw, const Schema& schema);
struct SamplerRow {
  std::string_view name;
  Sampler sample;
};
std::span<const SamplerRow> product_samplers();
std::span<const SamplerRow> movement_samplers();
std::span<const SamplerRow> axis_samplers();
std::span<const SamplerRow> row_samplers();
Sample sample_pointwise(Draw& draw, const Schema& schema);

/// How nodes of a row are drawn; null when nobody has said how.
Sampler sampler_of(const OpDef& row);

}  // namespace pawl::ops
