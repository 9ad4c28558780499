// Bodies that are computed lane by lane, as statements of a shader.
#pragma once

#include <functional>

#include "backend/wgsl/statements.h"
#include "kernel/step_graph.h"

namespace pawl::wgsl {

/// What a value that is given reads like in a shader, in the type that it is computed with.
using ReadSource = std::function<Result<Term>(const kernel::StepValue& source)>;

/// Writes what the body of a Scan computes in one lane. Types in the body are fixed.
///   lanes   : the extents of the axes that lanes go along
///   returns : a term for each output, empty where it is not wanted
///   Errors  : unsupported, where a lane needs others, or an operation has no shader
Result<std::vector<Term>> write_lane(const graph::ScanOp& scan, const std::vector<bool>& wanted, const Dims& lanes,
                                     const ReadSource& read, Statements& out);

}  // namespace pawl::wgsl
