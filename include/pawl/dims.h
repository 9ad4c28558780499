// A short vector of int64: shapes, strides, indices. Ranks up to six live inside the object.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>

namespace pawl {

class Dims {
 public:
  Dims() = default;
  Dims(std::initializer_list<std::int64_t> values)
      : Dims(std::span<const std::int64_t>(values.begin(), values.size())) {}
  explicit Dims(std::span<const std::int64_t> values) {
    resize(values.size());
    std::copy(values.begin(), values.end(), begin());
  }
  Dims(std::size_t count, std::int64_t value) { resize(count, value); }
  Dims(const Dims& other) : Dims(std::span<const std::int64_t>(other.begin(), other.size())) {}
  Dims(Dims&& other) noexcept { swap(other); }
  Dims& operator=(const Dims& other) {
    if (this != &other) {
      size_ = 0;
      resize(other.size_);
      std::copy(other.begin(), other.end(), begin());
    }
    return *this;
  }
  Dims& operator=(Dims&& other) noexcept {
    swap(other);
    return *this;
  }
  ~Dims() = default;

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  std::int64_t* begin() { return heap_ ? heap_.get() : inline_; }
  std::int64_t* end() { return begin() + size_; }
  [[nodiscard]] const std::int64_t* begin() const { return heap_ ? heap_.get() : inline_; }
  [[nodiscard]] const std::int64_t* end() const { return begin() + size_; }
  std::int64_t& operator[](std::size_t i) { return begin()[i]; }
  const std::int64_t& operator[](std::size_t i) const { return begin()[i]; }
  std::int64_t& back() { return begin()[size_ - 1]; }
  [[nodiscard]] const std::int64_t& back() const { return begin()[size_ - 1]; }

  void resize(std::size_t count, std::int64_t value = 0) {
    if (count > capacity_) {
      const std::size_t capacity = std::max<std::size_t>(count, std::size_t{2} * capacity_);
      auto grown = std::make_unique<std::int64_t[]>(capacity);
      std::copy(begin(), end(), grown.get());
      heap_ = std::move(grown);
      capacity_ = static_cast<std::uint32_t>(capacity);
    }
    std::int64_t* data = begin();
    for (std::size_t i = size_; i < count; ++i) data[i] = value;
    size_ = static_cast<std::uint32_t>(count);
  }
  void push_back(std::int64_t value) { resize(size_ + std::size_t{1}, value); }
  void insert(std::size_t at, std::int64_t value) {
    push_back(value);
    std::rotate(begin() + at, end() - 1, end());
  }
  void erase(std::size_t at) {
    std::copy(begin() + at + 1, end(), begin() + at);
    --size_;
  }
  void clear() { size_ = 0; }

  friend bool operator==(const Dims& a, const Dims& b) { return std::equal(a.begin(), a.end(), b.begin(), b.end()); }

 private:
  void swap(Dims& other) noexcept {
    std::swap(heap_, other.heap_);
    std::swap(inline_, other.inline_);
    std::swap(size_, other.size_);
    std::swap(capacity_, other.capacity_);
  }

  static constexpr std::uint32_t kInline = 6;
  std::unique_ptr<std::int64_t[]> heap_;
  std::int64_t inline_[kInline] = {};
  std::uint32_t size_ = 0;
  std::uint32_t capacity_ = kInline;
};

/// "[2,3]"; "[]" for a scalar.
std::string to_string(std::span<const std::int64_t> dims);

}  // namespace pawl
