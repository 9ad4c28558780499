#include "package/lower_loop.h"

#include <fmt/format.h>

#include "backend/cpu/layout.h"
#include "backend/wgsl/shader_call.h"
#include "backend/wgsl/target.h"
#include "base/guard.h"
#include "base/try.h"
#include "kernel/fused_loop.h"
#include "package/pack_buffers.h"
#include "package/unify.h"

namespace pawl::package {
namespace {

using kernel::Binding;
using Kind = Binding::Kind;
using BufferKind = wgsl::PassBuffer::Kind;

/// Strides of a binding's axes, which are those of a tensor or several neighbours of them as one.
Dims merged_strides(const Dims& shape, const Dims& strides, const Dims& merged) {
  Dims made(merged.size(), 1);
  std::size_t at = shape.size();
  for (std::size_t axis = merged.size(); axis-- > 0;) {
    std::int64_t product = 1;
    while (product < merged[axis] && at > 0) {
      --at;
      if (shape[at] == 1) continue;
      if (product == 1) made[axis] = strides[at];
      product *= shape[at];
    }
  }
  return made;
}

Dims without(const Dims& dims, std::size_t axis) {
  Dims made = dims;
  made.erase(axis);
  return made;
}

class LoopToPasses {
 public:
  LoopToPasses(const LoopCall& call, kernel::FusedLoop loop, DraftBuilder& to)
      : call_(call), loop_(std::move(loop)), to_(to), params_(loop_.program.params.size(), 0) {}

  Result<void> run() {
    buffers_.assign(loop_.program.buffers.size(), 0);
    for (std::size_t i = 0; i < call_.scan.states; ++i) TRY(begin_state(i));
    for (const Binding& binding : loop_.bindings) TRY(bind(binding));
    set(loop_.visits, 1);
    set(loop_.steps, call_.trips);
    for (const kernel::FusedLoop::Axis& axis : loop_.axes) set(axis.param, axis.extent / axis.tile);
    for (const auto& [param, extent] : loop_.extents) set(param, extent);
    std::vector<CopyBack> back;
    if (call_.packs) {
      KernelCall made{loop_, call_.name, buffers_, params_};
      TRY_ASSIGN(back, pack_buffers(made, static_cast<std::size_t>(wgsl::Target().buffers), to_));
      buffers_ = std::move(made.buffers);
      params_ = std::move(made.params);
    }
    std::vector<kernel::Program> parts;
    if (call_.scan.elements == 0)
      parts = split_at_barriers(loop_.program);
    else
      parts.push_back(std::move(loop_.program));
    for (kernel::Program& part : parts) TRY(to_.add(call_.name, std::move(part), buffers_, params_));
    for (const CopyBack& each : back) {
      const Dims shape = to_.at(each.to).shape;
      TRY(to_.copy(call_.name + "_unpacked", each.from, {shape, dense_strides(shape)}, each.to, each.origin));
    }
    for (const auto& [binding, from] : packed_) TRY(unpack(*binding, from));
    return {};
  }

 private:
  void set(kernel::Param param, std::int64_t value) {
    if (param.valid()) params_[param.index] = value;
  }

  [[nodiscard]] const Binding* binding_of_state(std::size_t i) const {
    for (const Binding& binding : loop_.bindings)
      if (binding.kind == Kind::state && binding.index == i) return &binding;
    return nullptr;
  }

  /// The state goes from step to step in the buffer that will be its final value.
  Result<void> begin_state(std::size_t i) {
    const Binding* binding = binding_of_state(i);
    const Operand& initial = call_.initial[i];
    std::size_t to = call_.finals[i];
    if (binding == nullptr && to == SIZE_MAX) return {};
    const DType dtype = call_.facts[call_.scan.body.graph->inputs[i].index].type.dtype;
    const std::string name = call_.name + "_initial";
    Walk walk{initial.shape, dense_strides(initial.shape)};
    if (binding != nullptr && !binding->order.empty()) {
      const Dims strides = merged_strides(walk.shape, walk.strides, binding->shape);
      walk = {};
      for (const std::size_t axis : binding->order) {
        walk.shape.push_back(binding->shape[axis]);
        walk.strides.push_back(strides[axis]);
      }
      to = to_.buffer(BufferKind::scratch, name, dtype, walk.shape);
      packed_.emplace_back(binding, to);
    } else if (to == SIZE_MAX) {
      to = to_.buffer(BufferKind::scratch, name, dtype, initial.shape);
    }
    if (binding != nullptr) buffers_[binding->buffer] = to;
    return to_.fill(name, initial, walk, to);
  }

  Result<void> unpack(const Binding& binding, std::size_t from) {
    const std::size_t to = call_.finals[binding.index];
    if (to == SIZE_MAX) return {};
    Dims packed;
    for (const std::size_t axis : binding.order) packed.push_back(binding.shape[axis]);
    const Dims strides = dense_strides(packed);
    Walk walk{binding.shape, Dims(binding.shape.size(), 1)};
    for (std::size_t i = 0; i < binding.order.size(); ++i) walk.strides[binding.order[i]] = strides[i];
    return to_.copy(call_.name + "_final", from, walk, to);
  }

  Result<void> bind(const Binding& binding) {
    for (const auto& [param, stride] : binding.dense) set(param, stride);
    switch (binding.kind) {
      case Kind::state: return {};
      case Kind::element: return bind_element(binding);
      case Kind::captured: return bind_captured(binding);
      case Kind::constant: return bind_constant(binding);
      case Kind::scratch: {
        const DType dtype = loop_.program.buffers[binding.buffer].dtype;
        buffers_[binding.buffer] = to_.buffer(BufferKind::scratch, call_.name + "_kept", dtype, binding.shape);
        return {};
      }
      case Kind::output: break;
    }
    buffers_[binding.buffer] = call_.outputs[binding.index];
    const Dims shape = shape_of_output(binding.index);
    const std::size_t axis = time_axis(call_.scan.output_axes[binding.index], shape.size());
    bind_in_time(binding, shape, axis, call_.scan.output_reversed[binding.index]);
    return {};
  }

  /// Of the stacked tensor.
  [[nodiscard]] Dims shape_of_output(std::size_t k) const {
    const graph::Graph& body = *call_.scan.body.graph;
    Dims shape = *call_.facts[body.outputs[call_.scan.states + k].index].type.static_shape();
    shape.insert(time_axis(call_.scan.output_axes[k], shape.size() + 1), call_.trips);
    return shape;
  }

  [[nodiscard]] static std::size_t time_axis(std::int64_t axis, std::size_t rank) {
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  }

  /// Of a dense tensor with time along `axis`.
  void bind_in_time(const Binding& binding, const Dims& shape, std::size_t axis, bool reversed) {
    const Dims strides = dense_strides(shape);
    for (const Binding::TensorStride& stride : binding.strides) {
      const bool is_dense = std::any_of(binding.dense.begin(), binding.dense.end(),
                                        [&](const auto& each) { return each.first == stride.param; });
      if (!is_dense) set(stride.param, without(strides, axis)[stride.axis]);
    }
    set_time(binding, strides[axis], reversed);
  }

  void set_time(const Binding& binding, std::int64_t step, bool reversed) {
    set(binding.time, reversed ? -step : step);
    set(binding.visit, (reversed ? -step : step) * call_.trips);
    set(binding.origin, reversed ? (call_.trips - 1) * step : 0);
  }

  Result<void> bind_element(const Binding& binding) {
    const Operand& element = call_.elements[binding.index];
    const std::size_t axis = time_axis(call_.scan.input_axes[binding.index], element.shape.size());
    const bool reversed = call_.scan.input_reversed[binding.index];
    if (binding.order.empty()) {
      TRY_ASSIGN(buffers_[binding.buffer], to_.buffer_of(element, call_.name + "_element"));
      bind_in_time(binding, element.shape, axis, reversed);
      return {};
    }
    const Dims strides = dense_strides(element.shape);
    const Dims within = merged_strides(without(element.shape, axis), without(strides, axis), binding.shape);
    Walk walk{{element.shape[axis]}, {strides[axis]}};
    std::int64_t step = 1;
    for (const std::size_t each : binding.order) {
      walk.shape.push_back(binding.shape[each]);
      walk.strides.push_back(within[each]);
      step *= binding.shape[each];
    }
    TRY_ASSIGN(buffers_[binding.buffer], walked(binding, element, walk, "_element"));
    set_time(binding, step, reversed);
    return {};
  }

  Result<void> bind_captured(const Binding& binding) {
    const Operand& captured = call_.captured[binding.index];
    const std::string name = call_.name + "_captured";
    if (binding.order.empty()) {
      TRY_ASSIGN(buffers_[binding.buffer], to_.buffer_of(captured, name));
      return {};
    }
    const Dims strides = merged_strides(captured.shape, dense_strides(captured.shape), binding.shape);
    Walk walk;
    for (const std::size_t each : binding.order) {
      walk.shape.push_back(binding.shape[each]);
      walk.strides.push_back(strides[each]);
    }
    TRY_ASSIGN(buffers_[binding.buffer], walked(binding, captured, walk, "_captured"));
    return {};
  }

  Result<std::size_t> walked(const Binding& binding, const Operand& from, const Walk& walk, std::string_view what) {
    const std::string name = fmt::format("{}{}", call_.name, what);
    const DType dtype = loop_.program.buffers[binding.buffer].dtype;
    const std::size_t made = to_.buffer(BufferKind::scratch, name, dtype, walk.shape);
    TRY(to_.fill(name, from, walk, made));
    return made;
  }

  Result<void> bind_constant(const Binding& binding) {
    const graph::Graph& body = *call_.scan.body.graph;
    TRY_ASSIGN(const Tensor packed, cpu::packed(binding, *body[binding.constant].fact.tensor()));
    TRY_ASSIGN(const DraftBuilder::Place place, to_.constant(packed, call_.name + "_constant"));
    buffers_[binding.buffer] = place.buffer;
    set(binding.origin, place.origin);
    return {};
  }

  const LoopCall& call_;
  kernel::FusedLoop loop_;
  DraftBuilder& to_;
  std::vector<std::int64_t> params_;
  std::vector<std::size_t> buffers_;  ///< by buffer of the kernel
  std::vector<std::pair<const Binding*, std::size_t>> packed_;
};

}  // namespace

Result<std::string> lower_loop(const LoopCall& call, DraftBuilder& to) {
  std::vector<bool> wanted(call.scan.states, true);
  for (const std::size_t output : call.outputs) wanted.push_back(output != SIZE_MAX);
  kernel::FusedLoopPolicy policy = wgsl::shader_policy();
  // What is gone through once is not worth a copy in another order.
  policy.moves = call.scan.elements > 0;
  // Parts would have whole numbers of places for some extents only.
  policy.sides = false;
  Result<kernel::Lowering> lowering =
      guard([&] { return kernel::lower_fused_loop(call.scan, call.facts, wanted, policy); });
  if (!lowering.ok()) return lowering.error();
  if (!lowering->loop) return std::move(lowering->refusal);
  TRY(LoopToPasses(call, std::move(*lowering->loop), to).run());
  return std::string();
}

}  // namespace pawl::package
