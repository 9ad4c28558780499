#include "kernel/step_memory.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"

namespace pawl::kernel {
namespace {

TensorKey key_of(const Binding& binding) { return {binding.kind, binding.index, binding.constant.index}; }

bool is_dense(const Binding& binding, Param param) {
  return std::any_of(binding.dense.begin(), binding.dense.end(), [&](const auto& each) { return each.first == param; });
}

kernel::Access access_of(Binding::Kind kind) {
  if (kind == Binding::Kind::state || kind == Binding::Kind::scratch) return kernel::Access::inout;
  return kind == Binding::Kind::output ? kernel::Access::out : kernel::Access::in;
}

}  // namespace

std::size_t StepMemory::bind(Binding::Kind kind, std::size_t index, graph::ValueId constant, DType dtype,
                             const Dims& shape) {
  for (std::size_t i = 0; i < bindings_.size(); ++i)
    if (bindings_[i].kind == kind && bindings_[i].index == index && bindings_[i].constant == constant) return i;
  Binding made;
  made.kind = kind;
  made.index = index;
  made.constant = constant;
  made.shape = shape;
  static constexpr std::string_view kLetters = "sxwqyz";
  const std::string own = fmt::format("{}{}", kLetters[static_cast<std::size_t>(kind)], bindings_.size());
  made.buffer = builder_.buffer(own, dtype, access_of(kind)).index;
  made.origin = builder_.param(own + "_origin");
  if (const auto found = layouts_.find(key_of(made)); found != layouts_.end()) {
    made.order = found->second.order;
    made.tile = found->second.tile;
  }
  if (kind == Binding::Kind::element || kind == Binding::Kind::output) {
    made.time = builder_.param(own + "_step");
    made.visit = builder_.param(own + "_visit");
    const std::size_t axis = kind == Binding::Kind::element ? times_.elements[index] : times_.outputs[index];
    // The extent of time is inside of the strides of the axes before it.
    for (std::size_t before = 0; before < axis && made.order.empty(); ++before)
      made.strides.push_back({before, builder_.param(fmt::format("{}_stride{}", own, before))});
  }
  for (std::size_t axis = 0; axis < shape.size() && open_; ++axis) {
    const std::int64_t dense = dense_stride(made, axis, shape);
    const bool is_told = std::any_of(made.strides.begin(), made.strides.end(),
                                     [&](const Binding::TensorStride& each) { return each.axis == axis; });
    if (is_told || shape[axis] == 1 || dense == 1) continue;
    made.strides.push_back({axis, builder_.param(fmt::format("{}_dense{}", own, axis))});
    made.dense.emplace_back(made.strides.back().param, dense);
  }
  bindings_.push_back(std::move(made));
  accesses_.emplace_back();
  return bindings_.size() - 1;
}

Binding::Stride StepMemory::stride(std::size_t binding, std::size_t axis, const Dims& shape) const {
  const Binding& of = bindings_[binding];
  for (const Binding::TensorStride& each : of.strides)
    if (each.axis == axis && shape == of.shape) return {0, each.param};
  return {dense_stride(of, axis, shape), {}};
}

std::int64_t StepMemory::dense_stride(const Binding& binding, std::size_t axis, const Dims& shape) {
  std::int64_t dense = 1;
  for (std::size_t i = shape.size(); i-- > 0;) {
    const std::size_t at = binding.order.empty() ? i : binding.order[i];
    if (at == axis) break;
    dense *= binding.tile > 0 && i + 1 == shape.size() ? binding.tile : shape[at];
  }
  return dense;
}

Form StepMemory::place(std::size_t binding, const Indices& indices, const Moment& moment, const Lane& lane,
                       const Dims* shape) {
  const Dims& seen = shape == nullptr ? bindings_[binding].shape : *shape;
  if (shape != nullptr && !(*shape == bindings_[binding].shape)) votes_[key_of(bindings_[binding])].fixed = true;
  note(binding, indices, lane, seen);
  const Binding& of = bindings_[binding];
  Affine at{{1, of.origin, {}}};
  for (std::size_t axis = 0; axis < indices.size(); ++axis) {
    const Binding::Stride by = stride(binding, axis, seen);
    if (of.tile > 0 && of.order.back() == axis) {
      add_tiled(at, of, indices[axis], lane);
      continue;
    }
    const std::int64_t factor = by.param.valid() ? 1 : by.fixed;
    if (indices[axis].offset != 0) at.push_back({factor * indices[axis].offset, by.param, {}});
    for (const AxisTerm& term : indices[axis].terms) add(at, factor * term.factor, by.param, lane.places.at(term.axis));
  }
  if (of.time.valid()) {
    if (moment.visit.valid()) at.push_back({1, of.visit, moment.visit});
    if (moment.step.valid()) at.push_back({1, of.time, moment.step});
  }
  return at;
}

void StepMemory::add(Affine& at, std::int64_t factor, Param stride, const Form& place) {
  for (const Term& term : place.terms()) {
    if (stride.valid() && term.param.valid()) has_gone_wrong_ = true;
    at.push_back({factor * term.factor, stride.valid() ? stride : term.param, term.counter});
  }
}

/// From tile to tile.
std::int64_t StepMemory::tile_size(const Binding& of) {
  std::int64_t size = of.tile;
  for (std::size_t axis = 0; axis < of.shape.size(); ++axis)
    if (axis != of.order.back()) size *= of.shape[axis];
  return size;
}

/// Accesses are as note_tile found them to be.
void StepMemory::add_tiled(Affine& at, const Binding& of, const AxisIndex& index, const Lane& lane) {
  const std::int64_t tiles = tile_size(of);
  CHECK(index.offset % of.tile == 0 && lane.block.width == of.tile);
  at.push_back({index.offset / of.tile * tiles, {}, {}});
  add(at, tiles, {}, lane.block.block);
  add(at, 1, {}, lane.block.lane);
}

/// A matrix that a sum goes through with a whole block of columns: its tiles lie one behind the other in memory.
void StepMemory::note_tile(std::size_t binding, const Indices& indices, const Lane& lane) {
  Votes& votes = votes_[key_of(bindings_[binding])];
  std::optional<std::size_t> along;
  bool is_summed = false, is_whole = lane.block.axis != SIZE_MAX;
  for (std::size_t axis = 0; axis < indices.size(); ++axis)
    for (const AxisTerm& term : indices[axis].terms) {
      is_summed = is_summed || term.axis >= kLoopAxis;
      if (term.axis != lane.block.axis) continue;
      is_whole = is_whole && !along && term.factor == 1 && indices[axis].terms.size() == 1 &&
                 indices[axis].offset % lane.block.width == 0;
      along = axis;
    }
  const auto tile = std::pair(along.value_or(0), lane.block.width);
  votes.has_tile = votes.has_tile && is_whole && is_summed && along && votes.tile.value_or(tile) == tile;
  votes.tile = tile;
}

void StepMemory::note(std::size_t binding, const Indices& indices, const Lane& lane, const Dims& shape) {
  note_tile(binding, indices, lane);
  const std::vector<std::size_t>& splits = lane.splits;
  Access access;
  std::size_t count = 0;
  for (const std::size_t split : splits)
    if (split != SIZE_MAX) count = std::max(count, split + 1);
  access.along.resize(count);
  Votes& votes = votes_[key_of(bindings_[binding])];
  for (std::size_t axis = 0; axis < indices.size(); ++axis)
    for (const AxisTerm& term : indices[axis].terms) {
      if (term.axis == lane.vectors && (term.factor == 1 || term.factor == -1)) ++votes.axes[axis];
      if (term.axis >= splits.size() || splits[term.axis] == SIZE_MAX) continue;
      Binding::Stride by = stride(binding, axis, shape);
      // Whole tiles are split.
      if (const Binding& of = bindings_[binding]; of.tile > 0 && of.order.back() == axis)
        by.fixed = tile_size(of) / of.tile;
      Binding::Stride& whole = access.along[splits[term.axis]];
      if (by.param.valid() ? term.factor != 1 || !(whole == Binding::Stride{}) : whole.param.valid())
        access.is_plain = false;
      else if (by.param.valid())
        whole = by;
      else
        whole.fixed += by.fixed * term.factor;
    }
  accesses_[binding].push_back(std::move(access));
}

Layouts StepMemory::better(bool tiles, bool states) const {
  Layouts made;
  for (const Binding& binding : bindings_) {
    const auto found = votes_.find(key_of(binding));
    const bool can_move = binding.kind != Binding::Kind::output && binding.kind != Binding::Kind::scratch;
    if (!can_move || found == votes_.end() || found->second.fixed || found->second.axes.empty()) continue;
    // Of equals the last one: to leave a tensor as it is costs nothing.
    const auto most = std::max_element(
        found->second.axes.begin(), found->second.axes.end(),
        [](const auto& a, const auto& b) { return std::pair(a.second, a.first) < std::pair(b.second, b.first); });
    const std::size_t axis = most->first;
    bool is_last = true;
    for (std::size_t i = axis + 1; i < binding.shape.size(); ++i) is_last = is_last && binding.shape[i] == 1;
    const bool in_time = std::any_of(
        binding.strides.begin(), binding.strides.end(),
        [&](const Binding::TensorStride& each) { return each.axis == axis && !is_dense(binding, each.param); });
    // Time is inside of it: to move it would be a transposed copy of the whole tensor.
    const bool is_matrix = binding.kind == Binding::Kind::captured || binding.kind == Binding::Kind::constant ||
                           (states && binding.kind == Binding::Kind::state);
    const bool has_tile =
        tiles && found->second.has_tile && found->second.tile && found->second.tile->first == axis && is_matrix;
    const std::int64_t tile =
        has_tile && binding.shape[axis] > found->second.tile->second ? found->second.tile->second : 0;
    if ((is_last && tile == 0) || in_time) continue;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < binding.shape.size(); ++i)
      if (i != axis) order.push_back(i);
    order.push_back(axis);
    made.emplace(key_of(binding), Layout{std::move(order), tile});
  }
  return made;
}

std::vector<Binding> StepMemory::finish(std::vector<FusedLoop::Axis>& axes) {
  for (std::size_t i = 0; i < bindings_.size(); ++i) {
    Binding& binding = bindings_[i];
    binding.along.resize(axes.size());
    bool is_first = true;
    for (Access& access : accesses_[i]) {
      access.along.resize(axes.size());
      for (std::size_t axis = 0; axis < axes.size(); ++axis) {
        if (!access.is_plain || (!is_first && !(binding.along[axis] == access.along[axis])))
          axes[axis].can_split = false;
        binding.along[axis] = access.along[axis];
      }
      is_first = false;
    }
    for (std::size_t axis = 0; axis < axes.size(); ++axis)
      if (binding.along[axis].fixed == 1 && binding.kind == Binding::Kind::output) axes[axis].innermost = true;
  }
  return bindings_;
}

}  // namespace pawl::kernel
