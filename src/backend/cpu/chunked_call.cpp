#include "backend/cpu/chunked_call.h"

#include <algorithm>

#include "backend/cpu/subnormals.h"
#include "backend/cpu/threads.h"
#include "backend/reference/stack.h"
#include "base/try.h"
#include "tensor/reuse.h"
#include "tensor/row_copy.h"
#include "tensor/walk.h"

namespace pawl::cpu {
namespace {

using scan::ChunkLevel;
using scan::ChunkScan;
using scan::Doubt;
using Values = std::vector<Value>;

/// Bytes of elements that are put side by side at a time: they and outputs stay in the first-level cache.
constexpr std::int64_t kBlockBytes = 1 << 14;
/// Bytes of elements that the chunks of a thread have in one round: they stay there from the summary to the steps.
constexpr std::int64_t kRoundBytes = 1 << 19;
/// Rows that lie a multiple of so many bytes apart fight for the same lines of the first-level cache.
constexpr std::int64_t kSameLines = 1024;
constexpr std::int64_t kLine = 64;

/// Whether some number of a dense tensor is of that magnitude or above, NaN above infinity: both as bits.
template <class Bits>
bool reaches(const Tensor& tensor, Bits magnitude) {
  const auto values = std::span(reinterpret_cast<const Bits*>(tensor.bytes()), static_cast<std::size_t>(tensor.size()));
  constexpr auto kNoSign = static_cast<Bits>(static_cast<Bits>(~Bits{0}) >> 1);
  return std::any_of(values.begin(), values.end(), [&](Bits bits) { return (bits & kNoSign) >= magnitude; });
}

/// Infinities of the element types that round, as bits.
bool reaches_infinity(const Tensor& tensor, bool beyond) {
  const unsigned more = beyond ? 1 : 0;
  switch (tensor.dtype()) {
    case DType::f32: return reaches<std::uint32_t>(tensor, 0x7f800000U + more);
    case DType::f64: return reaches<std::uint64_t>(tensor, 0x7ff0000000000000U + more);
    case DType::f16: return reaches<std::uint16_t>(tensor, static_cast<std::uint16_t>(0x7c00U + more));
    case DType::bf16: return reaches<std::uint16_t>(tensor, static_cast<std::uint16_t>(0x7f80U + more));
    default: return false;
  }
}

/// Whether a dense tensor of states shows what is doubted.
bool shows(const Tensor& tensor, Doubt doubt) {
  return doubt != Doubt::none && reaches_infinity(tensor, doubt == Doubt::not_a_number);
}

/// Factors that would bring back what was too small to be kept: 2^32, of which a few make up for the smallest number.
bool are_large(const Tensor& tensor) {
  switch (tensor.dtype()) {
    case DType::f32: return reaches<std::uint32_t>(tensor, 0x4f800000U);
    case DType::f64: return reaches<std::uint64_t>(tensor, 0x41f0000000000000U);
    case DType::bf16: return reaches<std::uint16_t>(tensor, 0x4f80U);
    default: return false;
  }
}

/// Steps of rows in a scanned or stacked tensor.
struct Steps {
  std::int64_t first = 0;   ///< of row 0
  std::int64_t length = 0;  ///< steps from row to row
  std::int64_t count = 0;
  std::int64_t rows = 0;
};

class Call {
 public:
  Call(const ChunkedLoop& loop, const reference::ScanCall& call, const RunScan& in_one)
      : loop_(loop), call_(call), in_one_(in_one), states_(call.states.begin(), call.states.end()) {}

  Result<std::optional<Values>> run() {
    const std::int64_t chunks = loop_.chunks();
    const std::int64_t most = std::max<std::int64_t>(kRoundBytes / bytes_of(loop_.scans.body), 1);
    std::int64_t done = 0;
    while (call_.trips - done >= chunks) {
      if (call_.progress) TRY(call_.progress(done));
      const std::int64_t length = length_for(std::min(most, (call_.trips - done) / chunks));
      TRY_ASSIGN(const bool is_done, run_chunks(done, length));
      if (!is_done) break;
      done += chunks * length;
    }
    if (done == 0) return std::optional<Values>();
    if (done < call_.trips) TRY(run_rest(done));
    Values results = std::move(states_);
    for (Tensor& output : outputs_) results.push_back(output.defined() ? Value(std::move(output)) : Value());
    return std::optional(std::move(results));
  }

 private:
  /// Chunks of about that length whose rows do not lie on each other's cache lines.
  [[nodiscard]] std::int64_t length_for(std::int64_t length) const {
    for (const Tensor& element : call_.elements) {
      const std::int64_t step = std::abs(element.strides()[0]) * static_cast<std::int64_t>(size_of(element.dtype()));
      if (step == 0 || step >= kLine || length * step % kSameLines != 0) continue;
      const std::int64_t shorter = length - kLine / step;
      if (shorter > 0) return shorter;
    }
    return length;
  }

  // --- all chunks of one round

  Result<bool> run_chunks(std::int64_t done, std::int64_t length) {
    const auto groups = static_cast<std::size_t>(loop_.groups);
    std::vector<Values> starts(groups, Values(call_.scan.states));
    Values running = states_;
    for (std::size_t i = 0; i < loop_.levels.size(); ++i) {
      const ChunkLevel& level = loop_.scans.levels[i];
      std::vector<Values> summaries(groups);
      TRY(run_parts(loop_.groups, [&](int group) {
        const auto g = static_cast<std::size_t>(group);
        const FlushSubnormals flush(std::find(level.factors.begin(), level.factors.end(), true) != level.factors.end());
        for (const std::size_t state : level.before) summaries[g].push_back(starts[g][state]);
        for (const Tensor& each : level.unchanged) summaries[g].emplace_back(each);
        return pass(level.summary, loop_.levels[i].summary, all_wanted(level.summary.scan), summaries[g],
                    rows_of(group, done, length));
      }));
      for (std::size_t g = 0; g < groups; ++g) {
        TRY_ASSIGN(const bool is_sound, go_on(level, loop_.levels[i].starts, summaries[g], running, starts[g]));
        if (!is_sound) return false;
      }
    }
    TRY(make_outputs());
    TRY(run_parts(loop_.groups, [&](int group) {
      Values& states = starts[static_cast<std::size_t>(group)];
      return pass(loop_.scans.body, loop_.body, call_.wanted, states, rows_of(group, done, length));
    }));
    for (std::size_t i = 0; i < states_.size(); ++i) {
      TRY_ASSIGN(Tensor last, starts.back()[i].tensor().select(0, loop_.rows - 1).clone());
      states_[i] = std::move(last);
    }
    return true;
  }

  [[nodiscard]] Steps rows_of(int group, std::int64_t done, std::int64_t length) const {
    return {done + group * loop_.rows * length, length, length, loop_.rows};
  }

  static std::vector<bool> all_wanted(const graph::ScanOp& scan) {
    return std::vector<bool>(scan.states + scan.outputs, true);
  }

  /// The states before each chunk of a group, and after the last one; false where they show that the summaries cannot
  /// be trusted.
  Result<bool> go_on(const ChunkLevel& level, const RunSteps& run, const Values& summary, Values& running,
                     Values& starts) const {
    Values states;
    for (const std::size_t state : level.states) states.push_back(running[state]);
    std::vector<Tensor> elements;
    for (std::size_t i = level.before.size(); i < summary.size(); ++i) {
      elements.push_back(summary[i].tensor());
      if (level.factors[i - level.before.size()] && are_large(elements.back())) return false;
    }
    const std::vector<bool> wanted = all_wanted(level.starts.scan);
    TRY_ASSIGN(Values made, run.all(call_of(level.starts, states, elements, wanted, loop_.rows, nullptr, {})));
    for (std::size_t i = 0; i < level.states.size(); ++i) {
      Value& before = made[level.states.size() + i];
      if (shows(before.tensor(), level.doubts[i])) return false;
      starts[level.states[i]] = std::move(before);
      running[level.states[i]] = std::move(made[i]);
    }
    return true;
  }

  static reference::ScanCall call_of(const ChunkScan& chunk, std::span<Value> states, std::span<const Tensor> elements,
                                     const std::vector<bool>& wanted, std::int64_t trips, Values* reuse,
                                     std::span<const Value* const> captured) {
    return {.scan = chunk.scan,
            .states = states,
            .elements = elements,
            .captured = captured,
            .wanted = wanted,
            .trips = trips,
            .reuse = reuse,
            .stretch = nullptr,
            .progress = {}};
  }

  // --- one group of rows, block of steps by block of steps

  Result<void> pass(const ChunkScan& chunk, const RunSteps& run, const std::vector<bool>& wanted, Values& states,
                    const Steps& all) const {
    const std::int64_t most = std::min(std::max<std::int64_t>(kBlockBytes / bytes_of(chunk), 16), all.count);
    TRY_ASSIGN(std::vector<Tensor> elements, scratch_for(chunk, most));
    const std::vector<Tensor> scratch = elements;
    Steps steps{all.first, all.length, 0, all.rows};
    const auto next = [&](Values& made) -> Result<std::int64_t> {
      for (std::size_t k = 0; k < chunk.scan.outputs && steps.count > 0; ++k) {
        if (!wanted[states.size() + k]) continue;
        Tensor block = front(made[states.size() + k].tensor(), steps.count);
        copy(views_[k], call_.scan.output_reversed[k], steps, block, false);
      }
      steps.first += steps.count;
      steps.count = std::min(most, all.first + all.count - steps.first);
      for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::size_t element = chunk.elements[i];
        elements[i] = front(scratch[i], steps.count);
        copy(call_.elements[element], call_.scan.input_reversed[element], steps, elements[i], true);
      }
      return steps.count;
    };
    Values made(states.size() + chunk.scan.outputs);
    Values reuse;
    const Values repeated = repeated_in(chunk);
    std::vector<const Value*> captured(call_.captured.begin(), call_.captured.end());
    for (std::size_t i = 0; i < captured.size(); ++i)
      if (chunk.repeated[i]) captured[i] = &repeated[i];
    reference::ScanCall call = call_of(chunk, states, scratch, wanted, most, &reuse, captured);
    const auto keep_states = [&] {
      std::move(made.begin(), made.begin() + static_cast<std::ptrdiff_t>(states.size()), states.begin());
    };
    if (run.blocks) {
      TRY_ASSIGN(made, run.blocks(call, next));
      keep_states();
      return {};
    }
    call.elements = elements;
    while (true) {
      TRY_ASSIGN(call.trips, next(made));
      if (call.trips == 0) return {};
      for (std::size_t i = states.size(); i < made.size(); ++i) reuse.push_back(std::move(made[i]));
      TRY_ASSIGN(made, run.all(call));
      keep_states();
    }
  }

  /// Captured values that are repeated, with their rows; none in the places of the others.
  [[nodiscard]] Values repeated_in(const ChunkScan& chunk) const {
    Values repeated(call_.captured.size());
    for (std::size_t i = 0; i < repeated.size(); ++i) {
      if (!chunk.repeated[i]) continue;
      const Tensor& one = call_.captured[i]->tensor();
      Dims shape = one.shape();
      shape.insert(0, loop_.rows);
      repeated[i] = broadcast_view(one, shape);
    }
    return repeated;
  }

  /// Room for the elements of some steps of all rows.
  [[nodiscard]] Result<std::vector<Tensor>> scratch_for(const ChunkScan& chunk, std::int64_t steps) const {
    std::vector<Tensor> scratch;
    for (const std::size_t i : chunk.elements) {
      Dims shape = call_.elements[i].shape();
      shape[0] = steps;
      shape.insert(1, loop_.rows);
      TRY_ASSIGN(Tensor made, Tensor::allocate(call_.elements[i].dtype(), shape));
      scratch.push_back(std::move(made));
    }
    return scratch;
  }

  static Tensor front(const Tensor& tensor, std::int64_t count) {
    if (tensor.shape()[0] == count) return tensor;
    Dims shape = tensor.shape();
    shape[0] = count;
    return tensor.view(std::move(shape), tensor.strides());
  }

  /// Of one step of all rows.
  [[nodiscard]] std::int64_t bytes_of(const ChunkScan& chunk) const {
    std::int64_t bytes = 1;
    for (const std::size_t i : chunk.elements) {
      const Tensor& element = call_.elements[i];
      bytes += element.size() / element.shape()[0] * static_cast<std::int64_t>(size_of(element.dtype()));
    }
    return bytes * loop_.rows;
  }

  /// Between a tensor of all steps and rows side by side: [steps, rows, …].
  void copy(const Tensor& all, bool reversed, const Steps& steps, Tensor& rows, bool to_rows) const {
    const std::int64_t sign = reversed ? -1 : 1;
    const std::int64_t time = all.strides()[0];
    const std::int64_t origin = (reversed ? call_.trips - 1 - steps.first : steps.first) * time;
    const auto size = static_cast<std::int64_t>(size_of(all.dtype()));
    std::int64_t dense = 1;
    bool is_dense = true;
    for (std::size_t axis = all.shape().size(); axis-- > 1;) {
      is_dense = is_dense && (all.shape()[axis] == 1 || all.strides()[axis] == dense);
      dense *= all.shape()[axis];
    }
    if (is_dense) {
      const Grid apart{sign * time * steps.length * size, sign * time * size};
      const Grid together{dense * size, dense * steps.rows * size};
      const auto unit = static_cast<std::size_t>(dense * size);
      std::byte* outside = const_cast<std::byte*>(all.bytes()) + origin * size;
      if (to_rows)
        copy_rows(outside, apart, rows.mutable_bytes(), together, steps.rows, steps.count, unit);
      else
        copy_rows(rows.bytes(), together, outside, apart, steps.rows, steps.count, unit);
      return;
    }
    Dims strides = all.strides();
    strides[0] = sign * time;
    strides.insert(1, sign * time * steps.length);
    Tensor outside = all.view(rows.shape(), std::move(strides), origin);
    if (to_rows)
      copy_elements(outside, rows);
    else
      copy_elements(rows, outside);
  }

  // --- outputs of all steps, and what is left of them

  Result<void> make_outputs() {
    if (!outputs_.empty()) return {};
    outputs_.resize(call_.scan.outputs);
    views_.resize(call_.scan.outputs);
    const graph::Graph& body = *loop_.scans.body.scan.body.graph;
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      if (!call_.wanted[call_.scan.states + k]) continue;
      Dims shape = loop_.scans.outputs[k];
      TRY_ASSIGN(const std::size_t axis, reference::resolve_new_axis(call_.scan.output_axes[k], shape.size()));
      shape.insert(axis, call_.trips);
      const DType dtype = body[body.outputs[call_.scan.states + k]].fact.type.dtype;
      TRY_ASSIGN(outputs_[k], take_or_allocate(call_.reuse, dtype, shape));
      views_[k] = reference::time_first(outputs_[k], axis);
    }
    return {};
  }

  /// The last steps, one after the other.
  Result<void> run_rest(std::int64_t done) {
    const std::int64_t count = call_.trips - done;
    const auto part = [&](const Tensor& all, bool reversed) {
      Dims shape = all.shape();
      shape[0] = count;
      return all.view(std::move(shape), all.strides(), reversed ? 0 : done * all.strides()[0]);
    };
    std::vector<Tensor> elements;
    elements.reserve(call_.elements.size());
    for (std::size_t i = 0; i < call_.elements.size(); ++i)
      elements.push_back(part(call_.elements[i], call_.scan.input_reversed[i]));
    reference::ScanCall call = call_;
    call.states = states_;
    call.elements = elements;
    call.trips = count;
    call.reuse = nullptr;
    TRY_ASSIGN(Values made, in_one_(call));
    for (std::size_t k = 0; k < outputs_.size(); ++k) {
      if (!outputs_[k].defined()) continue;
      Tensor to = part(views_[k], call_.scan.output_reversed[k]);
      const Tensor& last = made[call_.scan.states + k].tensor();
      TRY_ASSIGN(const std::size_t axis,
                 reference::resolve_new_axis(call_.scan.output_axes[k], last.shape().size() - 1));
      copy_elements(reference::time_first(last, axis), to);
    }
    made.resize(call_.scan.states);
    states_ = std::move(made);
    return {};
  }

  const ChunkedLoop& loop_;
  const reference::ScanCall& call_;
  const RunScan& in_one_;
  Values states_;                ///< before the next round
  std::vector<Tensor> outputs_;  ///< undefined where not wanted
  std::vector<Tensor> views_;    ///< of them, time first
};

}  // namespace

Result<std::optional<Values>> call_in_chunks(const ChunkedLoop& loop, const reference::ScanCall& call,
                                             const RunScan& in_one) {
  return Call(loop, call, in_one).run();
}

}  // namespace pawl::cpu
