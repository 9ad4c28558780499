// A WebGPU device that shaders run on.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "backend/wgsl/target.h"
#include "backend/wgsl/webgpu_library.h"

namespace pawl::wgsl {

struct Release {
  void (*function)(webgpu::Handle) = nullptr;
  void operator()(webgpu::Handle object) const { function(object); }
};
using Handle = webgpu::Handle;
/// An object of the library that is given back.
using Owned = std::unique_ptr<std::remove_pointer_t<webgpu::Handle>, Release>;

/// Memory of a shader's buffer: 4 bytes for each element, or 2 of float16. Without data: of use between shaders only.
struct Memory {
  void* data = nullptr;
  std::size_t bytes = 0;
  bool is_written = false;
};

/// A shader's pipeline, which of the buffers are its bindings, and what it is told.
struct Dispatch {
  webgpu::Handle pipeline = nullptr;
  std::vector<std::size_t> buffers;
  std::vector<std::int32_t> params;
  std::uint32_t workgroups = 1;
};

/// Used by several threads, one after the other.
class Device {
 public:
  /// The fastest adapter that the library finds, the same for all of the process. Errors: unsupported, saying what is
  /// missing.
  static Result<std::shared_ptr<Device>> open();

  [[nodiscard]] const std::string& adapter() const { return adapter_; }
  [[nodiscard]] const Target& target() const { return target_; }
  /// It is a program that runs on the processor: long shaders take it seconds to compile.
  [[nodiscard]] bool is_software() const { return is_software_; }
  [[nodiscard]] const webgpu::Limits& limits() const { return limits_; }

  /// Errors: internal, with what the shader's compiler says.
  Result<Owned> pipeline(const std::string& shader);

  /// Runs a shader whose bindings are the buffers and then `params`, and waits for what it has written.
  ///   Errors: limit, of buffers that are too large; internal, with the library's words
  Result<void> run(webgpu::Handle pipeline, std::span<const Memory> buffers, std::span<const std::int32_t> params,
                   std::uint32_t workgroups);
  /// The same with shaders one after the other.
  Result<void> run(std::span<const Dispatch> dispatches, std::span<const Memory> buffers);

  /// For programs that measure.
  [[nodiscard]] const webgpu::Library& library() const { return gpu_; }
  [[nodiscard]] webgpu::Handle instance() const { return instance_; }
  [[nodiscard]] webgpu::Handle handle() const { return device_; }
  [[nodiscard]] webgpu::Handle queue() const { return queue_; }

 private:
  explicit Device(const webgpu::Library& library) : gpu_(library) {}
  Result<void> start();
  Result<Owned> buffer(std::uint64_t usage, std::uint64_t bytes) const;
  /// A buffer with these bytes in it; of null data, as it is.
  Result<Owned> filled(std::uint64_t usage, const void* data, std::size_t bytes) const;
  Result<void> read(webgpu::Handle from, const Memory& to);
  /// The first error since push_error_scope.
  Result<void> end_scope();
  /// Waits until `done` is true.
  void await(const bool& done) const;

  const webgpu::Library& gpu_;
  std::mutex mutex_;
  std::string adapter_;
  Target target_;
  bool is_software_ = false;
  webgpu::Limits limits_;
  webgpu::Handle instance_ = nullptr;  ///< as the device and its queue, kept to the end of the process
  webgpu::Handle device_ = nullptr;
  webgpu::Handle queue_ = nullptr;
};

}  // namespace pawl::wgsl
