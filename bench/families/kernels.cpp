#include "kernels.h"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

namespace pawl::bench {
namespace {

using Make = Kernel (*)(const Arrays&, Team&);
const std::map<std::string, Make>& makers() {
  static const std::map<std::string, Make> kMakers = {
      {"cumsum", make_cumsum}, {"affine", make_affine},   {"ema", make_ema},         {"biquad", make_biquad},
      {"runmax", make_runmax}, {"mingru", make_mingru},   {"gru", make_gru},         {"lstm", make_lstm},
      {"mamba1", make_mamba1}, {"linattn", make_linattn}, {"viterbi", make_viterbi}, {"pairwise", make_pairwise}};
  return kMakers;
}

}  // namespace

bool has_kernel(const std::string& family) { return makers().count(family) != 0; }

Kernel make_kernel(const std::string& family, const Arrays& arrays, Team& team) {
  return makers().at(family)(arrays, team);
}

Floats floats(std::int64_t count) {
  // Large ones in pages of their own, large ones where the system has them.
  constexpr std::size_t kLarge = std::size_t{2} << 20;
  auto bytes = static_cast<std::size_t>((count + 15) / 16 * 64 + 64);
  const std::size_t alignment = bytes < kLarge ? 64 : kLarge;
  bytes = (bytes + alignment - 1) / alignment * alignment;
  auto* memory = static_cast<float*>(std::aligned_alloc(alignment, bytes));
  if (memory == nullptr) std::abort();
  if (bytes >= kLarge) madvise(memory, bytes, MADV_HUGEPAGE);
  std::fill_n(memory, bytes / sizeof(float), 0.0F);
  return {memory, [](float* p) { std::free(p); }};
}

}  // namespace pawl::bench
