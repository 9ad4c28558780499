#include "backend/cpu/formulas.h"

#include <optional>

#include "backend/cpu/operations.h"
#include "base/try.h"
#include "expr/functions.h"

namespace pawl::cpu {
namespace {

/// Formulas as instructions. What the target lacks is remembered; what is written from then on is not used.
class FormulaText {
 public:
  using Value = Ssa;
  static constexpr bool kHasF64 = true;

  FormulaText(Instructions& out, const Target& target, int width) : out_(out), target_(target), width_(width) {}

  // Kept out of line: a formula is hundreds of calls.
  [[gnu::noinline]] [[nodiscard]] Ssa constant(DType dtype, double value) const {
    return literal(dtype, value, width_);
  }
  [[gnu::noinline]] [[nodiscard]] Ssa integer(DType dtype, std::uint64_t bits) const {
    return literal_bits(dtype, static_cast<std::int64_t>(bits), width_);
  }
  template <class... Operands>
  Ssa apply(expr::Op op, DType dtype, const Operands&... operands) {
    return applied(op, dtype, {operands...});
  }
  /// x * 2^n, rounded once, for whole n; nothing where that takes more than one instruction.
  [[gnu::noinline]] std::optional<Ssa> times_power_of_2(DType dtype, const Ssa& x, const Ssa& n) {
    const int bytes = width_ * static_cast<int>(size_of(dtype));
    if (!target_.scales || bytes != target_.vector_bytes) return std::nullopt;
    const std::string type = register_type(dtype, width_);
    const std::string function =
        fmt::format("@llvm.x86.avx512.mask.scalef.{}.{}", dtype == DType::f32 ? "ps" : "pd", 8 * bytes);
    out_.declare(fmt::format("declare {} {}({}, {}, {}, i{}, i32)", type, function, type, type, type, width_));
    // All lanes, rounded as everything else is.
    return out_.emit(dtype, width_, "call {} {}({} {}, {} {}, {} zeroinitializer, i{} -1, i32 4)", type, function, type,
                     operand(x), type, operand(n), type, width_);
  }
  [[nodiscard]] const std::optional<Error>& lacking() const { return lacking_; }

 private:
  [[gnu::noinline]] Ssa applied(expr::Op op, DType dtype, const std::vector<Ssa>& all) {
    auto result = compute(out_, target_, op, all, dtype);
    if (result.ok()) return std::move(result).value();
    if (!lacking_) lacking_ = std::move(result).error();
    return literal_bits(dtype, 0, width_);
  }

  Instructions& out_;
  const Target& target_;
  int width_;
  std::optional<Error> lacking_;
};

}  // namespace

Result<Ssa> formula(Instructions& out, const Target& target, expr::Op op, std::span<const Ssa> x) {
  FormulaText text(out, target, x[0].width);
  Ssa result = expr::expand(text, op, x, x[0].dtype);
  if (text.lacking()) return *text.lacking();
  return result;
}

}  // namespace pawl::cpu
