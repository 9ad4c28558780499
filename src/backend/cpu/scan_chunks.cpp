// The kernels of Scans whose sequences are cut into chunks.
#include <algorithm>
#include <bit>

#include "backend/cpu/fused_call.h"
#include "backend/cpu/scan_kernels.h"
#include "base/try.h"

namespace pawl::cpu {

namespace {

/// Steps below which no sequence is cut.
constexpr std::int64_t kFewest = 1024;

/// Numbers of the largest state.
std::int64_t lanes_of(const reference::ScanCall& call) {
  std::int64_t lanes = 0;
  for (const Value& state : call.states)
    if (state.is_tensor()) lanes = std::max(lanes, state.tensor().size());
  return lanes;
}

}  // namespace

int ScanKernels::length_class(const reference::ScanCall& call) const {
  const plan::ChunkPolicy& policy = options_.chunks;
  const std::int64_t lanes = lanes_of(call);
  const std::int64_t trips = steps_of_run(call);
  if (policy.rows > 0) return trips >= policy.rows && lanes > 0 ? 1 : 0;
  if (trips < kFewest || lanes < 1 || lanes > policy.most_lanes) return 0;
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(trips)));
}

Result<RunSteps> ScanKernels::runner(const scan::ChunkScan& chunk, const std::vector<bool>& wanted,
                                     const std::vector<ops::Fact>& captured, Entry& entry) const {
  const reference::ScanCall call{.scan = chunk.scan,
                                 .states = {},
                                 .elements = {},
                                 .captured = {},
                                 .wanted = wanted,
                                 .trips = 0,
                                 .reuse = nullptr,
                                 .stretch = nullptr,
                                 .progress = {}};
  std::vector<ops::Fact> facts = captured;
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (chunk.repeated[i]) facts[i] = {(*chunk.scan.body.graph)[chunk.scan.body.graph->captured[i]].fact.type, {}};
  TRY_ASSIGN(Entry made, make(call, chunk.inputs, std::move(facts), false, nullptr));
  if (!made.kernel.loop) {
    entry.chunks_refusal = std::move(made.refusal);
    return RunSteps();
  }
  const auto kernel = std::make_shared<const LoopKernel>(std::move(made.kernel));
  RunSteps run;
  run.all = [kernel](const reference::ScanCall& steps) -> Result<std::vector<Value>> {
    std::vector<Value> results;
    TRY(call_fused_loop(*kernel, steps, 1, results));
    return results;
  };
  if (reads_in_place(*kernel->loop)) {
    run.blocks = [kernel](const reference::ScanCall& steps, const NextBlock& next) -> Result<std::vector<Value>> {
      std::vector<Value> results;
      TRY(call_in_blocks(*kernel, steps, next, results));
      return results;
    };
  }
  return run;
}

Result<void> ScanKernels::add_chunks(const reference::ScanCall& call, const std::vector<ops::Fact>& captured,
                                     Entry& entry) const {
  const std::int64_t lanes = lanes_of(call);
  const auto pays = [&](std::size_t levels) {
    return options_.chunks.pays(steps_of_run(call), lanes, scan::times_of_step(call.scan, levels), options_.threads);
  };
  if (!pays(1)) return {};
  auto made = std::make_shared<ChunkedLoop>();
  made->rows = options_.chunks.rows_for(lanes, options_.threads);
  made->groups = options_.chunks.groups_for(steps_of_run(call), lanes, options_.threads);
  // The caller asked for chunks, whatever they do to the bits.
  const bool exact = options_.policy.exact && options_.chunks.rows == 0;
  TRY_ASSIGN(scan::Chunking chunking,
             scan::cut_into_chunks(call.scan, reference::body_inputs(call.states, call.elements), captured, made->rows,
                                   exact));
  if (!chunking.scans) {
    entry.chunks_refusal = std::move(chunking.refusal);
    return {};
  }
  made->scans = std::move(*chunking.scans);
  if (!pays(made->scans.levels.size())) return {};
  for (const scan::ChunkLevel& level : made->scans.levels) {
    ChunkedLoop::Level runs;
    const std::vector<bool> all(level.summary.scan.states, true);
    TRY_ASSIGN(runs.summary, runner(level.summary, all, captured, entry));
    const std::vector<bool> both(level.starts.scan.states + level.starts.scan.outputs, true);
    TRY_ASSIGN(runs.starts, runner(level.starts, both, {}, entry));
    if (!runs.summary.all || !runs.starts.all) return {};
    made->levels.push_back(std::move(runs));
  }
  TRY_ASSIGN(made->body, runner(made->scans.body, call.wanted, captured, entry));
  if (made->body.all) entry.chunked = std::move(made);
  return {};
}

}  // namespace pawl::cpu
