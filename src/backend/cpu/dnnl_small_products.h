// Products of matrices that are too small to wait for the code of oneDNN's sgemm, which takes 30 ms to make.
#pragma once

#include "backend/cpu/dnnl_library.h"
#include "ops/multiply.h"

namespace pawl::cpu {

/// to = a·b, or to += a·b, by code that oneDNN makes for these extents in a fraction of a millisecond and that is kept.
///   to      : rows `step` floats apart, each without gaps
///   returns : false where there is no such code or it does not pay; nothing was done
///   Errors  : limit
Result<bool> multiply_small(const DnnlLibrary& library, const ops::Matrix<float>& a, const ops::Matrix<float>& b,
                            bool add, float* to, std::int64_t step);

}  // namespace pawl::cpu
