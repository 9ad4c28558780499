// What the classical machine learning operators share: rows of features, lists in attributes, look-up of keys.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ops/op.h"

namespace pawl::ops {

/// A batch of feature rows as dense doubles; a list is one row.
struct Rows {
  Tensor data;  ///< f64
  std::int64_t count = 0;
  std::int64_t features = 0;

  [[nodiscard]] std::span<const double> operator[](std::int64_t i) const {
    return {data.data<double>() + i * features, static_cast<std::size_t>(features)};
  }
};

/// Errors: bad_shape, unless the tensor is [N,C] or [C]; bad_type, unless it holds numbers.
Result<Rows> rows_of(const Tensor& tensor);
/// The number of rows, where the rank allows it.
Dim row_count(const SymbolicShape* shape);
/// The shape of a result with one row of `columns` for each row of input 0.
SymbolicShape rows_shape(const InferContext& context, Dim columns);

/// Floats of an attribute as doubles; empty when it is absent. `tensor_name` may hold the same as a tensor of doubles.
Result<std::vector<double>> reals(const Attributes& attributes, std::string_view name,
                                  std::string_view tensor_name = {});
std::vector<std::string> texts(const Attributes& attributes, std::string_view name);

/// The list that an attribute holds in one of the forms PREFIX_strings, PREFIX_int64s, PREFIX_floats and PREFIX_tensor.
/// Undefined when there is none. Errors: bad_model when there is more than one.
Result<Tensor> attribute_list(const Attributes& attributes, std::string_view prefix);

/// For each element of `x`, the place in `keys` that has the same bits (or a NaN as well); -1 where there is none. Of
/// equal keys the first counts. Errors: bad_type, unless both have the same type.
Result<std::vector<std::int64_t>> look_up(const Tensor& keys, const Tensor& x);

/// Class labels: strings or int64.
struct Labels {
  Tensor list;

  [[nodiscard]] std::int64_t size() const { return list.defined() ? list.size() : 0; }
  [[nodiscard]] DType dtype() const { return list.defined() ? list.dtype() : DType::i64; }
  /// The labels of classes by index; a class that has no label is itself. -1 is no class: 0 or "".
  [[nodiscard]] Result<Tensor> of(const std::vector<std::int64_t>& classes) const;
};
/// Errors: bad_model, when both kinds are given.
Result<Labels> labels_of(const Attributes& attributes, std::string_view integers);

}  // namespace pawl::ops
