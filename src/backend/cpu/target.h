// The processor that kernels are generated for.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pawl::cpu {

struct Target {
  std::string name;      ///< "sse2", "avx2", "avx512", "neon"
  std::string triple;    ///< LLVM's
  std::string cpu;       ///< LLVM's name of the model whose instruction costs are used
  std::string features;  ///< LLVM's: "+avx2,+fma"
  int vector_bytes = 16;
  int vector_registers = 16;
  /// The smallest element, in bytes, whose vectors can be loaded and stored in part; 0: there are no masks.
  int masked_bytes = 0;
  bool fused_multiply_add = false;
  bool half_conversions = false;  ///< between f16 and f32
  bool roundings = false;         ///< floor, ceil, round_even, truncate
  bool scales = false;            ///< full vectors by powers of 2
};

/// "sse2", "avx2", "avx512", "neon".
std::optional<Target> target_by_name(std::string_view name);

/// The widest one that this machine has. The environment's PAWL_TARGET asks for a lesser one; names that are unknown,
/// and targets that the machine lacks, count for nothing.
Target detect_target();

/// Code for `target` runs here.
bool runs_here(const Target& target);

}  // namespace pawl::cpu
