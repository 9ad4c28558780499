// The numbers of constants.
#pragma once

#include "kernel/program.h"

namespace pawl::kernel {

/// A type as kernels write it: "f32", "i64", "bool"; empty for a type that kernels do not have.
std::string_view type_word(DType dtype);

/// A constant that says the same as any other of its number and type: floats and booleans by a double that the type
/// holds (rounded to nearest even), integers by a double where that is exact, else by their bits.
Constant float_constant(DType dtype, double value);
/// An integer of any type by its low bits, a boolean by whether it is other than 0, a float by the nearest number.
Constant integer_constant(DType dtype, std::int64_t value);

/// Whether the value is one of the type.
bool holds(const Constant& constant);
/// The constant's bits, the rest 0; of one that holds.
std::uint64_t bits_of(const Constant& constant);
/// In decimal, with the fewest digits that give the number back.
std::string number_text(const Constant& constant);

}  // namespace pawl::kernel
