#include "backend/wgsl/chunked_call.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <mutex>

#include "base/guard.h"
#include "base/try.h"
#include "tensor/walk.h"

namespace pawl::wgsl {
namespace {

using Source = kernel::StepValue::Source;

/// The shaders of one Scan and one form.
struct Shaders {
  Passes passes;
  std::vector<Handle> pipelines;
};

/// One Scan with values of certain types and extents.
struct Entry {
  std::string refusal;
  std::optional<scan::ChunkLaws> laws;
  LaneLaws lanes;
  TimeDirections directions;
  std::map<ChunkedForm, Shaders> forms;
};

/// Memory of one run, by the names of buffers.
class Buffers {
 public:
  Result<void> add(const std::string& name, Tensor tensor, bool is_written) {
    if (tensor.size() > std::numeric_limits<std::int32_t>::max())
      return fail(Code::limit, "{} elements; a shader counts to 2^31", tensor.size());
    if (!is_written) {
      TRY_ASSIGN(tensor, tensor.to_dense());
    }
    Held& held = held_[name];
    held.tensor = std::move(tensor);
    const auto size = static_cast<std::size_t>(held.tensor.size());
    auto* bytes = const_cast<std::byte*>(held.tensor.bytes());
    held.memory = {bytes, size * size_of(held.tensor.dtype()), is_written};
    if (held.tensor.dtype() != DType::boolean) return {};
    held.wide.resize(size);
    if (!is_written)
      std::transform(bytes, bytes + size, held.wide.begin(),
                     [](std::byte each) { return static_cast<std::uint32_t>(each); });
    held.memory = {held.wide.data(), size * sizeof(std::uint32_t), is_written};
    return {};
  }
  [[nodiscard]] const Memory* find(const std::string& name) const {
    const auto found = held_.find(name);
    return found == held_.end() ? nullptr : &found->second.memory;
  }
  /// What was written.
  Tensor take(const std::string& name) {
    Held& held = held_[name];
    for (std::size_t i = 0; i < held.wide.size(); ++i)
      held.tensor.mutable_bytes()[i] = static_cast<std::byte>(held.wide[i]);
    return std::move(held.tensor);
  }

 private:
  struct Held {
    Tensor tensor;
    std::vector<std::uint32_t> wide;  ///< booleans take 4 bytes on a device
    Memory memory;
  };
  std::map<std::string, Held> held_;
};

class ChunkedScans final : public cpu::OtherWay {
 public:
  ChunkedScans(std::shared_ptr<Device> device, bool exact, int tiles)
      : device_(std::move(device)), exact_(exact), always_(tiles > 0) {
    if (always_) cut_.workgroups = cut_.staged_workgroups = tiles;
    if (device_->is_software()) cut_.unroll = 2;
  }

  Result<Answer> run(const reference::ScanCall& call, std::vector<Value>& results) override {
    const std::int64_t steps = reference::steps_of_run(call);
    std::int64_t lanes = 0;
    for (const Value& state : call.states) {
      if (!state.is_tensor()) return Answer::refused;
      lanes = std::max(lanes, state.tensor().size());
    }
    if (steps < 1 || lanes < 1) return Answer::refused;
    if (!always_ && (steps < policy_.fewest_steps || lanes > policy_.most_lanes)) return Answer::refused;
    const std::lock_guard lock(mutex_);
    TRY_ASSIGN(Entry * entry, find(call));
    if (!entry->refusal.empty()) return Answer::refused;
    if (call.stretch != nullptr) return Answer::wants_all;
    ChunkedFormPolicy forms = policy_;
    // Not the faster way on the devices that were measured, but tests are to see it.
    forms.subgroups = always_ && lanes == 2;
    const ChunkedForm form = form_for(entry->lanes, entry->directions, steps, lanes, device_->target(), forms);
    TRY_ASSIGN(const Shaders* shaders, find(*entry, form));
    if (shaders == nullptr) return Answer::refused;
    TRY(run(call, *entry, *shaders, results));
    return Answer::done;
  }

  [[nodiscard]] std::vector<std::string> report() const override {
    std::vector<std::string> lines;
    const std::lock_guard lock(mutex_);
    for (const auto& [key, entry] : known_) {
      const std::string& name = key.first->body.graph->name;
      if (!entry.refusal.empty()) lines.push_back(fmt::format("{}: not in chunks: {}", name, entry.refusal));
      for (const auto& [form, shaders] : entry.forms)
        lines.push_back(fmt::format("{}: in chunks, {} shaders{}", name, shaders.passes.passes.size(),
                                    form.staged ? " through workgroup memory" : ""));
    }
    return lines;
  }

 private:
  using Key = std::pair<const graph::ScanOp*, std::string>;

  static std::string describe(const reference::ScanCall& call) {
    std::string text;
    for (const Value& each : call.states) text += to_string(type_of(each)) + ";";
    for (const ops::Fact& each : reference::body_inputs({}, call.elements)) text += to_string(each.type) + ";";
    for (const Value* each : call.captured) text += to_string(type_of(*each)) + ";";
    for (const bool each : call.wanted) text += each ? "y" : "n";
    return text;
  }

  Result<Entry*> find(const reference::ScanCall& call) {
    constexpr std::size_t kMost = 1024;
    if (known_.size() > kMost) known_.clear();
    const auto [at, is_new] = known_.try_emplace(Key(&call.scan, describe(call)));
    Entry& entry = at->second;
    if (!is_new) return &entry;
    const Result<void> made = guard([&] { return make(call, entry); });
    // What cannot be cut runs as a kernel, which knows what is wrong.
    if (!made.ok()) entry.refusal = made.error().message;
    return &entry;
  }

  Result<void> make(const reference::ScanCall& call, Entry& entry) const {
    std::vector<ops::Fact> captured;
    for (const Value* each : call.captured) {
      if (!each->is_tensor()) return fail(Code::unsupported, "it captures something else than tensors");
      captured.push_back({type_of(*each), std::nullopt});
    }
    TRY_ASSIGN(scan::ChunkLawsResult laws,
               scan::chunk_laws(call.scan, reference::body_inputs(call.states, call.elements), captured, exact_));
    if (!laws.laws) return fail(Code::unsupported, "{}", laws.refusal);
    entry.laws = std::move(*laws.laws);
    TRY_ASSIGN(entry.lanes, lane_laws(*entry.laws, call.wanted));
    entry.directions = directions_of(call.scan, entry.lanes);
    return {};
  }

  /// Made once for all extents that have the same text.
  Result<Handle> pipeline(const std::string& text) {
    if (const auto found = pipelines_.find(text); found != pipelines_.end()) return found->second.get();
    TRY_ASSIGN(Owned made, device_->pipeline(text));
    return pipelines_.emplace(text, std::move(made)).first->second.get();
  }

  /// Null where the device cannot; the entry then says why.
  Result<const Shaders*> find(Entry& entry, ChunkedForm form) {
    if (const auto found = entry.forms.find(form); found != entry.forms.end()) return &found->second;
    Result<Passes> passes =
        chunked_scan(entry.lanes, dense_call(entry.lanes, entry.directions, form), device_->target(), cut_);
    if (!passes.ok()) {
      if (passes.error().code != Code::unsupported && passes.error().code != Code::limit) return passes.error();
      entry.refusal = passes.error().message;
      return static_cast<const Shaders*>(nullptr);
    }
    Shaders made{std::move(passes).value(), {}};
    for (const Pass& each : made.passes.passes) {
      TRY_ASSIGN(const Handle pipeline, this->pipeline(each.text));
      made.pipelines.push_back(pipeline);
    }
    return &entry.forms.emplace(form, std::move(made)).first->second;
  }

  Result<void> run(const reference::ScanCall& call, const Entry& entry, const Shaders& shaders,
                   std::vector<Value>& results) {
    Buffers memory;
    TRY(fill(call, entry, memory));
    const std::map<std::string, std::int64_t> names = values_of(shaders.passes, {{"T", call.trips}});
    const auto value = [&](const Count& count) { return value_of(count, names); };
    std::vector<Memory> buffers;
    for (const PassBuffer& each : shaders.passes.buffers)
      buffers.push_back(each.kind == PassBuffer::Kind::scratch ? Memory{nullptr, bytes_of(each, names), false}
                                                               : *memory.find(each.name));
    std::vector<Dispatch> dispatches;
    for (std::size_t i = 0; i < shaders.pipelines.size(); ++i) {
      const Pass& pass = shaders.passes.passes[i];
      Dispatch made{shaders.pipelines[i], pass.buffers, {}, static_cast<std::uint32_t>(value(pass.workgroups))};
      for (const auto& [name, count] : pass.params) made.params.push_back(static_cast<std::int32_t>(value(count)));
      dispatches.push_back(std::move(made));
    }
    TRY(device_->run(dispatches, buffers));
    for (std::size_t i = 0; i < entry.lanes.states.size(); ++i)
      results.emplace_back(memory.take(fmt::format("final{}", i)));
    for (std::size_t k = 0; k < entry.lanes.outputs.size(); ++k)
      results.push_back(entry.lanes.outputs[k] == DType::undefined ? Value()
                                                                   : Value(memory.take(fmt::format("output{}", k))));
    return {};
  }

  static Result<void> fill(const reference::ScanCall& call, const Entry& entry, Buffers& memory) {
    const LaneLaws& lanes = entry.lanes;
    for (std::size_t i = 0; i < lanes.inputs.size(); ++i) {
      const LaneInput& each = lanes.inputs[i];
      const std::string name = name_of(each, i);
      if (each.source == Source::element) {
        TRY(memory.add(name, call.elements[each.index], false));
      } else if (each.source == Source::captured) {
        TRY(memory.add(name, call.captured[each.index]->tensor(), false));
      } else {
        TRY(memory.add(name, *(*entry.laws->scan().body.graph)[each.constant].fact.tensor(), false));
      }
    }
    for (std::size_t i = 0; i < lanes.states.size(); ++i) {
      TRY(memory.add(fmt::format("state{}", i), call.states[i].tensor(), false));
      TRY_ASSIGN(Tensor made, Tensor::allocate(lanes.states[i], lanes.lanes));
      TRY(memory.add(fmt::format("final{}", i), std::move(made), true));
    }
    for (std::size_t k = 0; k < lanes.outputs.size(); ++k) {
      if (lanes.outputs[k] == DType::undefined) continue;
      Dims shape = lanes.output_shapes[k];
      shape.insert(entry.directions.output_axes[k], call.trips);
      TRY_ASSIGN(Tensor made, Tensor::allocate(lanes.outputs[k], std::move(shape)));
      TRY(memory.add(fmt::format("output{}", k), std::move(made), true));
    }
    return {};
  }

  std::shared_ptr<Device> device_;
  bool exact_;
  bool always_;
  ChunkedFormPolicy policy_;
  ChunkedScanPolicy cut_;
  mutable std::mutex mutex_;
  std::map<Key, Entry> known_;
  std::map<std::string, Owned> pipelines_;
};

}  // namespace

std::shared_ptr<cpu::OtherWay> chunked_scans(std::shared_ptr<Device> device, bool exact, int tiles) {
  return std::make_shared<ChunkedScans>(std::move(device), exact, tiles);
}

}  // namespace pawl::wgsl
