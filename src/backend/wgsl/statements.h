// Operations of lanes as statements of a shader, one after the other.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "backend/wgsl/operations.h"

namespace pawl::wgsl {

/// Functions that statements call: what constant expressions must not be, and casts whose results are the same on
/// every device.
extern const std::string_view kHelpers;

/// Writes into a text that grows.
class Statements {
 public:
  explicit Statements(std::string& text, int depth = 1) : text_(text), depth_(depth) {}

  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_.append(2 * static_cast<std::size_t>(depth_), ' ');
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  void indent() { ++depth_; }
  void outdent() { --depth_; }
  /// A name that no other statement has.
  std::string fresh() { return fmt::format("v{}", names_++); }

  /// `let NAME = …;` of an operation or a function of `result` type. NaN goes through choices and functions.
  ///   Errors: unsupported
  Result<Term> compute(const std::string& name, expr::Op op, std::span<const Term> operands, DType to, DType result);

 private:
  Result<std::string> function(expr::Op op, std::span<const Term> operands);
  [[nodiscard]] std::string choice(std::span<const Term> operands, DType result, const std::string& value) const;

  std::string& text_;
  int depth_;
  int parts_ = 0;
  int names_ = 0;
  std::map<std::string, std::pair<std::string, std::string>> comparisons_;  ///< by name: what was compared
};

}  // namespace pawl::wgsl
