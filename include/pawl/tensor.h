// Tensors and the other values that flow along a graph: sequences, optionals, maps.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "pawl/dims.h"
#include "pawl/dtype.h"
#include "pawl/error.h"

namespace pawl {

/// A strided, typed view of memory that it keeps alive. Copying a Tensor copies the view, never the elements.
///   shape   : extents in elements; empty for a scalar; any extent may be 0
///   strides : in elements, may be 0 (broadcast) or negative (reversed)
/// Sub-byte elements take one byte each in memory. The data of a tensor that lies in a mapped file may be unaligned.
class Tensor {
 public:
  /// No tensor: DType::undefined.
  Tensor() = default;

  /// New dense memory; numbers are uninitialised, strings are empty. Aligned to 64 bytes.
  /// Errors: limit, when the size overflows or is more than the machine has free.
  static Result<Tensor> allocate(DType dtype, Dims shape);

  /// A dense view of memory that `owner` keeps alive (or, with a null owner, that the caller does). Never written to.
  static Tensor borrow(DType dtype, Dims shape, const void* data, std::shared_ptr<const void> owner = nullptr);

  /// Dense tensors from values in row-major order; values.size() must be the product of the shape. T is the exact
  /// element type (float, std::int64_t, bool, std::string, …).
  template <class T>
  static Tensor of(Dims shape, std::span<const T> values);
  template <class T>
  static Tensor of(Dims shape, std::initializer_list<T> values) {
    return of<T>(std::move(shape), std::span<const T>(values.begin(), values.size()));
  }
  template <class T>
  static Tensor scalar(T value) {
    return of<T>({}, std::span<const T>(&value, 1));
  }

  [[nodiscard]] bool defined() const { return dtype_ != DType::undefined; }
  [[nodiscard]] DType dtype() const { return dtype_; }
  [[nodiscard]] const Dims& shape() const { return shape_; }
  [[nodiscard]] const Dims& strides() const { return strides_; }
  [[nodiscard]] std::int64_t rank() const { return static_cast<std::int64_t>(shape_.size()); }
  /// Number of elements: the product of the shape; 1 for a scalar.
  [[nodiscard]] std::int64_t size() const;
  /// True when the elements lie in row-major order without gaps.
  [[nodiscard]] bool dense() const;
  /// True when the first element is aligned for its type.
  [[nodiscard]] bool aligned() const;
  /// True when nobody else can see the memory and it may be written to.
  [[nodiscard]] bool unique() const { return writable_ && owner_.use_count() == 1; }

  /// The address of element [0,…,0]; elements are reached through the strides.
  [[nodiscard]] const std::byte* bytes() const { return data_; }
  [[nodiscard]] std::byte* mutable_bytes() { return const_cast<std::byte*>(data_); }
  template <class T>
  [[nodiscard]] const T* data() const {
    return reinterpret_cast<const T*>(data_);
  }
  /// For memory that was just allocated or is unique().
  template <class T>
  [[nodiscard]] T* mutable_data() {
    return reinterpret_cast<T*>(const_cast<std::byte*>(data_));
  }
  /// All elements of a dense tensor, in row-major order.
  template <class T>
  [[nodiscard]] std::span<const T> values() const {
    return {data<T>(), static_cast<std::size_t>(size())};
  }
  template <class T>
  [[nodiscard]] std::span<T> mutable_values() {
    return {mutable_data<T>(), static_cast<std::size_t>(size())};
  }

  /// Another view of the same memory; `offset` in elements from element [0,…,0].
  [[nodiscard]] Tensor view(Dims shape, Dims strides, std::int64_t offset = 0) const;
  /// The same memory with another shape of equal size; only for dense tensors.
  [[nodiscard]] Tensor reshaped(Dims shape) const;
  /// The slice at `index` of `axis` (0 <= axis < rank), with that axis removed.
  [[nodiscard]] Tensor select(std::int64_t axis, std::int64_t index) const;
  /// Itself when dense and aligned, else a dense, aligned copy. Errors: limit.
  [[nodiscard]] Result<Tensor> to_dense() const;
  /// A dense copy that shares memory with nothing. Errors: limit.
  [[nodiscard]] Result<Tensor> clone() const;

 private:
  DType dtype_ = DType::undefined;
  bool writable_ = false;
  Dims shape_;
  Dims strides_;
  const std::byte* data_ = nullptr;
  std::shared_ptr<const void> owner_;
};

class Value;

/// A list of values of one type. Copies share the elements; append() copies them first when they are shared.
class Sequence {
 public:
  Sequence() = default;
  /// `element` is the element type of the tensors inside; undefined when not known.
  explicit Sequence(DType element) : element_(element) {}
  Sequence(DType element, std::vector<Value> items);

  [[nodiscard]] DType element() const { return element_; }
  [[nodiscard]] std::size_t size() const;
  [[nodiscard]] const Value& operator[](std::size_t i) const;
  [[nodiscard]] const std::vector<Value>& items() const;
  /// The items for change: copied first when another Sequence shares them.
  std::vector<Value>& mutable_items();

 private:
  DType element_ = DType::undefined;
  std::shared_ptr<std::vector<Value>> items_;
};

/// A map from int64 or string keys (a tensor of shape [n], in ascending order) to values of one type, shape [n].
struct Map {
  Tensor keys;
  Tensor values;
};

/// What flows along an edge of a graph. An optional that has an element is that element; `none` is one without.
class Value {
 public:
  Value() = default;
  Value(Tensor tensor) : state_(std::move(tensor)) {}
  Value(Sequence sequence) : state_(std::move(sequence)) {}
  Value(Map map) : state_(std::move(map)) {}

  [[nodiscard]] bool is_none() const { return state_.index() == 0; }
  [[nodiscard]] bool is_tensor() const { return state_.index() == 1; }
  [[nodiscard]] bool is_sequence() const { return state_.index() == 2; }
  [[nodiscard]] bool is_map() const { return state_.index() == 3; }

  /// Calling the wrong one is a bug of the caller (std::bad_variant_access).
  [[nodiscard]] const Tensor& tensor() const { return std::get<1>(state_); }
  [[nodiscard]] Tensor& tensor() { return std::get<1>(state_); }
  [[nodiscard]] const Sequence& sequence() const { return std::get<2>(state_); }
  [[nodiscard]] Sequence& sequence() { return std::get<2>(state_); }
  [[nodiscard]] const Map& map() const { return std::get<3>(state_); }

 private:
  std::variant<std::monostate, Tensor, Sequence, Map> state_;
};

/// "float[2,3]", "seq of 3 float tensors", "none", "map of 3".
std::string describe(const Value& value);

}  // namespace pawl
