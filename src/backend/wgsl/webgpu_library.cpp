#include "backend/wgsl/webgpu_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "base/try.h"

namespace pawl::wgsl::webgpu {
namespace {

template <class F>
bool look_up(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

/// The first name that the library lacks; null: none.
const char* fill(void* handle, Library& library) {
  const char* lacking = nullptr;
  const auto find = [&](const char* name, auto& function) {
    if (!look_up(handle, name, function) && lacking == nullptr) lacking = name;
  };
  find("wgpuCreateInstance", library.create_instance);
  find("wgpuInstanceProcessEvents", library.process_events);
  find("wgpuInstanceRequestAdapter", library.request_adapter);
  find("wgpuAdapterRequestDevice", library.request_device);
  find("wgpuAdapterGetInfo", library.adapter_info);
  find("wgpuAdapterGetLimits", library.adapter_limits);
  find("wgpuAdapterHasFeature", library.adapter_has_feature);
  find("wgpuDeviceGetQueue", library.device_queue);
  find("wgpuDevicePushErrorScope", library.push_error_scope);
  find("wgpuDevicePopErrorScope", library.pop_error_scope);
  find("wgpuDeviceCreateBuffer", library.create_buffer);
  find("wgpuDeviceCreateShaderModule", library.create_shader);
  find("wgpuDeviceCreateComputePipeline", library.create_pipeline);
  find("wgpuComputePipelineGetBindGroupLayout", library.pipeline_layout);
  find("wgpuDeviceCreateBindGroup", library.create_bind_group);
  find("wgpuDeviceCreateCommandEncoder", library.create_encoder);
  find("wgpuCommandEncoderBeginComputePass", library.begin_pass);
  find("wgpuComputePassEncoderSetPipeline", library.set_pipeline);
  find("wgpuComputePassEncoderSetBindGroup", library.set_bind_group);
  find("wgpuComputePassEncoderDispatchWorkgroups", library.dispatch);
  find("wgpuComputePassEncoderEnd", library.end_pass);
  find("wgpuCommandEncoderCopyBufferToBuffer", library.copy);
  find("wgpuCommandEncoderFinish", library.finish);
  find("wgpuQueueSubmit", library.submit);
  find("wgpuQueueWriteBuffer", library.write_buffer);
  find("wgpuBufferMapAsync", library.map);
  find("wgpuBufferGetConstMappedRange", library.mapped_range);
  find("wgpuBufferUnmap", library.unmap);
  find("wgpuBufferRelease", library.release_buffer);
  find("wgpuShaderModuleRelease", library.release_shader);
  find("wgpuComputePipelineRelease", library.release_pipeline);
  find("wgpuBindGroupLayoutRelease", library.release_layout);
  find("wgpuBindGroupRelease", library.release_group);
  find("wgpuCommandEncoderRelease", library.release_encoder);
  find("wgpuComputePassEncoderRelease", library.release_pass);
  find("wgpuCommandBufferRelease", library.release_commands);
  look_up(handle, "wgpuDeviceCreateQuerySet", library.create_queries);
  look_up(handle, "wgpuCommandEncoderResolveQuerySet", library.resolve_queries);
  return lacking;
}

Result<const Library*> load() {
  std::vector<std::string> names{"libwebgpu_dawn.so", "libwebgpu_wrapper.so"};
  if (const char* own = std::getenv("PAWL_WEBGPU"); own != nullptr && *own != 0) names = {own};
  std::string tried;
  for (const std::string& name : names) {
    void* handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      tried += (tried.empty() ? "" : ", ") + name;
      continue;
    }
    static Library library;
    if (const char* lacking = fill(handle, library); lacking != nullptr)
      return fail(Code::unsupported, "{} has no {}", name, lacking);
    return &library;
  }
  return fail(Code::unsupported, "there is no WebGPU library ({}); PAWL_WEBGPU names one", tried);
}

}  // namespace

Result<const Library*> library() {
  static const Result<const Library*> kLoaded = load();
  return kLoaded;
}

}  // namespace pawl::wgsl::webgpu
