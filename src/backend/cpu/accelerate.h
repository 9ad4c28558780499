// Large operators on the CPU: float matrix products, convolutions and pools through oneDNN, which is loaded when it is
// first needed. Without it, and for everything else, the operator's own evaluation serves.
#pragma once

#include "ops/op.h"

namespace pawl::cpu {

/// The least work that is handed to oneDNN. Measured by bench/large_operators (docs/benchmarks.md).
struct Policy {
  std::int64_t products = 1 << 16;  ///< multiplications of a MatMul or Gemm
  std::int64_t few_rows = 4;        ///< up to so many: the other matrix is what takes time
  std::int64_t products_of_few = 1 << 10;
  /// Multiplications of one product from which code of its own pays, and from which that of sgemm does, for all shapes:
  /// it takes 30 ms to make, when it is first needed.
  std::int64_t own_code = 1 << 17, common_code = 1 << 24;
  std::int64_t filtered = 1 << 20;  ///< multiplications of a Conv or ConvTranspose, for which code is generated
  std::int64_t elements = 1 << 18;  ///< elements in all windows of a pool, the same
  std::int64_t threaded = 1 << 26;  ///< work from which all threads take part; less is done before the others are awake
  std::int64_t shared = 1 << 22;    ///< multiplications from which the threads of kernels share a product
  std::int64_t shared_of_few = 1 << 15;
  /// What the calling thread does of few rows, measured by what each other thread does: its caches hold the rest of the
  /// model's data too.
  double own_part_of_few = 0.7;
  int threads = 1;  ///< that one operator may use
};

/// Everything that oneDNN can do, whatever its size.
inline constexpr Policy kAlways{.products = 0, .products_of_few = 0, .own_code = 0, .filtered = 0, .elements = 0};

/// Evaluates the operator, if it is one of those and large enough.
///   returns : true when the outputs are there; false when nothing was done: not this operator, type, form or size, or
///             no oneDNN
///   bits    : the same for the same inputs, machine and number of threads; the sums are in float, so they differ from
///             the evaluation's by up to count·2^-24 of the sum of magnitudes
///   Errors  : limit
Result<bool> accelerate(const ops::OpDef& def, ops::EvalContext& context, const Policy& policy = {});

/// Whether there is anything to be gained for the operator in this build.
bool is_accelerated(const ops::OpDef& def);

/// Whether this build knows oneDNN and the machine has it. Loads it.
bool has_dnnl();

}  // namespace pawl::cpu
