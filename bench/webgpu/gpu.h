// Shaders on a device, timed by its own clock.
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "backend/wgsl/device.h"

namespace pawl::bench {

/// Memory of the device.
struct GpuBuffer {
  wgsl::Owned object;
  std::uint64_t bytes = 0;
};

/// One dispatch with all that it takes.
struct GpuStep {
  wgsl::Handle pipeline = nullptr;
  wgsl::Owned group;
  GpuBuffer params;
  std::uint32_t workgroups = 1;
};

class Gpu {
 public:
  static Result<Gpu> open();

  [[nodiscard]] wgsl::Device& device() { return *device_; }

  /// Memory for so many bytes, filled up to a multiple of 16.
  Result<GpuBuffer> buffer(std::uint64_t bytes);
  void upload(const GpuBuffer& to, const void* data, std::size_t bytes);
  Result<void> download(const GpuBuffer& from, void* data, std::size_t bytes);

  /// The pipeline of a shader; made once.
  Result<wgsl::Handle> pipeline(const std::string& text);
  Result<GpuStep> step(wgsl::Handle pipeline, const std::vector<const GpuBuffer*>& buffers,
                       const std::vector<std::int32_t>& params, std::uint32_t workgroups);

  /// Runs the steps, one after the other, `repeats` times. Returns milliseconds of one time.
  Result<double> run(const std::vector<GpuStep>& steps, int repeats);
  /// The least of several such, in milliseconds of one time, once the device has had work for a while.
  Result<double> measure(const std::vector<GpuStep>& steps);

 private:
  Result<wgsl::Owned> create(std::uint64_t usage, std::uint64_t bytes);
  void wait(const bool& done);

  std::shared_ptr<wgsl::Device> device_;
  wgsl::Handle queries_ = nullptr;
  std::map<std::string, wgsl::Owned> pipelines_;
};

}  // namespace pawl::bench
