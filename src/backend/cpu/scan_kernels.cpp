#include "backend/cpu/scan_kernels.h"

#include "backend/cpu/fused_call.h"
#include "backend/cpu/kernel_cache.h"
#include "base/try.h"
#include "graph/infer.h"
#include "ops/extents.h"

namespace pawl::cpu {
namespace {

using kernel::Binding;

/// A longer list is no list of axes.
constexpr std::int64_t kMostAxes = 32;

/// What is known of the body's captured values: axes and shapes are, where they are given as values.
std::vector<ops::Fact> captured_facts(const reference::ScanCall& call) {
  std::vector<ops::Fact> facts;
  for (const Value& value : call.captured) {
    facts.push_back({type_of(value), std::nullopt});
    const bool is_list = value.is_tensor() && value.tensor().dtype() == DType::i64 && value.tensor().rank() <= 1;
    if (is_list && value.tensor().size() <= kMostAxes) facts.back().constant = value;
  }
  return facts;
}

/// All that a kernel depends on, besides the Scan.
std::string signature(const reference::ScanCall& call, const std::vector<ops::Fact>& captured) {
  std::string text;
  for (const ops::Fact& fact : call.inputs) text += to_string(fact.type) + ";";
  for (const ops::Fact& fact : captured) {
    text += to_string(fact.type);
    if (const Tensor* list = fact.tensor()) {
      const Result<Dims> integers = ops::integers_of(*list);
      for (const std::int64_t each : *integers) text += fmt::format(" {}", each);
    }
    text += ";";
  }
  for (const bool wanted : call.wanted) text += wanted ? '1' : '0';
  return text;
}

/// What is known of all values of the body; nothing where it may fail in a step, which says so when it runs: it does
/// not infer, or declares what may not hold.
std::optional<std::vector<ops::Fact>> facts_in(const reference::ScanCall& call, std::vector<ops::Fact> captured) {
  const graph::Graph& body = *call.scan.body.graph;
  Result<std::vector<ops::Fact>> facts = graph::infer_graph(body, call.inputs, std::move(captured));
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
                                                   std::span<const std::int64_t> params) -> Result<void> {
      std::vector<void*> addresses;
      for (const KernelMemory& each : memory) addresses.push_back(each.data);
      kernel->run(addresses.data(), params.data(), 0, 1);
      return {};
    });
  };
}

Result<ScanKernels::Entry> ScanKernels::make(const reference::ScanCall& call, std::vector<ops::Fact> captured) const {
  Entry entry;
  const std::optional<std::vector<ops::Fact>> facts = facts_in(call, std::move(captured));
  if (!facts) {
    entry.refusal = "a step may fail, or does not give what is declared";
    return entry;
  }
  TRY_ASSIGN(kernel::Lowering lowering, kernel::lower_fused_loop(call.scan, *facts, call.wanted, options_.policy));
  if (!lowering.loop) {
    entry.refusal = std::move(lowering.refusal);
    return entry;
  }
  auto loop = std::make_shared<const kernel::FusedLoop>(std::move(*lowering.loop));
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
      TRY_ASSIGN(constant, packed(*body[binding.constant].fact.tensor(), binding.order).to_dense());
    }
    entry.constants.push_back(std::move(constant));
  }
  return entry;
}

Result<std::shared_ptr<const ScanKernels::Entry>> ScanKernels::find(const reference::ScanCall& call) {
  std::vector<ops::Fact> captured = captured_facts(call);
  const auto key = std::pair(&call.scan, signature(call, captured));
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = entries_.find(key); found != entries_.end()) return found->second;
  }
  TRY_ASSIGN(Entry made, make(call, std::move(captured)));
  const std::lock_guard lock(mutex_);
  return entries_.emplace(key, std::make_shared<const Entry>(std::move(made))).first->second;
}

Result<std::optional<std::vector<Value>>> ScanKernels::run(const reference::ScanCall& call) {
  TRY_ASSIGN(const std::shared_ptr<const Entry> entry, find(call));
  if (!entry->loop) return std::optional<std::vector<Value>>();
  TRY_ASSIGN(std::vector<Value> results,
             call_fused_loop(*entry->loop, entry->kernel, entry->constants, entry->outputs, call, options_.threads));
  return std::optional(std::move(results));
}

std::vector<std::string> ScanKernels::report() const {
  std::vector<std::string> lines;
  const std::lock_guard lock(mutex_);
  for (const auto& [key, entry] : entries_)
    lines.push_back(fmt::format("{}: {}", key.first->body.graph->name, entry->loop ? "one kernel" : entry->refusal));
  return lines;
}

}  // namespace pawl::cpu
