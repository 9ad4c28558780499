// Integers as rows of bits.
#include "ops/axis_rules.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/infer.h"

namespace pawl::ops {
namespace {

Result<void> eval_bitwise_and(EvalContext& context) {
  return eval_map2<Integers>(context, [](auto a, auto b) { return a & b; });
}

Result<void> eval_bitwise_or(EvalContext& context) {
  return eval_map2<Integers>(context, [](auto a, auto b) { return a | b; });
}

Result<void> eval_bitwise_xor(EvalContext& context) {
  return eval_map2<Integers>(context, [](auto a, auto b) { return a ^ b; });
}

Result<void> eval_bitwise_not(EvalContext& context) {
  return eval_map1<Integers>(context, [](auto x) { return ~x; });
}

/// True when all bits of T are shifted out: by its width or more, or by a negative number.
template <class T>
bool shifts_all(T count) {
  constexpr int kBits = static_cast<int>(sizeof(T)) * 8;
  return count < T{0} || static_cast<std::uint64_t>(count) >= kBits;
}

Result<void> eval_bit_shift(EvalContext& context) {
  const std::string direction = context.attributes.text("direction", "");
  if (direction == "LEFT") {
    return eval_map2<Integers>(context, [](auto x, auto count) {
      using T = decltype(x);
      return shifts_all(count) ? T{0} : static_cast<T>(static_cast<std::uint64_t>(x) << count);
    });
  }
  if (direction != "RIGHT") return fail(Code::bad_value, "direction \"{}\" is neither LEFT nor RIGHT", direction);
  return eval_map2<Integers>(context, [](auto x, auto count) {
    using T = decltype(x);
    return static_cast<T>(shifts_all(count) ? (x < T{0} ? -1 : 0) : x >> count);
  });
}

constexpr OpDef kBitwise[] = {
    {.name = "BitShift", .since = {11, 28}, .infer = infer_broadcast, .eval = eval_bit_shift, .axes = kPointwiseAxes},
    {.name = "BitwiseAnd", .since = {18}, .infer = infer_broadcast, .eval = eval_bitwise_and, .axes = kPointwiseAxes},
    {.name = "BitwiseNot", .since = {18}, .infer = infer_same, .eval = eval_bitwise_not, .axes = kPointwiseAxes},
    {.name = "BitwiseOr", .since = {18}, .infer = infer_broadcast, .eval = eval_bitwise_or, .axes = kPointwiseAxes},
    {.name = "BitwiseXor", .since = {18}, .infer = infer_broadcast, .eval = eval_bitwise_xor, .axes = kPointwiseAxes},
};

}  // namespace

std::span<const OpDef> bitwise_ops() { return kBitwise; }

}  // namespace pawl::ops
