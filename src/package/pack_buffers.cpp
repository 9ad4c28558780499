#include "package/pack_buffers.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/try.h"

namespace pawl::package {
namespace {

using Kind = kernel::Binding::Kind;

std::int64_t size_of_buffer(const DraftBuffer& buffer) {
  std::int64_t size = 1;
  for (const std::int64_t extent : buffer.shape) size *= extent;
  return size;
}

class Packing {
 public:
  Packing(KernelCall& call, DraftBuilder& to) : call_(call), to_(to) {}

  Result<std::vector<CopyBack>> run(std::size_t most) {
    for (const Kind kind : {Kind::scratch, Kind::state, Kind::captured, Kind::element, Kind::output})
      for (const DType dtype : {DType::f32, DType::f16, DType::i32, DType::u32, DType::boolean})
        if (count() > most) TRY(pack(kind, dtype));
    return std::move(back_);
  }

 private:
  /// Of those that are read alone one buffer of the draft is one of the kernel.
  [[nodiscard]] std::size_t count() const {
    std::set<std::pair<std::size_t, DType>> all;
    for (const kernel::Binding& binding : call_.loop.bindings)
      all.emplace(call_.buffers[binding.buffer], dtype_of(binding));
    return all.size();
  }
  [[nodiscard]] DType dtype_of(const kernel::Binding& binding) const {
    return device_type(call_.loop.program.buffers[binding.buffer].dtype);
  }

  Result<void> pack(Kind kind, DType dtype) {
    std::vector<const kernel::Binding*> members;
    std::map<std::size_t, std::int64_t> offsets;
    std::int64_t size = 0;
    for (const kernel::Binding& binding : call_.loop.bindings) {
      if (binding.kind != kind || dtype_of(binding) != dtype) continue;
      members.push_back(&binding);
      const std::size_t buffer = call_.buffers[binding.buffer];
      if (offsets.emplace(buffer, size).second) size += size_of_buffer(to_.at(buffer));
    }
    if (offsets.size() < 2) return {};
    const std::size_t packed = to_.buffer(wgsl::PassBuffer::Kind::scratch, call_.name + "_packed", dtype, {size});
    for (const auto& [buffer, offset] : offsets) {
      const Dims shape{size_of_buffer(to_.at(buffer))};
      if (kind != Kind::scratch && kind != Kind::output)
        TRY(to_.copy(call_.name + "_packed", buffer, {shape, {1}}, packed, 0, offset));
      if (kind == Kind::state || kind == Kind::output) back_.push_back({packed, offset, buffer});
    }
    for (const kernel::Binding* each : members) {
      call_.params[each->origin.index] += offsets.at(call_.buffers[each->buffer]);
      call_.buffers[each->buffer] = packed;
    }
    return {};
  }

  KernelCall& call_;
  DraftBuilder& to_;
  std::vector<CopyBack> back_;
};

}  // namespace

Result<std::vector<CopyBack>> pack_buffers(KernelCall& call, std::size_t most, DraftBuilder& to) {
  return Packing(call, to).run(most);
}

}  // namespace pawl::package
