#include "backend/wgsl/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "base/try.h"

namespace pawl::wgsl {
namespace {

using namespace webgpu;

std::string text_of(StringView view) {
  if (view.data == nullptr) return {};
  return view.length == SIZE_MAX ? std::string(view.data) : std::string(view.data, view.length);
}

/// What an asynchronous call gives back.
struct Answer {
  bool done = false;
  std::uint32_t status = 0;
  std::uint32_t kind = 0;
  Handle object = nullptr;
  std::string message;
};

void found(std::uint32_t status, Handle object, StringView message, void* first, void* /*second*/) {
  *static_cast<Answer*>(first) = {true, status, 0, object, text_of(message)};
}
void mapped(std::uint32_t status, StringView message, void* first, void* /*second*/) {
  *static_cast<Answer*>(first) = {true, status, 0, nullptr, text_of(message)};
}
void scope_ended(std::uint32_t status, std::uint32_t kind, StringView message, void* first, void* /*second*/) {
  *static_cast<Answer*>(first) = {true, status, kind, nullptr, text_of(message)};
}

template <class F>
Callback told(F function, Answer& answer) {
  Callback callback;
  callback.function = reinterpret_cast<void (*)()>(function);
  callback.first = &answer;
  return callback;
}

constexpr std::uint32_t kValidation = 1;
constexpr std::uint32_t kNoError = 1;

std::uint64_t rounded_up(std::size_t bytes, std::size_t to) { return (bytes + to - 1) / to * to; }
std::uint64_t buffer_size(std::size_t bytes) { return std::max<std::uint64_t>(rounded_up(bytes, 16), 16); }

}  // namespace

Result<std::shared_ptr<Device>> Device::open() {
  static const Result<std::shared_ptr<Device>> kOpened = []() -> Result<std::shared_ptr<Device>> {
    TRY_ASSIGN(const Library* library, webgpu::library());
    std::shared_ptr<Device> made(new Device(*library));
    TRY(made->start());
    return made;
  }();
  return kOpened;
}

void Device::await(const bool& done) const {
  while (!done) gpu_.process_events(instance_);
}

Result<void> Device::start() {
  instance_ = gpu_.create_instance(nullptr);
  if (instance_ == nullptr) return fail(Code::unsupported, "WebGPU does not start");
  AdapterOptions options;
  Answer adapter;
  gpu_.request_adapter(instance_, &options, told(found, adapter));
  await(adapter.done);
  if (adapter.status != kSuccess || adapter.object == nullptr)
    return fail(Code::unsupported, "WebGPU finds no adapter: {}", adapter.message);
  AdapterInfo info;
  gpu_.adapter_info(adapter.object, &info);
  // It takes everything and does nothing.
  if (info.backend == kNullBackend) return fail(Code::unsupported, "WebGPU finds no adapter: there is no driver");
  is_software_ = info.kind == kProcessor;
  adapter_ = text_of(info.device);
  if (adapter_.empty()) adapter_ = text_of(info.description);
  gpu_.adapter_limits(adapter.object, &limits_);
  target_.f16 = gpu_.adapter_has_feature(adapter.object, kShaderF16) != 0;
  target_.subgroups = gpu_.adapter_has_feature(adapter.object, kSubgroups) != 0;
  target_.buffers = static_cast<int>(limits_.storage_buffers_per_stage);
  target_.workgroup_size =
      static_cast<int>(std::min({256U, limits_.invocations_per_workgroup, limits_.workgroup_size[0]}));
  std::vector<std::uint32_t> features;
  if (target_.f16) features.push_back(kShaderF16);
  if (target_.subgroups) features.push_back(kSubgroups);
  if (gpu_.adapter_has_feature(adapter.object, kTimestampQuery) != 0) features.push_back(kTimestampQuery);
  DeviceDescriptor descriptor;
  descriptor.feature_count = features.size();
  descriptor.features = features.data();
  limits_.next = nullptr;
  descriptor.limits = &limits_;
  Answer device;
  gpu_.request_device(adapter.object, &descriptor, told(found, device));
  await(device.done);
  if (device.status != kSuccess || device.object == nullptr)
    return fail(Code::unsupported, "WebGPU gives no device on {}: {}", adapter_, device.message);
  device_ = device.object;
  queue_ = gpu_.device_queue(device_);
  return {};
}

Result<void> Device::end_scope() {
  Answer answer;
  gpu_.pop_error_scope(device_, told(scope_ended, answer));
  await(answer.done);
  if (answer.kind > kNoError) return fail(Code::internal, "WebGPU: {}", answer.message);
  return {};
}

Result<Owned> Device::pipeline(const std::string& shader) {
  const std::lock_guard lock(mutex_);
  gpu_.push_error_scope(device_, kValidation);
  ShaderSource source;
  source.code = {shader.data(), shader.size()};
  ShaderDescriptor shader_descriptor;
  shader_descriptor.next = &source.chain;
  const Owned made(gpu_.create_shader(device_, &shader_descriptor), {gpu_.release_shader});
  PipelineDescriptor descriptor;
  descriptor.compute.shader = made.get();
  descriptor.compute.entry = {"main", 4};
  Owned pipeline(gpu_.create_pipeline(device_, &descriptor), {gpu_.release_pipeline});
  TRY(end_scope());
  return pipeline;
}

Result<Owned> Device::buffer(std::uint64_t usage, std::uint64_t bytes) const {
  if (bytes > limits_.buffer_bytes || ((usage & kStorage) != 0 && bytes > limits_.storage_binding_bytes))
    return fail(Code::limit, "a buffer of {} bytes; {} allows {}", bytes, adapter_,
                std::min(limits_.buffer_bytes, limits_.storage_binding_bytes));
  BufferDescriptor descriptor;
  descriptor.usage = usage;
  descriptor.size = bytes;
  return Owned(gpu_.create_buffer(device_, &descriptor), {gpu_.release_buffer});
}

Result<Owned> Device::filled(std::uint64_t usage, const void* data, std::size_t bytes) const {
  TRY_ASSIGN(Owned made, buffer(usage | kCopyTarget | kCopySource, buffer_size(bytes)));
  if (bytes == 0 || data == nullptr) return made;
  const std::size_t whole = bytes / 4 * 4;
  gpu_.write_buffer(queue_, made.get(), 0, data, whole);
  if (whole < bytes) {
    std::uint32_t last = 0;
    std::memcpy(&last, static_cast<const char*>(data) + whole, bytes - whole);
    gpu_.write_buffer(queue_, made.get(), whole, &last, sizeof last);
  }
  return made;
}

Result<void> Device::run(Handle pipeline, std::span<const Memory> buffers, std::span<const std::int32_t> params,
                         std::uint32_t workgroups) {
  Dispatch only{pipeline, {}, {params.begin(), params.end()}, workgroups};
  for (std::size_t i = 0; i < buffers.size(); ++i) only.buffers.push_back(i);
  return run(std::span(&only, 1), buffers);
}

Result<void> Device::run(std::span<const Dispatch> dispatches, std::span<const Memory> buffers) {
  const std::lock_guard lock(mutex_);
  gpu_.push_error_scope(device_, kValidation);
  std::vector<Owned> own;
  for (const Memory& each : buffers) {
    TRY_ASSIGN(Owned made, filled(kStorage, each.data, each.bytes));
    own.push_back(std::move(made));
  }
  std::vector<Owned> others;
  const Owned encoder(gpu_.create_encoder(device_, nullptr), {gpu_.release_encoder});
  const Owned pass(gpu_.begin_pass(encoder.get(), nullptr), {gpu_.release_pass});
  for (const Dispatch& each : dispatches) {
    std::vector<BindGroupEntry> entries;
    const auto bind = [&](Handle made, std::size_t bytes) {
      BindGroupEntry entry;
      entry.binding = static_cast<std::uint32_t>(entries.size());
      entry.buffer = made;
      entry.size = buffer_size(bytes);
      entries.push_back(entry);
    };
    for (const std::size_t i : each.buffers) bind(own[i].get(), buffers[i].bytes);
    const std::size_t bytes = each.params.size() * sizeof(std::int32_t);
    TRY_ASSIGN(Owned params, filled(kUniform, each.params.data(), bytes));
    bind(params.get(), bytes);
    others.push_back(std::move(params));
    Owned layout(gpu_.pipeline_layout(each.pipeline, 0), {gpu_.release_layout});
    BindGroupDescriptor descriptor;
    descriptor.layout = layout.get();
    descriptor.count = entries.size();
    descriptor.entries = entries.data();
    Owned group(gpu_.create_bind_group(device_, &descriptor), {gpu_.release_group});
    gpu_.set_pipeline(pass.get(), each.pipeline);
    gpu_.set_bind_group(pass.get(), 0, group.get(), 0, nullptr);
    const std::uint32_t most = limits_.workgroups_per_dimension;
    gpu_.dispatch(pass.get(), std::min(each.workgroups, most), (each.workgroups + most - 1) / most, 1);
    others.push_back(std::move(layout));
    others.push_back(std::move(group));
  }
  gpu_.end_pass(pass.get());
  const Owned commands(gpu_.finish(encoder.get(), nullptr), {gpu_.release_commands});
  const Handle all[] = {commands.get()};
  gpu_.submit(queue_, 1, all);
  TRY(end_scope());
  for (std::size_t i = 0; i < buffers.size(); ++i)
    if (buffers[i].is_written && buffers[i].bytes > 0) TRY(read(own[i].get(), buffers[i]));
  return {};
}

Result<void> Device::read(Handle from, const Memory& to) {
  const std::uint64_t size = rounded_up(to.bytes, 4);
  TRY_ASSIGN(const Owned staging, buffer(kMapRead | kCopyTarget, size));
  const Owned encoder(gpu_.create_encoder(device_, nullptr), {gpu_.release_encoder});
  gpu_.copy(encoder.get(), from, 0, staging.get(), 0, size);
  const Owned commands(gpu_.finish(encoder.get(), nullptr), {gpu_.release_commands});
  const Handle all[] = {commands.get()};
  gpu_.submit(queue_, 1, all);
  Answer answer;
  gpu_.map(staging.get(), kMapRead, 0, size, told(mapped, answer));
  await(answer.done);
  if (answer.status != kSuccess) return fail(Code::internal, "WebGPU: {}", answer.message);
  std::memcpy(to.data, gpu_.mapped_range(staging.get(), 0, size), to.bytes);
  gpu_.unmap(staging.get());
  return {};
}

}  // namespace pawl::wgsl
