// Random kernels: printed the same twice, and the same in memory however they are run: lanes forward, backward and in
// parts, by the interpreter and by every other back end.
//   kernel_fuzz [SECONDS] [FIRST_SEED]   a failing kernel is cut down and printed; exit 1
//   kernel_fuzz print SEED               shows a kernel
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>

#include "backend/cpu/kernel_cache.h"
#include "backend/reference/kernel_interpreter.h"
#include "guarded_memory.h"
#include "random_contents.h"
#include "random_kernel.h"
#include "smaller_kernel.h"
#include "tensor/scalar.h"

namespace pawl::tests {
namespace {

using kernel::Program;
using reference::LaneOrder;
using reference::LaneRange;
using reference::Memory;

using Run = std::function<Result<void>(const Program&, std::span<const Memory>, std::span<const std::int64_t> params,
                                       std::optional<LaneRange>)>;
struct Backend {
  std::string name;
  Run run;
};

/// As machine code, in memory that cannot be left.
Result<void> run_compiled(cpu::KernelCache& cache, const cpu::Target& target, const Program& program,
                          std::span<const Memory> buffers, std::span<const std::int64_t> params,
                          std::optional<LaneRange> range) {
  TRY_ASSIGN(const auto kernel, cache.get(program, target));
  std::vector<std::unique_ptr<GuardedMemory>> guarded;
  std::vector<void*> pointers;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const auto* data = static_cast<const std::uint8_t*>(buffers[i].data);
    const std::span bytes(data, static_cast<std::size_t>(buffers[i].size) * size_of(program.buffers[i].dtype));
    guarded.push_back(std::make_unique<GuardedMemory>(
        bytes, i % 2 == 0 ? GuardedMemory::Guard::after : GuardedMemory::Guard::before));
    pointers.push_back(guarded.back()->data());
  }
  const LaneRange lanes = range.value_or(LaneRange{0, std::numeric_limits<std::int64_t>::max()});
  kernel->run(pointers.data(), params.data(), lanes.begin, lanes.end);
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    const std::vector<std::uint8_t> bytes = guarded[i]->bytes();
    std::memcpy(buffers[i].data, bytes.data(), bytes.size());
  }
  return {};
}

/// Those that are compared with the interpreter.
std::vector<Backend> backends() {
  std::vector<Backend> all;
  all.push_back({"backward", [](const Program& program, std::span<const Memory> buffers,
                                std::span<const std::int64_t> params, std::optional<LaneRange> range) {
                   return reference::run_kernel(program, buffers, params, range, LaneOrder::backward);
                 }});
  for (const char* name : {"sse2", "avx2", "avx512", "neon"}) {
    const auto target = cpu::target_by_name(name);
    if (!target || !cpu::runs_here(*target)) continue;
    const auto cache = std::make_shared<cpu::KernelCache>(std::filesystem::path{});
    all.push_back({name, [cache, target](const Program& program, std::span<const Memory> buffers,
                                         std::span<const std::int64_t> params, std::optional<LaneRange> range) {
                     return run_compiled(*cache, *target, program, buffers, params, range);
                   }});
  }
  return all;
}

using Contents = std::vector<std::vector<std::byte>>;

/// The buffers after the parts between `cuts` have run, or all at once where there are none.
Result<Contents> after(const Backend& backend, const Program& program, const RandomKernel& kernel,
                       const std::vector<std::int64_t>& cuts) {
  Contents contents = kernel.buffers;
  std::vector<Memory> buffers;
  buffers.reserve(contents.size());
  for (std::size_t i = 0; i < contents.size(); ++i)
    buffers.push_back(
        {contents[i].data(), static_cast<std::int64_t>(contents[i].size() / size_of(program.buffers[i].dtype))});
  if (cuts.empty()) TRY(backend.run(program, buffers, kernel.params, std::nullopt));
  for (std::size_t i = 1; i < cuts.size(); ++i)
    TRY(backend.run(program, buffers, kernel.params, LaneRange{cuts[i - 1], cuts[i]}));
  return contents;
}

double real(DType dtype, std::uint64_t bits) {
  if (dtype == DType::f64) return std::bit_cast<double>(bits);
  if (dtype == DType::f32) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  if (dtype == DType::f16 || dtype == DType::bf16)
    return static_cast<double>(decode_float(dtype, static_cast<std::uint16_t>(bits)));
  return 0;
}

/// Where two are other bits, and not both NaN.
std::optional<std::string> difference(const Program& program, const Contents& want, const Contents& got) {
  for (std::size_t i = 0; i < want.size(); ++i) {
    const DType dtype = program.buffers[i].dtype;
    for (std::size_t at = 0; at < want[i].size(); at += size_of(dtype)) {
      std::uint64_t wanted = 0;
      std::uint64_t found = 0;
      std::memcpy(&wanted, &want[i][at], size_of(dtype));
      std::memcpy(&found, &got[i][at], size_of(dtype));
      if (wanted == found || (std::isnan(real(dtype, wanted)) && std::isnan(real(dtype, found)))) continue;
      return fmt::format("{}[{}] is {:#x} ({}), not {:#x} ({})", program.buffers[i].name, at / size_of(dtype), found,
                         real(dtype, found), wanted, real(dtype, wanted));
    }
  }
  return std::nullopt;
}

/// Where a way of running the program goes wrong, or nothing.
std::optional<std::string> problem(const Program& program, const RandomKernel& kernel) {
  const Backend interpreter = {
      "interpreter", [](const Program& run, std::span<const Memory> buffers, std::span<const std::int64_t> params,
                        std::optional<LaneRange> range) { return reference::run_kernel(run, buffers, params, range); }};
  const Result<Contents> want = after(interpreter, program, kernel, {});
  if (!want.ok()) return want.error().to_string();
  std::vector<Backend> all = backends();
  all.push_back(interpreter);
  const std::int64_t third = kernel.lanes / 3;
  for (const Backend& backend : all) {
    for (const std::vector<std::int64_t>& cuts :
         {std::vector<std::int64_t>{}, std::vector<std::int64_t>{0, kernel.lanes},
          std::vector<std::int64_t>{0, third, third, kernel.lanes}}) {
      if (!cuts.empty() && !program.splits) continue;
      const Result<Contents> got = after(backend, program, kernel, cuts);
      // No compiler, or no such operation on that target.
      if (!got.ok() && got.error().code == Code::unsupported) continue;
      const std::string where = backend.name + (cuts.size() > 2 ? " in parts: " : ": ");
      if (!got.ok()) return where + got.error().to_string();
      if (const auto words = difference(program, *want, *got)) return where + *words;
    }
  }
  return std::nullopt;
}

std::string params_text(const RandomKernel& kernel) {
  std::string text;
  for (std::size_t i = 0; i < kernel.params.size(); ++i)
    text += fmt::format("{} = {}\n", kernel.program.params[i], kernel.params[i]);
  return text;
}

RandomKernel kernel_of(std::uint32_t seed) {
  return random_kernel(seed, {.statements = 3 + static_cast<int>(seed % 8) * 4, .functions = seed % 4 != 0});
}

int report(std::uint32_t seed, const std::string& words, const RandomKernel& kernel, const Program& program) {
  const std::string text = fmt::format("seed {}: {}\n{}{}", seed, words, params_text(kernel), kernel::print(program));
  static_cast<void>(std::fputs(text.c_str(), stdout));
  return 1;
}

int show(std::uint32_t seed) {
  const RandomKernel kernel = kernel_of(seed);
  static_cast<void>(std::fputs((params_text(kernel) + kernel::print(kernel.program)).c_str(), stdout));
  return 0;
}

int fuzz(double seconds, std::uint32_t seed) {
  const auto start = std::chrono::steady_clock::now();
  std::uint32_t count = 0;
  for (;; ++seed, ++count) {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
    if (passed.count() > seconds) break;
    const RandomKernel kernel = kernel_of(seed);
    if (kernel::print(kernel.program) != kernel::print(kernel_of(seed).program))
      return report(seed, "the same kernel is printed in two ways", kernel, kernel.program);
    if (!problem(kernel.program, kernel)) continue;
    const Program small =
        smaller(copy(kernel.program), [&](const Program& program) { return problem(program, kernel).has_value(); });
    return report(seed, problem(small, kernel).value_or(""), kernel, small);
  }
  static_cast<void>(std::fputs(fmt::format("{} kernels agree\n", count).c_str(), stdout));
  return 0;
}

}  // namespace
}  // namespace pawl::tests

int main(int argc, char** argv) {
  const double seconds = argc > 1 ? std::strtod(argv[1], nullptr) : 10;
  const auto seed = static_cast<std::uint32_t>(argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 1);
  try {
    if (argc > 1 && std::strcmp(argv[1], "print") == 0) return pawl::tests::show(seed);
    return pawl::tests::fuzz(seconds, seed);
  } catch (const std::exception& exception) {
    static_cast<void>(std::fputs(exception.what(), stderr));
    return 2;
  }
}
