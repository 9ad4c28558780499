#include "backend/reference/kernel_interpreter.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "backend/reference/scalar_operations.h"
#include "kernel/constant.h"
#include "kernel/form.h"

namespace pawl::reference {
namespace {

using kernel::Affine;
using kernel::Carried;
using kernel::Loop;
using kernel::Var;

class Interpreter {
 public:
  Interpreter(const kernel::Program& program, std::span<const Memory> buffers, std::span<const std::int64_t> params,
              LaneOrder order, const Meet& meet)
      : program_(program),
        buffers_(buffers),
        params_(params),
        order_(order),
        meet_(meet),
        values_(program.vars.size()),
        counters_(program.counters.size()) {}

  Result<void> run(std::optional<LaneRange> range) {
    range_ = range;
    return block(program_.block);
  }

 private:
  Result<void> block(const kernel::Block& statements) {
    for (const kernel::Statement& statement : statements)
      TRY(std::visit([&](const auto& one) { return run(one); }, statement));
    return {};
  }

  Bits& value(Var var) { return values_[var.index]; }
  [[nodiscard]] std::int64_t number(const Affine& form) const { return kernel::value_of(form, params_, counters_); }

  Result<void> run(const kernel::Constant& constant) {
    value(constant.result) = kernel::bits_of(constant);
    return {};
  }

  Result<void> run(const kernel::Number& form) {
    value(form.result) = static_cast<Bits>(number(form.value));
    return {};
  }

  Result<void> run(const kernel::Compute& compute) {
    std::vector<DType> types;
    std::vector<Bits> operands;
    for (const Var operand : compute.operands) {
      types.push_back(program_.vars[operand.index]);
      operands.push_back(value(operand));
    }
    TRY_ASSIGN(value(compute.result), apply(compute.op, types, operands, compute.to));
    return {};
  }

  /// The address of an element.
  Result<std::byte*> element(std::uint32_t buffer, const Affine& at) const {
    const std::int64_t index = number(at);
    const Memory& memory = buffers_[buffer];
    const kernel::Buffer& facts = program_.buffers[buffer];
    if (index < 0 || index >= memory.size)
      return fail(Code::internal, "{}[{}] is out of its {} elements", facts.name, index, memory.size);
    return static_cast<std::byte*>(memory.data) + index * static_cast<std::int64_t>(size_of(facts.dtype));
  }

  Result<void> run(const kernel::Load& load) {
    TRY_ASSIGN(const std::byte* from, element(load.buffer, load.at));
    const DType dtype = program_.buffers[load.buffer].dtype;
    Bits bits = 0;
    std::memcpy(&bits, from, size_of(dtype));
    value(load.result) = dtype == DType::boolean ? Bits{bits != 0} : bits;
    return {};
  }

  Result<void> run(const kernel::Store& store) {
    TRY_ASSIGN(std::byte * to, element(store.buffer, store.at));
    std::memcpy(to, &value(store.value), size_of(program_.buffers[store.buffer].dtype));
    return {};
  }

  Result<void> run(const kernel::Barrier& /*barrier*/) const {
    if (meet_) meet_();
    return {};
  }

  Result<void> run(const std::unique_ptr<Loop>& held) {
    const Loop& loop = *held;
    const std::int64_t extent = std::max<std::int64_t>(number(loop.extent), 0);
    LaneRange range{0, extent};
    if (loop.kind == Loop::Kind::lanes && range_) {
      range = *range_;
      range_.reset();
      if (range.begin < 0 || range.begin > range.end || range.end > extent)
        return fail(Code::bad_argument, "lanes {} to {} of {}", range.begin, range.end, extent);
    }
    for (const Carried& carried : loop.carried) value(carried.inside) = value(carried.initial);
    const bool backward = loop.kind == Loop::Kind::lanes && order_ == LaneOrder::backward;
    for (std::int64_t i = range.begin; i < range.end; ++i) {
      const std::int64_t count = backward ? range.begin + range.end - 1 - i : i;
      counters_[loop.counter.index] = count;
      TRY_IN(fmt::format("{} = {}", program_.counters[loop.counter.index], count), block(loop.block));
      go_on(loop);
    }
    for (const Carried& carried : loop.carried) value(carried.result) = value(carried.inside);
    return {};
  }

  /// All at once: two values may change places.
  void go_on(const Loop& loop) {
    std::vector<Bits> next;
    next.reserve(loop.carried.size());
    for (const Carried& carried : loop.carried) next.push_back(value(carried.next));
    for (std::size_t i = 0; i < next.size(); ++i) value(loop.carried[i].inside) = next[i];
  }

  const kernel::Program& program_;
  std::span<const Memory> buffers_;
  std::span<const std::int64_t> params_;
  LaneOrder order_;
  const Meet& meet_;
  std::optional<LaneRange> range_;
  std::vector<Bits> values_;
  std::vector<std::int64_t> counters_;
};

}  // namespace

Result<void> run_kernel(const kernel::Program& program, std::span<const Memory> buffers,
                        std::span<const std::int64_t> params, std::optional<LaneRange> range, LaneOrder order,
                        const Meet& meet) {
  if (buffers.size() != program.buffers.size())
    return fail(Code::bad_argument, "{} buffers are given, {} wanted", buffers.size(), program.buffers.size());
  if (params.size() != program.params.size())
    return fail(Code::bad_argument, "{} params are given, {} wanted", params.size(), program.params.size());
  if (range && !program.splits) return fail(Code::bad_argument, "kernel {} does not split", program.name);
  TRY_IN("kernel " + program.name, Interpreter(program, buffers, params, order, meet).run(range));
  return {};
}

}  // namespace pawl::reference
