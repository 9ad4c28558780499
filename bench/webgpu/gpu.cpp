#include "gpu.h"

#include <algorithm>

#include "base/try.h"

namespace pawl::bench {

using namespace wgsl::webgpu;

namespace {

struct Mapping {
  bool done = false;
  std::uint32_t status = 0;
};
void mapped(std::uint32_t status, StringView /*message*/, void* first, void* /*second*/) {
  *static_cast<Mapping*>(first) = {true, status};
}

std::uint64_t filled_up(std::uint64_t bytes) { return std::max<std::uint64_t>((bytes + 15) / 16 * 16, 16); }

}  // namespace

Result<Gpu> Gpu::open() {
  Gpu made;
  TRY_ASSIGN(made.device_, wgsl::Device::open());
  const Library& gpu = made.device_->library();
  if (gpu.create_queries == nullptr || gpu.resolve_queries == nullptr)
    return fail(Code::unsupported, "the WebGPU library has no queries");
  QuerySetDescriptor descriptor;
  descriptor.count = 2;
  made.queries_ = gpu.create_queries(made.device_->handle(), &descriptor);
  return made;
}

void Gpu::wait(const bool& done) {
  while (!done) device_->library().process_events(device_->instance());
}

Result<wgsl::Owned> Gpu::create(std::uint64_t usage, std::uint64_t bytes) {
  const Library& gpu = device_->library();
  BufferDescriptor descriptor;
  descriptor.usage = usage;
  descriptor.size = bytes;
  wgsl::Owned made(gpu.create_buffer(device_->handle(), &descriptor), {gpu.release_buffer});
  if (!made) return fail(Code::limit, "no buffer of {} bytes", bytes);
  return made;
}

Result<GpuBuffer> Gpu::buffer(std::uint64_t bytes) {
  GpuBuffer made;
  made.bytes = filled_up(bytes);
  TRY_ASSIGN(made.object, create(kStorage | kUniform | kCopySource | kCopyTarget, made.bytes));
  return made;
}

void Gpu::upload(const GpuBuffer& to, const void* data, std::size_t bytes) {
  constexpr std::size_t kAtOnce = std::size_t{32} << 20;
  for (std::size_t at = 0; at < bytes; at += kAtOnce)
    device_->library().write_buffer(device_->queue(), to.object.get(), at, static_cast<const char*>(data) + at,
                                    std::min(kAtOnce, bytes - at));
}

Result<void> Gpu::download(const GpuBuffer& from, void* data, std::size_t bytes) {
  const Library& gpu = device_->library();
  const std::uint64_t size = filled_up(bytes);
  TRY_ASSIGN(const wgsl::Owned staging, create(kMapRead | kCopyTarget, size));
  const wgsl::Owned encoder(gpu.create_encoder(device_->handle(), nullptr), {gpu.release_encoder});
  gpu.copy(encoder.get(), from.object.get(), 0, staging.get(), 0, size);
  const wgsl::Owned commands(gpu.finish(encoder.get(), nullptr), {gpu.release_commands});
  const Handle all[] = {commands.get()};
  gpu.submit(device_->queue(), 1, all);
  Mapping mapping;
  Callback callback;
  callback.function = reinterpret_cast<void (*)()>(mapped);
  callback.first = &mapping;
  gpu.map(staging.get(), kMapRead, 0, size, callback);
  wait(mapping.done);
  if (mapping.status != kSuccess) return fail(Code::internal, "a buffer cannot be read back");
  std::memcpy(data, gpu.mapped_range(staging.get(), 0, size), bytes);
  gpu.unmap(staging.get());
  return {};
}

Result<Handle> Gpu::pipeline(const std::string& text) {
  if (const auto found = pipelines_.find(text); found != pipelines_.end()) return found->second.get();
  TRY_ASSIGN(wgsl::Owned made, device_->pipeline(text));
  return pipelines_.emplace(text, std::move(made)).first->second.get();
}

Result<GpuStep> Gpu::step(Handle pipeline, const std::vector<const GpuBuffer*>& buffers,
                          const std::vector<std::int32_t>& params, std::uint32_t workgroups) {
  const Library& gpu = device_->library();
  GpuStep made;
  made.pipeline = pipeline;
  made.workgroups = workgroups;
  TRY_ASSIGN(made.params, buffer(params.size() * sizeof(std::int32_t)));
  upload(made.params, params.data(), params.size() * sizeof(std::int32_t));
  std::vector<BindGroupEntry> entries;
  const auto bind = [&](const GpuBuffer& each) {
    BindGroupEntry entry;
    entry.binding = static_cast<std::uint32_t>(entries.size());
    entry.buffer = each.object.get();
    entry.size = each.bytes;
    entries.push_back(entry);
  };
  for (const GpuBuffer* each : buffers) bind(*each);
  bind(made.params);
  const wgsl::Owned layout(gpu.pipeline_layout(pipeline, 0), {gpu.release_layout});
  BindGroupDescriptor descriptor;
  descriptor.layout = layout.get();
  descriptor.count = entries.size();
  descriptor.entries = entries.data();
  made.group = wgsl::Owned(gpu.create_bind_group(device_->handle(), &descriptor), {gpu.release_group});
  return made;
}

Result<double> Gpu::run(const std::vector<GpuStep>& steps, int repeats) {
  const Library& gpu = device_->library();
  const wgsl::Owned encoder(gpu.create_encoder(device_->handle(), nullptr), {gpu.release_encoder});
  TimestampWrites writes;
  writes.queries = queries_;
  PassDescriptor pass_descriptor;
  pass_descriptor.timestamps = &writes;
  const wgsl::Owned pass(gpu.begin_pass(encoder.get(), &pass_descriptor), {gpu.release_pass});
  const std::uint32_t most = device_->limits().workgroups_per_dimension;
  for (int i = 0; i < repeats; ++i) {
    for (const GpuStep& each : steps) {
      gpu.set_pipeline(pass.get(), each.pipeline);
      gpu.set_bind_group(pass.get(), 0, each.group.get(), 0, nullptr);
      gpu.dispatch(pass.get(), std::min(each.workgroups, most), (each.workgroups + most - 1) / most, 1);
    }
  }
  gpu.end_pass(pass.get());
  TRY_ASSIGN(GpuBuffer times, buffer(0));
  TRY_ASSIGN(times.object, create(kQueryResolve | kCopySource, times.bytes));
  gpu.resolve_queries(encoder.get(), queries_, 0, 2, times.object.get(), 0);
  const wgsl::Owned commands(gpu.finish(encoder.get(), nullptr), {gpu.release_commands});
  const Handle all[] = {commands.get()};
  gpu.submit(device_->queue(), 1, all);
  std::uint64_t nanoseconds[2] = {};
  TRY(download(times, nanoseconds, sizeof nanoseconds));
  return static_cast<double>(nanoseconds[1] - nanoseconds[0]) * 1e-6 / repeats;
}

Result<double> Gpu::measure(const std::vector<GpuStep>& steps) {
  // Clocks of devices rise with the work, and fall while there is none: what comes first counts for nothing.
  constexpr double kLong = 15, kAll = 300;
  // They are also rounded, to some hundredths of a millisecond.
  TRY_ASSIGN(const double first, run(steps, 100));
  const int repeats = std::clamp(static_cast<int>(kLong / std::max(first, 1e-3)), 2, 4000);
  double least = 1e9, all = 0;
  while (all < kAll) {
    TRY_ASSIGN(const double each, run(steps, repeats));
    least = std::min(least, each);
    all += std::max(each * repeats, 1.0);
  }
  return least;
}

}  // namespace pawl::bench
