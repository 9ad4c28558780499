// LLVM IR as text, one instruction after the other. What a value is: its text, its type, and how many lanes it has.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "expr/types.h"

namespace pawl::cpu {

/// One value in registers: a scalar, or a vector of `width` lanes. float16 and bfloat16 are their bits, as i16; a
/// boolean is i1.
struct Ssa {
  std::string text;
  DType dtype = DType::undefined;
  int width = 1;
  bool constant = false;  ///< `text` is a scalar literal, whatever the width

  [[nodiscard]] bool is_vector() const { return width > 1; }
};

using expr::is_float;
using expr::is_signed;
/// "float", "i8", "i1"; of 16-bit floats "i16".
std::string_view register_type(DType dtype);
/// "<16 x float>", or "float" of one lane.
std::string register_type(DType dtype, int width);
inline std::string type_of(const Ssa& value) { return register_type(value.dtype, value.width); }
/// The value as an operand; constants become vectors here.
std::string operand(const Ssa& value);
/// ".v16f32", for the names of intrinsics.
std::string suffix(DType dtype, int width);

/// A literal; floats and the integers that a double holds.
Ssa literal(DType dtype, double value, int width = 1);
Ssa literal_bits(DType dtype, std::int64_t value, int width = 1);
Ssa index(std::int64_t value);

/// The text of one function's body.
class Instructions {
 public:
  std::string fresh() { return fmt::format("%v{}", count_++); }
  std::string fresh_label() { return fmt::format("L{}", labels_++); }

  /// "  %v7 = <format>"; the result is a value of that type.
  template <class... Args>
  Ssa emit(DType dtype, int width, fmt::format_string<Args...> format, Args&&... args) {
    Ssa result{fresh(), dtype, width, false};
    fmt::format_to(std::back_inserter(text_), "  {} = ", result.text);
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
    return result;
  }
  /// An instruction without a value of that kind: a pointer, or nothing.
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += "  ";
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    text_ += '\n';
  }
  std::string pointer(std::string_view element, std::string_view base, const Ssa& offset) {
    std::string name = fresh();
    line("{} = getelementptr {}, ptr {}, {} {}", name, element, base, type_of(offset), operand(offset));
    return name;
  }
  /// "  %v7 = opcode type a, b"
  Ssa binary(std::string_view opcode, const Ssa& a, const Ssa& b) {
    return emit(a.dtype, a.width, "{} {} {}, {}", opcode, type_of(a), operand(a), operand(b));
  }
  /// A comparison: a boolean of as many lanes.
  Ssa compare(std::string_view opcode, const Ssa& a, const Ssa& b) {
    return emit(DType::boolean, a.width, "{} {} {}, {}", opcode, type_of(a), operand(a), operand(b));
  }
  Ssa select(const Ssa& condition, const Ssa& yes, const Ssa& no);
  /// "  %v7 = opcode from a to type"
  Ssa convert(std::string_view opcode, const Ssa& a, DType to) {
    return emit(to, a.width, "{} {} {} to {}", opcode, type_of(a), operand(a), register_type(to, a.width));
  }
  /// Calls llvm.NAME.SUFFIX with operands of one type, which is the result's too.
  Ssa intrinsic(std::string_view name, const std::vector<Ssa>& operands);
  /// A scalar in every lane.
  Ssa splat(const Ssa& value, int width);

  void begin_block(const std::string& label) {
    fmt::format_to(std::back_inserter(text_), "{}:\n", label);
    block_ = label;
  }
  void branch(const std::string& label) { line("br label %{}", label); }
  void branch(const Ssa& condition, const std::string& yes, const std::string& no) {
    line("br i1 {}, label %{}, label %{}", operand(condition), yes, no);
  }
  /// The block that is being written.
  [[nodiscard]] const std::string& block() const { return block_; }
  /// Where text can be inserted later: the start of a loop's block, whose phis are known at its end.
  [[nodiscard]] std::size_t position() const { return text_.size(); }
  void insert(std::size_t position, std::string_view text) { text_.insert(position, text); }

  /// A function that is called: declared once.
  void declare(std::string declaration);
  [[nodiscard]] const std::vector<std::string>& declarations() const { return declarations_; }
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string text_;
  std::string block_ = "entry";
  std::vector<std::string> declarations_;
  int count_ = 0;
  int labels_ = 0;
};

}  // namespace pawl::cpu
