// Numbers as text: what Cast reads from strings and writes to them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "pawl/dtype.h"

namespace pawl::ops {

/// A decimal number in plain or scientific notation, or "inf", "infinity", "nan" in any case, with an optional sign,
/// blanks around it allowed; nullopt for anything else. T is float or double; what is too large becomes infinity.
template <class T>
std::optional<T> read_real(std::string_view text);

/// An integer without fraction or exponent; negative ones wrap for unsigned T. nullopt when it is none or does not fit.
/// T is std::int64_t or std::uint64_t.
template <class T>
std::optional<T> read_integer(std::string_view text);

/// The fewest digits that give `value` back in that format: "0.1", "1.0", "1e-07", "1e+16", "nan", "-inf"; plain
/// notation for 1e-4 <= |value| < 1e16 (as Python writes floats). `value` must be a number of the format.
std::string write_real(DType format, double value);

}  // namespace pawl::ops
