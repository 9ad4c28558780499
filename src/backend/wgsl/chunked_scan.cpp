#include "backend/wgsl/chunked_scan.h"

#include <algorithm>

#include "backend/wgsl/chunked_pass.h"
#include "base/try.h"
#include "expr/types.h"

namespace pawl::wgsl {
namespace {

/// Numbers of each staged buffer that fit beside what parts hold.
int stage_words(const LaneLaws& laws, const Target& target, const ChunkedScanPolicy& policy) {
  const auto stages = static_cast<int>(stage_types(laws, true).size());
  const int rounds = policy.workgroup_bytes / (4 * target.workgroup_size) - static_cast<int>(laws.words.size());
  return stages == 0 || rounds < 0 ? 0 : rounds / stages * target.workgroup_size;
}

Count odd(const Count& count) { return maximum(count - 1 + modulo(count, 2), 1); }

/// What all shaders are told, in terms of steps and lanes.
std::vector<std::pair<std::string, Count>> numbers(const ChunkedScanCall& call, const Target& target,
                                                   const ChunkedScanPolicy& policy, int words) {
  std::vector<std::pair<std::string, Count>> made{{"steps", call.steps}, {"lanes", call.lanes}};
  const auto add = [&](const std::string& name, const Count& value) { made.emplace_back(name, value); };
  const auto named = [](const char* name) { return Count::named(name); };
  const Count size = target.workgroup_size;
  const int group = std::min(call.alone ? target.workgroup_size : policy.group, target.workgroup_size);
  if (call.staged) {
    add("group", named("lanes"));
    add("groups", 1);
  } else {
    add("groups", maximum(ceil_div(named("lanes"), group), 1));
    add("group", maximum(ceil_div(named("lanes"), named("groups")), 1));
  }
  add("parts", floor_div(size, maximum(named("group"), 1)));
  if (call.staged) {
    add("rows", odd(floor_div(words, maximum(named("parts") * named("lanes"), 1))));
    add("stages_of_all", maximum(ceil_div(named("steps"), named("parts") * named("rows")), 1));
    add("stages", call.alone ? named("stages_of_all") : ceil_div(named("stages_of_all"), policy.staged_workgroups));
    add("tiles", call.alone ? Count(1) : ceil_div(named("stages_of_all"), named("stages")));
    return made;
  }
  if (call.alone) {
    add("tiles", 1);
    add("rows", maximum(ceil_div(named("steps"), named("parts")), 1));
    return made;
  }
  add("most_tiles", maximum(minimum(floor_div(policy.workgroups, named("groups")),
                                    ceil_div(named("steps"), named("parts") * policy.least_rows)),
                            1));
  // Whole blocks of rows that are read ahead.
  add("rows",
      maximum(ceil_div(named("steps"), named("most_tiles") * named("parts") * policy.unroll), 1) * policy.unroll);
  add("tiles", maximum(ceil_div(named("steps"), named("rows") * named("parts")), 1));
  return made;
}

std::vector<PassBuffer> buffers(const LaneLaws& laws, const ChunkedScanCall& call) {
  std::vector<PassBuffer> made;
  for (const auto* list : {&call.inputs, &call.initial, &call.finals, &call.outputs})
    for (const PlacedBuffer& each : *list) made.push_back(each.buffer);
  const auto words = static_cast<std::int64_t>(laws.words.size());
  const Count tiles = Count::named("tiles"), parts = Count::named("parts"), lanes = Count::named("lanes");
  const auto scratch = [&](const char* name, DType dtype, std::vector<Count> shape) {
    made.push_back({PassBuffer::Kind::scratch, name, dtype, std::move(shape)});
  };
  scratch("parts", item_type(laws, call), {tiles * parts, words, lanes});
  scratch("tiles", item_type(laws, call), {tiles, words, lanes});
  scratch("again", DType::u32, {lanes});
  return made;
}

Result<void> check(const Passes& passes, const Target& target) {
  for (const Pass& pass : passes.passes)
    if (pass.buffers.size() > static_cast<std::size_t>(target.buffers))
      return fail(Code::unsupported, "a shader has {} buffers, the device binds {} (maxStorageBuffersPerShaderStage)",
                  pass.buffers.size(), target.buffers);
  for (const PassBuffer& each : passes.buffers)
    if (each.dtype == DType::f16 && !target.f16)
      return fail(Code::unsupported, "the device lacks shader-f16, which float16 takes");
  return {};
}

/// Leaves out buffers that no shader has.
void drop_unused(Passes& passes) {
  std::vector<std::size_t> to(passes.buffers.size(), SIZE_MAX);
  std::vector<PassBuffer> kept;
  for (std::size_t i = 0; i < passes.buffers.size(); ++i) {
    const bool is_used = std::any_of(passes.passes.begin(), passes.passes.end(), [&](const Pass& pass) {
      return std::find(pass.buffers.begin(), pass.buffers.end(), i) != pass.buffers.end();
    });
    if (!is_used) continue;
    to[i] = kept.size();
    kept.push_back(std::move(passes.buffers[i]));
  }
  passes.buffers = std::move(kept);
  for (Pass& pass : passes.passes)
    for (std::size_t& each : pass.buffers) each = to[each];
}

}  // namespace

bool can_stage(const LaneLaws& laws, std::int64_t lanes, const Target& target, const ChunkedScanPolicy& policy) {
  if (lanes < 1 || lanes > std::min(policy.staged_lanes, target.workgroup_size) || stage_types(laws, false).empty())
    return false;
  for (const LaneInput& each : laws.inputs)
    if (each.source == kernel::StepValue::Source::element && each.shape != laws.lanes) return false;
  return stage_words(laws, target, policy) >= target.workgroup_size;
}

Result<Passes> chunked_scan(const LaneLaws& laws, const ChunkedScanCall& call, const Target& target,
                            const ChunkedScanPolicy& policy) {
  const int words = stage_words(laws, target, policy);
  if (call.staged && words < target.workgroup_size)
    return fail(Code::limit, "what a workgroup holds takes more than {} bytes", policy.workgroup_bytes);
  Passes made;
  made.buffers = buffers(laws, call);
  made.derived = numbers(call, target, policy, words);
  const auto pass = [&] { return ChunkedPass(laws, call, target, policy, words); };
  if (!call.alone) made.passes.push_back(pass().reduce());
  made.passes.push_back(pass().scan());
  if (call.again && laws.doubts) made.passes.push_back(pass().again());
  TRY(check(made, target));
  drop_unused(made);
  return made;
}

}  // namespace pawl::wgsl
