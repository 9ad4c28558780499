// Kernels as shaders that run on a device, called as all others are.
#pragma once

#include "backend/cpu/scan_kernels.h"
#include "backend/wgsl/device.h"

namespace pawl::wgsl {

/// How kernels are cut for shaders.
kernel::FusedLoopPolicy shader_policy();

/// Buffers are copied to the device and back in each call. Errors of what it makes: unsupported, of types and
/// operations that the device lacks; limit, of its limits.
cpu::CompileKernel shaders(std::shared_ptr<Device> device);

}  // namespace pawl::wgsl
