#include "kernel/builder.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernel/constant.h"

namespace pawl::kernel {
namespace {

using expr::Op;

enum class Known : std::uint8_t { constant, number, compute, load };

std::uint64_t joined(std::uint32_t high, std::uint32_t low) { return std::uint64_t{high} << 32 | low; }

std::vector<std::uint64_t> key_of(const Form& form) {
  std::vector<std::uint64_t> key;
  for (const Term& term : form.terms()) {
    key.push_back(static_cast<std::uint64_t>(term.factor));
    key.push_back(joined(term.param.index, term.counter.index));
  }
  return key;
}

bool commutes(Op op) {
  switch (op) {
    case Op::add:
    case Op::multiply:
    case Op::bit_and:
    case Op::bit_or:
    case Op::bit_xor:
    case Op::equal: return true;
    default: return false;
  }
}

}  // namespace

Builder::Builder(std::string name) {
  program_.name = std::move(name);
  scopes_.emplace_back();
}

void Builder::refuse(const std::string& message) const {
  throw InternalError(fmt::format("kernel {}: {}", program_.name, message));
}

BufferId Builder::buffer(std::string name, DType dtype, Access access) {
  if (type_word(dtype).empty()) refuse(fmt::format("buffer {} has type {}", name, pawl::name(dtype)));
  if (!names_.insert(name).second) refuse(fmt::format("the name {} is taken", name));
  program_.buffers.push_back({std::move(name), dtype, access});
  return {static_cast<std::uint32_t>(program_.buffers.size() - 1)};
}

Param Builder::param(std::string name) {
  if (!names_.insert(name).second) refuse(fmt::format("the name {} is taken", name));
  program_.params.push_back(std::move(name));
  return {static_cast<std::uint32_t>(program_.params.size() - 1)};
}

std::string Builder::free_name(std::string_view wanted) const {
  std::string name(wanted);
  for (int n = 1; names_.contains(name); ++n) name = fmt::format("{}{}", wanted, n);
  return name;
}

Var Builder::fresh(DType dtype, Scope& scope) {
  const Var var{static_cast<std::uint32_t>(program_.vars.size())};
  program_.vars.push_back(dtype);
  scope.visible.insert(var.index);
  return var;
}

void Builder::need(Var var) const {
  for (const Scope& scope : scopes_)
    if (scope.visible.contains(var.index)) return;
  refuse(var.valid() ? fmt::format("%{} is not there", var.index) : std::string("a value that is none"));
}

DType Builder::type(Var var) const {
  need(var);
  return program_.vars[var.index];
}

const Var* Builder::find(const Key& key) const {
  for (const Scope& scope : scopes_)
    if (const auto found = scope.known.find(key); found != scope.known.end()) return &found->second;
  return nullptr;
}

Var Builder::value(Constant constant) {
  if (!holds(constant)) refuse(fmt::format("a constant of type {}", pawl::name(constant.dtype)));
  const Key key(static_cast<int>(Known::constant), static_cast<std::uint32_t>(constant.dtype), {bits_of(constant)});
  if (const Var* known = find(key)) return *known;
  Scope& top = scopes_.front();
  constant.result = fresh(constant.dtype, top);
  top.block.emplace_back(constant);
  top.known.emplace(key, constant.result);
  constants_.emplace(constant.result.index, constant);
  return constant.result;
}

Var Builder::constant(DType dtype, double number) { return value(float_constant(dtype, number)); }
Var Builder::integer(DType dtype, std::int64_t number) { return value(integer_constant(dtype, number)); }

Var Builder::number(const Form& form) {
  const Key key(static_cast<int>(Known::number), 0, key_of(form));
  if (const Var* known = find(key)) return *known;
  Scope& scope = scopes_.back();
  const Var result = fresh(DType::i64, scope);
  scope.block.emplace_back(Number{result, form.terms()});
  scope.known.emplace(key, result);
  return result;
}

DType Builder::result_type(Op op, std::span<const Var> operands, DType to) const {
  std::vector<DType> types;
  for (const Var operand : operands) types.push_back(type(operand));
  const DType dtype = types.empty() ? DType::undefined : expr::result_type(op, types, to);
  if (dtype == DType::undefined) {
    std::string words;
    for (const DType operand : types) words += fmt::format(" {}", type_word(operand));
    refuse(fmt::format("there is no {} of{}", expr::facts_of(op).name, words));
  }
  return dtype;
}

Var Builder::compute(Op op, std::span<const Var> operands, DType to) {
  const DType dtype = result_type(op, operands, to);
  const Var same = simpler(op, operands, to);
  return same.valid() ? same : numbered(op, operands, to, dtype);
}

Var Builder::numbered(Op op, std::span<const Var> operands, DType to, DType dtype) {
  std::vector<std::uint64_t> parts;
  for (const Var operand : operands) parts.push_back(operand.index);
  if (commutes(op)) std::sort(parts.begin(), parts.end());
  parts.push_back(static_cast<std::uint64_t>(to));
  const Key key(static_cast<int>(Known::compute), static_cast<std::uint32_t>(op), std::move(parts));
  if (const Var* known = find(key)) return *known;
  Scope& scope = scopes_.back();
  const Var result = fresh(dtype, scope);
  scope.block.emplace_back(Compute{result, op, {operands.begin(), operands.end()}, to});
  scope.known.emplace(key, result);
  return result;
}

Var Builder::load(BufferId buffer, const Form& at) {
  if (buffer.index >= program_.buffers.size()) refuse("a buffer that is none");
  const Buffer& facts = program_.buffers[buffer.index];
  if (facts.access == Access::out) refuse(fmt::format("{} is only stored to", facts.name));
  const Key key(static_cast<int>(Known::load), buffer.index, key_of(at));
  if (const Var* known = find(key)) return *known;
  Scope& scope = scopes_.back();
  const Var result = fresh(facts.dtype, scope);
  scope.block.emplace_back(Load{result, buffer.index, at.terms()});
  if (facts.access == Access::in) scope.known.emplace(key, result);
  return result;
}

void Builder::store(BufferId buffer, const Form& at, Var value, bool streaming) {
  if (buffer.index >= program_.buffers.size()) refuse("a buffer that is none");
  const Buffer& facts = program_.buffers[buffer.index];
  if (facts.access == Access::in) refuse(fmt::format("{} is only read", facts.name));
  if (type(value) != facts.dtype)
    refuse(fmt::format("{} is stored to {}, which has {}", type_word(type(value)), facts.name, type_word(facts.dtype)));
  scopes_.back().block.emplace_back(Store{value, buffer.index, at.terms(), streaming});
}

Counter Builder::open(std::string_view name) {
  std::string own = free_name(name);
  names_.insert(own);
  program_.counters.push_back(std::move(own));
  scopes_.emplace_back();
  return {static_cast<std::uint32_t>(program_.counters.size() - 1)};
}

std::vector<Var> Builder::close(Loop loop) {
  loop.block = std::move(scopes_.back().block);
  scopes_.pop_back();
  std::vector<Var> results;
  for (Carried& carried : loop.carried) {
    carried.result = fresh(type(carried.initial), scopes_.back());
    results.push_back(carried.result);
  }
  scopes_.back().block.emplace_back(std::make_unique<Loop>(std::move(loop)));
  return results;
}

void Builder::barrier() { scopes_.back().block.emplace_back(Barrier{}); }

void Builder::lanes(const Form& extent, const std::function<void(Counter)>& body, int unroll, std::string_view name) {
  Loop loop;
  loop.kind = Loop::Kind::lanes;
  loop.extent = extent.terms();
  loop.unroll = unroll;
  loop.counter = open(name);
  body(loop.counter);
  close(std::move(loop));
}

std::vector<Carried> Builder::carry(Counter counter, const std::vector<Var>& initial,
                                    const std::function<std::vector<Var>(Counter, std::span<const Var>)>& body) {
  std::vector<Var> inside;
  inside.reserve(initial.size());
  for (const Var var : initial) inside.push_back(fresh(type(var), scopes_.back()));
  const std::vector<Var> next = body(counter, inside);
  if (next.size() != initial.size())
    refuse(fmt::format("{} values are carried, {} go on", initial.size(), next.size()));
  std::vector<Carried> carried;
  for (std::size_t i = 0; i < next.size(); ++i) {
    if (type(next[i]) != type(initial[i])) refuse(fmt::format("carried value {} changes its type", i));
    carried.push_back({initial[i], inside[i], next[i], {}});
  }
  return carried;
}

std::vector<Var> Builder::steps(const Form& extent, const std::vector<Var>& initial,
                                const std::function<std::vector<Var>(Counter, std::span<const Var>)>& body,
                                std::string_view name) {
  Loop loop;
  loop.kind = Loop::Kind::steps;
  loop.extent = extent.terms();
  for (const Var var : initial) need(var);
  loop.counter = open(name);
  loop.carried = carry(loop.counter, initial, body);
  return close(std::move(loop));
}

std::vector<Var> Builder::reduced_with(const Form& extent, const std::vector<Var>& initial,
                                       const std::function<std::vector<Var>(Counter, std::span<const Var>)>& body,
                                       std::vector<Op> ops, std::string_view name) {
  Loop loop;
  loop.kind = Loop::Kind::reduced;
  loop.extent = extent.terms();
  loop.reduction = std::move(ops);
  for (const Var var : initial) need(var);
  loop.counter = open(name);
  loop.carried = carry(loop.counter, initial, body);
  loop.block = std::move(scopes_.back().block);
  if (!verify_reduction(loop).ok()) {
    loop.kind = Loop::Kind::steps;
    loop.reduction.clear();
  }
  scopes_.back().block = std::move(loop.block);
  return close(std::move(loop));
}

std::vector<Var> Builder::reduced(const Form& extent, const std::vector<Reduction>& sums,
                                  const std::function<std::vector<Var>(Counter)>& body, std::string_view name) {
  Loop loop;
  loop.kind = Loop::Kind::reduced;
  loop.extent = extent.terms();
  for (const Reduction& sum : sums) need(sum.initial);
  loop.counter = open(name);
  std::vector<Var> inside;
  inside.reserve(sums.size());
  for (const Reduction& sum : sums) inside.push_back(fresh(type(sum.initial), scopes_.back()));
  const std::vector<Var> added = body(loop.counter);
  if (added.size() != sums.size()) refuse(fmt::format("{} sums, {} values for them", sums.size(), added.size()));
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Var operands[] = {inside[i], added[i]};
    const DType dtype = result_type(sums[i].op, operands, DType::undefined);
    loop.reduction.push_back(sums[i].op);
    loop.carried.push_back({sums[i].initial, inside[i], numbered(sums[i].op, operands, DType::undefined, dtype), {}});
  }
  return close(std::move(loop));
}

Program Builder::finish(bool splits) && {
  CHECK(scopes_.size() == 1);
  program_.block = std::move(scopes_.front().block);
  program_.splits = splits;
  if (const Result<void> verified = verify(program_); !verified.ok()) throw InternalError(verified.error().to_string());
  return std::move(program_);
}

}  // namespace pawl::kernel
