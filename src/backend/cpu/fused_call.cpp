#include "backend/cpu/fused_call.h"

#include <algorithm>

#include "backend/cpu/threads.h"
#include "base/try.h"
#include "tensor/reuse.h"
#include "tensor/walk.h"

namespace pawl::cpu {
namespace {

using kernel::Binding;
using kernel::FusedLoop;

/// Lane steps from which one more thread pays: 3 microseconds of the cheapest body; to share work out takes one where
/// threads are awake.
constexpr std::int64_t kWorthAThread = 1 << 15;
/// Lane steps of one call: between two calls the run can be interrupted.
constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 28;
/// Threads share no cache line of 64 bytes, whatever the type.
constexpr std::int64_t kLanesApart = 64;

/// A buffer of the kernel, and where in it step 0 of lane 0 is.
struct Argument {
  KernelMemory memory;
  std::int64_t origin = 0;
  std::int64_t time = 0;  ///< elements from step to step
};

class Call {
 public:
  Call(const FusedLoop& loop, const KernelCall& kernel, const std::vector<Tensor>& constants,
       const std::vector<Dims>& outputs, const reference::ScanCall& call)
      : loop_(loop),
        kernel_(kernel),
        constants_(constants),
        outputs_(outputs),
        call_(call),
        params_(loop.program.params.size(), 0) {}

  Result<std::vector<Value>> run(int threads) {
    results_.resize(call_.scan.states + call_.scan.outputs);
    for (std::size_t i = 0; i < call_.scan.states; ++i) results_[i] = std::move(call_.states[i]);
    for (std::size_t i = 0; i < loop_.bindings.size(); ++i) TRY(bind(i));
    TRY(run_slices(threads));
    return std::move(results_);
  }

 private:
  Result<void> bind(std::size_t i) {
    const Binding& binding = loop_.bindings[i];
    switch (binding.kind) {
      case Binding::Kind::state: return bind_state(binding);
      case Binding::Kind::element: return bind_element(binding);
      case Binding::Kind::captured: return bind_dense(call_.captured[binding.index].tensor());
      case Binding::Kind::constant: return bind_dense(constants_[i]);
      case Binding::Kind::output: break;
    }
    return bind_output(binding);
  }

  void add(Tensor& tensor, std::int64_t origin, std::int64_t time) {
    // A view's elements, from the first to the last that it reaches.
    std::int64_t size = tensor.size() == 0 ? 0 : 1;
    for (std::size_t axis = 0; axis < tensor.shape().size() && size > 0; ++axis)
      size += (tensor.shape()[axis] - 1) * tensor.strides()[axis];
    arguments_.push_back({{tensor.mutable_bytes(), size}, origin, time});
  }

  Result<void> bind_dense(const Tensor& tensor) {
    TRY_ASSIGN(Tensor dense, tensor.to_dense());
    add(dense, 0, 0);
    kept_.push_back(std::move(dense));
    return {};
  }

  /// The state goes from step to step in the memory that will be its final value.
  Result<void> bind_state(const Binding& binding) {
    Tensor& state = results_[binding.index].tensor();
    if (!state.unique() || !state.dense() || !state.aligned()) {
      TRY_ASSIGN(Tensor own, take_or_allocate(call_.reuse, state.dtype(), state.shape()));
      copy_elements(state, own);
      state = std::move(own);
    }
    add(state, 0, 0);
    return {};
  }

  Result<void> bind_element(const Binding& binding) {
    Tensor element = call_.elements[binding.index];
    if (!has_strides(binding, element)) {
      TRY_ASSIGN(element, element.to_dense());
    }
    if (!element.aligned() || has_negative(element)) {
      TRY_ASSIGN(element, element.clone());
    }
    const bool reversed = call_.scan.input_reversed[binding.index];
    const std::int64_t step = element.strides()[0];
    for (const Binding::TensorStride& stride : binding.strides)
      params_[stride.param.index] = element.strides()[stride.axis + 1];
    bind_in_time(binding, element, step, reversed);
    kept_.push_back(std::move(element));
    return {};
  }

  static bool has_negative(const Tensor& tensor) {
    return std::any_of(tensor.strides().begin(), tensor.strides().end(), [](std::int64_t each) { return each < 0; });
  }

  /// Whether the axes whose strides are no params lie densely.
  static bool has_strides(const Binding& binding, const Tensor& element) {
    std::int64_t dense = 1;
    for (std::size_t axis = element.shape().size() - 1; axis-- > 0;) {
      const bool is_param = std::any_of(binding.strides.begin(), binding.strides.end(),
                                        [&](const auto& each) { return each.axis == axis; });
      const std::int64_t extent = element.shape()[axis + 1];
      if (!is_param && extent != 1 && element.strides()[axis + 1] != dense) return false;
      dense *= extent;
    }
    return true;
  }

  Result<void> bind_output(const Binding& binding) {
    const std::size_t k = binding.index;
    Dims shape = outputs_[k];
    std::int64_t axis = call_.scan.output_axes[k];
    if (axis < 0) axis += static_cast<std::int64_t>(shape.size()) + 1;
    shape.insert(static_cast<std::size_t>(axis), call_.trips);
    TRY_ASSIGN(Tensor made, take_or_allocate(call_.reuse, loop_.program.buffers[binding.buffer].dtype, shape));
    for (const Binding::TensorStride& stride : binding.strides)
      params_[stride.param.index] =
          made.strides()[stride.axis < static_cast<std::size_t>(axis) ? stride.axis : stride.axis + 1];
    bind_in_time(binding, made, made.strides()[static_cast<std::size_t>(axis)], call_.scan.output_reversed[k]);
    results_[call_.scan.states + k] = std::move(made);
    return {};
  }

  void bind_in_time(const Binding& binding, Tensor& tensor, std::int64_t step, bool reversed) {
    params_[binding.time.index] = reversed ? -step : step;
    add(tensor, reversed ? (call_.trips - 1) * step : 0, params_[binding.time.index]);
  }

  // --- slices of time, parts of lanes

  Result<void> run_slices(int threads) {
    std::int64_t lanes = 1;
    for (const std::int64_t extent : loop_.extents) lanes *= extent;
    if (lanes == 0) return {};
    std::int64_t most = std::max<std::int64_t>(kMostAtOnce / lanes, 1);
    if (loop_.steps_per_visit > 1)
      most = std::max(most / loop_.steps_per_visit, std::int64_t{1}) * loop_.steps_per_visit;
    for (std::int64_t done = 0; done < call_.trips; done += most) {
      TRY(call_.progress(done));
      const std::int64_t steps = std::min(most, call_.trips - done);
      const std::int64_t worth = std::max<std::int64_t>(lanes * steps / kWorthAThread, 1);
      TRY(run_parts(done, steps, static_cast<int>(std::min<std::int64_t>(threads, worth))));
    }
    return {};
  }

  Result<void> run_parts(std::int64_t done, std::int64_t steps, int parts) {
    const std::optional<std::size_t> axis = parts > 1 ? axis_to_split(parts) : std::nullopt;
    if (!axis) return run_part(done, steps, 0, 0, loop_.extents[0]);
    const bool innermost = *axis + 1 == loop_.extents.size();
    const std::int64_t extent = loop_.extents[*axis];
    const auto bound = [&](int part) {
      const std::int64_t even = extent * part / parts;
      return part == parts || !innermost ? even : even / kLanesApart * kLanesApart;
    };
    return cpu::run_parts(parts, [&](int part) { return run_part(done, steps, *axis, bound(part), bound(part + 1)); });
  }

  [[nodiscard]] std::optional<std::size_t> axis_to_split(int parts) const {
    for (std::size_t axis = 0; axis < loop_.extents.size(); ++axis) {
      const bool innermost = axis + 1 == loop_.extents.size();
      if (loop_.can_split[axis] && loop_.extents[axis] >= (innermost ? kLanesApart : 1) * parts) return axis;
    }
    return std::nullopt;
  }

  /// Lanes begin to end of one axis, and all of the others.
  [[nodiscard]] Result<void> run_part(std::int64_t done, std::int64_t steps, std::size_t axis, std::int64_t begin,
                                      std::int64_t end) const {
    if (begin == end) return {};
    std::vector<std::int64_t> params = params_;
    for (std::size_t i = 0; i < loop_.extents.size(); ++i)
      params[loop_.extent_params[i].index] = i == axis ? end - begin : loop_.extents[i];
    const std::int64_t visits = loop_.steps_per_visit == 0 ? 0 : steps / loop_.steps_per_visit;
    params[loop_.visits.index] = visits;
    params[loop_.rest.index] = steps - visits * loop_.steps_per_visit;
    std::vector<KernelMemory> memory(loop_.program.buffers.size());
    for (std::size_t i = 0; i < loop_.bindings.size(); ++i) {
      const Binding& binding = loop_.bindings[i];
      const Argument& argument = arguments_[i];
      if (binding.rest.valid()) params[binding.rest.index] = visits * loop_.steps_per_visit * argument.time;
      const Binding::Stride& stride = binding.lanes[axis];
      const std::int64_t along = stride.param.valid() ? params_[stride.param.index] : stride.fixed;
      params[binding.origin.index] = argument.origin + begin * along + done * argument.time;
      memory[binding.buffer] = argument.memory;
    }
    return kernel_(memory, params);
  }

  const FusedLoop& loop_;
  const KernelCall& kernel_;
  const std::vector<Tensor>& constants_;
  const std::vector<Dims>& outputs_;
  const reference::ScanCall& call_;
  std::vector<std::int64_t> params_;
  std::vector<Argument> arguments_;  ///< by binding
  std::vector<Tensor> kept_;         ///< what the addresses point into
  std::vector<Value> results_;
};

}  // namespace

Result<std::vector<Value>> call_fused_loop(const FusedLoop& loop, const KernelCall& kernel,
                                           const std::vector<Tensor>& constants, const std::vector<Dims>& outputs,
                                           const reference::ScanCall& call, int threads) {
  return Call(loop, kernel, constants, outputs, call).run(threads);
}

}  // namespace pawl::cpu
