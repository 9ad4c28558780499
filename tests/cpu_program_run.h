// Runs models with and without kernels, and compares what they give.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pawl/model.h"
#include "pawl/program.h"
#include "tensor/compare.h"

namespace pawl {

using Values = std::vector<Value>;

/// The program of a model in ONNX's text syntax.
Result<Program> compiled(const std::string& text, const CompileOptions& options);

/// What the program says of its kernels, a line each.
std::string report(const Program& program);

/// Fails where outputs differ by more than the tolerance; `what` begins the message.
void expect_same(const Values& got, const Values& want, Tolerance tolerance, std::string_view what = "");

}  // namespace pawl
