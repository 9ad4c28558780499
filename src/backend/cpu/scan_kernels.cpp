#include "backend/cpu/scan_kernels.h"

#include <algorithm>
#include <array>

#include "backend/cpu/fused_call.h"
#include "backend/cpu/kernel_cache.h"
#include "backend/cpu/layout.h"
#include "base/guard.h"
#include "base/try.h"
#include "graph/infer.h"
#include "ops/extents.h"
#include "tensor/file_pages.h"
#include "tensor/walk.h"

namespace pawl::cpu {
namespace {

using kernel::Binding;

/// A longer list is no list of axes.
constexpr std::int64_t kMostAxes = 32;
/// Shapes that are remembered.
constexpr std::size_t kMostEntries = 4096;

/// Whether a value may be axes or a shape.
bool is_list(const Value& value) {
  return value.is_tensor() && value.tensor().dtype() == DType::i64 && value.tensor().rank() <= 1 &&
         value.tensor().size() <= kMostAxes;
}

/// What is known of the body's captured values: axes and shapes are, where they are given as values.
std::vector<ops::Fact> captured_facts(const reference::ScanCall& call) {
  std::vector<ops::Fact> facts;
  for (const Value* value : call.captured) {
    facts.push_back({type_of(*value), std::nullopt});
    if (is_list(*value)) facts.back().constant = *value;
  }
  return facts;
}

/// Whether copying states before the first step and after the last one is soon made up for.
bool has_many_steps(const reference::ScanCall& call) {
  constexpr std::int64_t kMany = 12;
  return call.trips >= kMany;
}

/// Tells `tell` all that a kernel depends on, besides the Scan: types, what is wanted, and lists that may be axes or
/// shapes. Of the number of steps only its class, and whether they are many.
template <class F>
void describe(const reference::ScanCall& call, int length, F&& tell) {
  const auto tensor = [&](const Tensor& each, bool in_time) {
    tell(static_cast<std::int64_t>(each.dtype()));
    tell(static_cast<std::int64_t>(each.shape().size()));
    for (std::size_t axis = in_time ? 1 : 0; axis < each.shape().size(); ++axis) tell(each.shape()[axis]);
  };
  const auto value = [&](const Value& each) {
    if (each.is_tensor()) return tensor(each.tensor(), false);
    tell(-1);
    tell(static_cast<std::int64_t>(std::hash<std::string>()(to_string(type_of(each)))));
  };
  tell(length);
  tell(has_many_steps(call) ? 1 : 0);
  for (const Value& state : call.states) value(state);
  for (const Tensor& element : call.elements) tensor(element, true);
  for (const Value* captured : call.captured) {
    value(*captured);
    if (!is_list(*captured)) continue;
    const Result<Dims> integers = ops::integers_of(captured->tensor());
    for (const std::int64_t each : *integers) tell(each);
  }
  for (const bool wanted : call.wanted) tell(wanted ? 1 : 0);
}

/// A description that is compared with another one while it is told.
struct Comparison {
  std::span<const std::int64_t> with;
  std::size_t at = 0;
  bool same = true;

  void operator()(std::int64_t each) {
    same = same && at < with.size() && with[at] == each;
    ++at;
  }
  [[nodiscard]] bool complete() const { return same && at == with.size(); }
};

/// What is known of all values of the body; nothing where it may fail in a step, which says so when it runs: it does
/// not infer, or declares what may not hold.
std::optional<std::vector<ops::Fact>> facts_in(const reference::ScanCall& call, std::vector<ops::Fact> inputs,
                                               std::vector<ops::Fact> captured) {
  const graph::Graph& body = *call.scan.body.graph;
  Result<std::vector<ops::Fact>> facts = graph::infer_graph(body, std::move(inputs), std::move(captured));
  if (!facts.ok()) return std::nullopt;
  for (std::size_t i = 0; i < facts->size(); ++i)
    if (!graph::implies((*facts)[i].type, body.values[i].declared)) return std::nullopt;
  return std::move(facts).value();
}

/// The constant of a kernel that is packed as a binding has it; undefined where there is none.
Tensor packed_alike(const LoopKernel& kernel, const Binding& binding) {
  for (std::size_t i = 0; i < kernel.constants.size(); ++i) {
    const Binding& other = kernel.loop->bindings[i];
    if (other.kind == binding.kind && other.constant == binding.constant && other.shape == binding.shape &&
        other.order == binding.order && other.tile == binding.tile)
      return kernel.constants[i];
  }
  return {};
}

}  // namespace

CompileKernel machine_code() {
  return [cache = std::make_shared<KernelCache>(),
          target = detect_target()](const kernel::Program& program) -> Result<KernelCall> {
    TRY_ASSIGN(std::shared_ptr<const CompiledKernel> kernel, cache->get(program, target));
    return KernelCall([kernel = std::move(kernel)](std::span<const KernelMemory> memory,
                                                   std::span<const std::int64_t> params,
                                                   Meeting* meeting) -> Result<void> {
      constexpr std::size_t kFew = 32;
      std::array<void*, kFew> few;
      const std::size_t count = memory.size() + 1;
      std::vector<void*> many(count > kFew ? count : 0);
      void** const addresses = many.empty() ? few.data() : many.data();
      for (std::size_t i = 0; i < memory.size(); ++i) addresses[i] = memory[i].data;
      addresses[memory.size()] = meeting;
      kernel->run(addresses, params.data(), 0, 1);
      return {};
    });
  };
}

Result<ScanKernels::Entry> ScanKernels::make(const reference::ScanCall& call, std::vector<ops::Fact> inputs,
                                             std::vector<ops::Fact> captured, bool streaming,
                                             const LoopKernel* like) const {
  Entry entry;
  const std::optional<std::vector<ops::Fact>> facts = facts_in(call, std::move(inputs), std::move(captured));
  if (!facts) {
    entry.refusal = "a step may fail, or does not give what is declared";
    return entry;
  }
  kernel::FusedLoopPolicy policy = options_.policy;
  policy.streaming = streaming;
  policy.threads = options_.threads;
  policy.many_steps = has_many_steps(call);
  // Nodes outside of loops see tensors of any length.
  policy.open = call.scan.elements == 0;
  // A bug in what makes kernels costs time, not the run: the evaluator knows what is right. Tests look for these words.
  Result<kernel::Lowering> lowering =
      guard([&] { return kernel::lower_fused_loop(call.scan, *facts, call.wanted, policy); });
  if (!lowering.ok() && lowering.error().code != Code::internal) return lowering.error();
  if (!lowering.ok() || !lowering->loop) {
    entry.refusal = lowering.ok() ? std::move(lowering->refusal) : "internal error: " + lowering.error().message;
    return entry;
  }
  auto loop = std::make_shared<const kernel::FusedLoop>(std::move(*lowering->loop));
  Result<KernelCall> compiled = options_.compile(loop->program);
  if (!compiled.ok()) {
    if (compiled.error().code != Code::unsupported) return compiled.error();
    entry.refusal = compiled.error().message;
    return entry;
  }
  LoopKernel& kernel = entry.kernel;
  kernel.kernel = std::move(compiled).value();
  kernel.loop = std::move(loop);
  const graph::Graph& body = *call.scan.body.graph;
  for (std::size_t k = 0; k < call.scan.outputs; ++k)
    kernel.outputs.push_back(facts->at(body.outputs[call.scan.states + k].index).type.static_shape().value_or(Dims{}));
  for (const Binding& binding : kernel.loop->bindings) {
    Tensor constant;
    if (binding.kind == Binding::Kind::constant) {
      if (like != nullptr) constant = packed_alike(*like, binding);
      if (!constant.defined()) {
        const Tensor& as_it_was = *body[binding.constant].fact.tensor();
        TRY_ASSIGN(constant, packed(binding, as_it_was));
        TRY_ASSIGN(constant, constant.to_dense());
        if (constant.bytes() != as_it_was.bytes()) give_back_file_pages(as_it_was);
      }
    }
    kernel.constants.push_back(std::move(constant));
    if (binding.kind != Binding::Kind::output) continue;
    const std::int64_t step = checked_size(kernel.outputs[binding.index]).value_or(0) *
                              static_cast<std::int64_t>(size_of(kernel.loop->program.buffers[binding.buffer].dtype));
    kernel.bytes_of_row = std::max(kernel.bytes_of_row, step);
    kernel.bytes_of_step += step;
  }
  return entry;
}

Result<std::shared_ptr<const ScanKernels::Entry>> ScanKernels::find(const reference::ScanCall& call, bool streaming) {
  const int length = length_class(call);
  std::shared_ptr<const Entry> like;
  {
    const std::lock_guard lock(mutex_);
    std::vector<Known>& of_scan = known_[&call.scan];
    for (std::size_t i = 0; i < of_scan.size(); ++i) {
      if (of_scan[i].streaming != streaming) continue;
      Comparison comparison{of_scan[i].key};
      describe(call, length, comparison);
      if (!comparison.complete()) continue;
      std::rotate(of_scan.begin(), of_scan.begin() + static_cast<std::ptrdiff_t>(i),
                  of_scan.begin() + static_cast<std::ptrdiff_t>(i) + 1);
      return of_scan[0].entry;
    }
    for (const Known& known : of_scan)
      if (known.entry->kernel.loop && like == nullptr) like = known.entry;
  }
  const std::vector<ops::Fact> captured = captured_facts(call);
  TRY_ASSIGN(Entry made, make(call, reference::body_inputs(call.states, call.elements), captured, streaming,
                              like == nullptr ? nullptr : &like->kernel));
  if (made.kernel.loop && length > 0 && !streaming) TRY(add_chunks(call, captured, made));
  Known known{{}, streaming, std::make_shared<const Entry>(std::move(made))};
  describe(call, length, [&](std::int64_t each) { known.key.push_back(each); });
  const std::lock_guard lock(mutex_);
  // Whoever runs all lengths there are gets them anew now and then; the code itself is kept by its text.
  if (count_ >= kMostEntries) {
    known_.clear();
    count_ = 0;
  }
  ++count_;
  std::vector<Known>& of_scan = known_[&call.scan];
  return of_scan.insert(of_scan.begin(), std::move(known))->entry;
}

Result<bool> ScanKernels::run(const reference::ScanCall& call, std::vector<Value>& results) {
  if (options_.first) {
    TRY_ASSIGN(const OtherWay::Answer answer, options_.first->run(call, results));
    if (answer != OtherWay::Answer::refused) return answer == OtherWay::Answer::done;
  }
  if (options_.turns && is_turned(call)) {
    TRY_ASSIGN(const graph::ScanOp* const scan, turned_.find(call.scan));
    return run_turned(
        call, *scan, options_.threads,
        [&](const reference::ScanCall& turned, std::vector<Value>& made) { return run_as_it_lies(turned, made); },
        results);
  }
  return run_as_it_lies(call, results);
}

Result<bool> ScanKernels::run_as_it_lies(const reference::ScanCall& call, std::vector<Value>& results) {
  TRY_ASSIGN(std::shared_ptr<const Entry> entry, find(call, false));
  if (!entry->kernel.loop) return false;
  // Chunks are of the whole run.
  if (entry->chunked && call.stretch != nullptr) return false;
  if (entry->chunked) {
    const auto in_one = [&](const reference::ScanCall& steps) -> Result<std::vector<Value>> {
      std::vector<Value> made;
      TRY(call_fused_loop(entry->kernel, steps, options_.threads, made));
      return made;
    };
    TRY_ASSIGN(std::optional<std::vector<Value>> made, call_in_chunks(*entry->chunked, call, in_one));
    if (made) {
      results = std::move(*made);
      return true;
    }
  }
  if (passes_caches(entry->kernel, steps_of_run(call), options_.threads)) {
    TRY_ASSIGN(entry, find(call, true));
  }
  TRY(call_fused_loop(entry->kernel, call, options_.threads, results));
  return true;
}

std::vector<std::string> ScanKernels::report() const {
  std::vector<std::string> lines;
  if (options_.first) lines = options_.first->report();
  const std::lock_guard lock(mutex_);
  for (const auto& [scan, of_scan] : known_) {
    for (const Known& known : of_scan) {
      const Entry& entry = *known.entry;
      // Groups of nodes are no Scans of the model.
      if (scan->elements == 0 && !entry.refusal.starts_with("internal error")) continue;
      std::string how = known.streaming ? "one kernel, outputs past the caches" : "one kernel";
      if (entry.kernel.loop && entry.kernel.loop->shares_steps) how += ", each step shared by threads";
      if (!entry.kernel.loop) how = entry.refusal;
      if (entry.chunked) how += fmt::format(", in {} chunks", entry.chunked->chunks());
      if (!entry.chunks_refusal.empty()) how += fmt::format(", not in chunks: {}", entry.chunks_refusal);
      lines.push_back(fmt::format("{}: {}", scan->body.graph->name, how));
    }
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

}  // namespace pawl::cpu
