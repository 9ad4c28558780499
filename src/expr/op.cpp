#include "expr/op.h"

#include <algorithm>
#include <array>

#include "expr/types.h"

namespace pawl::expr {
namespace {

constexpr std::array<OpFacts, kOps> kFacts = {{
    {"add", 2, false},        {"subtract", 2, false},    {"multiply", 2, false}, {"divide", 2, false},
    {"fma", 3, false},        {"negate", 1, false},      {"absolute", 1, false}, {"minimum", 2, false},
    {"maximum", 2, false},    {"sqrt", 1, false},        {"floor", 1, false},    {"ceil", 1, false},
    {"round_even", 1, false}, {"truncate", 1, false},    {"exp", 1, true},       {"exp_minus_1", 1, true},
    {"log", 1, true},         {"log_1_plus", 1, true},   {"tanh", 1, true},      {"sigmoid", 1, true},
    {"erf", 1, true},         {"sin", 1, true},          {"cos", 1, true},       {"pow", 2, true},
    {"bit_and", 2, false},    {"bit_or", 2, false},      {"bit_xor", 2, false},  {"bit_not", 1, false},
    {"shift_left", 2, false}, {"shift_right", 2, false}, {"equal", 2, false},    {"less", 2, false},
    {"less_equal", 2, false}, {"select", 3, false},      {"cast", 1, false},     {"bits", 1, false},
}};
static_assert(kFacts.back().name == "bits");

/// The type that all operands from `first` on share; undefined where they differ.
DType shared(std::span<const DType> operands, std::size_t first = 0) {
  for (const DType dtype : operands.subspan(first))
    if (dtype != operands[first]) return DType::undefined;
  return operands[first];
}

DType only_if(bool holds, DType dtype) { return holds ? dtype : DType::undefined; }

}  // namespace

const OpFacts& facts_of(Op op) { return kFacts[static_cast<std::size_t>(op)]; }

DType result_type(Op op, std::span<const DType> operands, DType to) {
  if (static_cast<int>(operands.size()) != facts_of(op).arity) return DType::undefined;
  const DType dtype = operands[0];
  switch (op) {
    case Op::add:
    case Op::subtract:
    case Op::multiply:
    case Op::divide:
    case Op::negate:
    case Op::absolute:
    case Op::minimum:
    case Op::maximum: return only_if(is_float(dtype) || is_integer(dtype), shared(operands));
    case Op::fma:
    case Op::sqrt:
    case Op::floor:
    case Op::ceil:
    case Op::round_even:
    case Op::truncate:
    case Op::exp:
    case Op::exp_minus_1:
    case Op::log:
    case Op::log_1_plus:
    case Op::tanh:
    case Op::sigmoid:
    case Op::erf:
    case Op::sin:
    case Op::cos:
    case Op::pow: return only_if(is_float(dtype), shared(operands));
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::bit_not: return only_if(is_integer(dtype) || dtype == DType::boolean, shared(operands));
    case Op::shift_left:
    case Op::shift_right: return only_if(is_integer(dtype), shared(operands));
    case Op::equal:
    case Op::less:
    case Op::less_equal: return only_if(is_computed(dtype) && shared(operands) != DType::undefined, DType::boolean);
    case Op::select: return only_if(dtype == DType::boolean && is_computed(operands[1]), shared(operands, 1));
    case Op::cast:
      return only_if(
          (is_computed(dtype) && (is_computed(to) || is_stored(to))) || (is_stored(dtype) && is_computed(to)), to);
    case Op::bits: return only_if(is_computed(dtype) && is_computed(to) && size_of(dtype) == size_of(to), to);
  }
  return DType::undefined;
}

}  // namespace pawl::expr
