#include "backend/wgsl/passes.h"

#include <fmt/format.h>

#include <algorithm>

namespace pawl::wgsl {

struct Count::Node {
  Op op = Op::number;
  std::int64_t number = 0;
  std::string name;
  std::vector<Count> operands;
};

namespace {

/// Numbers are put together at once; x + 0, x * 1 and the like are x.
bool is(const Count& count, std::int64_t number) { return count.op() == Count::Op::number && count.number() == number; }

/// Numbers wrap; what is divided by 0 is 0.
std::int64_t result_of(Count::Op op, std::int64_t a, std::int64_t b) {
  const auto wrapped = [](std::uint64_t bits) { return static_cast<std::int64_t>(bits); };
  const auto x = static_cast<std::uint64_t>(a), y = static_cast<std::uint64_t>(b);
  const std::int64_t quotient = b == 0 ? 0 : b == -1 ? wrapped(0 - x) : a / b;
  const std::int64_t rest = b == 0 || b == -1 ? 0 : a % b;
  switch (op) {
    case Count::Op::add: return wrapped(x + y);
    case Count::Op::subtract: return wrapped(x - y);
    case Count::Op::multiply: return wrapped(x * y);
    case Count::Op::ceil_div: return quotient + (rest != 0 && (rest < 0) == (b < 0) ? 1 : 0);
    case Count::Op::floor_div: return quotient - (rest != 0 && (rest < 0) != (b < 0) ? 1 : 0);
    case Count::Op::modulo: return rest;
    case Count::Op::minimum: return std::min(a, b);
    case Count::Op::maximum: return std::max(a, b);
    default: return 0;
  }
}

}  // namespace

Count::Count(std::int64_t number) : node_(std::make_shared<Node>(Node{Op::number, number, {}, {}})) {}
Count::Count(Op op, const Count& left, const Count& right)
    : node_(std::make_shared<Node>(Node{op, 0, {}, {left, right}})) {}
Count Count::made(Op op, const Count& left, const Count& right) {
  if (left.op() == Op::number && right.op() == Op::number) return {result_of(op, left.number(), right.number())};
  return {op, left, right};
}

Count Count::named(std::string name) {
  Count made(0);
  made.node_ = std::make_shared<Node>(Node{Op::name, 0, std::move(name), {}});
  return made;
}

Count::Op Count::op() const { return node_->op; }
std::int64_t Count::number() const { return node_->number; }
const std::string& Count::name() const { return node_->name; }
const Count& Count::left() const { return node_->operands[0]; }
const Count& Count::right() const { return node_->operands[1]; }

Count operator+(const Count& a, const Count& b) {
  if (is(a, 0)) return b;
  if (is(b, 0)) return a;
  return Count::made(Count::Op::add, a, b);
}
Count operator-(const Count& a, const Count& b) { return is(b, 0) ? a : Count::made(Count::Op::subtract, a, b); }
Count operator*(const Count& a, const Count& b) {
  if (is(a, 1)) return b;
  if (is(b, 1)) return a;
  return Count::made(Count::Op::multiply, a, b);
}
Count ceil_div(const Count& a, const Count& b) { return is(b, 1) ? a : Count::made(Count::Op::ceil_div, a, b); }
Count floor_div(const Count& a, const Count& b) { return is(b, 1) ? a : Count::made(Count::Op::floor_div, a, b); }
Count modulo(const Count& a, const Count& b) { return Count::made(Count::Op::modulo, a, b); }
Count minimum(const Count& a, const Count& b) { return Count::made(Count::Op::minimum, a, b); }
Count maximum(const Count& a, const Count& b) { return Count::made(Count::Op::maximum, a, b); }

std::int64_t value_of(const Count& count, const std::function<std::int64_t(const std::string& name)>& named) {
  if (count.op() == Count::Op::number) return count.number();
  if (count.op() == Count::Op::name) return named(count.name());
  return result_of(count.op(), value_of(count.left(), named), value_of(count.right(), named));
}

std::string expression(const Count& count) {
  using Op = Count::Op;
  const auto infix = [&](std::string_view sign) {
    return fmt::format("({} {} {})", expression(count.left()), sign, expression(count.right()));
  };
  const auto call = [&](std::string_view name) {
    return fmt::format("{}({}, {})", name, expression(count.left()), expression(count.right()));
  };
  switch (count.op()) {
    case Op::number: return fmt::format("{}", count.number());
    case Op::name: return count.name();
    case Op::add: return infix("+");
    case Op::subtract: return infix("-");
    case Op::multiply: return infix("*");
    case Op::ceil_div: return call("ceilDiv");
    case Op::floor_div: return fmt::format("floor({} / {})", expression(count.left()), expression(count.right()));
    case Op::modulo: return infix("%");
    case Op::minimum: return call("min");
    case Op::maximum: return call("max");
  }
  return {};
}

}  // namespace pawl::wgsl
