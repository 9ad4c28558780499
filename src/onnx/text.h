// ONNX's text syntax: a reader and a writer. Tests, `pawl dump` and documents are written in it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "onnx/model.h"
#include "pawl/error.h"

namespace pawl::onnx {

/// Parses a model: "<ir_version: 8, opset_import: ["" : 25]> g (float[N] x) => (float[N] y) { y = Neg(x) }", then any number
/// of functions. Errors: bad_file with line and column; limit (nesting, sizes).
///   folder : as for decode()
Result<Model> parse_text(std::string_view text, const std::filesystem::path& folder = {});

/// Prints a model so that parse_text() gives the same one back. Tensors of more than `max_elements` elements are cut
/// ("… 12 more"), which no longer parses; 0 means never.
std::string print_text(const Model& model, std::int64_t max_elements = 0);

/// Parses "float[2,3] {1, 2, …}" (a tensor literal).
Result<Tensor> parse_tensor(std::string_view text);

}  // namespace pawl::onnx
