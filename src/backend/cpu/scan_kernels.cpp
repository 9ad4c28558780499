#include "backend/cpu/scan_kernels.h"

#include <algorithm>

#include "backend/cpu/fused_call.h"
#include "backend/cpu/kernel_cache.h"
#include "backend/cpu/layout.h"
#include "base/guard.h"
#include "base/try.h"
#include "graph/infer.h"
#include "ops/extents.h"

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
  for (const Value& value : call.captured) {
    facts.push_back({type_of(value), std::nullopt});
    if (is_list(value)) facts.back().constant = value;
  }
  return facts;
}

void append(std::vector<std::int64_t>& key, DType dtype, const Dims& shape) {
  key.push_back(static_cast<std::int64_t>(dtype));
  key.push_back(static_cast<std::int64_t>(shape.size()));
  key.insert(key.end(), shape.begin(), shape.end());
}

void append(std::vector<std::int64_t>& key, const Value& value) {
  if (value.is_tensor()) return append(key, value.tensor().dtype(), value.tensor().shape());
  key.push_back(-1);
  key.push_back(static_cast<std::int64_t>(std::hash<std::string>()(to_string(type_of(value)))));
}

/// All that a kernel depends on, besides the Scan: types, what is wanted, and lists that may be axes or shapes.
std::vector<std::int64_t> key_of(const reference::ScanCall& call) {
  std::vector<std::int64_t> key;
  key.reserve(64);
  for (const Value& state : call.states) append(key, state);
  // The kernel does not depend on the number of steps.
  for (const Tensor& element : call.elements) {
    const std::size_t trips = key.size() + 2;
    append(key, element.dtype(), element.shape());
    key[trips] = 0;
  }
  for (const Value& value : call.captured) {
    append(key, value);
    if (!is_list(value)) continue;
    const Result<Dims> integers = ops::integers_of(value.tensor());
    key.insert(key.end(), integers->begin(), integers->end());
  }
  for (const bool wanted : call.wanted) key.push_back(wanted ? 1 : 0);
  return key;
}

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

}  // namespace

CompileKernel machine_code() {
  return [cache = std::make_shared<KernelCache>(),
          target = detect_target()](const kernel::Program& program) -> Result<KernelCall> {
    TRY_ASSIGN(std::shared_ptr<const CompiledKernel> kernel, cache->get(program, target));
    return KernelCall([kernel = std::move(kernel)](std::span<const KernelMemory> memory,
                                                   std::span<const std::int64_t> params,
                                                   Meeting* meeting) -> Result<void> {
      std::vector<void*> addresses;
      addresses.reserve(memory.size() + 1);
      for (const KernelMemory& each : memory) addresses.push_back(each.data);
      addresses.push_back(meeting);
      kernel->run(addresses.data(), params.data(), 0, 1);
      return {};
    });
  };
}

Result<ScanKernels::Entry> ScanKernels::make(const reference::ScanCall& call, std::vector<ops::Fact> inputs,
                                             std::vector<ops::Fact> captured, bool streaming) const {
  Entry entry;
  const std::optional<std::vector<ops::Fact>> facts = facts_in(call, std::move(inputs), std::move(captured));
  if (!facts) {
    entry.refusal = "a step may fail, or does not give what is declared";
    return entry;
  }
  kernel::FusedLoopPolicy policy = options_.policy;
  policy.streaming = streaming;
  policy.threads = options_.threads;
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
  entry.kernel = std::move(compiled).value();
  entry.loop = std::move(loop);
  const graph::Graph& body = *call.scan.body.graph;
  for (std::size_t k = 0; k < call.scan.outputs; ++k)
    entry.outputs.push_back(facts->at(body.outputs[call.scan.states + k].index).type.static_shape().value_or(Dims{}));
  for (const Binding& binding : entry.loop->bindings) {
    Tensor constant;
    if (binding.kind == Binding::Kind::constant) {
      TRY_ASSIGN(constant, packed(binding, *body[binding.constant].fact.tensor()));
      TRY_ASSIGN(constant, constant.to_dense());
    }
    entry.constants.push_back(std::move(constant));
  }
  return entry;
}

Result<std::shared_ptr<const ScanKernels::Entry>> ScanKernels::find(const reference::ScanCall& call, bool streaming) {
  auto key = std::pair(&call.scan, key_of(call));
  const int length = length_class(call);
  key.second.push_back(length);
  key.second.push_back(streaming ? 1 : 0);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  }
  const std::vector<ops::Fact> captured = captured_facts(call);
  TRY_ASSIGN(Entry made, make(call, reference::body_inputs(call.states, call.elements), captured, streaming));
  if (made.loop && length > 0 && !streaming) TRY(add_chunks(call, captured, made));
  const std::lock_guard lock(mutex_);
  // Whoever runs all lengths there are gets them anew now and then; the code itself is kept by its text.
  if (entries_.size() >= kMostEntries) entries_.clear();
  return entries_.emplace(std::move(key), std::make_shared<const Entry>(std::move(made))).first->second;
}

Result<std::optional<std::vector<Value>>> ScanKernels::run(const reference::ScanCall& call) {
  TRY_ASSIGN(std::shared_ptr<const Entry> entry, find(call, false));
  if (!entry->loop) return std::optional<std::vector<Value>>();
  const auto in_one = [&](const reference::ScanCall& steps) {
    return call_fused_loop(*entry->loop, entry->kernel, entry->constants, entry->outputs, steps, options_.threads);
  };
  if (entry->chunked) {
    TRY_ASSIGN(std::optional<std::vector<Value>> results, call_in_chunks(*entry->chunked, call, in_one));
    if (results) return results;
  }
  if (passes_caches(*entry->loop, entry->outputs, call, options_.threads)) {
    TRY_ASSIGN(entry, find(call, true));
  }
  TRY_ASSIGN(std::vector<Value> results, in_one(call));
  return std::optional(std::move(results));
}

std::vector<std::string> ScanKernels::report() const {
  std::vector<std::string> lines;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, entry] : entries_) {
    // Groups of nodes are no Scans of the model.
    if (key.first->elements == 0 && !entry->refusal.starts_with("internal error")) continue;
    std::string how = key.second.back() != 0 ? "one kernel, outputs past the caches" : "one kernel";
    if (entry->loop && entry->loop->shares_steps) how += ", each step shared by threads";
    if (!entry->loop) how = entry->refusal;
    if (entry->chunked) how += fmt::format(", in {} chunks", entry->chunked->chunks());
    if (!entry->chunks_refusal.empty()) how += fmt::format(", not in chunks: {}", entry->chunks_refusal);
    lines.push_back(fmt::format("{}: {}", key.first->body.graph->name, how));
  }
  std::sort(lines.begin(), lines.end());
  lines.erase(std::unique(lines.begin(), lines.end()), lines.end());
  return lines;
}

}  // namespace pawl::cpu
