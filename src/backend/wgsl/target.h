// What shaders may be made of.
#pragma once

namespace pawl::wgsl {

struct Target {
  bool f16 = false;          ///< the feature shader-f16
  bool subgroups = false;    ///< the feature subgroups
  int buffers = 8;           ///< that a shader may have: maxStorageBuffersPerShaderStage
  int workgroup_size = 256;  ///< invocations of a workgroup; at most the device's maxComputeInvocationsPerWorkgroup
};

}  // namespace pawl::wgsl
