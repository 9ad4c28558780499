// Hand-written kernels of the benchmark families: what pawl's own kernels are held against. float32, time on the first
// axis, forward.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "team.h"

namespace pawl::bench {

/// Dense arrays by the names that they have in the model. Aligned to 64 bytes.
struct Arrays {
  std::map<std::string, std::int64_t> sizes;   ///< T, C, …
  std::map<std::string, const float*> inputs;  ///< weights too
  std::map<std::string, float*> outputs;
  std::int64_t* positions = nullptr;  ///< the output of viterbi that is int64

  [[nodiscard]] std::int64_t size(const char* name) const { return sizes.at(name); }
  [[nodiscard]] const float* in(const char* name) const { return inputs.at(name); }
  [[nodiscard]] float* out(const char* name) const { return outputs.at(name); }
};

/// One run. What depends on weights only was done when the kernel was made.
using Kernel = std::function<void()>;

Kernel make_cumsum(const Arrays& arrays, Team& team);
Kernel make_affine(const Arrays& arrays, Team& team);
Kernel make_ema(const Arrays& arrays, Team& team);
Kernel make_biquad(const Arrays& arrays, Team& team);
Kernel make_runmax(const Arrays& arrays, Team& team);
Kernel make_mingru(const Arrays& arrays, Team& team);
Kernel make_gru(const Arrays& arrays, Team& team);
Kernel make_lstm(const Arrays& arrays, Team& team);
Kernel make_mamba1(const Arrays& arrays, Team& team);
Kernel make_linattn(const Arrays& arrays, Team& team);
Kernel make_viterbi(const Arrays& arrays, Team& team);
Kernel make_pairwise(const Arrays& arrays, Team& team);

/// Whether there is a kernel for a family.
bool has_kernel(const std::string& family);
/// The kernel of a family that has one. Arrays and team outlive it.
Kernel make_kernel(const std::string& family, const Arrays& arrays, Team& team);

/// Zeroed floats, aligned to 64 bytes.
using Floats = std::shared_ptr<float[]>;
Floats floats(std::int64_t count);

/// Outputs above this many bytes are written past the caches.
inline constexpr std::int64_t kStreamBytes = std::int64_t{24} << 20;

}  // namespace pawl::bench
