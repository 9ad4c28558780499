// Names, types, numbers and tensor elements as text that reads back the same.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "pawl/tensor.h"
#include "pawl/type.h"

namespace pawl::onnx {

/// Appends a string in double quotes; '"' and '\' get a backslash.
void print_quoted(std::string& out, std::string_view text);

/// Appends a name, in quotes unless it is a plain identifier.
void print_identifier(std::string& out, std::string_view name);

/// Appends the name of a value or graph: in quotes also when it would read as a type or a number.
void print_name(std::string& out, std::string_view name);

/// Appends a type; "?" when nothing is known of it.
void print_type(std::string& out, const Type& type);

/// Appends the shortest number that reads back to the same float; always with a point, an exponent or a name, since an
/// attribute's value without them is an integer.
void print_attribute_float(std::string& out, float value);

/// Appends element number `index` in row-major order, in the form in which parse_elements() reads it: numbers in their
/// shortest form, complex numbers as two, bools as 0 and 1.
void print_element(std::string& out, const Tensor& tensor, std::int64_t index);

}  // namespace pawl::onnx
