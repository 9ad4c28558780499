#include "backend/wgsl/statements.h"

#include "base/try.h"
#include "expr/functions.h"
#include "expr/types.h"

namespace pawl::wgsl {
namespace {

/// Functions by their formulas, each operation a `let` of its own.
template <class Write>
class FormulaText {
 public:
  using Value = Term;
  static constexpr bool kHasF64 = false;

  explicit FormulaText(Write& write) : write_(write) {}
  [[gnu::noinline]] [[nodiscard]] Term constant(DType dtype, double value) const {
    return {literal(dtype, value), dtype};
  }
  [[gnu::noinline]] [[nodiscard]] Term integer(DType dtype, std::uint64_t bits) const {
    return {literal_bits(dtype, static_cast<std::int64_t>(bits)), dtype};
  }
  template <class... Operands>
  Term apply(expr::Op op, DType dtype, const Operands&... operands) {
    return write_(op, dtype, std::vector<Term>{operands...});
  }

 private:
  Write& write_;
};

}  // namespace

const std::string_view kHelpers = R"(var<private> all_bits: u32 = 0xffffffffu;
fn bits_of(bits: u32) -> f32 { return bitcast<f32>(bits & all_bits); }
fn is_nan(x: f32) -> bool { return (bitcast<u32>(x) & 0x7fffffffu) > 0x7f800000u; }
fn i32_of(x: f32) -> i32 {
  return select(i32(-2147483648), i32(x), x >= -2147483648.0 && x < 2147483648.0);
}
fn u32_of(x: f32) -> u32 {
  let bits = bitcast<u32>(x);
  let exponent = i32((bits >> 23u) & 255u) - 150;
  let digits = (bits & 0x7fffffu) | 0x800000u;
  let size = select(digits << (u32(exponent) & 31u), digits >> (u32(min(-exponent, 31)) & 31u), exponent < 0);
  let number = select(size, 0u, exponent > 31);
  return select(number, 0u - number, (bits >> 31u) != 0u);
}

)";

Result<Term> Statements::compute(const std::string& name, expr::Op op, std::span<const Term> operands, DType to,
                                 DType result) {
  std::string value;
  if (expr::facts_of(op).is_function) {
    TRY_ASSIGN(value, function(op, operands));
  } else {
    TRY_ASSIGN(value, expression(op, operands, to));
    if (op == expr::Op::select) value = choice(operands, result, value);
    if (op == expr::Op::less || op == expr::Op::less_equal)
      comparisons_.insert_or_assign(name, std::pair(operands[0].text, operands[1].text));
  }
  line("let {} = {};", name, value);
  return Term{name, result};
}

Result<std::string> Statements::function(expr::Op op, std::span<const Term> operands) {
  std::optional<Error> lacking;
  const auto apply = [&](expr::Op each, DType dtype, const std::vector<Term>& all) -> Term {
    const Result<std::string> value = expression(each, all, dtype);
    if (!value.ok()) {
      if (!lacking) lacking = value.error();
      return {literal(dtype, 0), dtype};
    }
    const std::string made = fmt::format("part{}", parts_++);
    line("let {} = {};", made, *value);
    return {made, dtype};
  };
  FormulaText text(apply);
  const Term result = expr::expand(text, op, operands, operands[0].dtype);
  if (lacking) return *lacking;
  // Formulas choose between ranges by comparisons that NaN is no part of.
  std::string value = result.text;
  for (const Term& x : operands)
    if (op != expr::Op::pow) value = fmt::format("select({}, {}, is_nan({}))", value, x.text, x.text);
  return value;
}

/// Of two floats by their comparison, which is false of NaN: a device would take that for an extreme without NaN.
std::string Statements::choice(std::span<const Term> operands, DType result, const std::string& value) const {
  const auto found = comparisons_.find(operands[0].text);
  if (found == comparisons_.end() || !expr::is_float(result)) return value;
  const auto& [a, b] = found->second;
  const std::string& yes = operands[1].text;
  const std::string& no = operands[2].text;
  if (!(yes == a && no == b) && !(yes == b && no == a)) return value;
  return fmt::format("select({}, {}, is_nan({}) || is_nan({}))", value, no, a, b);
}

}  // namespace pawl::wgsl
