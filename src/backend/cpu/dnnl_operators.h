// Operators as oneDNN does them, one function each. False: this call is not for oneDNN, nothing was done.
#pragma once

#include <initializer_list>

#include "backend/cpu/accelerate.h"

namespace pawl::cpu {

Result<bool> accelerate_matmul(ops::EvalContext& context, const Policy& policy);  // dnnl_products.cpp
Result<bool> accelerate_gemm(ops::EvalContext& context, const Policy& policy);
Result<bool> accelerate_conv(ops::EvalContext& context, const Policy& policy);  // dnnl_windows.cpp
Result<bool> accelerate_conv_transpose(ops::EvalContext& context, const Policy& policy);
Result<bool> accelerate_max_pool(ops::EvalContext& context, const Policy& policy);
Result<bool> accelerate_average_pool(ops::EvalContext& context, const Policy& policy);

/// Whether the product of the factors is not 0 and `least` or more.
bool reaches(std::int64_t least, std::initializer_list<std::int64_t> factors);

}  // namespace pawl::cpu
