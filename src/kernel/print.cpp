#include <fmt/format.h>

#include "kernel/constant.h"
#include "kernel/program.h"

namespace pawl::kernel {
namespace {

std::string_view word(Access access) {
  switch (access) {
    case Access::in: return "in";
    case Access::out: return "out";
    case Access::inout: return "inout";
  }
  return "";
}

std::string_view word(Loop::Kind kind) {
  switch (kind) {
    case Loop::Kind::steps: return "steps";
    case Loop::Kind::lanes: return "lanes";
    case Loop::Kind::reduced: return "reduced";
  }
  return "";
}

class Printer {
 public:
  explicit Printer(const Program& program) : program_(program) {}

  std::string program() {
    text_ = fmt::format("kernel {}(", program_.name);
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const Buffer& buffer = program_.buffers[i];
      text_ +=
          fmt::format("{}{}: {} {}", i == 0 ? "" : ", ", buffer.name, type_word(buffer.dtype), word(buffer.access));
    }
    for (std::size_t i = 0; i < program_.params.size(); ++i)
      text_ += fmt::format("{}{}", i == 0 ? "; " : ", ", program_.params[i]);
    text_ += program_.splits ? ") splits\n" : ")\n";
    block(program_.block, 1);
    return std::move(text_);
  }

 private:
  template <class... Args>
  void line(int depth, fmt::format_string<Args...> format, Args&&... args) {
    text_ += std::string(2 * static_cast<std::size_t>(depth), ' ');
    text_ += fmt::format(format, std::forward<Args>(args)...);
    text_ += '\n';
  }

  [[nodiscard]] std::string product(const Term& term) const {
    std::string text;
    const auto times = [&](const std::string& name) { text += (text.empty() ? "" : " * ") + name; };
    const std::uint64_t bits = static_cast<std::uint64_t>(term.factor);
    const std::uint64_t magnitude = term.factor < 0 ? 0 - bits : bits;
    if (magnitude != 1 || (!term.param.valid() && !term.counter.valid())) times(fmt::to_string(magnitude));
    if (term.counter.valid()) times(program_.counters[term.counter.index]);
    if (term.param.valid()) times(program_.params[term.param.index]);
    return text;
  }

  [[nodiscard]] std::string form(const Affine& terms) const {
    if (terms.empty()) return "0";
    std::string text;
    for (const Term& term : terms) {
      if (text.empty())
        text = term.factor < 0 ? "-" : "";
      else
        text += term.factor < 0 ? " - " : " + ";
      text += product(term);
    }
    return text;
  }

  void block(const Block& statements, int depth) {
    for (const Statement& statement : statements) std::visit([&](const auto& one) { print(one, depth); }, statement);
  }

  void print(const Constant& constant, int depth) {
    line(depth, "%{} = constant {} {}", constant.result.index, type_word(constant.dtype), number_text(constant));
  }

  void print(const Number& number, int depth) {
    line(depth, "%{} = number {}", number.result.index, form(number.value));
  }

  void print(const Compute& compute, int depth) {
    std::string text = fmt::format("%{} = {}", compute.result.index, expr::facts_of(compute.op).name);
    if (compute.to != DType::undefined) text += fmt::format(" {}", type_word(compute.to));
    for (const Var operand : compute.operands) text += fmt::format(" %{}", operand.index);
    line(depth, "{}", text);
  }

  void print(const Load& load, int depth) {
    line(depth, "%{} = load {}[{}]", load.result.index, program_.buffers[load.buffer].name, form(load.at));
  }

  void print(const Store& store, int depth) {
    line(depth, "store {}[{}] = %{}{}", program_.buffers[store.buffer].name, form(store.at), store.value.index,
         store.streaming ? " streaming" : "");
  }

  void print(const Barrier& /*barrier*/, int depth) { line(depth, "barrier"); }

  void print(const std::unique_ptr<Loop>& held, int depth) {
    const Loop& loop = *held;
    std::string head =
        fmt::format("{} {} < {}", word(loop.kind), program_.counters[loop.counter.index], form(loop.extent));
    std::string next;
    std::string results;
    for (std::size_t i = 0; i < loop.carried.size(); ++i) {
      const Carried& carried = loop.carried[i];
      const std::string_view comma = i == 0 ? "" : ",";
      head += i == 0 ? " carry " : ", ";
      if (i < loop.reduction.size()) head += fmt::format("{} ", expr::facts_of(loop.reduction[i]).name);
      head += fmt::format("%{} = %{}", carried.inside.index, carried.initial.index);
      next += fmt::format("{} %{}", comma, carried.next.index);
      results += fmt::format("{} %{}", comma, carried.result.index);
    }
    if (loop.unroll != 1) head += fmt::format(" unroll {}", loop.unroll);
    line(depth, "{}", head);
    block(loop.block, depth + 1);
    if (loop.carried.empty()) return;
    line(depth + 1, "next{}", next);
    line(depth, "->{}", results);
  }

  const Program& program_;
  std::string text_;
};

}  // namespace

std::string print(const Program& program) { return Printer(program).program(); }

}  // namespace pawl::kernel
