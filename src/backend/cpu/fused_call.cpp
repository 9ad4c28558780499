#include "backend/cpu/fused_call.h"

#include <algorithm>
#include <array>

#include "backend/cpu/layout.h"
#include "backend/cpu/threads.h"
#include "backend/reference/stack.h"
#include "base/try.h"
#include "tensor/order.h"
#include "tensor/reuse.h"
#include "tensor/walk.h"

namespace pawl::cpu {
namespace {

using kernel::Binding;
using kernel::FusedLoop;

/// Operations of lanes from which one more thread pays: about 5 microseconds. To share work out takes one where threads
/// are awake, and a few where they have to be woken.
constexpr std::int64_t kWorthAThread = 1 << 17;
/// Operations of lanes in one call: between two calls the run can be interrupted.
constexpr std::int64_t kMostAtOnce = std::int64_t{1} << 28;
/// Bytes of outputs from which they are written past the caches; and, where threads share rows, from how many if what
/// one of them writes of a row is shorter than kShortRow.
constexpr std::int64_t kPastCaches = std::int64_t{24} << 20;
constexpr std::int64_t kSharedRows = std::int64_t{1} << 20;
constexpr std::int64_t kShortRow = std::int64_t{8} << 10;
/// Threads share no cache line of 64 bytes, whatever the type.
constexpr std::int64_t kLanesApart = 64;

/// A few numbers or buffers of a call, which threads have each their own of: no memory is asked for where they are few.
template <class T>
class Few {
 public:
  explicit Few(std::size_t count)
      : many_(count > kFew ? count : 0), all_(many_.empty() ? few_.data() : many_.data(), count) {}
  Few(const Few&) = delete;
  Few& operator=(const Few&) = delete;

  [[nodiscard]] std::span<T> all() const { return all_; }

 private:
  static constexpr std::size_t kFew = 96;
  std::array<T, kFew> few_;
  std::vector<T> many_;
  std::span<T> all_;
};

/// How many threads are worth their while.
int parts_of(const FusedLoop& loop, std::int64_t steps, int threads) {
  const double work = static_cast<double>(std::max<std::int64_t>(loop.work, 1)) * static_cast<double>(steps);
  return static_cast<int>(std::clamp(work / static_cast<double>(kWorthAThread), 1.0, static_cast<double>(threads)));
}

/// Whether threads share its places out by whole lines of the cache.
bool is_apart(const FusedLoop::Axis& axis) { return axis.innermost || axis.tile > 1; }

std::optional<std::size_t> axis_to_split(const FusedLoop& loop, int parts) {
  for (std::size_t axis = 0; axis < loop.axes.size(); ++axis) {
    const FusedLoop::Axis& each = loop.axes[axis];
    if (each.can_split && each.extent >= (is_apart(each) ? kLanesApart : 1) * parts) return axis;
  }
  return std::nullopt;
}

/// Whether threads share steps out rather than lanes: what each of them writes then lies together.
bool is_shared_in_time(const FusedLoop& loop, std::int64_t steps, int parts) {
  constexpr std::int64_t kFewest = 16;
  return loop.splits_time && steps >= kFewest * parts;
}

class Call {
 public:
  Call(const LoopKernel& kernel, const reference::ScanCall& call, std::vector<Value>& results)
      : kernel_(kernel), loop_(*kernel.loop), call_(call), results_(results), own_(kernel.spares->take()) {
    if (own_ == nullptr) own_ = std::make_unique<CallMemory>();
    own_->params.assign(loop_.program.params.size(), 0);
  }
  ~Call() {
    own_->clear();
    kernel_.spares->give(std::move(own_));
  }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  Result<void> run(int threads) {
    TRY(bind_all());
    TRY(run_slices(threads));
    return finish();
  }

  Result<void> run_blocks(const NextBlock& next) {
    TRY(bind_all());
    while (true) {
      TRY_ASSIGN(const std::int64_t steps, next(results_));
      if (steps == 0) return finish();
      TRY(run_part({{}, 0, steps}, 0, steps));
    }
  }

 private:
  Result<void> bind_all() {
    results_.clear();
    results_.resize(call_.scan.states + call_.scan.outputs);
    for (std::size_t i = 0; i < call_.scan.states; ++i) results_[i] = std::move(call_.states[i]);
    for (std::size_t i = 0; i < loop_.bindings.size(); ++i) {
      for (const auto& [param, stride] : loop_.bindings[i].dense) own_->params[param.index] = stride;
      TRY(bind(i));
    }
    for (const auto& [param, extent] : loop_.extents) own_->params[param.index] = extent;
    return {};
  }

  Result<void> finish() {
    for (const auto& [kept, binding] : own_->packed) TRY(unpack(own_->kept[kept], loop_.bindings[binding]));
    return {};
  }

  Result<void> bind(std::size_t i) {
    const Binding& binding = loop_.bindings[i];
    switch (binding.kind) {
      case Binding::Kind::state: return bind_state(i);
      case Binding::Kind::element: return bind_element(binding);
      case Binding::Kind::captured: return bind_captured(binding, call_.captured[binding.index]->tensor());
      // Constants are packed already.
      case Binding::Kind::constant: add(kernel_.constants[i]); return {};
      case Binding::Kind::scratch: return bind_scratch(binding);
      case Binding::Kind::output: break;
    }
    return bind_output(binding);
  }

  void add(const Tensor& tensor, std::int64_t origin = 0, std::int64_t time = 0) {
    // A view's elements, from the first to the last that it reaches.
    std::int64_t size = tensor.size() == 0 ? 0 : 1;
    for (std::size_t axis = 0; axis < tensor.shape().size() && size > 0; ++axis)
      size += (tensor.shape()[axis] - 1) * tensor.strides()[axis];
    // What a kernel only reads is not written to.
    own_->arguments.push_back({{const_cast<std::byte*>(tensor.bytes()), size}, origin, time});
  }

  Result<void> bind_captured(const Binding& binding, const Tensor& tensor) {
    if (!binding.dense.empty() && tensor.shape() == binding.shape && binding.order.empty() && tensor.aligned() &&
        !has_negative(tensor) && has_strides(binding, tensor, 0)) {
      for (const Binding::TensorStride& stride : binding.strides)
        own_->params[stride.param.index] = tensor.strides()[stride.axis];
      add(tensor);
      own_->kept.push_back(tensor);
      return {};
    }
    TRY_ASSIGN(Tensor dense, packed(binding, tensor));
    TRY_ASSIGN(dense, dense.to_dense());
    add(dense);
    own_->kept.push_back(std::move(dense));
    return {};
  }

  Result<void> bind_scratch(const Binding& binding) {
    TRY_ASSIGN(Tensor own, Tensor::allocate(loop_.program.buffers[binding.buffer].dtype, binding.shape));
    add(own);
    own_->kept.push_back(std::move(own));
    return {};
  }

  /// The state goes from step to step in the memory that will be its final value.
  Result<void> bind_state(std::size_t i) {
    const Binding& binding = loop_.bindings[i];
    Tensor& state = results_[binding.index].tensor();
    if (!binding.order.empty()) {
      TRY_ASSIGN(Tensor own, packed(binding, state));
      if (binding.tile == 0) {
        TRY_ASSIGN(own, own.clone());
      }
      add(own);
      own_->packed.emplace_back(own_->kept.size(), i);
      own_->kept.push_back(std::move(own));
      return {};
    }
    if (!state.unique() || !state.dense() || !state.aligned()) {
      TRY_ASSIGN(Tensor own, take_or_allocate(call_.reuse, state.dtype(), state.shape()));
      copy_elements(state, own);
      state = std::move(own);
    }
    add(state);
    return {};
  }

  /// A packed state goes to the memory of the one before, or to its own, with its axes in their order again.
  Result<void> unpack(const Tensor& from, const Binding& binding) {
    Tensor& state = results_[binding.index].tensor();
    if (!state.unique() || !state.dense() || !state.aligned()) {
      TRY_ASSIGN(state, take_or_allocate(call_.reuse, from.dtype(), state.shape()));
    }
    cpu::unpack(binding, from, state);
    return {};
  }

  Result<void> bind_element(const Binding& binding) {
    Tensor element = call_.elements[binding.index];
    if (!binding.order.empty()) {
      Dims shape{element.shape()[0]};
      for (const std::int64_t extent : binding.shape) shape.push_back(extent);
      TRY_ASSIGN(element, element.to_dense());
      std::vector<std::size_t> order{0};
      for (const std::size_t axis : binding.order) order.push_back(axis + 1);
      TRY_ASSIGN(element, in_order(element.reshaped(shape), order).to_dense());
    } else if (!has_strides(binding, element, 1)) {
      TRY_ASSIGN(element, element.to_dense());
    }
    if (!element.aligned() || has_negative(element)) {
      TRY_ASSIGN(element, element.clone());
    }
    const bool reversed = call_.scan.input_reversed[binding.index];
    const std::int64_t step = element.strides()[0];
    for (const Binding::TensorStride& stride : binding.strides)
      own_->params[stride.param.index] = element.strides()[stride.axis + 1];
    bind_in_time(binding, element, step, reversed);
    own_->kept.push_back(std::move(element));
    return {};
  }

  static bool has_negative(const Tensor& tensor) {
    return std::any_of(tensor.strides().begin(), tensor.strides().end(), [](std::int64_t each) { return each < 0; });
  }

  /// Whether the axes whose strides are no params lie densely; the binding's first axis is number `first` of the
  /// tensor.
  static bool has_strides(const Binding& binding, const Tensor& tensor, std::size_t first) {
    std::int64_t dense = 1;
    for (std::size_t axis = tensor.shape().size() - first; axis-- > 0;) {
      const bool is_param = std::any_of(binding.strides.begin(), binding.strides.end(),
                                        [&](const auto& each) { return each.axis == axis; });
      const std::int64_t extent = tensor.shape()[axis + first];
      if (!is_param && extent != 1 && tensor.strides()[axis + first] != dense) return false;
      dense *= extent;
    }
    return true;
  }

  Result<void> bind_output(const Binding& binding) {
    const std::size_t k = binding.index;
    Dims shape = kernel_.outputs[k];
    TRY_ASSIGN(const std::size_t axis, reference::resolve_new_axis(call_.scan.output_axes[k], shape.size()));
    shape.insert(axis, reference::steps_of_run(call_));
    const DType dtype = loop_.program.buffers[binding.buffer].dtype;
    Tensor made;
    if (reference::Stretch* stretch = call_.stretch; stretch == nullptr) {
      TRY_ASSIGN(made, take_or_allocate(call_.reuse, dtype, shape));
    } else {
      stretch->outputs.resize(call_.scan.outputs);
      Tensor& whole = stretch->outputs[k];
      if (!whole.defined()) {
        TRY_ASSIGN(whole, take_or_allocate(call_.reuse, dtype, shape));
      }
      shape[axis] = call_.trips;
      made = whole.view(shape, whole.strides(), stretch->first * whole.strides()[axis]);
    }
    // Dense ones are told: they are of the binding's axes, which may be several of the tensor's.
    if (binding.dense.empty())
      for (const Binding::TensorStride& stride : binding.strides)
        own_->params[stride.param.index] = made.strides()[stride.axis < axis ? stride.axis : stride.axis + 1];
    bind_in_time(binding, made, made.strides()[axis], call_.scan.output_reversed[k]);
    results_[call_.scan.states + k] = std::move(made);
    return {};
  }

  void bind_in_time(const Binding& binding, Tensor& tensor, std::int64_t step, bool reversed) {
    own_->params[binding.time.index] = reversed ? -step : step;
    add(tensor, reversed ? (call_.trips - 1) * step : 0, own_->params[binding.time.index]);
  }

  // --- slices of time, parts of lanes

  Result<void> run_slices(int threads) {
    const std::int64_t work = std::max<std::int64_t>(loop_.work, 1);
    std::int64_t most = std::max<std::int64_t>(kMostAtOnce / work, 1);
    if (loop_.steps_per_visit > 1)
      most = std::max(most / loop_.steps_per_visit, std::int64_t{1}) * loop_.steps_per_visit;
    for (std::int64_t done = 0; done < call_.trips; done += most) {
      if (call_.progress) TRY(call_.progress(done));
      const std::int64_t steps = std::min(most, call_.trips - done);
      if (loop_.shares_steps)
        TRY(share_steps(done, steps, threads));
      else
        TRY(run_parts(done, steps, parts_of(loop_, steps, threads)));
    }
    return {};
  }

  /// A range of an axis, or of time (axis none); all of the others. Of shared steps: which part of each of them.
  struct Part {
    std::optional<std::size_t> axis;
    std::int64_t begin = 0;
    std::int64_t end = 0;
    int share = 0;
    int shares = 1;
    Meeting* meeting = nullptr;
  };

  /// All parts at every step; where there are not as many threads now, one call does everything.
  Result<void> share_steps(std::int64_t done, std::int64_t steps, int threads) {
    const int parts = static_cast<int>(std::clamp<std::int64_t>(loop_.work / loop_.share, 1, threads));
    if (parts > 1) {
      Meeting meeting(parts);
      TRY_ASSIGN(const bool is_done, run_together(parts, [&](int part) {
                   Result<void> run = run_part({{}, done, done + steps, part, parts, &meeting}, done, steps);
                   if (!run.ok()) meeting.abandon();
                   return run;
                 }));
      if (is_done) return {};
    }
    return run_part({{}, done, done + steps}, done, steps);
  }

  Result<void> run_parts(std::int64_t done, std::int64_t steps, int parts) {
    const std::optional<std::size_t> axis =
        parts > 1 && !is_shared_in_time(loop_, steps, parts) ? axis_to_split(loop_, parts) : std::nullopt;
    const bool in_time = parts > 1 && !axis && loop_.splits_time && steps >= parts;
    if (!axis && !in_time) return run_part({{}, done, done + steps}, done, steps);
    const std::int64_t extent = in_time ? steps : loop_.axes[*axis].extent;
    const bool apart = !in_time && is_apart(loop_.axes[*axis]);
    const auto bound = [&](int part) {
      const std::int64_t even = extent * part / parts;
      return part == parts || !apart ? even : even / kLanesApart * kLanesApart;
    };
    const auto run = [&](int part) {
      if (in_time) return run_part({{}, 0, 0}, done + bound(part), bound(part + 1) - bound(part));
      return run_part({axis, bound(part), bound(part + 1)}, done, steps);
    };
    return cpu::run_parts(parts, run);
  }

  /// The part in pieces of as many places as the loop is cut into.
  [[nodiscard]] Result<void> run_part(const Part& part, std::int64_t done, std::int64_t steps) const {
    constexpr std::int64_t kManySteps = 16;
    if (!loop_.cut || (part.axis && part.axis != loop_.cut->axis) || steps < kManySteps)
      return run_piece(part, done, steps);
    const std::int64_t end = part.axis ? part.end : loop_.axes[loop_.cut->axis].extent;
    for (std::int64_t begin = part.begin; begin < end; begin += loop_.cut->places)
      TRY(run_piece({loop_.cut->axis, begin, std::min(begin + loop_.cut->places, end)}, done, steps));
    return {};
  }

  [[nodiscard]] Result<void> run_piece(const Part& part, std::int64_t done, std::int64_t steps) const {
    if (part.axis && part.begin == part.end) return {};
    const Few<std::int64_t> own_params(own_->params.size());
    const std::span<std::int64_t> params = own_params.all();
    std::copy(own_->params.begin(), own_->params.end(), params.begin());
    for (std::size_t i = 0; i < loop_.axes.size(); ++i)
      params[loop_.axes[i].param.index] =
          (part.axis == i ? part.end - part.begin : loop_.axes[i].extent) / loop_.axes[i].tile;
    for (const FusedLoop::Blocks& blocks : loop_.blocks) {
      const std::int64_t first = blocks.count * part.share / part.shares;
      params[blocks.first_param.index] = first;
      params[blocks.count_param.index] = blocks.count * (part.share + 1) / part.shares - first;
      if (blocks.rest > 0) params[blocks.rest_param.index] = part.share + 1 == part.shares ? blocks.rest : 0;
    }
    if (loop_.shares_steps) params[loop_.alone.index] = part.share == 0 ? 1 : 0;
    // Whole visits, and then what is left as one of fewer steps.
    const std::int64_t per_visit = loop_.steps_per_visit == 0 ? steps : loop_.steps_per_visit;
    const std::int64_t visits = per_visit == 0 ? 0 : steps / per_visit;
    if (visits > 0) TRY(call_kernel(part, params, done, visits, per_visit));
    const std::int64_t rest = steps - visits * per_visit;
    if (rest > 0) TRY(call_kernel(part, params, done + visits * per_visit, 1, rest));
    return {};
  }

  Result<void> call_kernel(const Part& part, std::span<std::int64_t> params, std::int64_t done, std::int64_t visits,
                           std::int64_t steps) const {
    params[loop_.visits.index] = visits;
    params[loop_.steps.index] = steps;
    const Few<KernelMemory> memory(loop_.program.buffers.size());
    for (std::size_t i = 0; i < loop_.bindings.size(); ++i) {
      const Binding& binding = loop_.bindings[i];
      const KernelArgument& argument = own_->arguments[i];
      if (binding.visit.valid()) params[binding.visit.index] = steps * argument.time;
      std::int64_t origin = argument.origin + done * argument.time;
      if (part.axis) {
        const Binding::Stride& stride = binding.along[*part.axis];
        origin += part.begin * (stride.param.valid() ? own_->params[stride.param.index] : stride.fixed);
      }
      params[binding.origin.index] = origin;
      memory.all()[binding.buffer] = argument.memory;
    }
    return kernel_.kernel(memory.all(), params, part.meeting);
  }

  const LoopKernel& kernel_;
  const FusedLoop& loop_;
  const reference::ScanCall& call_;
  std::vector<Value>& results_;
  std::unique_ptr<CallMemory> own_;
};

}  // namespace

void CallMemory::clear() {
  arguments.clear();
  kept.clear();
  packed.clear();
}

bool passes_caches(const LoopKernel& kernel, std::int64_t trips, int threads) {
  const std::int64_t bytes = kernel.bytes_of_step * trips;
  if (bytes < kSharedRows) return false;
  if (bytes >= kPastCaches) return true;
  const int parts = parts_of(*kernel.loop, trips, threads);
  if (is_shared_in_time(*kernel.loop, trips, parts)) return false;
  const std::optional<std::size_t> axis = parts > 1 ? axis_to_split(*kernel.loop, parts) : std::nullopt;
  return axis && kernel.loop->axes[*axis].innermost && kernel.bytes_of_row / parts < kShortRow;
}

bool reads_in_place(const FusedLoop& loop) {
  return std::all_of(loop.bindings.begin(), loop.bindings.end(), [](const Binding& binding) {
    return binding.kind != Binding::Kind::element || binding.order.empty();
  });
}

Result<void> call_in_blocks(const LoopKernel& kernel, const reference::ScanCall& call, const NextBlock& next,
                            std::vector<Value>& results) {
  return Call(kernel, call, results).run_blocks(next);
}

Result<void> call_fused_loop(const LoopKernel& kernel, const reference::ScanCall& call, int threads,
                             std::vector<Value>& results) {
  return Call(kernel, call, results).run(threads);
}

}  // namespace pawl::cpu
