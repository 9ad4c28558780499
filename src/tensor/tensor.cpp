#include "pawl/tensor.h"

#include <cstring>

#include "base/try.h"
#include "tensor/dispatch.h"
#include "tensor/memory.h"
#include "tensor/walk.h"

namespace pawl {
namespace {

std::size_t alignment_of(DType dtype) {
  switch (dtype) {
    case DType::c64: return 4;
    case DType::c128: return 8;
    case DType::string: return alignof(std::string);
    default: return size_of(dtype) == 0 ? 1 : size_of(dtype);
  }
}

Result<std::shared_ptr<const void>> new_strings(std::int64_t count) {
  // Counted in bytes first, so that a hostile size meets the same limit as any other.
  TRY(allocate_bytes(static_cast<std::size_t>(count) * sizeof(std::string)));
  return std::shared_ptr<const void>(new std::string[static_cast<std::size_t>(count)],
                                     [](const void* p) { delete[] static_cast<const std::string*>(p); });
}

}  // namespace

Result<Tensor> Tensor::allocate(DType dtype, Dims shape) {
  if (dtype == DType::undefined) return fail(Code::bad_type, "a tensor needs an element type");
  const std::optional<std::int64_t> count = checked_size(shape);
  const auto width = static_cast<std::int64_t>(size_of(dtype));
  if (!count || *count > std::numeric_limits<std::int64_t>::max() / width)
    return fail(Code::limit, "a {} tensor of shape {} is too large", name(dtype), pawl::to_string(shape));
  Tensor tensor;
  if (dtype == DType::string) {
    TRY_ASSIGN(tensor.owner_, new_strings(*count));
  } else {
    auto bytes = allocate_bytes(static_cast<std::size_t>(*count * width));
    if (!bytes.ok()) {
      return fail(Code::limit, "a {} tensor of shape {} is too large: {}", name(dtype), pawl::to_string(shape),
                  bytes.error().message);
    }
    tensor.owner_ = std::move(bytes).value();
  }
  tensor.dtype_ = dtype;
  tensor.writable_ = true;
  tensor.strides_ = dense_strides(shape);
  tensor.shape_ = std::move(shape);
  tensor.data_ = static_cast<const std::byte*>(tensor.owner_.get());
  return tensor;
}

Tensor Tensor::borrow(DType dtype, Dims shape, const void* data, std::shared_ptr<const void> owner) {
  Tensor tensor;
  tensor.dtype_ = dtype;
  tensor.strides_ = dense_strides(shape);
  tensor.shape_ = std::move(shape);
  tensor.data_ = static_cast<const std::byte*>(data);
  tensor.owner_ = std::move(owner);
  return tensor;
}

template <class T>
Tensor Tensor::of(Dims shape, std::span<const T> values) {
  Tensor tensor = allocate(dtype_of<T>, std::move(shape)).value();
  CHECK(tensor.size() == static_cast<std::int64_t>(values.size()));
  std::copy(values.begin(), values.end(), tensor.mutable_data<T>());
  return tensor;
}

template Tensor Tensor::of<float>(Dims, std::span<const float>);
template Tensor Tensor::of<double>(Dims, std::span<const double>);
template Tensor Tensor::of<F16>(Dims, std::span<const F16>);
template Tensor Tensor::of<BF16>(Dims, std::span<const BF16>);
template Tensor Tensor::of<F8E4M3FN>(Dims, std::span<const F8E4M3FN>);
template Tensor Tensor::of<F8E4M3FNUZ>(Dims, std::span<const F8E4M3FNUZ>);
template Tensor Tensor::of<F8E5M2>(Dims, std::span<const F8E5M2>);
template Tensor Tensor::of<F8E5M2FNUZ>(Dims, std::span<const F8E5M2FNUZ>);
template Tensor Tensor::of<F8E8M0>(Dims, std::span<const F8E8M0>);
template Tensor Tensor::of<F6E2M3>(Dims, std::span<const F6E2M3>);
template Tensor Tensor::of<F6E3M2>(Dims, std::span<const F6E3M2>);
template Tensor Tensor::of<F4E2M1>(Dims, std::span<const F4E2M1>);
template Tensor Tensor::of<std::int8_t>(Dims, std::span<const std::int8_t>);
template Tensor Tensor::of<std::int16_t>(Dims, std::span<const std::int16_t>);
template Tensor Tensor::of<std::int32_t>(Dims, std::span<const std::int32_t>);
template Tensor Tensor::of<std::int64_t>(Dims, std::span<const std::int64_t>);
template Tensor Tensor::of<std::uint8_t>(Dims, std::span<const std::uint8_t>);
template Tensor Tensor::of<std::uint16_t>(Dims, std::span<const std::uint16_t>);
template Tensor Tensor::of<std::uint32_t>(Dims, std::span<const std::uint32_t>);
template Tensor Tensor::of<std::uint64_t>(Dims, std::span<const std::uint64_t>);
template Tensor Tensor::of<I4>(Dims, std::span<const I4>);
template Tensor Tensor::of<U4>(Dims, std::span<const U4>);
template Tensor Tensor::of<I2>(Dims, std::span<const I2>);
template Tensor Tensor::of<U2>(Dims, std::span<const U2>);
template Tensor Tensor::of<bool>(Dims, std::span<const bool>);
template Tensor Tensor::of<std::string>(Dims, std::span<const std::string>);
template Tensor Tensor::of<std::complex<float>>(Dims, std::span<const std::complex<float>>);
template Tensor Tensor::of<std::complex<double>>(Dims, std::span<const std::complex<double>>);

std::int64_t Tensor::size() const {
  // Zeros first: beside one, the other extents may have a product that overflows.
  for (const std::int64_t extent : shape_)
    if (extent == 0) return 0;
  std::int64_t count = 1;
  for (const std::int64_t extent : shape_) count *= extent;
  return count;
}

bool Tensor::dense() const {
  if (size() == 0) return true;
  std::int64_t expected = 1;
  for (std::size_t i = shape_.size(); i-- > 0;) {
    if (shape_[i] != 1 && strides_[i] != expected) return false;
    expected *= shape_[i];
  }
  return true;
}

bool Tensor::aligned() const { return reinterpret_cast<std::uintptr_t>(data_) % alignment_of(dtype_) == 0; }

Tensor Tensor::view(Dims shape, Dims strides, std::int64_t offset) const {
  CHECK(shape.size() == strides.size());
  Tensor tensor;
  tensor.dtype_ = dtype_;
  tensor.writable_ = writable_;
  tensor.data_ = data_ + offset * static_cast<std::int64_t>(size_of(dtype_));
  tensor.owner_ = owner_;
  tensor.shape_ = std::move(shape);
  tensor.strides_ = std::move(strides);
  if (tensor.size() == 0) tensor.data_ = data_;
  return tensor;
}

Tensor Tensor::reshaped(Dims shape) const {
  CHECK(dense());
  Dims strides = dense_strides(shape);
  return view(std::move(shape), std::move(strides));
}

Tensor Tensor::select(std::int64_t axis, std::int64_t index) const {
  CHECK(axis >= 0 && axis < rank() && index >= 0 && index < shape_[static_cast<std::size_t>(axis)]);
  Dims shape = shape_;
  Dims strides = strides_;
  const std::int64_t offset = index * strides_[static_cast<std::size_t>(axis)];
  shape.erase(static_cast<std::size_t>(axis));
  strides.erase(static_cast<std::size_t>(axis));
  return view(std::move(shape), std::move(strides), offset);
}

Result<Tensor> Tensor::to_dense() const {
  if (!defined() || (dense() && aligned())) return *this;
  return clone();
}

Result<Tensor> Tensor::clone() const {
  TRY_ASSIGN(Tensor copy, allocate(dtype_, shape_));
  copy_elements(*this, copy);
  return copy;
}

Sequence::Sequence(DType element, std::vector<Value> items)
    : element_(element), items_(std::make_shared<std::vector<Value>>(std::move(items))) {}

std::size_t Sequence::size() const { return items_ ? items_->size() : 0; }

const Value& Sequence::operator[](std::size_t i) const { return (*items_)[i]; }

const std::vector<Value>& Sequence::items() const {
  static const std::vector<Value> kEmpty;
  return items_ ? *items_ : kEmpty;
}

std::vector<Value>& Sequence::mutable_items() {
  if (!items_) {
    items_ = std::make_shared<std::vector<Value>>();
  } else if (items_.use_count() > 1) {
    items_ = std::make_shared<std::vector<Value>>(*items_);
  }
  return *items_;
}

std::string describe(const Value& value) {
  if (value.is_none()) return "none";
  if (value.is_map()) return fmt::format("map of {}", value.map().keys.size());
  if (value.is_sequence()) {
    const Sequence& sequence = value.sequence();
    return fmt::format("seq of {} {} tensors", sequence.size(), name(sequence.element()));
  }
  const Tensor& tensor = value.tensor();
  if (!tensor.defined()) return "no value";
  return fmt::format("{}{}", name(tensor.dtype()), pawl::to_string(tensor.shape()));
}

}  // namespace pawl
