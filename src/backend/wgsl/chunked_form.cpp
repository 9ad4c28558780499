#include "backend/wgsl/chunked_form.h"

#include <fmt/format.h>

#include "tensor/walk.h"

namespace pawl::wgsl {
namespace {

using Source = kernel::StepValue::Source;

/// Row-major strides of a tensor that is broadcast to lanes.
std::vector<Count> along(const Dims& shape, std::size_t lane_axes) {
  std::vector<Count> strides(lane_axes, 0);
  std::int64_t stride = 1;
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] != 1) strides[lane_axes - shape.size() + axis] = stride;
    stride *= shape[axis];
  }
  return strides;
}

PlacedBuffer placed(PassBuffer::Kind kind, std::string name, DType dtype, const Dims& shape, std::size_t lane_axes) {
  return {{kind, std::move(name), dtype, {}}, {0, 0, along(shape, lane_axes)}};
}

void reverse(Placement& place) {
  place.first = (Count::named("T") - 1) * place.step;
  place.step = place.step * -1;
}

/// Time is an axis among those of a step.
void put_in_time(Placement& place, const Dims& shape, std::size_t axis, bool reversed) {
  std::int64_t inner = 1;
  for (std::size_t i = axis; i < shape.size(); ++i) inner *= shape[i];
  place.step = inner;
  const std::size_t first = place.along.size() - shape.size();
  for (std::size_t i = 0; i < axis; ++i) place.along[first + i] = place.along[first + i] * Count::named("T");
  if (reversed) reverse(place);
}

}  // namespace

TimeDirections directions_of(const graph::ScanOp& scan, const LaneLaws& laws) {
  TimeDirections made{scan.input_reversed, scan.output_reversed, {}};
  for (std::size_t k = 0; k < laws.outputs.size(); ++k) {
    const auto rank = static_cast<std::int64_t>(laws.output_shapes[k].size()) + 1;
    const std::int64_t axis = scan.output_axes[k];
    made.output_axes.push_back(static_cast<std::size_t>(axis < 0 ? axis + rank : axis));
  }
  return made;
}

ChunkedForm form_for(const LaneLaws& laws, const TimeDirections& directions, std::int64_t steps, std::int64_t lanes,
                     const Target& target, const ChunkedFormPolicy& policy) {
  bool forward = false, backward = false, dense = true;
  for (const LaneInput& each : laws.inputs)
    if (each.source == Source::element) (directions.elements_reversed[each.index] ? backward : forward) = true;
  for (std::size_t k = 0; k < laws.outputs.size(); ++k) {
    if (laws.outputs[k] == DType::undefined) continue;
    (directions.outputs_reversed[k] ? backward : forward) = true;
    dense = dense && directions.output_axes[k] == 0;
  }
  const bool is_small = steps <= policy.alone_numbers / std::max<std::int64_t>(lanes, 1);
  ChunkedForm form;
  form.alone = is_small || lanes > policy.most_lanes || steps < policy.fewest_steps;
  form.staged = dense && !(forward && backward) && can_stage(laws, lanes, target);
  // The least size of a subgroup is 4.
  form.subgroups = policy.subgroups && form.staged && target.subgroups && (lanes == 1 || lanes == 2 || lanes == 4);
  return form;
}

std::string name_of(const LaneInput& input, std::size_t i) {
  static constexpr const char* kNames[] = {"state", "element", "captured", "constant"};
  return fmt::format("{}{}", kNames[static_cast<std::size_t>(input.source)], i);
}

ChunkedScanCall dense_call(const LaneLaws& laws, const TimeDirections& directions, ChunkedForm form) {
  using Kind = PassBuffer::Kind;
  ChunkedScanCall made;
  made.alone = form.alone;
  made.staged = form.staged;
  made.subgroups = form.subgroups;
  made.steps = Count::named("T");
  made.lanes = checked_size(laws.lanes).value_or(0);
  const std::size_t axes = laws.lanes.size();
  for (std::size_t i = 0; i < laws.inputs.size(); ++i) {
    const LaneInput& each = laws.inputs[i];
    const Kind kind = each.source == Source::constant ? Kind::constant : Kind::input;
    made.inputs.push_back(placed(kind, name_of(each, i), each.dtype, each.shape, axes));
    if (each.source == Source::element)
      put_in_time(made.inputs.back().place, each.shape, 0, directions.elements_reversed[each.index]);
  }
  for (std::size_t i = 0; i < laws.states.size(); ++i) {
    made.initial.push_back(placed(Kind::input, fmt::format("state{}", i), laws.states[i], laws.lanes, axes));
    made.finals.push_back(placed(Kind::output, fmt::format("final{}", i), laws.states[i], laws.lanes, axes));
  }
  for (std::size_t k = 0; k < laws.outputs.size(); ++k) {
    const Dims& shape = laws.output_shapes[k];
    made.outputs.push_back(placed(Kind::output, fmt::format("output{}", k), laws.outputs[k], shape, axes));
    if (laws.outputs[k] == DType::undefined) continue;
    put_in_time(made.outputs.back().place, shape, directions.output_axes[k], directions.outputs_reversed[k]);
  }
  return made;
}

std::int64_t value_of(const Count& count, const std::map<std::string, std::int64_t>& names) {
  return value_of(count, [&](const std::string& name) { return names.at(name); });
}

std::map<std::string, std::int64_t> values_of(const Passes& passes, std::map<std::string, std::int64_t> given) {
  for (const auto& [name, count] : passes.derived) given[name] = value_of(count, given);
  return given;
}

std::size_t bytes_of(const PassBuffer& buffer, const std::map<std::string, std::int64_t>& names) {
  // Booleans take 4 bytes on a device.
  std::int64_t bytes = buffer.dtype == DType::boolean ? 4 : static_cast<std::int64_t>(size_of(buffer.dtype));
  for (const Count& extent : buffer.shape) bytes *= value_of(extent, names);
  return static_cast<std::size_t>(bytes);
}

}  // namespace pawl::wgsl
