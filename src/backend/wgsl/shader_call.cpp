#include "backend/wgsl/shader_call.h"

#include <algorithm>
#include <limits>

#include "backend/wgsl/generate.h"
#include "base/try.h"
#include "kernel/form.h"

namespace pawl::wgsl {
namespace {

struct Compiled {
  std::shared_ptr<Device> device;
  Shader shader;
  Owned pipeline;
  std::vector<kernel::Buffer> buffers;
  std::size_t counters = 0;
};

/// Booleans take 4 bytes on a device.
std::vector<std::uint32_t> widened(const cpu::KernelMemory& memory) {
  const auto* bytes = static_cast<const std::uint8_t*>(memory.data);
  return {bytes, bytes + memory.size};
}

Result<std::vector<std::int32_t>> narrowed(std::span<const std::int64_t> params) {
  std::vector<std::int32_t> made;
  for (const std::int64_t each : params) {
    if (each < std::numeric_limits<std::int32_t>::min() || each > std::numeric_limits<std::int32_t>::max())
      return fail(Code::limit, "{} does not fit the 32 bits of a shader", each);
    made.push_back(static_cast<std::int32_t>(each));
  }
  return made;
}

/// As many as there are lanes for.
std::uint32_t workgroups_of(const Compiled& kernel, std::span<const std::int64_t> params) {
  if (kernel.shader.is_one_workgroup) return 1;
  const std::vector<std::int64_t> counters(kernel.counters, 0);
  const std::int64_t size = kernel.device->target().workgroup_size;
  std::int64_t lanes = 1;
  for (const kernel::Affine& extent : kernel.shader.lanes)
    lanes *= std::max<std::int64_t>(kernel::value_of(extent, params, counters), 0);
  constexpr std::int64_t kMost = 1 << 24;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>((lanes + size - 1) / size, 1, kMost));
}

Result<void> call(const Compiled& kernel, std::span<const cpu::KernelMemory> memory,
                  std::span<const std::int64_t> params) {
  TRY_ASSIGN(const std::vector<std::int32_t> numbers, narrowed(params));
  std::vector<Memory> buffers;
  std::vector<std::vector<std::uint32_t>> wide(memory.size());
  for (std::size_t i = 0; i < memory.size(); ++i) {
    const kernel::Buffer& facts = kernel.buffers[i];
    if (memory[i].size > std::numeric_limits<std::int32_t>::max())
      return fail(Code::limit, "{} elements; a shader counts to 2^31", memory[i].size);
    Memory made{memory[i].data, static_cast<std::size_t>(memory[i].size) * size_of(facts.dtype),
                facts.access != kernel::Access::in};
    if (facts.dtype == DType::boolean) {
      wide[i] = widened(memory[i]);
      made.data = wide[i].data();
      made.bytes = wide[i].size() * sizeof(std::uint32_t);
    }
    buffers.push_back(made);
  }
  TRY(kernel.device->run(kernel.pipeline.get(), buffers, numbers, workgroups_of(kernel, params)));
  for (std::size_t i = 0; i < memory.size(); ++i)
    if (kernel.buffers[i].dtype == DType::boolean && buffers[i].is_written)
      std::copy(wide[i].begin(), wide[i].end(), static_cast<std::uint8_t*>(memory[i].data));
  return {};
}

}  // namespace

kernel::FusedLoopPolicy shader_policy() {
  kernel::FusedLoopPolicy policy;
  policy.register_lanes = std::numeric_limits<std::int64_t>::max();
  policy.barriers = true;
  // A device has other caches than a processor.
  policy.tiles = false;
  policy.near = policy.stays = policy.cache_bytes = std::int64_t{1} << 40;
  return policy;
}

cpu::CompileKernel shaders(std::shared_ptr<Device> device) {
  return [device = std::move(device)](const kernel::Program& program) -> Result<cpu::KernelCall> {
    auto made = std::make_shared<Compiled>();
    made->device = device;
    TRY_ASSIGN(made->shader, generate(program, device->target()));
    TRY_ASSIGN(made->pipeline, device->pipeline(made->shader.text));
    made->buffers = program.buffers;
    made->counters = program.counters.size();
    return cpu::KernelCall([made](std::span<const cpu::KernelMemory> memory, std::span<const std::int64_t> params,
                                  cpu::Meeting* /*meeting*/) { return call(*made, memory, params); });
  };
}

}  // namespace pawl::wgsl
