// Einsum equations: "ij,jk->ik", "...ii->...i", "bij , bjk".
#pragma once

#include <string_view>
#include <vector>

#include "base/try.h"

namespace pawl::ops {

/// One axis of a term: a letter, or (from kEllipsis on) an axis that an ellipsis stands for.
using Labels = std::vector<int>;
inline constexpr int kEllipsis = 256;

/// The labels of one operand or of the result; `ellipsis` is where "..." stands among the letters, or -1.
struct Term {
  Labels letters;
  int ellipsis = -1;

  /// The label of every axis, when "..." stands for `rank` axes.
  [[nodiscard]] Labels labels(std::size_t rank) const;
};

struct Equation {
  std::vector<Term> inputs;
  /// Of an equation without "->": the ellipsis, then the letters that occur exactly once, in the order of the alphabet.
  Term output;
};

/// Errors: bad_value, quoting the equation and saying what is wrong with it.
Result<Equation> parse_equation(std::string_view text);

}  // namespace pawl::ops
