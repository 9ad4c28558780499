// Loops that look for NaN, which there hardly ever are. They are written as if all were numbers, and note whether that
// was so: one look at two vectors side by side, and not on the way from iteration to iteration. Where it was not, the
// loop is run again, as it is.
#include <algorithm>
#include <variant>

#include "backend/cpu/generator.h"
#include "backend/cpu/operations.h"

namespace pawl::cpu {

using expr::Op;

namespace {

/// x == x
bool asks_for_number(const kernel::Compute& compute) {
  return compute.op == Op::equal && compute.operands[0] == compute.operands[1];
}

bool is_extreme(const kernel::Compute& compute) { return compute.op == Op::minimum || compute.op == Op::maximum; }

}  // namespace

bool Generator::looks_for_nan(const kernel::Loop& loop, const std::vector<Spreading>& spreading) const {
  // Elsewhere what is noted would need vectors of its own.
  const bool has_mask_registers = target_.masked_bytes == 1;
  if (!has_mask_registers || frame_.width == 1) return false;
  bool looks = false;
  for (const kernel::Statement& statement : loop.block) {
    if (std::holds_alternative<kernel::Store>(statement) ||
        std::holds_alternative<std::unique_ptr<kernel::Loop>>(statement))
      return false;
    const auto* compute = std::get_if<kernel::Compute>(&statement);
    if (compute == nullptr || (!asks_for_number(*compute) && !is_extreme(*compute))) continue;
    const std::uint32_t last = compute->operands.back().index;
    looks = looks || (is_float(program_.vars[last]) && spreading[last].wide);
  }
  return looks;
}

void Generator::note_numbers(const Value& value) {
  for (std::size_t i = 0; i < value.parts.size(); i += 2) {
    const Ssa& beside = value.parts[std::min(i + 1, value.parts.size() - 1)];
    const Ssa both = out_.compare("fcmp ord", value.parts[i], beside);
    are_numbers_ = are_numbers_ ? out_.binary("and", *are_numbers_, both) : both;
  }
}

bool Generator::of_numbers(const kernel::Compute& compute) {
  if (!asks_for_number(compute) && !is_extreme(compute)) return false;
  // Where the first one of an extreme is NaN, it stays.
  const Value value = values_[compute.operands.back().index];
  if (!is_float(value.parts[0].dtype) || !value.parts[0].is_vector() || value.parts[0].constant) return false;
  note_numbers(value);
  Value result;
  if (asks_for_number(compute)) {
    result.parts.push_back(literal(DType::boolean, 1, frame_.width));
  } else {
    const Value& first = values_[compute.operands[0].index];
    const std::size_t count = std::max(first.parts.size(), value.parts.size());
    for (std::size_t i = 0; i < count; ++i)
      result.parts.push_back(
          extreme_of_numbers(out_, compute.op, out_.splat(first.part(i, count), frame_.width), value.part(i, count)));
  }
  values_[compute.result.index] = std::move(result);
  return true;
}

}  // namespace pawl::cpu
