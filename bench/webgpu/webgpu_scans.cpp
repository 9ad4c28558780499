// Scans in chunks on a WebGPU device, beside a copy of as many bytes.
//   webgpu_scans [--try] [NAME…]
// For each case of cases.cpp (or those of the recurrences that are named): checks the results against float64, and
// prints the time of the shaders that a run would get, that of a copy and the dispatches, as rows of a table. With
// --try: of many ways to cut each one, the fastest first. Times are those of the device's clock.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "backend/wgsl/chunked_form.h"
#include "base/try.h"
#include "cases.h"
#include "gpu.h"

namespace {

using namespace pawl;
using namespace pawl::bench;
using wgsl::ChunkedForm;
using wgsl::ChunkedScanPolicy;

struct Way {
  std::string name;
  ChunkedForm form;
  wgsl::Target target;
  ChunkedScanPolicy policy;
};

/// Buffers and expected results of a case.
struct Data {
  std::vector<GpuBuffer> elements;
  GpuBuffer initial, output, last;
  std::vector<float> want;
};

Result<Data> data_of(Gpu& gpu, const Recurrence& recurrence, const Case& of) {
  const std::int64_t count = of.steps * of.lanes;
  std::vector<std::vector<float>> elements{numbers(count, recurrence.low, recurrence.high, 1)};
  if (recurrence.elements == 2) elements.push_back(numbers(count, recurrence.low2, recurrence.high2, 2));
  const std::vector<float> initial = numbers(of.lanes, -1, 1, 3);
  Data made;
  const auto fill = [&](const std::vector<float>& values) -> Result<GpuBuffer> {
    TRY_ASSIGN(GpuBuffer buffer, gpu.buffer(values.size() * sizeof(float)));
    gpu.upload(buffer, values.data(), values.size() * sizeof(float));
    return buffer;
  };
  for (const auto& each : elements) {
    TRY_ASSIGN(GpuBuffer buffer, fill(each));
    made.elements.push_back(std::move(buffer));
  }
  TRY_ASSIGN(made.initial, fill(initial));
  TRY_ASSIGN(made.output, gpu.buffer(static_cast<std::uint64_t>(count) * sizeof(float)));
  TRY_ASSIGN(made.last, gpu.buffer(static_cast<std::uint64_t>(of.lanes) * sizeof(float)));
  made.want = expected(recurrence, of, initial, elements);
  return made;
}

/// The largest difference, in units of what rounding explains; 1 or less is right.
double difference(const std::vector<float>& got, const float* want, double steps) {
  double worst = 0;
  const double floor = 4e-6 * std::sqrt(steps) + 1e-5;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double off = std::abs(static_cast<double>(got[i]) - want[i]) / (floor + 2e-5 * std::abs(want[i]));
    if (!(off <= worst)) worst = std::isnan(off) ? INFINITY : off;
  }
  return worst;
}

wgsl::TimeDirections forward(const wgsl::LaneLaws& laws) {
  return {std::vector<bool>(2, false), std::vector<bool>(laws.outputs.size(), false),
          std::vector<std::size_t>(laws.outputs.size(), 0)};
}

/// All that a run takes.
struct Plan {
  std::vector<GpuBuffer> scratch;
  std::vector<GpuStep> steps;
  std::string numbers;
};

Result<Plan> plan_of(Gpu& gpu, const wgsl::LaneLaws& laws, const Case& of, const Data& data, const Way& way) {
  wgsl::ChunkedScanCall call = dense_call(laws, forward(laws), way.form);
  // What overflows is not measured.
  call.again = false;
  TRY_ASSIGN(const wgsl::Passes passes, wgsl::chunked_scan(laws, call, way.target, way.policy));
  const auto names = wgsl::values_of(passes, {{"T", of.steps}});
  Plan plan;
  plan.scratch.reserve(passes.buffers.size());
  std::vector<const GpuBuffer*> buffers;
  std::size_t element = 0;
  for (const wgsl::PassBuffer& each : passes.buffers) {
    if (each.name.starts_with("element")) {
      buffers.push_back(&data.elements[element++]);
    } else if (each.name == "state0") {
      buffers.push_back(&data.initial);
    } else if (each.name == "final0") {
      buffers.push_back(&data.last);
    } else if (each.name == "output0") {
      buffers.push_back(&data.output);
    } else {
      TRY_ASSIGN(GpuBuffer made, gpu.buffer(bytes_of(each, names)));
      plan.scratch.push_back(std::move(made));
      buffers.push_back(&plan.scratch.back());
    }
  }
  for (const wgsl::Pass& pass : passes.passes) {
    TRY_ASSIGN(const wgsl::Handle pipeline, gpu.pipeline(pass.text));
    std::vector<const GpuBuffer*> own;
    for (const std::size_t i : pass.buffers) own.push_back(buffers[i]);
    std::vector<std::int32_t> params;
    for (const auto& [name, count] : pass.params) params.push_back(static_cast<std::int32_t>(value_of(count, names)));
    const auto workgroups = static_cast<std::uint32_t>(value_of(pass.workgroups, names));
    TRY_ASSIGN(GpuStep step, gpu.step(pipeline, own, params, workgroups));
    plan.steps.push_back(std::move(step));
  }
  plan.numbers = fmt::format("{} tiles, {} parts, {} rows", names.at("tiles"), names.at("parts"), names.at("rows"));
  return plan;
}

constexpr const char* kCopy = R"(struct Params { count: i32, width: i32 }
@group(0) @binding(0) var<storage, read> x: array<vec4<f32>>;
@group(0) @binding(1) var<storage, read_write> y: array<vec4<f32>>;
@group(0) @binding(2) var<uniform> params: Params;
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
  let i = i32((workgroup.y * workgroups.x + workgroup.x) * 256u + local);
  if (i < params.count) { y[i] = x[i]; }
}
)";

/// Milliseconds to copy as many bytes as the Scan must read and write.
Result<double> copy_time(Gpu& gpu, const Recurrence& recurrence, const Case& of) {
  const std::int64_t count = of.steps * of.lanes * (recurrence.elements + 1) / 2 / 4;
  TRY_ASSIGN(const GpuBuffer from, gpu.buffer(static_cast<std::uint64_t>(count) * 16));
  TRY_ASSIGN(const GpuBuffer to, gpu.buffer(static_cast<std::uint64_t>(count) * 16));
  TRY_ASSIGN(const wgsl::Handle pipeline, gpu.pipeline(kCopy));
  std::vector<GpuStep> steps;
  TRY_ASSIGN(GpuStep step, gpu.step(pipeline, {&from, &to}, {static_cast<std::int32_t>(count), 0},
                                    static_cast<std::uint32_t>((count + 255) / 256)));
  steps.push_back(std::move(step));
  return gpu.measure(steps);
}

std::vector<Way> ways(Gpu& gpu, const wgsl::LaneLaws& laws, const Case& of, bool all) {
  const wgsl::Target target = gpu.device().target();
  const ChunkedForm own = form_for(laws, forward(laws), of.steps, of.lanes, target);
  std::vector<Way> made{{"chosen", own, target, {}}};
  if (!all) return made;
  const auto limit = static_cast<int>(gpu.device().limits().invocations_per_workgroup);
  const auto memory = static_cast<int>(gpu.device().limits().workgroup_bytes);
  const auto add = [&](ChunkedForm form, int size, int group, int workgroups, int rows, int unroll, int bytes) {
    if (size > limit || bytes > memory) return;
    wgsl::Target other = target;
    other.workgroup_size = size;
    const std::string form_name = std::string(form.alone ? "alone" : "tiles") + (form.staged ? " staged" : "") +
                                  (form.subgroups ? " subgroups" : "");
    made.push_back({fmt::format("{}, size {}, group {}, workgroups {}, rows {}, unroll {}, {} bytes", form_name, size,
                                group, workgroups, rows, unroll, bytes),
                    form,
                    other,
                    {group, workgroups, workgroups, rows, unroll, bytes, 8}});
  };
  const std::int64_t count = of.steps * of.lanes;
  for (const int workgroups : {528, 1056, 2112})
    for (const int rows : {8, 16, 32})
      if (of.lanes > 8 && (count > (5 << 20) ? rows == 16 : workgroups == 1056))
        add({false, false, false}, 256, 64, workgroups, rows, 8, 16384);
  if (can_stage(laws, of.lanes, target))
    for (const int size : {128, 256, 512})
      for (const int bytes : {size * 32, size * 64})
        for (const int workgroups : {528, 1056, 2112})
          if (size == 256 || workgroups == 1056) add({false, true, false}, size, 64, workgroups, 16, 8, bytes);
  if (of.lanes >= 32768 || count < (1 << 19))
    for (const int unroll : {8, 16, 32}) add({true, false, false}, 256, 64, 1056, 16, unroll, 16384);
  return made;
}

struct Measured {
  std::vector<double> passes{};  ///< each alone, again and again
  std::string name;
  std::string numbers;
  double ms = 0;
  double off = 0;
  std::size_t dispatches = 0;
};

/// How far results are from those that are expected.
Result<double> check(Gpu& gpu, const Plan& plan, const Case& of, const Data& data) {
  const std::vector<float> none(data.want.size(), NAN);
  gpu.upload(data.output, none.data(), none.size() * sizeof(float));
  TRY(gpu.run(plan.steps, 1));
  std::vector<float> got(data.want.size()), last(static_cast<std::size_t>(of.lanes));
  TRY(gpu.download(data.output, got.data(), got.size() * sizeof(float)));
  TRY(gpu.download(data.last, last.data(), last.size() * sizeof(float)));
  const auto steps = static_cast<double>(of.steps);
  return std::max(difference(got, data.want.data(), steps),
                  difference(last, data.want.data() + data.want.size() - last.size(), steps));
}

Result<Measured> measure(Gpu& gpu, const wgsl::LaneLaws& laws, const Case& of, const Data& data, const Way& way,
                         bool checks) {
  TRY_ASSIGN(Plan plan, plan_of(gpu, laws, of, data, way));
  Measured made{{}, way.name, plan.numbers, 0, 0, plan.steps.size()};
  TRY_ASSIGN(made.ms, gpu.measure(plan.steps));
  if (checks) {
    TRY_ASSIGN(made.off, check(gpu, plan, of, data));
  }
  for (GpuStep& each : plan.steps) {
    std::vector<GpuStep> one;
    one.push_back(std::move(each));
    TRY_ASSIGN(const double ms, gpu.measure(one));
    made.passes.push_back(ms);
  }
  return made;
}

Result<bool> run(Gpu& gpu, const Case& of, bool all) {
  const auto& known = recurrences();
  const Recurrence& recurrence = *std::find_if(
      known.begin(), known.end(), [&](const Recurrence& each) { return std::string(each.name) == of.recurrence; });
  TRY_ASSIGN(const wgsl::LaneLaws laws, laws_of(recurrence, of.lanes));
  TRY_ASSIGN(const Data data, data_of(gpu, recurrence, of));
  TRY_ASSIGN(const double copy, copy_time(gpu, recurrence, of));
  std::vector<Measured> measured;
  for (const Way& way : ways(gpu, laws, of, all)) {
    const Result<Measured> each = measure(gpu, laws, of, data, way, !all || way.name == "chosen");
    if (each.ok())
      measured.push_back(*each);
    else
      fmt::print("  {}: {}\n", way.name, each.error().message);
  }
  std::stable_sort(measured.begin(), measured.end(), [](const Measured& a, const Measured& b) { return a.ms < b.ms; });
  bool is_right = !measured.empty();
  for (const Measured& each : measured) {
    is_right = is_right && each.off <= 1;
    if (!all || &each - measured.data() < 8 || each.name == "chosen" || each.off > 1)
      fmt::print("| {} [{}, {}] | {:.4f} | {:.4f} | {:.2f} | {} | {}{}{} |\n", of.recurrence, of.steps, of.lanes, copy,
                 each.ms, each.ms / copy, each.dispatches, each.off <= 1 ? "right" : "WRONG",
                 each.off <= 1 ? "" : fmt::format(" by {:.1f}", each.off),
                 all ? fmt::format(" {:.4f} | {} | {}", fmt::join(each.passes, " + "), each.name, each.numbers) : "");
  }
  std::fflush(stdout);
  return is_right;
}

}  // namespace

int main(int argc, char** argv) {
  bool all = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string each = argv[i];
    if (each == "--try")
      all = true;
    else
      names.push_back(each);
  }
  Result<Gpu> gpu = Gpu::open();
  if (!gpu.ok()) {
    fmt::print("{}\n", gpu.error().message);
    return 2;
  }
  fmt::print("{}\n\n| scan [steps, lanes] | copy, ms | scan, ms | times a copy | dispatches | result |\n",
             gpu->device().adapter());
  fmt::print("| --- | --- | --- | --- | --- | --- |\n");
  bool is_right = true;
  for (const Case& each : cases()) {
    const std::string own = fmt::format("{}[{},{}]", each.recurrence, each.steps, each.lanes);
    if (!names.empty() && std::find(names.begin(), names.end(), each.recurrence) == names.end() &&
        std::find(names.begin(), names.end(), own) == names.end())
      continue;
    const Result<bool> right = run(*gpu, each, all);
    if (!right.ok()) fmt::print("{}: {}\n", own, right.error().message);
    is_right = is_right && right.ok() && *right;
  }
  // Devices are not torn down: some libraries end badly there.
  std::fflush(nullptr);
  std::_Exit(is_right ? 0 : 1);
}
