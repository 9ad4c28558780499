// Writing kernels.
//
//   Builder b("ema");
//   const BufferId x = b.buffer("x", DType::f32, Access::in);
//   const BufferId y = b.buffer("y", DType::f32, Access::out);
//   const Param T = b.param("T"), C = b.param("C");
//   const Var zero = b.constant(DType::f32, 0), decay = b.constant(DType::f32, 0.9);
//   b.lanes(C, [&](Counter c) {
//     b.steps(T, {zero}, [&](Counter t, std::span<const Var> s) {
//       const Var next = b.compute(Op::fma, {decay, s[0], b.load(x, t * C + c)});
//       b.store(y, t * C + c, next);
//       return std::vector{next};
//     });
//   });
//   const Program program = std::move(b).finish();
#pragma once

#include <functional>
#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "kernel/form.h"
#include "kernel/program.h"

namespace pawl::kernel {

struct BufferId {
  std::uint32_t index = UINT32_MAX;
};

/// One value of a reduced loop.
struct Reduction {
  expr::Op op = expr::Op::add;
  Var initial;
};

/// Puts a program together, statement after statement. What computes the same from the same in a block or the blocks
/// around it is computed once; so is a load of a buffer that is only read. Constants stand at the top. Misuse (types
/// that do not fit, names that are taken) is a bug of the caller: InternalError, with words.
class Builder {
 public:
  explicit Builder(std::string name);

  BufferId buffer(std::string name, DType dtype, Access access);
  Param param(std::string name);

  /// A number of any type that kernels have, rounded to it.
  Var constant(DType dtype, double value);
  /// An integer by its low bits.
  Var integer(DType dtype, std::int64_t value);
  /// The form's value, as i64.
  Var number(const Form& form);
  /// Operations that change nothing (x * 1, a cast to the same type) give their operand.
  Var compute(expr::Op op, std::span<const Var> operands, DType to = DType::undefined);
  Var compute(expr::Op op, std::initializer_list<Var> operands, DType to = DType::undefined) {
    return compute(op, std::span(operands.begin(), operands.size()), to);
  }
  Var cast(Var value, DType to) { return type(value) == to ? value : compute(expr::Op::cast, {value}, to); }
  Var load(BufferId buffer, const Form& at);
  void store(BufferId buffer, const Form& at, Var value, bool streaming = false);

  void barrier();

  /// Each loop's body is called at once, to write one iteration. `name` is the counter's; where it is taken, or none
  /// is given, one like it.
  void lanes(const Form& extent, const std::function<void(Counter)>& body, int unroll = 1, std::string_view name = "c");
  /// The body gives the values of the next iteration; the result is what they are after the last one.
  std::vector<Var> steps(const Form& extent, const std::vector<Var>& initial,
                         const std::function<std::vector<Var>(Counter, std::span<const Var>)>& body,
                         std::string_view name = "t");
  /// The body gives what the iteration adds to each sum; the result is the sums.
  std::vector<Var> reduced(const Form& extent, const std::vector<Reduction>& sums,
                           const std::function<std::vector<Var>(Counter)>& body, std::string_view name = "k");

  /// The same, with a body that writes the sums itself: `next` of each is `ops` of it and of what the iteration adds,
  /// or a fma onto it. Where that is not what the body has written, iterations go one after the other.
  std::vector<Var> reduced_with(const Form& extent, const std::vector<Var>& initial,
                                const std::function<std::vector<Var>(Counter, std::span<const Var>)>& body,
                                std::vector<expr::Op> ops, std::string_view name = "k");

  [[nodiscard]] DType type(Var var) const;

  /// The program, verified.
  Program finish(bool splits = false) &&;

 private:
  /// What makes two values the same: the kind of statement, operation, target type or buffer, operands or form.
  using Key = std::tuple<int, std::uint32_t, std::vector<std::uint64_t>>;
  struct Scope {
    Block block;
    std::map<Key, Var> known;
    std::set<std::uint32_t> visible;
  };

  [[noreturn]] void refuse(const std::string& message) const;
  Var fresh(DType dtype, Scope& scope);
  Var value(Constant constant);
  void need(Var var) const;
  [[nodiscard]] DType result_type(expr::Op op, std::span<const Var> operands, DType to) const;
  Var numbered(expr::Op op, std::span<const Var> operands, DType to, DType dtype);
  [[nodiscard]] const Var* find(const Key& key) const;
  [[nodiscard]] const Constant* constant_of(Var var) const;
  [[nodiscard]] Var simpler(expr::Op op, std::span<const Var> operands, DType to);
  [[nodiscard]] Var simpler_cast(Var from, DType to);
  [[nodiscard]] Var simpler_arithmetic(expr::Op op, Var a, Var b) const;
  [[nodiscard]] bool is_number(Var var, double number) const;
  [[nodiscard]] bool is_float(Var var) const;
  Counter open(std::string_view name);
  /// What a loop carries, with `next` as the body gives it.
  std::vector<Carried> carry(Counter counter, const std::vector<Var>& initial,
                             const std::function<std::vector<Var>(Counter, std::span<const Var>)>& body);
  std::vector<Var> close(Loop loop);
  std::string free_name(std::string_view wanted) const;

  Program program_;
  std::vector<Scope> scopes_;
  std::map<std::uint32_t, Constant> constants_;
  std::set<std::string, std::less<>> names_;
};

}  // namespace pawl::kernel
