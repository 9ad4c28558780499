// Whether two values are the same, within a tolerance: for tests, and for a model's own expected outputs.
#pragma once

#include <optional>
#include <string>

#include "pawl/tensor.h"

namespace pawl {

/// Floats match when |got - want| <= atol + rtol * |want|.
struct Tolerance {
  double rtol = 1e-5;
  double atol = 1e-6;
};

/// `tolerance`, and room for some roundings to the element type: what a function body may differ from an evaluation
/// that rounds once. Nothing more for types that are exact.
Tolerance allow_roundings(Tolerance tolerance, const Value& want, int roundings);

/// Where `got` differs from `want`, in a line of words; nullopt when it does not.
///   Kinds, element types and shapes must be equal. Floats (and complex numbers, by the length of their difference)
///   match within the tolerance; NaN equals NaN and an infinity only itself. Everything else must be equal. Sequences
///   and maps are compared item by item.
/// "element [1,0]: got 0.5, want 0.25; 3 of 6 elements differ, by 0.25 at most"
std::optional<std::string> first_difference(const Value& got, const Value& want, Tolerance tolerance = {});

}  // namespace pawl
