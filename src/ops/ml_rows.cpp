#include "ops/ml_rows.h"

#include <bit>
#include <unordered_map>

#include "ops/resample.h"
#include "tensor/dispatch.h"

namespace pawl::ops {
namespace {

/// Numbers are told apart by their bits, but all NaN are one.
template <class T>
std::uint64_t bits_of(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(value)) value = std::numeric_limits<T>::quiet_NaN();
    if constexpr (sizeof(T) == 4)
      return std::bit_cast<std::uint32_t>(value);
    else
      return std::bit_cast<std::uint64_t>(value);
  } else {
    return static_cast<std::uint64_t>(value);
  }
}

template <class Key, class T, class F>
std::vector<std::int64_t> places(std::span<const T> keys, std::span<const T> x, F&& key_of) {
  std::unordered_map<Key, std::int64_t> index;
  for (std::size_t i = 0; i < keys.size(); ++i) index.emplace(key_of(keys[i]), static_cast<std::int64_t>(i));
  std::vector<std::int64_t> result;
  result.reserve(x.size());
  for (const T& value : x) {
    const auto found = index.find(key_of(value));
    result.push_back(found == index.end() ? -1 : found->second);
  }
  return result;
}

template <class T>
Tensor list_of(const std::vector<T>& values) {
  return Tensor::of<T>({static_cast<std::int64_t>(values.size())}, std::span<const T>(values));
}

}  // namespace

Result<Rows> rows_of(const Tensor& tensor) {
  const Dims& shape = tensor.shape();
  if (shape.size() != 1 && shape.size() != 2)
    return fail(Code::bad_shape, "features must have shape [N,C] or [C], not {}", to_string(shape));
  Rows rows;
  TRY_ASSIGN(rows.data, to_double(tensor));
  rows.count = shape.size() == 2 ? shape[0] : 1;
  rows.features = shape.back();
  if (rows.count > (std::int64_t{1} << 31)) return fail(Code::limit, "{} rows", rows.count);
  return rows;
}

Dim row_count(const SymbolicShape* shape) {
  if (shape == nullptr) return Dim();
  if (shape->size() == 1) return Dim(1);
  return shape->size() == 2 ? (*shape)[0] : Dim();
}

SymbolicShape rows_shape(const InferContext& context, Dim columns) {
  return {row_count(context.shape(0)), std::move(columns)};
}

Result<std::vector<double>> reals(const Attributes& attributes, std::string_view name, std::string_view tensor_name) {
  std::vector<double> result;
  if (const auto* list = attributes.get<std::vector<float>>(name)) result.assign(list->begin(), list->end());
  const auto* tensor = tensor_name.empty() ? nullptr : attributes.get<Tensor>(tensor_name);
  if (tensor != nullptr && tensor->size() > 0) {
    if (!result.empty()) return fail(Code::bad_model, "both {} and {} are given", name, tensor_name);
    TRY_ASSIGN(const Tensor numbers, to_double(*tensor));
    const auto values = numbers.values<double>();
    result.assign(values.begin(), values.end());
  }
  return result;
}

std::vector<std::string> texts(const Attributes& attributes, std::string_view name) {
  const auto* list = attributes.get<std::vector<std::string>>(name);
  return list == nullptr ? std::vector<std::string>() : *list;
}

Result<Tensor> attribute_list(const Attributes& attributes, std::string_view prefix) {
  Tensor result;
  for (const Attribute& attribute : attributes.list()) {
    if (!attribute.name.starts_with(prefix)) continue;
    Tensor list;
    if (const auto* strings = std::get_if<std::vector<std::string>>(&attribute.payload)) list = list_of(*strings);
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute.payload)) list = list_of(*integers);
    if (const auto* floats = std::get_if<std::vector<float>>(&attribute.payload)) list = list_of(*floats);
    if (const auto* tensor = std::get_if<Tensor>(&attribute.payload)) list = *tensor;
    if (!list.defined() || list.size() == 0) continue;
    if (result.defined()) return fail(Code::bad_model, "more than one of {}_* is given", prefix);
    TRY_ASSIGN(const Tensor dense, list.to_dense());
    result = dense.reshaped({dense.size()});
  }
  return result;
}

Result<std::vector<std::int64_t>> look_up(const Tensor& keys, const Tensor& x) {
  using Found = Result<std::vector<std::int64_t>>;
  if (keys.dtype() != x.dtype())
    return fail(Code::bad_type, "{} is looked for among {}", name(x.dtype()), name(keys.dtype()));
  TRY_ASSIGN(const Tensor dense, x.to_dense());
  if (x.dtype() == DType::string) {
    return Found(places<std::string>(keys.values<std::string>(), dense.values<std::string>(),
                                     [](const std::string& text) { return text; }));
  }
  return dispatch<Join<Ieee, Integers>>(x.dtype(), [&](auto tag) -> Found {
    using T = typename decltype(tag)::type;
    return places<std::uint64_t>(keys.values<T>(), dense.values<T>(), [](const T& value) { return bits_of(value); });
  });
}

Result<Tensor> Labels::of(const std::vector<std::int64_t>& classes) const {
  TRY_ASSIGN(Tensor result, Tensor::allocate(dtype(), {static_cast<std::int64_t>(classes.size())}));
  for (std::size_t i = 0; i < classes.size(); ++i) {
    const std::int64_t at = classes[i];
    const bool labelled = at >= 0 && at < size();
    if (dtype() == DType::string) {
      if (labelled) result.mutable_data<std::string>()[i] = list.data<std::string>()[at];
    } else {
      result.mutable_data<std::int64_t>()[i] = labelled ? list.data<std::int64_t>()[at] : std::max<std::int64_t>(at, 0);
    }
  }
  return result;
}

Result<Labels> labels_of(const Attributes& attributes, std::string_view integers) {
  const std::vector<std::string> names = texts(attributes, "classlabels_strings");
  const auto numbers = attributes.integers(integers);
  if (!names.empty() && !numbers.empty())
    return fail(Code::bad_model, "both classlabels_strings and {} are given", integers);
  Labels labels;
  if (!names.empty()) labels.list = list_of(names);
  if (!numbers.empty()) labels.list = list_of(std::vector<std::int64_t>(numbers.begin(), numbers.end()));
  return labels;
}

}  // namespace pawl::ops
