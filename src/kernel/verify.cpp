#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "expr/types.h"
#include "kernel/constant.h"
#include "kernel/program.h"

namespace pawl::kernel {
namespace {

using expr::Op;
using Kind = Loop::Kind;

constexpr int kMaxUnroll = 16;

template <class... Args>
Error wrong(fmt::format_string<Args...> format, Args&&... args) {
  return fail(Code::internal, format, std::forward<Args>(args)...);
}

bool is_identifier(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  if (name.empty() || !is_letter(name.front())) return false;
  return std::all_of(name.begin(), name.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

/// How often a value is read in a block: as an operand, stored, carried into a loop or on to the next iteration.
int uses(const Block& block, Var var) {
  int count = 0;
  for (const Statement& statement : block) {
    if (const auto* compute = std::get_if<Compute>(&statement))
      count += static_cast<int>(std::count(compute->operands.begin(), compute->operands.end(), var));
    if (const auto* store = std::get_if<Store>(&statement)) count += store->value == var ? 1 : 0;
    if (const auto* inner = std::get_if<std::unique_ptr<Loop>>(&statement)) {
      for (const Carried& carried : (*inner)->carried) count += (carried.initial == var) + (carried.next == var);
      count += uses((*inner)->block, var);
    }
  }
  return count;
}

class Verifier {
 public:
  explicit Verifier(const Program& program) : program_(program) {}

  Result<void> program() {
    TRY(names());
    for (const Buffer& buffer : program_.buffers)
      if (type_word(buffer.dtype).empty()) return wrong("buffer {} has type {}", buffer.name, name(buffer.dtype));
    if (program_.splits) TRY(splits());
    return block(program_.block);
  }

 private:
  Result<void> names() {
    if (!is_identifier(program_.name)) return wrong("\"{}\" is no name", program_.name);
    std::set<std::string> taken;
    const auto take = [&](const std::string& name) -> Result<void> {
      if (!is_identifier(name)) return wrong("\"{}\" is no name", name);
      if (!taken.insert(name).second) return wrong("the name {} is taken twice", name);
      return {};
    };
    for (const Buffer& buffer : program_.buffers) TRY(take(buffer.name));
    for (const std::string& name : program_.params) TRY(take(name));
    for (const std::string& name : program_.counters) TRY(take(name));
    return {};
  }

  [[nodiscard]] Result<void> splits() const {
    int loops = 0;
    for (const Statement& statement : program_.block) {
      if (std::holds_alternative<Store>(statement)) return wrong("a kernel that splits stores outside of its lanes");
      const auto* loop = std::get_if<std::unique_ptr<Loop>>(&statement);
      if (loop == nullptr) continue;
      ++loops;
      if (*loop != nullptr && (*loop)->kind != Kind::lanes)
        return wrong("a kernel that splits is not one loop of lanes");
    }
    if (loops != 1) return wrong("a kernel that splits is not one loop of lanes");
    return {};
  }

  Result<void> block(const Block& statements) {
    for (const Statement& statement : statements)
      TRY(std::visit([&](const auto& one) { return check(one); }, statement));
    return {};
  }

  /// A value becomes known; it belongs to the innermost block.
  Result<void> define(Var var, DType dtype) {
    if (var.index >= program_.vars.size()) return wrong("a result that is no value of the program");
    if (!defined_.insert(var.index).second) return wrong("%{} is assigned twice", var.index);
    if (program_.vars[var.index] != dtype)
      return wrong("%{} is declared {} and computed as {}", var.index, type_word(program_.vars[var.index]),
                   type_word(dtype));
    visible_.push_back(var.index);
    return {};
  }

  /// The type of a value that is read here.
  [[nodiscard]] Result<DType> read(Var var) const {
    if (var.index >= program_.vars.size()) return wrong("an operand that is no value of the program");
    if (std::find(visible_.begin(), visible_.end(), var.index) != visible_.end()) return program_.vars[var.index];
    if (defined_.contains(var.index)) return wrong("%{} is used outside of its loop", var.index);
    return wrong("%{} is used before it is there", var.index);
  }

  [[nodiscard]] Result<void> check_form(const Affine& form) const {
    for (const Term& term : form) {
      if (term.param.valid() && term.param.index >= program_.params.size()) return wrong("a param that is none");
      if (!term.counter.valid()) continue;
      if (term.counter.index >= program_.counters.size()) return wrong("a counter that is none");
      if (std::find(open_.begin(), open_.end(), term.counter.index) == open_.end())
        return wrong("{} is used outside of its loop", program_.counters[term.counter.index]);
    }
    return {};
  }

  Result<void> check(const Constant& constant) {
    if (!holds(constant)) return wrong("a constant that is none of its type, {}", name(constant.dtype));
    if (bits_of(constant) != 0) other_than_0_.insert(constant.result.index);
    return define(constant.result, constant.dtype);
  }

  Result<void> check(const Number& number) {
    TRY(check_form(number.value));
    return define(number.result, DType::i64);
  }

  Result<void> check(const Compute& compute) {
    std::vector<DType> types;
    for (const Var operand : compute.operands) {
      TRY_ASSIGN(const DType dtype, read(operand));
      types.push_back(dtype);
    }
    const std::string_view op = expr::facts_of(compute.op).name;
    const bool has_target = compute.op == Op::cast || compute.op == Op::bits;
    if (!has_target && compute.to != DType::undefined) return wrong("{} has a target type", op);
    if (static_cast<int>(types.size()) != expr::facts_of(compute.op).arity)
      return wrong("{} has {} operands", op, types.size());
    const DType dtype = expr::result_type(compute.op, types, compute.to);
    if (dtype == DType::undefined) {
      std::string words;
      for (const DType operand : types) words += fmt::format(" {}", type_word(operand));
      return wrong("there is no {} of{}", op, words);
    }
    if (compute.op == Op::divide && !expr::is_float(dtype) && !other_than_0_.contains(compute.operands[1].index))
      return wrong("%{} divides integers, and is no constant other than 0", compute.operands[1].index);
    return define(compute.result, dtype);
  }

  Result<void> check(const Load& load) {
    if (load.buffer >= program_.buffers.size()) return wrong("a buffer that is none");
    const Buffer& buffer = program_.buffers[load.buffer];
    if (buffer.access == Access::out) return wrong("{} is out, and is loaded from", buffer.name);
    TRY(check_form(load.at));
    return define(load.result, buffer.dtype);
  }

  Result<void> check(const Store& store) {
    if (store.buffer >= program_.buffers.size()) return wrong("a buffer that is none");
    const Buffer& buffer = program_.buffers[store.buffer];
    if (buffer.access == Access::in) return wrong("{} is in, and is stored to", buffer.name);
    TRY(check_form(store.at));
    TRY_ASSIGN(const DType dtype, read(store.value));
    if (dtype != buffer.dtype)
      return wrong("%{}, {}, is stored to {}, which has {}", store.value.index, type_word(dtype), buffer.name,
                   type_word(buffer.dtype));
    return {};
  }

  [[nodiscard]] Result<void> check(const Barrier& /*barrier*/) const {
    if (program_.splits) return wrong("a kernel that splits has a barrier");
    if (side_by_side_ > 0) return wrong("a barrier inside of lanes or of a sum");
    return {};
  }

  Result<void> check(const std::unique_ptr<Loop>& held) {
    if (held == nullptr) return wrong("a loop that is none");
    const Loop& loop = *held;
    TRY(check_form(loop.extent));
    if (loop.counter.index >= program_.counters.size()) return wrong("a loop without a counter");
    const std::string& counter = program_.counters[loop.counter.index];
    if (!counted_.insert(loop.counter.index).second) return wrong("{} counts two loops", counter);
    TRY_IN(counter, kind(loop));
    std::vector<DType> types;
    for (const Carried& carried : loop.carried) {
      TRY_ASSIGN_IN(counter, const DType dtype, read(carried.initial));
      types.push_back(dtype);
    }
    const std::size_t outside = visible_.size();
    open_.push_back(loop.counter.index);
    for (std::size_t i = 0; i < types.size(); ++i) TRY_IN(counter, define(loop.carried[i].inside, types[i]));
    side_by_side_ += loop.kind != Kind::steps ? 1 : 0;
    TRY_IN(counter, block(loop.block));
    side_by_side_ -= loop.kind != Kind::steps ? 1 : 0;
    TRY_IN(counter, check_next(loop, types));
    if (loop.kind == Kind::reduced) TRY_IN(counter, verify_reduction(loop));
    open_.pop_back();
    visible_.resize(outside);
    for (std::size_t i = 0; i < types.size(); ++i) TRY_IN(counter, define(loop.carried[i].result, types[i]));
    return {};
  }

  [[nodiscard]] static Result<void> kind(const Loop& loop) {
    if (loop.kind == Kind::lanes && !loop.carried.empty()) return wrong("lanes carry a value");
    if (loop.kind == Kind::reduced ? loop.reduction.size() != loop.carried.size() : !loop.reduction.empty())
      return wrong("{} carried values, {} reductions", loop.carried.size(), loop.reduction.size());
    if (loop.unroll < 1 || loop.unroll > kMaxUnroll) return wrong("unroll is {}", loop.unroll);
    if (loop.unroll != 1 && loop.kind != Kind::lanes) return wrong("only lanes are unrolled");
    return {};
  }

  [[nodiscard]] Result<void> check_next(const Loop& loop, const std::vector<DType>& types) const {
    for (std::size_t i = 0; i < types.size(); ++i) {
      TRY_ASSIGN(const DType dtype, read(loop.carried[i].next));
      if (dtype != types[i])
        return wrong("%{}, {}, becomes {}", loop.carried[i].inside.index, type_word(types[i]), type_word(dtype));
    }
    return {};
  }

  const Program& program_;
  std::set<std::uint32_t> defined_;
  std::vector<std::uint32_t> visible_;
  std::set<std::uint32_t> other_than_0_;
  std::set<std::uint32_t> counted_;
  std::vector<std::uint32_t> open_;
  int side_by_side_ = 0;  ///< loops around that are no steps
};

}  // namespace

Result<void> verify_reduction(const Loop& loop) {
  for (std::size_t i = 0; i < loop.carried.size(); ++i) {
    const Carried& carried = loop.carried[i];
    const Op op = loop.reduction[i];
    if (op != Op::add && op != Op::multiply && op != Op::minimum && op != Op::maximum)
      return wrong("{} is no reduction", expr::facts_of(op).name);
    const auto sums = [&](const Statement& statement) {
      const auto* compute = std::get_if<Compute>(&statement);
      return compute != nullptr && compute->result == carried.next &&
             (compute->op == op ||
              (op == Op::add && compute->op == Op::fma && compute->operands[2] == carried.inside)) &&
             std::count(compute->operands.begin(), compute->operands.end(), carried.inside) == 1;
    };
    if (std::none_of(loop.block.begin(), loop.block.end(), sums))
      return wrong("%{} is not {} of %{} and another value", carried.next.index, expr::facts_of(op).name,
                   carried.inside.index);
    int count = uses(loop.block, carried.inside) + uses(loop.block, carried.next);
    for (const Carried& other : loop.carried) count += (other.next == carried.inside) + (other.next == carried.next);
    if (count != 2) return wrong("%{} is used by more than its sum", carried.inside.index);
  }
  return {};
}

Result<void> verify(const Program& program) {
  TRY_IN("kernel " + program.name, Verifier(program).program());
  return {};
}

}  // namespace pawl::kernel
