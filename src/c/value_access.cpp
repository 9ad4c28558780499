// Values through the C interface: what is in them.
#include "c/handles.h"

namespace pawl::c {
namespace {

/// The tensor of a value; null where it is none.
const Tensor* tensor_of(const pawl_value* value) { return value->value.is_tensor() ? &value->value.tensor() : nullptr; }

/// Where element `index` in row-major order lies, in elements from the first one.
std::int64_t offset_of(const Tensor& tensor, std::size_t index) {
  std::int64_t offset = 0;
  auto rest = static_cast<std::int64_t>(index);
  for (std::size_t axis = tensor.shape().size(); axis-- > 0;) {
    offset += rest % tensor.shape()[axis] * tensor.strides()[axis];
    rest /= tensor.shape()[axis];
  }
  return offset;
}

Result<void> find_string(const pawl_value* value, std::size_t index, const char** string, std::size_t* size) {
  TRY(expect(value, "value"));
  TRY(expect(string, "string"));
  const Tensor* tensor = tensor_of(value);
  if (tensor == nullptr || tensor->dtype() != DType::string)
    return fail(Code::bad_type, "expected a tensor of strings, found {}", describe(value->value));
  if (index >= static_cast<std::size_t>(tensor->size()))
    return fail(Code::bad_argument, "there is no string {} in {}", index, describe(value->value));
  const std::string& found = tensor->data<std::string>()[offset_of(*tensor, index)];
  *string = found.c_str();
  if (size != nullptr) *size = found.size();
  return {};
}

Result<void> find_item(const pawl_value* value, std::size_t index, pawl_value** item) {
  TRY(expect(value, "value"));
  TRY(expect(item, "item"));
  if (!value->value.is_sequence()) return fail(Code::bad_type, "expected a sequence, found {}", describe(value->value));
  const Sequence& sequence = value->value.sequence();
  if (index >= sequence.size())
    return fail(Code::bad_argument, "there is no item {} in a {}", index, describe(value->value));
  *item = new pawl_value{sequence[index]};
  return {};
}

Result<void> find_pairs(const pawl_value* value, pawl_value** keys, pawl_value** values) {
  TRY(expect(value, "value"));
  if (!value->value.is_map()) return fail(Code::bad_type, "expected a map, found {}", describe(value->value));
  const Map& map = value->value.map();
  auto key = keys != nullptr ? std::make_unique<pawl_value>(pawl_value{map.keys}) : nullptr;
  auto mapped = values != nullptr ? std::make_unique<pawl_value>(pawl_value{map.values}) : nullptr;
  if (keys != nullptr) *keys = key.release();
  if (values != nullptr) *values = mapped.release();
  return {};
}

}  // namespace
}  // namespace pawl::c

using namespace pawl;
using namespace pawl::c;

pawl_kind pawl_value_kind(const pawl_value* value) {
  if (value->value.is_tensor()) return PAWL_TENSOR;
  if (value->value.is_sequence()) return PAWL_SEQUENCE;
  return value->value.is_map() ? PAWL_MAP : PAWL_NONE;
}

pawl_dtype pawl_value_dtype(const pawl_value* value) {
  if (const Tensor* tensor = tensor_of(value)) return static_cast<pawl_dtype>(tensor->dtype());
  return value->value.is_sequence() ? static_cast<pawl_dtype>(value->value.sequence().element()) : 0;
}

size_t pawl_value_rank(const pawl_value* value) {
  const Tensor* tensor = tensor_of(value);
  return tensor == nullptr ? 0 : tensor->shape().size();
}

const int64_t* pawl_value_shape(const pawl_value* value) {
  const Tensor* tensor = tensor_of(value);
  return tensor == nullptr ? nullptr : tensor->shape().begin();
}

const int64_t* pawl_value_strides(const pawl_value* value) {
  const Tensor* tensor = tensor_of(value);
  return tensor == nullptr ? nullptr : tensor->strides().begin();
}

size_t pawl_value_size(const pawl_value* value) {
  if (const Tensor* tensor = tensor_of(value)) return tensor->defined() ? static_cast<size_t>(tensor->size()) : 0;
  if (value->value.is_sequence()) return value->value.sequence().size();
  return value->value.is_map() ? static_cast<size_t>(value->value.map().keys.size()) : 0;
}

const void* pawl_value_data(const pawl_value* value) {
  const Tensor* tensor = tensor_of(value);
  return tensor == nullptr || tensor->dtype() == DType::string ? nullptr : tensor->bytes();
}

void* pawl_value_mutable_data(pawl_value* value) {
  const Tensor* tensor = tensor_of(value);
  if (tensor == nullptr || tensor->dtype() == DType::string || !tensor->unique()) return nullptr;
  return value->value.tensor().mutable_bytes();
}

pawl_error* pawl_value_string(const pawl_value* value, size_t index, const char** string, size_t* size) {
  return attempt([&] { return find_string(value, index, string, size); });
}

pawl_error* pawl_value_item(const pawl_value* value, size_t index, pawl_value** item) {
  return attempt([&] { return find_item(value, index, item); });
}

pawl_error* pawl_value_pairs(const pawl_value* value, pawl_value** keys, pawl_value** values) {
  return attempt([&] { return find_pairs(value, keys, values); });
}
