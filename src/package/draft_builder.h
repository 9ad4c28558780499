// Writing drafts: buffers, constants, copies.
#pragma once

#include <optional>
#include <set>

#include "package/draft.h"
#include "pawl/error.h"
#include "pawl/tensor.h"
#include "tensor/walk.h"

namespace pawl::package {

/// Something that passes read: a buffer, or a value that is known.
struct Operand {
  std::size_t buffer = SIZE_MAX;
  Tensor constant;
  Dims shape;  ///< the buffer's elements may have been given another one
};

/// A dense tensor, gone through in another way.
struct Walk {
  Dims shape;
  Dims strides;  ///< in elements
};

/// 32-bit integers for 64-bit ones.
DType device_type(DType dtype);
/// The letters of a name that WGSL and expressions take, the first of them no digit.
std::string identifier(std::string_view name);

class DraftBuilder {
 public:
  ///   taken : names of inputs and outputs
  explicit DraftBuilder(const std::vector<std::string>& taken);

  /// A new buffer; names that are taken get a number, but those of inputs and outputs.
  std::size_t buffer(wgsl::PassBuffer::Kind kind, std::string_view name, DType dtype, const Dims& shape);
  /// Scratch whose extents are counts in the draft's names.
  std::size_t scratch(std::string_view name, DType dtype, std::vector<wgsl::Count> shape);
  /// What names of the draft that have to do with `name` may begin with: no others do.
  std::string unique_prefix(const std::string& name);
  void add_number(std::string name, std::int64_t value) { draft_.numbers.emplace_back(std::move(name), value); }
  void add_derived(std::string name, wgsl::Count count) {
    draft_.derived.emplace_back(std::move(name), std::move(count));
  }
  void add_condition(wgsl::Count at_least, wgsl::Count least) {
    draft_.conditions.emplace_back(std::move(at_least), std::move(least));
  }
  [[nodiscard]] const DraftBuffer& at(std::size_t buffer) const { return draft_.buffers[buffer]; }

  /// A kernel whose buffers are these. Constants of one type become one buffer; what it does not use is left out.
  ///   Errors: unsupported, of numbers that do not fit 32 bits
  Result<void> add(const std::string& id, kernel::Program program, const std::vector<std::size_t>& buffers,
                   const std::vector<std::int64_t>& params);
  void add(DraftPass pass);

  /// `to`, dense from `at` on, from the elements of a buffer, gone through as `walk` says, from `origin` on.
  Result<void> copy(const std::string& id, std::size_t from, const Walk& walk, std::size_t to, std::int64_t origin = 0,
                    std::int64_t at = 0);
  /// The same of any operand. Errors: limit, of constants
  Result<void> fill(const std::string& id, const Operand& from, const Walk& walk, std::size_t to);
  /// A buffer with the operand's elements in their order.
  Result<std::size_t> buffer_of(const Operand& operand, const std::string& name);

  /// Where a known value lies: in the buffer of constants, at an offset in elements of its type; what has one value
  /// everywhere and is not small is filled anew, so that its size may depend on extents.
  struct Place {
    std::size_t buffer = 0;
    std::int64_t origin = 0;
  };
  Result<Place> constant(const Tensor& tensor, const std::string& name);

  /// What there is so far, and back to it.
  struct Mark {
    std::size_t buffers = 0;
    std::size_t passes = 0;
    std::size_t constants = 0;
    std::size_t numbers = 0;
    std::size_t derived = 0;
    std::size_t conditions = 0;
  };
  [[nodiscard]] Mark mark() const;
  void back_to(const Mark& mark);
  /// The most buffers of a pass since then.
  [[nodiscard]] std::size_t most_buffers(const Mark& since) const;

  Draft finish() && { return std::move(draft_); }

 private:
  static std::string unique(const std::string& name, std::set<std::string>& taken);

  Draft draft_;
  std::set<std::string> names_;
  std::set<std::string> ids_;
  std::set<std::string> prefixes_;
};

/// The only value of all elements of a dense tensor; nothing where they differ or there are none.
std::optional<double> only_value(const Tensor& tensor);

}  // namespace pawl::package
