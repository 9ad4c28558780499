// ONNX's text syntax: a reader and a writer. Tests, `pawl dump` and documents are written in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "onnx/model.h"
#include "pawl/error.h"

namespace pawl::onnx {

/// Parses a model: "<ir_version: 8, opset_import: ["" : 25]> g (float[N] x) => (float[N] y) { y = Neg(x) }", then any
/// number of functions. Reads what ONNX's own parser reads. Beyond it: a name may be a string in double quotes wherever
/// an identifier may stand, lists may hold tensors, graphs and types, "?" is an unknown type, and small floats may be
/// written as values.
///   small floats : in float16, bfloat16, float8…, float6… and float4… tensors an integer is the bits of the element,
///   as
///                  in ONNX: float16[2] {15360, 1.5} is 1 and 1.5
///   folder       : as for decode()
/// Errors: bad_file ("line:column: expected …, found …"); limit (nesting, sizes); unsupported (opaque types).
Result<Model> parse_text(std::string_view text, const std::filesystem::path& folder = {});

/// Parses one function: "<domain: "local", opset_import: ["" : 25]> f (x) => (y) { y = Neg(x) }". Errors as parse_text.
Result<Function> parse_function(std::string_view text);

/// Prints a model so that parse_text() gives the same one back, to the bit; where the bytes of a tensor came from is
/// not part of it. Tensors of more than `max_elements` elements are cut ("… 12 more"), which no longer parses; 0 means
/// never.
std::string print_text(const Model& model, std::int64_t max_elements = 0);

/// Parses "float[2,3] {1, 2, …}" (a tensor literal). Here an integer is a value for every type: float16[1] {1} is 1.
/// Errors: bad_file; limit.
Result<Tensor> parse_tensor(std::string_view text);

}  // namespace pawl::onnx
