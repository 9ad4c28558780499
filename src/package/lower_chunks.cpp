#include "package/lower_chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "backend/wgsl/chunked_form.h"
#include "base/guard.h"
#include "base/try.h"

namespace pawl::package {
namespace {

using kernel::StepValue;
using wgsl::Count;
using BufferKind = wgsl::PassBuffer::Kind;

std::size_t from_front(std::int64_t axis, std::size_t rank) {
  return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
}

/// More than any device binds: a variant says what it needs.
constexpr int kMostBuffers = 1000;
/// Lanes of which rows are shorter than what a device reads at once.
constexpr std::int64_t kFewLanes = 16;

class ChunksToPasses {
 public:
  ChunksToPasses(const LoopCall& call, scan::ChunkLaws laws, wgsl::LaneLaws lanes, DraftBuilder& to)
      : call_(call), laws_(std::move(laws)), lanes_(std::move(lanes)), to_(to), prefix_(to.unique_prefix(call.name)) {}

  /// Whether rows of all elements and outputs lie one behind the other, for few lanes that go through workgroup memory.
  [[nodiscard]] bool has_rows() const {
    if (!wgsl::can_stage(lanes_, 1, {.f16 = has_f16()})) return false;
    const bool reversed = call_.scan.input_reversed[0];
    for (std::size_t i = 0; i < call_.scan.elements; ++i)
      if (from_front(call_.scan.input_axes[i], call_.elements[i].shape.size()) != 0 ||
          call_.scan.input_reversed[i] != reversed)
        return false;
    for (std::size_t k = 0; k < lanes_.outputs.size(); ++k) {
      if (lanes_.outputs[k] == DType::undefined) continue;
      if (from_front(call_.scan.output_axes[k], lanes_.output_shapes[k].size() + 1) != 0 ||
          call_.scan.output_reversed[k] != reversed || !(lanes_.output_shapes[k] == lanes_.lanes))
        return false;
    }
    return true;
  }

  Result<std::string> run(Chunks chunks) {
    wgsl::ChunkedScanCall chunked;
    chunked.staged = chunks == Chunks::rows && has_rows();
    chunked.steps = number("steps", call_.trips);
    std::int64_t lanes = 1;
    for (const std::int64_t extent : lanes_.lanes) lanes *= extent;
    chunked.lanes = number("lanes", lanes);
    for (std::size_t axis = 0; axis < lanes_.lanes.size(); ++axis)
      chunked.extents.push_back(number(fmt::format("extent{}", axis), lanes_.lanes[axis]));
    TRY(place_all(chunked));
    const Result<wgsl::Passes> made = wgsl::chunked_scan(lanes_, chunked, {.f16 = has_f16(), .buffers = kMostBuffers});
    if (!made.ok() && (made.error().code == Code::unsupported || made.error().code == Code::limit))
      return made.error().message;
    if (!made.ok()) return made.error();
    const wgsl::ChunkedFormPolicy policy;
    to_.add_condition(chunked.steps, policy.fewest_steps);
    to_.add_condition(chunked.staged ? kFewLanes : policy.most_lanes, chunked.lanes);
    add(*made);
    return std::string();
  }

 private:
  /// A number that the draft knows.
  Count number(const std::string& name, std::int64_t value) {
    to_.add_number(prefix_ + name, value);
    return Count::named(prefix_ + name);
  }

  [[nodiscard]] bool has_f16() const {
    const auto is_f16 = [](DType dtype) { return dtype == DType::f16; };
    return std::any_of(lanes_.states.begin(), lanes_.states.end(), is_f16) ||
           std::any_of(lanes_.outputs.begin(), lanes_.outputs.end(), is_f16) ||
           std::any_of(lanes_.inputs.begin(), lanes_.inputs.end(),
                       [&](const wgsl::LaneInput& each) { return is_f16(each.dtype); });
  }

  /// Strides of a tensor's axes, of which `time` is one, over the axes of lanes, to which it is broadcast.
  std::vector<Count> along(const std::string& name, const Dims& shape, std::size_t time) {
    const Dims strides = dense_strides(shape);
    const std::size_t lane_axes = lanes_.lanes.size(), rank = shape.size() - (time < shape.size() ? 1 : 0);
    std::vector<Count> made(lane_axes, 0);
    std::size_t at = lane_axes - rank;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      if (axis == time) continue;
      if (shape[axis] == 1) {
        ++at;
        continue;
      }
      // Neighbours are that whatever the extents are.
      made[at] = strides[axis] == 1 ? Count(1) : number(fmt::format("{}_along{}", name, at), strides[axis]);
      ++at;
    }
    return made;
  }

  void place_in_time(wgsl::PlacedBuffer& buffer, const Dims& shape, std::size_t time, bool reversed) {
    const std::string& name = buffer.buffer.name;
    const std::int64_t step = dense_strides(shape)[time];
    buffer.place.step = number(name + "_step", reversed ? -step : step);
    if (reversed) buffer.place.first = number(name + "_first", (call_.trips - 1) * step);
    buffer.place.along = along(name, shape, time);
  }

  wgsl::PlacedBuffer placed(BufferKind kind, std::string name, DType dtype, std::size_t buffer) {
    buffers_[name] = buffer;
    return {{kind, std::move(name), device_type(dtype), {}}, {}};
  }

  Result<void> place_all(wgsl::ChunkedScanCall& chunked) {
    constexpr std::size_t kNoTime = SIZE_MAX;
    for (std::size_t i = 0; i < lanes_.inputs.size(); ++i) {
      TRY_ASSIGN(wgsl::PlacedBuffer made, place_input(i));
      chunked.inputs.push_back(std::move(made));
    }
    for (std::size_t i = 0; i < lanes_.states.size(); ++i) {
      TRY_ASSIGN(const std::size_t initial, to_.buffer_of(call_.initial[i], call_.name + "_initial"));
      std::size_t final = call_.finals[i];
      if (final == SIZE_MAX)
        final = to_.buffer(BufferKind::scratch, call_.name + "_final", lanes_.states[i], call_.initial[i].shape);
      chunked.initial.push_back(placed(BufferKind::input, fmt::format("state{}", i), lanes_.states[i], initial));
      chunked.initial.back().place.along = along(fmt::format("state{}", i), lanes_.lanes, kNoTime);
      chunked.finals.push_back(placed(BufferKind::output, fmt::format("final{}", i), lanes_.states[i], final));
      chunked.finals.back().place.along = along(fmt::format("final{}", i), lanes_.lanes, kNoTime);
    }
    for (std::size_t k = 0; k < lanes_.outputs.size(); ++k) {
      const DType dtype = lanes_.outputs[k];
      chunked.outputs.push_back(placed(BufferKind::output, fmt::format("output{}", k), dtype, call_.outputs[k]));
      if (dtype == DType::undefined) continue;
      Dims shape = lanes_.output_shapes[k];
      const std::size_t time = from_front(call_.scan.output_axes[k], shape.size() + 1);
      shape.insert(time, call_.trips);
      place_in_time(chunked.outputs.back(), shape, time, call_.scan.output_reversed[k]);
    }
    return {};
  }

  Result<wgsl::PlacedBuffer> place_input(std::size_t i) {
    const wgsl::LaneInput& each = lanes_.inputs[i];
    const std::string name = wgsl::name_of(each, i);
    if (each.source == StepValue::Source::element) {
      const Operand& element = call_.elements[each.index];
      TRY_ASSIGN(const std::size_t buffer, to_.buffer_of(element, call_.name + "_element"));
      wgsl::PlacedBuffer made = placed(BufferKind::input, name, each.dtype, buffer);
      const std::size_t time = from_front(call_.scan.input_axes[each.index], element.shape.size());
      place_in_time(made, element.shape, time, call_.scan.input_reversed[each.index]);
      return made;
    }
    const graph::Graph& body = *laws_.scan().body.graph;
    const Tensor constant = each.source == StepValue::Source::constant   ? *body[each.constant].fact.tensor()
                            : each.source == StepValue::Source::captured ? call_.captured[each.index].constant
                                                                         : Tensor();
    DraftBuilder::Place place;
    if (constant.defined()) {
      TRY_ASSIGN(place, to_.constant(constant, call_.name + "_constant"));
    } else {
      place.buffer = call_.captured[each.index].buffer;
    }
    wgsl::PlacedBuffer made = placed(BufferKind::input, name, each.dtype, place.buffer);
    made.place.first = place.origin;
    made.place.along = along(name, each.shape, SIZE_MAX);
    return made;
  }

  void add(const wgsl::Passes& passes) {
    std::map<std::string, std::string> names;
    for (const auto& [name, count] : passes.derived) names.emplace(name, prefix_ + "of_" + name);
    const auto renamed = [&](const Count& count) {
      return with_names(count, [&](const std::string& name) {
        const auto found = names.find(name);
        return Count::named(found == names.end() ? name : found->second);
      });
    };
    for (const auto& [name, count] : passes.derived) to_.add_derived(names.at(name), renamed(count));
    std::vector<std::size_t> buffers;
    for (const wgsl::PassBuffer& each : passes.buffers) {
      if (const auto found = buffers_.find(each.name); found != buffers_.end()) {
        buffers.push_back(found->second);
        continue;
      }
      std::vector<Count> shape;
      for (const Count& extent : each.shape) shape.push_back(renamed(extent));
      buffers.push_back(to_.scratch(call_.name + "_" + each.name, each.dtype, std::move(shape)));
    }
    for (const wgsl::Pass& pass : passes.passes) {
      DraftPass made;
      made.id = call_.name + "_" + pass.id;
      made.text = pass.text;
      made.writes = pass.writes;
      for (const std::size_t each : pass.buffers) made.buffers.push_back(buffers[each]);
      for (const auto& [name, count] : pass.params) made.params.emplace_back(name, renamed(count));
      made.workgroups = renamed(pass.workgroups);
      to_.add(std::move(made));
    }
  }

  const LoopCall& call_;
  scan::ChunkLaws laws_;
  wgsl::LaneLaws lanes_;
  DraftBuilder& to_;
  std::string prefix_;
  std::map<std::string, std::size_t> buffers_;  ///< of the draft, by their names in the shaders
};

/// What is known of a value: of lists, which may be axes, what they hold.
ops::Fact fact_of(const ops::Fact& fact) {
  const bool is_list = fact.type.dtype == DType::i64 && fact.type.shape && fact.type.shape->size() <= 1;
  return is_list ? fact : ops::Fact{fact.type, std::nullopt};
}

}  // namespace

Result<std::string> lower_in_chunks(const LoopCall& call, Chunks chunks, DraftBuilder& to) {
  const graph::Graph& body = *call.scan.body.graph;
  if (call.scan.states == 0) return std::string("it has no states");
  std::vector<ops::Fact> inputs, captured;
  for (const graph::ValueId id : body.inputs) inputs.push_back({call.facts[id.index].type, std::nullopt});
  for (const graph::ValueId id : body.captured) captured.push_back(fact_of(call.facts[id.index]));
  std::vector<bool> wanted(call.scan.states, true);
  for (const std::size_t output : call.outputs) wanted.push_back(output != SIZE_MAX);
  return guard([&]() -> Result<std::string> {
    TRY_ASSIGN(scan::ChunkLawsResult laws, scan::chunk_laws(call.scan, inputs, captured, false));
    if (!laws.laws) return std::move(laws.refusal);
    Result<wgsl::LaneLaws> lanes = wgsl::lane_laws(*laws.laws, wanted);
    if (!lanes.ok() && lanes.error().code == Code::unsupported) return lanes.error().message;
    if (!lanes.ok()) return lanes.error();
    return ChunksToPasses(call, std::move(*laws.laws), std::move(*lanes), to).run(chunks);
  });
}

}  // namespace pawl::package
