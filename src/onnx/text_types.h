// Types in text: "float[N,3]", "seq(int64[?])".
#pragma once

#include <string_view>

#include "onnx/text_lexer.h"
#include "pawl/type.h"

namespace pawl::onnx {

/// True for the words that begin a type, and for "undefined".
bool is_type_word(std::string_view word);

/// True when the next word begins a type. A value may be named "undefined": that word is a type only before '[' or a
/// name.
bool next_is_type(Lexer& lexer);

/// "float" (a scalar), "float[]" (unknown rank), "float[N,2,?]", "seq(…)", "optional(…)", "map(int64, …)",
/// "sparse_tensor(float[2])". Beyond ONNX's own parser: "?" is a type of which nothing is known, "undefined[2]" a
/// tensor of unknown element type. Errors: bad_file; limit (nesting); unsupported (opaque).
Result<Type> parse_type(Lexer& lexer);

}  // namespace pawl::onnx
