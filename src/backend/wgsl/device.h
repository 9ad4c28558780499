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
/// An object of the library that is given back.
using Owned = std::unique_ptr<std::remove_pointer_t<webgpu::Handle>, Release>;

/// Memory of a shader's buffer: 4 bytes for each element, or 2 of float16.
struct Memory {
  void* data = nullptr;
  std::size_t bytes = 0;
  bool is_written = false;
};

/// Used by several threads, one after the other.
class Device {
 public:
  /// The fastest adapter that the library finds, the same for all of the process. Errors: unsupported, saying what is
  /// missing.
  static Result<std::shared_ptr<Device>> open();

  [[nodiscard]] const std::string& adapter() const { return adapter_; }
  [[nodiscard]] const Target& target() const { return target_; }
  [[nodiscard]] const webgpu::Limits& limits() const { return limits_; }

  /// Errors: internal, with what the shader's compiler says.
  Result<Owned> pipeline(const std::string& shader);

  /// Runs a shader whose bindings are the buffers and then `params`, and waits for what it has written.
  ///   Errors: limit, of buffers that are too large; internal, with the library's words
  Result<void> run(webgpu::Handle pipeline, std::span<const Memory> buffers, std::span<const std::int32_t> params,
                   std::uint32_t workgroups);

 private:
  explicit Device(const webgpu::Library& library) : gpu_(library) {}
  Result<void> start();
  Result<Owned> buffer(std::uint64_t usage, std::uint64_t bytes) const;
  Result<void> read(webgpu::Handle from, const Memory& to);
  /// The first error since push_error_scope.
  Result<void> end_scope();
  /// Waits until `done` is true.
  void await(const bool& done) const;

  const webgpu::Library& gpu_;
  std::mutex mutex_;
  std::string adapter_;
  Target target_;
  webgpu::Limits limits_;
  webgpu::Handle instance_ = nullptr;  ///< as the device and its queue, kept to the end of the process
  webgpu::Handle device_ = nullptr;
  webgpu::Handle queue_ = nullptr;
};

}  // namespace pawl::wgsl
