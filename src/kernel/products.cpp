#include "kernel/products.h"

#include "expr/types.h"

namespace pawl::kernel {

void Products::note(Builder& builder, expr::Op op, const std::vector<Var>& operands, Var made) {
  if (op == expr::Op::multiply && expr::is_float(builder.type(made))) factors_.emplace(made.index, operands);
  for (const Var each : operands)
    if (late_.contains(each.index)) late_.insert(made.index);
}

Var Products::fused(Builder& builder, expr::Op op, const std::vector<Var>& operands) const {
  // A value less itself is 0, not what its rounding has lost.
  if ((op != expr::Op::add && op != expr::Op::subtract) || operands[0] == operands[1]) return {};
  const auto first = factors_.find(operands[0].index), second = factors_.find(operands[1].index);
  const bool has_first = first != factors_.end(), has_second = second != factors_.end();
  if (!has_first && !has_second) return {};
  // What waits for the state is fused: the other product is there already.
  const bool takes_first = has_first && (!has_second || late_.contains(operands[0].index));
  const std::vector<Var>& factors = takes_first ? first->second : second->second;
  const Var other = operands[takes_first ? 1 : 0];
  const auto negated = [&](Var var) { return builder.compute(expr::Op::negate, {var}); };
  if (op == expr::Op::add) return builder.compute(expr::Op::fma, {factors[0], factors[1], other});
  if (takes_first) return builder.compute(expr::Op::fma, {factors[0], factors[1], negated(other)});
  return builder.compute(expr::Op::fma, {negated(factors[0]), factors[1], other});
}

}  // namespace pawl::kernel
