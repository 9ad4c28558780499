#include "backend/cpu/target.h"

#include <algorithm>
#include <array>
#include <cstdlib>

namespace pawl::cpu {
namespace {

constexpr const char* kX86 = "x86_64-unknown-linux-gnu";

const std::array<Target, 4>& targets() {
  static const std::array<Target, 4> all = {{
      {"avx512", kX86, "skylake-avx512",
       "+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+avx512f,+avx512bw,+avx512dq,+avx512vl,-prefer-256-bit", 64, 32, 1, true, true,
       true, true},
      {"avx2", kX86, "haswell", "+avx,+avx2,+fma,+f16c,+bmi,+bmi2", 32, 16, 4, true, true, true},
      {"neon", "aarch64-unknown-linux-gnu", "generic", "+neon", 16, 32, 0, true, true, true},
      {"sse2", kX86, "x86-64", "", 16, 16, 0, false, false, false},
  }};
  return all;
}

}  // namespace

std::optional<Target> target_by_name(std::string_view name) {
  for (const Target& target : targets())
    if (target.name == name) return target;
  return std::nullopt;
}

bool runs_here(const Target& target) {
#if defined(__x86_64__)
  if (target.name == "avx512")
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("f16c") && __builtin_cpu_supports("bmi2");
  if (target.name == "avx2")
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c") &&
           __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
  return target.name == "sse2";
#elif defined(__aarch64__)
  return target.name == "neon";
#else
  static_cast<void>(target);
  return false;
#endif
}

Target detect_target() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets the environment
  if (const char* wanted = std::getenv("PAWL_TARGET"))
    if (const auto target = target_by_name(wanted); target && runs_here(*target)) return *target;
  const auto& all = targets();
  const auto* const found = std::find_if(all.begin(), all.end(), runs_here);
  return found == all.end() ? all.back() : *found;
}

}  // namespace pawl::cpu
