// The values of a .case file: "x = [[1, 2], [3, 4]]".
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "onnx/text_lexer.h"
#include "pawl/tensor.h"
#include "pawl/type.h"

namespace pawl::tests {

/// Reads one value of a declared type (Kind::unknown when there is none):
///   [[1, 2], [3, 4]], 5, "text", true  : a tensor of the declared element type; complex numbers are (1, 2)
///   float[0,2] {}                      : a tensor that says its type itself
///   seq [ value, value ]               : a sequence
///   none                               : an optional without an element
/// Errors: bad_file with line and column.
Result<Value> parse_value(onnx::Lexer& lexer, const Type& declared);

using NamedValues = std::vector<std::pair<std::string, Value>>;

/// Reads "name = value" until the end. `type_of_name` gives the declared type of a name.
Result<NamedValues> parse_values(onnx::Lexer& lexer, const std::function<Type(std::string_view)>& type_of_name);

}  // namespace pawl::tests
