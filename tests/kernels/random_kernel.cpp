#include "random_kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "expr/types.h"
#include "kernel/builder.h"
#include "random_contents.h"

namespace pawl::tests {
namespace {

using expr::is_float;
using expr::is_stored;
using expr::Op;
using kernel::Access;
using kernel::BufferId;
using kernel::Builder;
using kernel::Counter;
using kernel::Form;
using kernel::Param;
using kernel::Reduction;
using kernel::Term;
using kernel::Var;
using Kind = kernel::Loop::Kind;

constexpr DType kIntegers[] = {DType::i8, DType::i16, DType::i32, DType::i64,
                               DType::u8, DType::u16, DType::u32, DType::u64};
constexpr DType kComputed[] = {DType::f32, DType::f32, DType::f32, DType::f64, DType::i8,  DType::i16,    DType::i32,
                               DType::i64, DType::u8,  DType::u16, DType::u32, DType::u64, DType::boolean};
constexpr DType kHalves[] = {DType::f16, DType::bf16};
constexpr std::int64_t kMostIterations = 4000;

class Generator {
 public:
  Generator(std::uint32_t seed, const RandomKernelOptions& options)
      : random_(seed), options_(options), left_(options.statements) {}

  RandomKernel kernel() {
    const bool splits = !one_in(random_, 3);
    if (splits) {
      if (one_in(random_, 2)) keep(compute());
      loop(Kind::lanes);
    } else {
      while (left_ > 0) block();
      store_since(0);
    }
    RandomKernel made;
    made.lanes = lanes_;
    made.program = std::move(b_).finish(splits);
    made.params = values_;
    for (std::size_t i = 0; i < buffers_.size(); ++i)
      made.buffers.push_back(
          random_elements(random_, made.program.buffers[i].dtype, buffers_[i].contents, buffers_[i].size));
    return made;
  }

 private:
  struct Open {
    Counter counter;
    Kind kind;
    std::int64_t most;  ///< iterations
  };
  struct Facts {
    BufferId id;
    DType dtype;
    Access access;
    Contents contents;
    std::int64_t size;
  };

  template <class T, std::size_t N>
  T one_of(const T (&all)[N]) {
    return all[below(random_, N)];
  }
  bool chance(int n) { return one_in(random_, n); }

  // Numbers that are params or written out.

  Form number(std::int64_t value) {
    if (!chance(3)) return value;
    for (std::size_t i = 0; i < values_.size(); ++i)
      if (values_[i] == value) return params_[i];
    params_.push_back(b_.param(fmt::format("p{}", values_.size())));
    values_.push_back(value);
    return params_.back();
  }

  /// The least and the greatest value.
  std::pair<std::int64_t, std::int64_t> bounds(const Form& form) const {
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (const Term& term : form.terms()) {
      std::int64_t end = term.factor * (term.param.valid() ? values_[term.param.index] : 1);
      std::int64_t begin = end;
      if (term.counter.valid()) {
        begin = 0;
        end *= std::max<std::int64_t>(most_of(term.counter) - 1, 0);
      }
      low += std::min(begin, end);
      high += std::max(begin, end);
    }
    return {low, high};
  }

  std::int64_t most_of(Counter counter) const {
    for (const Open& open : open_)
      if (open.counter == counter) return open.most;
    return 1;
  }

  Form extent() {
    std::int64_t room = kMostIterations;
    for (const Open& open : open_) room /= std::max<std::int64_t>(open.most, 1);
    const std::int64_t most = std::min<std::int64_t>(room, 40);
    Form form = number(chance(12) ? -below(random_, 3) : below(random_, most + 1));
    if (!open_.empty() && chance(5)) {
      const Form outer = open_[static_cast<std::size_t>(below(random_, std::ssize(open_)))].counter;
      const Form leaning = chance(2) ? outer + form : form - outer;
      if (bounds(leaning).second <= most) form = leaning;
    }
    return form;
  }

  // Buffers.

  Facts& buffer(DType dtype, Access access, Contents contents) {
    constexpr const char* kNames[] = {"x", "y", "s"};
    const std::string name = fmt::format("{}{}", kNames[static_cast<int>(access)], buffers_.size());
    const BufferId id = b_.buffer(name, dtype, access);
    return buffers_.emplace_back(Facts{id, dtype, access, contents, 0});
  }

  Facts& read_buffer(DType dtype, Contents contents) {
    if (!chance(3))
      for (Facts& facts : buffers_)
        if (facts.dtype == dtype && facts.access == Access::in && facts.contents == contents) return facts;
    return buffer(dtype, Access::in, contents);
  }

  /// An address anywhere; places in the buffer may be read again and again.
  Form reach(Facts& facts) {
    Form at;
    for (const Open& open : open_) {
      constexpr std::int64_t kFactors[] = {0, 1, 1, 1, -1, 2, -2, 3, 17, -40};
      at = at + number(one_of(kFactors)) * open.counter;
    }
    if (chance(4)) at = at + below(random_, 5);
    const std::int64_t low = bounds(at).first;
    if (low < 0 || chance(3)) at = at + number(-low);
    facts.size = std::max(facts.size, bounds(at).second + 1);
    return at;
  }

  /// An address that is another one for other lanes and iterations of reduced loops.
  Form distinct(Facts& facts) {
    std::vector<Open> order = open_;
    std::shuffle(order.begin(), order.end(), random_);
    Form at;
    std::int64_t stride = 1;
    for (const Open& open : order) {
      if (open.kind == Kind::steps && chance(3)) continue;
      const Form factor = number(stride);
      at = chance(3) ? at + stride * std::max<std::int64_t>(open.most - 1, 0) - factor * open.counter
                     : at + factor * open.counter;
      stride *= std::max<std::int64_t>(open.most, 1) + (chance(4) ? 1 : 0);
    }
    if (chance(4)) at = at + number(3);
    facts.size = std::max(facts.size, bounds(at).second + 1);
    return at;
  }

  // Values.

  Var keep(Var var) {
    pool_.push_back(var);
    return var;
  }

  /// One that is there.
  Var pick(DType dtype) {
    std::vector<Var> fitting;
    for (const Var var : pool_)
      if (b_.type(var) == dtype) fitting.push_back(var);
    if (fitting.empty()) return {};
    // The latest ones the most, so that long chains come up.
    const std::int64_t reach = chance(2) ? std::ssize(fitting) : std::min<std::int64_t>(std::ssize(fitting), 3);
    return fitting[fitting.size() - 1 - static_cast<std::size_t>(below(random_, reach))];
  }

  Var constant(DType dtype, Contents contents) {
    const kernel::Constant made = random_constant(random_, dtype, contents);
    if (const auto* integer = std::get_if<std::int64_t>(&made.value)) return b_.integer(dtype, *integer);
    return b_.constant(dtype, std::get<double>(made.value));
  }

  Var loaded(DType dtype, Contents contents) {
    Facts& facts = read_buffer(dtype, contents);
    const Form at = reach(facts);
    return b_.load(facts.id, at);
  }

  Var counted() {
    Form form = below(random_, 7) - 3;
    for (const Open& open : open_)
      if (chance(2)) form = form + number(below(random_, 9) - 4) * open.counter;
    return b_.number(form);
  }

  /// One of this type, there or made.
  Var value(DType dtype) {
    if (!chance(3))
      if (const Var there = pick(dtype); there.valid()) return there;
    if (dtype == DType::i64 && chance(3)) return keep(counted());
    if (chance(3) && !pool_.empty()) {
      const Var from = pool_[static_cast<std::size_t>(below(random_, std::ssize(pool_)))];
      if (!is_stored(b_.type(from)) || !is_stored(dtype)) return keep(b_.cast(from, dtype));
    }
    if (chance(4)) return constant(dtype, Contents::any);
    return keep(loaded(dtype, Contents::any));
  }

  DType any_type() { return chance(12) ? one_of(kHalves) : one_of(kComputed); }

  DType operand_type(Op op) {
    switch (op) {
      case Op::bit_and:
      case Op::bit_or:
      case Op::bit_xor:
      case Op::bit_not: return chance(3) ? DType::boolean : one_of(kIntegers);
      case Op::shift_left:
      case Op::shift_right: return one_of(kIntegers);
      case Op::equal:
      case Op::less:
      case Op::less_equal:
      case Op::bits: return one_of(kComputed);
      default: break;
    }
    std::vector<DType> operands(static_cast<std::size_t>(expr::facts_of(op).arity), DType::i32);
    if (expr::result_type(op, operands) == DType::undefined || chance(2)) return chance(3) ? DType::f64 : DType::f32;
    return one_of(kIntegers);
  }

  Var compute() {
    const auto op = static_cast<Op>(below(random_, expr::kOps));
    if (expr::facts_of(op).is_function && !options_.functions) return compute();
    if (op == Op::select) {
      const DType dtype = one_of(kComputed);
      const Var condition = value(DType::boolean);
      const Var yes = value(dtype);
      return b_.compute(op, {condition, yes, value(dtype)});
    }
    if (op == Op::cast) {
      const DType from = any_type();
      const DType to = is_stored(from) ? one_of(kComputed) : any_type();
      return b_.cast(value(from), to);
    }
    const DType dtype = operand_type(op);
    const Var first = value(dtype);
    if (op == Op::bits) return bits(first);
    if (op == Op::shift_left || op == Op::shift_right) return b_.compute(op, {first, amount(dtype)});
    if (op == Op::divide && !is_float(dtype)) return b_.compute(op, {first, divisor(dtype)});
    std::vector<Var> operands = {first};
    while (std::ssize(operands) < expr::facts_of(op).arity) operands.push_back(value(dtype));
    return b_.compute(op, operands);
  }

  /// Which NaN it is must not show.
  Var bits(Var from) {
    const DType dtype = b_.type(from);
    std::vector<DType> fitting;
    for (const DType to : kComputed)
      if (size_of(to) == size_of(dtype)) fitting.push_back(to);
    if (is_float(dtype)) {
      const Var is_number = b_.compute(Op::equal, {from, from});
      from = b_.compute(Op::select, {is_number, from, b_.constant(dtype, 1)});
    }
    return b_.compute(Op::bits, {from}, fitting[static_cast<std::size_t>(below(random_, std::ssize(fitting)))]);
  }

  Var amount(DType dtype) {
    const auto last = static_cast<std::int64_t>(8 * size_of(dtype) - 1);
    if (chance(2)) return b_.integer(dtype, below(random_, last + 1));
    return b_.compute(Op::bit_and, {value(dtype), b_.integer(dtype, last)});
  }

  Var divisor(DType dtype) {
    constexpr std::int64_t kDivisors[] = {1, -1, 2, 3, -3, 5, 7, -7, 10, 64, 100, -128};
    return b_.integer(dtype, one_of(kDivisors));
  }

  // Statements.

  void block() {
    const std::int64_t count = 1 + below(random_, 6);
    for (std::int64_t i = 0; i < count && left_ > 0; ++i) statement();
  }

  void statement() {
    --left_;
    const std::int64_t kind = below(random_, 12);
    if (kind < 6)
      keep(compute());
    else if (kind < 8)
      store();
    else if (kind < 9)
      update();
    else if (open_.size() < 3)
      loop(static_cast<Kind>(below(random_, 3)));
  }

  void store() { store(value(any_type())); }

  void store(Var stored) {
    Facts& facts = buffer(b_.type(stored), Access::out, Contents::any);
    const Form at = distinct(facts);
    b_.store(facts.id, at, stored, chance(4));
  }

  /// Some of what has been computed since shows.
  void store_since(std::size_t known) {
    const std::vector<Var> computed(pool_.begin() + static_cast<std::ptrdiff_t>(known), pool_.end());
    const std::int64_t latest = std::min<std::int64_t>(std::ssize(computed), 4);
    for (std::int64_t i = below(random_, 4); i > 0 && latest > 0; --i)
      store(computed[computed.size() - 1 - static_cast<std::size_t>(below(random_, latest))]);
  }

  /// Reads a place of its own and writes it again.
  void update() {
    const DType dtype = any_type();
    const std::size_t index = buffers_.size();
    const Form at = distinct(buffer(dtype, Access::inout, Contents::any));
    const BufferId id = buffers_[index].id;
    keep(b_.load(id, at));
    if (chance(2)) keep(compute());
    b_.store(id, at, value(dtype));
    if (chance(2)) keep(b_.load(id, at));
  }

  void loop(Kind kind) {
    const Form count = extent();
    const std::int64_t most = std::max<std::int64_t>(bounds(count).second, 0);
    if (open_.empty() && kind == Kind::lanes) lanes_ = most;
    if (kind == Kind::lanes) {
      b_.lanes(count, [&](Counter c) { inside({c, kind, most}, [] {}); }, static_cast<int>(1 + below(random_, 4)));
    } else if (kind == Kind::steps) {
      steps(count, most);
    } else {
      reduced(count, most);
    }
  }

  /// Writes a block, at its end `last`, and forgets its values.
  template <class Last>
  void inside(Open open, Last last) {
    const std::size_t known = pool_.size();
    open_.push_back(open);
    block();
    if (open_.size() == 1)
      while (left_ > 0) block();
    store_since(known);
    last();
    open_.pop_back();
    // Constants and values that were there already may stand behind; they are forgotten too.
    pool_.resize(known);
  }

  void steps(const Form& count, std::int64_t most) {
    std::vector<Var> initial;
    for (std::int64_t i = below(random_, 4); i > 0; --i) initial.push_back(value(any_type()));
    const std::vector<Var> results = b_.steps(count, initial, [&](Counter t, std::span<const Var> carried) {
      std::vector<Var> next;
      const std::size_t known = pool_.size();
      for (const Var var : carried) keep(var);
      inside({t, Kind::steps, most}, [&] {
        for (const Var var : carried) next.push_back(value(b_.type(var)));
      });
      pool_.resize(known);
      return next;
    });
    for (const Var var : results) keep(var);
  }

  void reduced(const Form& count, std::int64_t most) {
    constexpr Op kReductions[] = {Op::add, Op::multiply, Op::minimum, Op::maximum};
    std::vector<Reduction> sums;
    for (std::int64_t i = 1 + below(random_, 3); i > 0; --i) {
      const Op op = one_of(kReductions);
      const DType dtype = one_of(kComputed);
      if (dtype == DType::boolean) continue;
      sums.push_back({op, is_float(dtype) ? constant(dtype, contents_for(op)) : value(dtype)});
    }
    const std::vector<Var> results = b_.reduced(count, sums, [&](Counter k) {
      std::vector<Var> added;
      inside({k, Kind::reduced, most}, [&] {
        for (const Reduction& sum : sums) added.push_back(addend(sum));
      });
      return added;
    });
    for (const Var var : results) keep(var);
  }

  static Contents contents_for(Op op) { return op == Op::multiply ? Contents::powers : Contents::exact; }

  Var addend(const Reduction& sum) {
    const DType dtype = b_.type(sum.initial);
    if (!is_float(dtype)) return value(dtype);
    const auto fitting = [&] {
      return chance(4) ? b_.cast(loaded(one_of(kHalves), contents_for(sum.op)), dtype)
                       : loaded(dtype, contents_for(sum.op));
    };
    const Var first = fitting();
    if (sum.op == Op::add && chance(2)) return b_.compute(Op::multiply, {first, fitting()});
    const bool picks = sum.op == Op::minimum || sum.op == Op::maximum;
    if (!picks || !chance(3)) return first;
    const Var is_nan = b_.compute(Op::less, {first, b_.constant(dtype, -3.5)});
    return b_.compute(Op::select, {is_nan, b_.constant(dtype, std::numeric_limits<double>::quiet_NaN()), first});
  }

  std::mt19937 random_;
  RandomKernelOptions options_;
  int left_;
  Builder b_{"random"};
  std::vector<Param> params_;
  std::vector<std::int64_t> values_;
  std::vector<Facts> buffers_;
  std::vector<Open> open_;
  std::vector<Var> pool_;
  std::int64_t lanes_ = 0;
};

}  // namespace

RandomKernel random_kernel(std::uint32_t seed, const RandomKernelOptions& options) {
  return Generator(seed, options).kernel();
}

}  // namespace pawl::tests
