// Of the C interface of WebGPU (webgpu.h) what is called here, found in a shared library when it is first needed: Dawn,
// or another one with the same layouts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "pawl/error.h"

namespace pawl::wgsl::webgpu {

/// Objects are addresses.
using Handle = struct Object*;

struct StringView {
  const char* data = nullptr;
  std::size_t length = SIZE_MAX;  ///< SIZE_MAX: up to the first 0, or none
};
struct Chained {
  const Chained* next = nullptr;
  std::uint32_t kind = 0;
};
inline constexpr std::uint32_t kShaderSourceWgsl = 2;
inline constexpr std::uint32_t kAllowProcessEvents = 2;
inline constexpr std::uint32_t kSuccess = 1;
inline constexpr std::uint32_t kNullBackend = 1;
inline constexpr std::uint32_t kProcessor = 3;
inline constexpr std::uint32_t kTimestampQuery = 3;
inline constexpr std::uint32_t kShaderF16 = 10;
inline constexpr std::uint32_t kSubgroups = 17;
inline constexpr std::uint64_t kMapRead = 1;
inline constexpr std::uint64_t kCopySource = 4;
inline constexpr std::uint64_t kCopyTarget = 8;
inline constexpr std::uint64_t kUniform = 64;
inline constexpr std::uint64_t kStorage = 128;
inline constexpr std::uint64_t kQueryResolve = 512;
inline constexpr std::uint32_t kTimestamps = 2;

/// What is called when something is done; `Function` differs in what it is told.
struct Callback {
  const Chained* next = nullptr;
  std::uint32_t mode = kAllowProcessEvents;
  void (*function)() = nullptr;
  void* first = nullptr;
  void* second = nullptr;
};
using Found = void (*)(std::uint32_t status, Handle object, StringView message, void* first, void* second);
using Mapped = void (*)(std::uint32_t status, StringView message, void* first, void* second);
using ScopeEnded = void (*)(std::uint32_t status, std::uint32_t kind, StringView message, void* first, void* second);

struct AdapterOptions {
  const Chained* next = nullptr;
  std::uint32_t feature_level = 2;     ///< core
  std::uint32_t power_preference = 2;  ///< the fastest
  std::uint32_t force_fallback = 0;
  std::uint32_t backend = 0;
  Handle surface = nullptr;
};
struct AdapterInfo {
  Chained* next = nullptr;
  StringView vendor, architecture, device, description;
  std::uint32_t backend = 0, kind = 0, vendor_id = 0, device_id = 0, least_subgroup = 0, most_subgroup = 0;
};
struct Limits {
  Chained* next = nullptr;
  std::uint32_t textures[4] = {};
  std::uint32_t bind_groups = 0, bind_groups_and_vertex_buffers = 0, bindings_per_group = 0;
  std::uint32_t dynamic_uniforms = 0, dynamic_storage = 0;
  std::uint32_t sampled_textures = 0, samplers = 0;
  std::uint32_t storage_buffers_per_stage = 0, storage_textures = 0, uniform_buffers_per_stage = 0;
  std::uint64_t uniform_binding_bytes = 0;
  std::uint64_t storage_binding_bytes = 0;
  std::uint32_t uniform_alignment = 0, storage_alignment = 0;
  std::uint32_t vertex_buffers = 0;
  std::uint64_t buffer_bytes = 0;
  std::uint32_t vertices[5] = {};
  std::uint32_t workgroup_bytes = 0;
  std::uint32_t invocations_per_workgroup = 0;
  std::uint32_t workgroup_size[3] = {};
  std::uint32_t workgroups_per_dimension = 0;
  std::uint32_t others[5] = {};
};
struct QueueDescriptor {
  const Chained* next = nullptr;
  StringView label;
};
struct ErrorCallback {
  const Chained* next = nullptr;
  void (*function)() = nullptr;
  void* first = nullptr;
  void* second = nullptr;
};
struct DeviceDescriptor {
  const Chained* next = nullptr;
  StringView label;
  std::size_t feature_count = 0;
  const std::uint32_t* features = nullptr;
  const Limits* limits = nullptr;
  QueueDescriptor queue;
  Callback lost;
  ErrorCallback error;
};
struct BufferDescriptor {
  const Chained* next = nullptr;
  StringView label;
  std::uint64_t usage = 0;
  std::uint64_t size = 0;
  std::uint32_t mapped_at_creation = 0;
};
struct BindGroupEntry {
  const Chained* next = nullptr;
  std::uint32_t binding = 0;
  Handle buffer = nullptr;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
  Handle sampler = nullptr;
  Handle texture = nullptr;
};
struct BindGroupDescriptor {
  const Chained* next = nullptr;
  StringView label;
  Handle layout = nullptr;
  std::size_t count = 0;
  const BindGroupEntry* entries = nullptr;
};
struct ShaderDescriptor {
  const Chained* next = nullptr;
  StringView label;
};
struct ShaderSource {
  Chained chain{nullptr, kShaderSourceWgsl};
  StringView code;
};
struct ComputeState {
  const Chained* next = nullptr;
  Handle shader = nullptr;
  StringView entry;
  std::size_t constant_count = 0;
  const void* constants = nullptr;
};
struct PipelineDescriptor {
  const Chained* next = nullptr;
  StringView label;
  Handle layout = nullptr;
  ComputeState compute;
};

struct QuerySetDescriptor {
  const Chained* next = nullptr;
  StringView label;
  std::uint32_t kind = kTimestamps;
  std::uint32_t count = 0;
};
struct TimestampWrites {
  const Chained* next = nullptr;
  Handle queries = nullptr;
  std::uint32_t begin = 0;
  std::uint32_t end = 1;
};
struct PassDescriptor {
  const Chained* next = nullptr;
  StringView label;
  const TimestampWrites* timestamps = nullptr;
};

/// The functions. None of them takes ownership; objects are given back by their release.
struct Library {
  Handle (*create_instance)(const void* descriptor) = nullptr;
  void (*process_events)(Handle instance) = nullptr;
  std::uint64_t (*request_adapter)(Handle instance, const AdapterOptions* options, Callback done) = nullptr;
  std::uint64_t (*request_device)(Handle adapter, const DeviceDescriptor* descriptor, Callback done) = nullptr;
  std::uint32_t (*adapter_info)(Handle adapter, AdapterInfo* info) = nullptr;
  std::uint32_t (*adapter_limits)(Handle adapter, Limits* limits) = nullptr;
  std::uint32_t (*adapter_has_feature)(Handle adapter, std::uint32_t feature) = nullptr;
  Handle (*device_queue)(Handle device) = nullptr;
  void (*push_error_scope)(Handle device, std::uint32_t filter) = nullptr;
  std::uint64_t (*pop_error_scope)(Handle device, Callback done) = nullptr;
  Handle (*create_buffer)(Handle device, const BufferDescriptor* descriptor) = nullptr;
  Handle (*create_shader)(Handle device, const ShaderDescriptor* descriptor) = nullptr;
  Handle (*create_pipeline)(Handle device, const PipelineDescriptor* descriptor) = nullptr;
  Handle (*pipeline_layout)(Handle pipeline, std::uint32_t group) = nullptr;
  Handle (*create_bind_group)(Handle device, const BindGroupDescriptor* descriptor) = nullptr;
  Handle (*create_encoder)(Handle device, const void* descriptor) = nullptr;
  Handle (*begin_pass)(Handle encoder, const PassDescriptor* descriptor) = nullptr;
  void (*set_pipeline)(Handle pass, Handle pipeline) = nullptr;
  void (*set_bind_group)(Handle pass, std::uint32_t index, Handle group, std::size_t offset_count,
                         const std::uint32_t* offsets) = nullptr;
  void (*dispatch)(Handle pass, std::uint32_t x, std::uint32_t y, std::uint32_t z) = nullptr;
  void (*end_pass)(Handle pass) = nullptr;
  void (*copy)(Handle encoder, Handle from, std::uint64_t from_offset, Handle to, std::uint64_t to_offset,
               std::uint64_t size) = nullptr;
  Handle (*finish)(Handle encoder, const void* descriptor) = nullptr;
  void (*submit)(Handle queue, std::size_t count, const Handle* commands) = nullptr;
  void (*write_buffer)(Handle queue, Handle buffer, std::uint64_t offset, const void* data, std::size_t size) = nullptr;
  std::uint64_t (*map)(Handle buffer, std::uint64_t mode, std::size_t offset, std::size_t size,
                       Callback done) = nullptr;
  const void* (*mapped_range)(Handle buffer, std::size_t offset, std::size_t size) = nullptr;
  void (*unmap)(Handle buffer) = nullptr;
  void (*release_buffer)(Handle) = nullptr;
  void (*release_shader)(Handle) = nullptr;
  void (*release_pipeline)(Handle) = nullptr;
  void (*release_layout)(Handle) = nullptr;
  void (*release_group)(Handle) = nullptr;
  void (*release_encoder)(Handle) = nullptr;
  void (*release_pass)(Handle) = nullptr;
  void (*release_commands)(Handle) = nullptr;
  // For programs that measure; null where the library lacks them.
  Handle (*create_queries)(Handle device, const QuerySetDescriptor* descriptor) = nullptr;
  void (*resolve_queries)(Handle encoder, Handle queries, std::uint32_t first, std::uint32_t count, Handle to,
                          std::uint64_t offset) = nullptr;
};

/// The library of the environment's PAWL_WEBGPU, else libwebgpu_dawn.so or libwebgpu_wrapper.so as the loader finds
/// them; loaded once. Errors: unsupported, with what is missing.
Result<const Library*> library();

}  // namespace pawl::wgsl::webgpu
