// Values through the C interface: how they are made.
#include "c/handles.h"
#include "pawl/value_file.h"
#include "tensor/element_bytes.h"
#include "tensor/walk.h"

namespace pawl::c {
namespace {

/// Ranks beyond this are no tensors: each axis of an extent above 1 doubles the elements.
constexpr std::size_t kMostAxes = 1 << 16;

/// The element type, when elements of it lie in memory as they are. Errors: bad_argument, bad_type.
Result<DType> plain_dtype(pawl_dtype dtype) {
  if (!is_dtype(dtype)) return fail(Code::bad_argument, "{} is no element type", dtype);
  if (dtype == PAWL_STRING) return fail(Code::bad_type, "tensors of strings are made by pawl_value_strings");
  return static_cast<DType>(dtype);
}

/// Errors: bad_argument; bad_shape, for negative extents and a size that overflows.
Result<Dims> read_shape(std::size_t rank, const std::int64_t* shape, std::size_t width) {
  if (rank > kMostAxes) return fail(Code::bad_argument, "a rank of {}", rank);
  if (rank > 0) TRY(expect(shape, "shape"));
  Dims dims(std::span(shape, rank));
  const std::optional<std::int64_t> size = checked_size(dims);
  if (!size || *size > std::numeric_limits<std::int64_t>::max() / static_cast<std::int64_t>(width))
    return fail(Code::bad_shape, "{} is no shape of a tensor", pawl::to_string(dims));
  return dims;
}

/// Calls what the caller wants called when memory is no longer needed.
struct Keeper {
  pawl_release release = nullptr;
  void* context = nullptr;

  Keeper() = default;
  Keeper(const Keeper&) = delete;
  Keeper& operator=(const Keeper&) = delete;
  ~Keeper() {
    if (release != nullptr) release(context);
  }
};

Result<void> borrow(pawl_dtype type, std::size_t rank, const std::int64_t* shape, const std::int64_t* strides,
                    const void* data, pawl_release release, void* context, pawl_value** value) {
  TRY(expect(value, "value"));
  TRY_ASSIGN(const DType dtype, plain_dtype(type));
  TRY_ASSIGN(Dims dims, read_shape(rank, shape, size_of(dtype)));
  Tensor tensor = Tensor::borrow(dtype, std::move(dims), data);
  if (tensor.size() > 0) TRY(expect(data, "data"));
  Dims steps = strides == nullptr ? tensor.strides() : Dims(std::span(strides, rank));
  tensor = tensor.view(tensor.shape(), steps);
  TRY(check_element_bytes(tensor));
  auto handle = std::make_unique<pawl_value>();
  const auto keeper = release != nullptr ? std::make_shared<Keeper>() : nullptr;
  // A size of 0 at no address: views must not compute with it.
  static constexpr std::byte kNothing{};
  const Dims extents = tensor.shape();
  tensor = Tensor::borrow(dtype, extents, data != nullptr ? data : &kNothing, keeper).view(extents, std::move(steps));
  handle->value = std::move(tensor);
  // Nothing can fail from here on: the memory is the library's.
  if (keeper != nullptr) {
    keeper->context = context;
    keeper->release = release;
  }
  *value = handle.release();
  return {};
}

Result<void> copy_strings(std::size_t rank, const std::int64_t* shape, const char* const* strings,
                          const std::size_t* sizes, pawl_value** value) {
  TRY(expect(value, "value"));
  TRY_ASSIGN(Dims dims, read_shape(rank, shape, sizeof(std::string)));
  TRY_ASSIGN(Tensor tensor, Tensor::allocate(DType::string, std::move(dims)));
  if (tensor.size() > 0) TRY(expect(strings, "strings"));
  std::size_t i = 0;
  for (std::string& string : tensor.mutable_values<std::string>()) {
    TRY(expect(strings[i], "a string"));
    string = sizes == nullptr ? std::string(strings[i]) : std::string(strings[i], sizes[i]);
    ++i;
  }
  *value = new pawl_value{std::move(tensor)};
  return {};
}

Result<void> make_sequence(pawl_dtype element, std::size_t count, const pawl_value* const* items, pawl_value** value) {
  TRY(expect(value, "value"));
  if (count > 0) TRY(expect(items, "items"));
  if (element != 0 && !is_dtype(element)) return fail(Code::bad_argument, "{} is no element type", element);
  const auto dtype = static_cast<DType>(element);
  std::vector<Value> values;
  for (std::size_t i = 0; i < count; ++i) {
    TRY(expect(items[i], "an item"));
    const Value& item = items[i]->value;
    if (dtype != DType::undefined && !(item.is_tensor() && item.tensor().dtype() == dtype))
      return fail(Code::bad_type, "item {} of a sequence of {} is {}", i, name(dtype), describe(item));
    values.push_back(item);
  }
  *value = new pawl_value{Sequence(dtype, std::move(values))};
  return {};
}

template <class T>
bool ascends(const Tensor& keys) {
  const std::span<const T> values = keys.values<T>();
  return std::adjacent_find(values.begin(), values.end(), [](const T& a, const T& b) { return !(a < b); }) ==
         values.end();
}

Result<void> make_map(const pawl_value* keys, const pawl_value* values, pawl_value** value) {
  TRY(expect(keys, "keys"));
  TRY(expect(values, "values"));
  TRY(expect(value, "value"));
  if (!keys->value.is_tensor() || !values->value.is_tensor())
    return fail(Code::bad_type, "a map is made of two tensors, not of {} and {}", describe(keys->value),
                describe(values->value));
  TRY_ASSIGN(const Tensor key, keys->value.tensor().to_dense());
  if (key.dtype() != DType::i64 && key.dtype() != DType::string)
    return fail(Code::bad_type, "keys of a map are int64 or string, not {}", name(key.dtype()));
  if (key.rank() != 1 || values->value.tensor().shape() != key.shape())
    return fail(Code::bad_shape, "keys and values of a map have one shape [n], not {} and {}",
                pawl::to_string(key.shape()), pawl::to_string(values->value.tensor().shape()));
  if (!(key.dtype() == DType::i64 ? ascends<std::int64_t>(key) : ascends<std::string>(key)))
    return fail(Code::bad_value, "keys of a map ascend, and each is there once");
  *value = new pawl_value{Map{key, values->value.tensor()}};
  return {};
}

}  // namespace
}  // namespace pawl::c

using namespace pawl;
using namespace pawl::c;

pawl_error* pawl_value_borrow(pawl_dtype dtype, size_t rank, const int64_t* shape, const int64_t* strides,
                              const void* data, pawl_release release, void* context, pawl_value** value) {
  return attempt([&] { return borrow(dtype, rank, shape, strides, data, release, context, value); });
}

pawl_error* pawl_value_allocate(pawl_dtype dtype, size_t rank, const int64_t* shape, pawl_value** value) {
  return attempt([&]() -> Result<void> {
    TRY(expect(value, "value"));
    TRY_ASSIGN(const DType type, plain_dtype(dtype));
    TRY_ASSIGN(Dims dims, read_shape(rank, shape, size_of(type)));
    TRY_ASSIGN(Tensor tensor, Tensor::allocate(type, std::move(dims)));
    *value = new pawl_value{std::move(tensor)};
    return {};
  });
}

pawl_error* pawl_value_strings(size_t rank, const int64_t* shape, const char* const* strings, const size_t* sizes,
                               pawl_value** value) {
  return attempt([&] { return copy_strings(rank, shape, strings, sizes, value); });
}

pawl_error* pawl_value_sequence(pawl_dtype element, size_t count, const pawl_value* const* items, pawl_value** value) {
  return attempt([&] { return make_sequence(element, count, items, value); });
}

pawl_error* pawl_value_map(const pawl_value* keys, const pawl_value* values, pawl_value** value) {
  return attempt([&] { return make_map(keys, values, value); });
}

pawl_error* pawl_value_none(pawl_value** value) {
  return attempt([&]() -> Result<void> {
    TRY(expect(value, "value"));
    *value = new pawl_value;
    return {};
  });
}

pawl_error* pawl_value_share(const pawl_value* value, pawl_value** other) {
  return attempt([&]() -> Result<void> {
    TRY(expect(value, "value"));
    TRY(expect(other, "other"));
    *other = new pawl_value{value->value};
    return {};
  });
}

pawl_error* pawl_value_read(const char* path, const pawl_port* expected, pawl_value** value) {
  return attempt([&]() -> Result<void> {
    TRY(expect(path, "path"));
    TRY(expect(value, "value"));
    TRY_ASSIGN(Value read, read_value(path, expected == nullptr ? Type() : expected->port.type));
    *value = new pawl_value{std::move(read)};
    return {};
  });
}

pawl_error* pawl_value_write(const pawl_value* value, const char* path) {
  return attempt([&]() -> Result<void> {
    TRY(expect(value, "value"));
    TRY(expect(path, "path"));
    return write_value(path, value->value, type_of(value->value), "");
  });
}

void pawl_value_free(pawl_value* value) { delete value; }
