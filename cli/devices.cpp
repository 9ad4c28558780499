// pawl devices: where models can run here, and what is missing for the rest.
#include <fmt/core.h>

#include "backend/cpu/target.h"
#include "backend/cpu/threads.h"
#include "backend/wgsl/device.h"
#include "base/try.h"
#include "command.h"
#include "device_option.h"
#include "terminal.h"

namespace pawl::cli {

Action define_devices(CLI::App& /*command*/) {
  return []() -> Result<int> {
    print(fmt::format("cpu     {}, {} cores\n", cpu::detect_target().name, cpu::usable_cores()));
    const Result<std::shared_ptr<wgsl::Device>> device = wgsl::Device::open();
    if (!device.ok()) {
      print(printable(fmt::format("webgpu  not here: {}", device.error().message)) + "\n");
      return 0;
    }
    const wgsl::Device& found = **device;
    print(printable(fmt::format("webgpu  {}, {} invocations a workgroup, {} buffers a shader{}", found.adapter(),
                                found.limits().invocations_per_workgroup, found.target().buffers,
                                found.target().f16 ? ", float16" : "")) +
          "\n");
    return 0;
  };
}

Result<Kernels> kernels_on(const std::string& device) {
  if (device == "cpu") return Kernels::compiled;
  if (device != "webgpu") return fail(Code::bad_argument, "--device {}: expected cpu or webgpu", device);
  TRY(wgsl::Device::open());
  return Kernels::webgpu;
}

}  // namespace pawl::cli
