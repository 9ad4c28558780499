#include "package/unify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "base/try.h"

namespace pawl::package {
namespace {

using kernel::Affine;
using kernel::Block;
using kernel::Loop;
using kernel::Program;
using kernel::Statement;
using kernel::Term;

/// The numbers of one place in all kernels.
using Numbers = std::vector<std::int64_t>;

bool all_same(const Numbers& numbers) {
  for (const std::int64_t each : numbers)
    if (each != numbers[0]) return false;
  return true;
}

class Unifying {
 public:
  Unifying(const Points& points, const std::vector<Variant>& variants, std::vector<bool>& same)
      : points_(points), variants_(variants), same_(same) {}

  std::optional<Unified> run() {
    const Program& first = *variants_[0].program;
    made_.program.name = first.name;
    made_.program.buffers = first.buffers;
    made_.program.counters = first.counters;
    made_.program.vars = first.vars;
    made_.program.splits = false;
    same_.assign(variants_.size(), true);
    std::vector<const Block*> blocks;
    for (std::size_t point = 0; point < variants_.size(); ++point) {
      const Program& other = *variants_[point].program;
      blocks.push_back(&other.block);
      if (!has_form_of(first, other)) same_[point] = false;
    }
    if (!is_one_form()) return std::nullopt;
    made_.program.block = block(blocks);
    if (!is_one_form() || !fits_) return std::nullopt;
    return std::move(made_);
  }

 private:
  static bool has_form_of(const Program& a, const Program& b) {
    if (a.params != b.params || a.counters != b.counters || a.vars != b.vars || a.buffers.size() != b.buffers.size())
      return false;
    for (std::size_t i = 0; i < a.buffers.size(); ++i)
      if (a.buffers[i].name != b.buffers[i].name || a.buffers[i].dtype != b.buffers[i].dtype ||
          a.buffers[i].access != b.buffers[i].access)
        return false;
    return true;
  }

  [[nodiscard]] bool is_one_form() const {
    for (const bool each : same_)
      if (!each) return false;
    return true;
  }

  /// Notes which kernels differ from the first one; false where any does.
  template <class Same>
  bool hold(std::size_t count, Same&& is_same) {
    bool all = true;
    for (std::size_t point = 1; point < count; ++point) {
      if (is_same(point)) continue;
      same_[point] = false;
      all = false;
    }
    return all;
  }

  /// The param that has these numbers; a new one where there is none yet.
  kernel::Param param(const Numbers& numbers, const std::string& wish) {
    if (const auto found = known_.find(numbers); found != known_.end()) return found->second;
    std::optional<Polynomial> polynomial = points_.fit(numbers);
    fits_ = fits_ && polynomial.has_value();
    std::string name = wish;
    for (int i = 1; !names_.insert(name).second; ++i) name = fmt::format("{}{}", wish.empty() ? "n" : wish, i);
    const kernel::Param made{static_cast<std::uint32_t>(made_.params.size())};
    made_.program.params.push_back(std::move(name));
    made_.params.push_back(polynomial.value_or(Polynomial()));
    known_.emplace(numbers, made);
    return made;
  }

  Affine affine(const std::vector<const Affine*>& forms) {
    const Affine& first = *forms[0];
    const auto alike = [&](std::size_t point) {
      const Affine& other = *forms[point];
      if (other.size() != first.size()) return false;
      for (std::size_t i = 0; i < first.size(); ++i)
        if (other[i].param != first[i].param || other[i].counter != first[i].counter) return false;
      return true;
    };
    if (!hold(forms.size(), alike)) return {};
    Affine made;
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (zeros_.contains(first[i].counter.index)) continue;
      Numbers numbers;
      for (std::size_t point = 0; point < forms.size(); ++point) {
        const Term& term = (*forms[point])[i];
        numbers.push_back(term.factor * (term.param.valid() ? variants_[point].params[term.param.index] : 1));
      }
      if (all_same(numbers)) {
        if (numbers[0] != 0) add(made, {numbers[0], {}, first[i].counter});
        continue;
      }
      const std::string name = first[i].param.valid() ? variants_[0].program->params[first[i].param.index] : "n";
      made.push_back({1, param(numbers, name), first[i].counter});
    }
    return made;
  }

  /// Like terms are one.
  static void add(Affine& to, const Term& term) {
    for (Term& each : to)
      if (!each.param.valid() && each.counter == term.counter) {
        each.factor += term.factor;
        return;
      }
    to.push_back(term);
  }

  Block block(const std::vector<const Block*>& blocks) {
    const auto alike = [&](std::size_t point) {
      if (blocks[point]->size() != blocks[0]->size()) return false;
      for (std::size_t i = 0; i < blocks[0]->size(); ++i)
        if ((*blocks[point])[i].index() != (*blocks[0])[i].index()) return false;
      return true;
    };
    if (!hold(blocks.size(), alike)) return {};
    Block made;
    for (std::size_t i = 0; i < blocks[0]->size(); ++i)
      std::visit(
          [&](const auto& first) {
            using T = std::decay_t<decltype(first)>;
            std::vector<const T*> all;
            for (const Block* each : blocks) all.push_back(&std::get<T>((*each)[i]));
            write(all, made);
          },
          (*blocks[0])[i]);
    return made;
  }

  void write(const std::vector<const kernel::Constant*>& all, Block& to) {
    const kernel::Constant& first = *all[0];
    if (!hold(all.size(),
              [&](std::size_t p) { return all[p]->dtype == first.dtype && all[p]->result == first.result; }))
      return;
    bool differs = false;
    Numbers numbers;
    for (const kernel::Constant* each : all) {
      differs = differs || !same_constant(*each, first);
      const auto* real = std::get_if<double>(&each->value);
      constexpr double kExact = 1 << 24;
      if (real != nullptr && (std::abs(*real) > kExact || std::floor(*real) != *real)) numbers.clear();
      numbers.push_back(real != nullptr ? static_cast<std::int64_t>(std::abs(*real) > kExact ? 0 : *real)
                                        : std::get<std::int64_t>(each->value));
    }
    if (!differs) {
      to.emplace_back(first);
      return;
    }
    if (numbers.size() != all.size()) {
      static_cast<void>(hold(all.size(), [&](std::size_t p) { return same_constant(*all[p], first); }));
      return;
    }
    // An extent that is computed with.
    const kernel::Var number{static_cast<std::uint32_t>(made_.program.vars.size())};
    made_.program.vars.push_back(DType::i64);
    to.emplace_back(kernel::Number{number, {{1, param(numbers, "n"), {}}}});
    to.emplace_back(kernel::Compute{first.result, expr::Op::cast, {number}, first.dtype});
  }

  static bool same_constant(const kernel::Constant& a, const kernel::Constant& b) {
    if (a.value.index() != b.value.index()) return false;
    const auto* real = std::get_if<double>(&a.value);
    if (real == nullptr) return a.value == b.value;
    const double other = std::get<double>(b.value);
    return *real == other ? std::signbit(*real) == std::signbit(other) : std::isnan(*real) && std::isnan(other);
  }

  template <class T>
  std::vector<const Affine*> forms(const std::vector<const T*>& all, Affine T::* member) {
    std::vector<const Affine*> made;
    for (const T* each : all) made.push_back(&(each->*member));
    return made;
  }

  void write(const std::vector<const kernel::Number*>& all, Block& to) {
    static_cast<void>(hold(all.size(), [&](std::size_t p) { return all[p]->result == all[0]->result; }));
    to.emplace_back(kernel::Number{all[0]->result, affine(forms(all, &kernel::Number::value))});
  }
  void write(const std::vector<const kernel::Compute*>& all, Block& to) {
    const kernel::Compute& first = *all[0];
    static_cast<void>(hold(all.size(), [&](std::size_t p) {
      return all[p]->result == first.result && all[p]->op == first.op && all[p]->operands == first.operands &&
             all[p]->to == first.to;
    }));
    to.emplace_back(first);
  }
  void write(const std::vector<const kernel::Load*>& all, Block& to) {
    const kernel::Load& first = *all[0];
    static_cast<void>(hold(
        all.size(), [&](std::size_t p) { return all[p]->result == first.result && all[p]->buffer == first.buffer; }));
    to.emplace_back(kernel::Load{first.result, first.buffer, affine(forms(all, &kernel::Load::at))});
  }
  void write(const std::vector<const kernel::Store*>& all, Block& to) {
    const kernel::Store& first = *all[0];
    static_cast<void>(hold(
        all.size(), [&](std::size_t p) { return all[p]->value == first.value && all[p]->buffer == first.buffer; }));
    to.emplace_back(kernel::Store{first.value, first.buffer, affine(forms(all, &kernel::Store::at)), false});
  }
  void write(const std::vector<const kernel::Barrier*>& /*all*/, Block& to) { to.emplace_back(kernel::Barrier{}); }

  void write(const std::vector<const std::unique_ptr<Loop>*>& all, Block& to) {
    const Loop& first = **all[0];
    const auto alike = [&](std::size_t point) {
      const Loop& other = **all[point];
      if (other.kind != first.kind || other.counter != first.counter || other.reduction != first.reduction ||
          other.carried.size() != first.carried.size())
        return false;
      for (std::size_t i = 0; i < first.carried.size(); ++i) {
        const kernel::Carried &a = first.carried[i], &b = other.carried[i];
        if (a.initial != b.initial || a.inside != b.inside || a.next != b.next || a.result != b.result) return false;
      }
      return true;
    };
    if (!hold(all.size(), alike)) return;
    std::vector<const Affine*> extents;
    std::vector<const Block*> blocks;
    for (const auto* each : all) {
      extents.push_back(&(*each)->extent);
      blocks.push_back(&(*each)->block);
    }
    auto made = std::make_unique<Loop>();
    made->extent = affine(extents);
    // What is done once needs no loop.
    if (first.kind != Loop::Kind::reduced && first.carried.empty() && is_one(made->extent)) {
      zeros_.insert(first.counter.index);
      for (Statement& statement : block(blocks)) to.push_back(std::move(statement));
      return;
    }
    made->kind = first.kind;
    made->counter = first.counter;
    made->carried = first.carried;
    made->reduction = first.reduction;
    made->block = block(blocks);
    to.emplace_back(std::move(made));
  }

  static bool is_one(const Affine& form) {
    return form.size() == 1 && form[0].factor == 1 && !form[0].param.valid() && !form[0].counter.valid();
  }

  const Points& points_;
  const std::vector<Variant>& variants_;
  std::vector<bool>& same_;
  Unified made_;
  std::map<Numbers, kernel::Param> known_;
  std::set<std::string> names_;
  std::set<std::uint32_t> zeros_;  ///< counters of loops that are none
  bool fits_ = true;
};

template <class F>
void for_each_statement(Block& block, F&& f) {
  for (Statement& statement : block) {
    f(statement);
    if (auto* loop = std::get_if<std::unique_ptr<Loop>>(&statement)) for_each_statement((*loop)->block, f);
  }
}
template <class F>
void for_each_statement(const Block& block, F&& f) {
  for (const Statement& statement : block) {
    f(statement);
    if (const auto* loop = std::get_if<std::unique_ptr<Loop>>(&statement)) for_each_statement((*loop)->block, f);
  }
}

Block copied(const Block& block);

Statement copied(const Statement& statement) {
  return std::visit(
      [](const auto& each) -> Statement {
        if constexpr (std::is_same_v<std::decay_t<decltype(each)>, std::unique_ptr<Loop>>) {
          auto made = std::make_unique<Loop>();
          made->kind = each->kind;
          made->counter = each->counter;
          made->extent = each->extent;
          made->carried = each->carried;
          made->reduction = each->reduction;
          made->unroll = each->unroll;
          made->block = copied(each->block);
          return made;
        } else {
          return each;
        }
      },
      statement);
}

Block copied(const Block& block) {
  Block made;
  for (const Statement& statement : block) made.push_back(copied(statement));
  return made;
}

/// Tells `f` every value that a statement reads, those inside of a loop too.
template <class F>
void for_each_operand(const Statement& statement, F&& f) {
  if (const auto* compute = std::get_if<kernel::Compute>(&statement))
    for (const kernel::Var operand : compute->operands) f(operand);
  if (const auto* store = std::get_if<kernel::Store>(&statement)) f(store->value);
  const auto* loop = std::get_if<std::unique_ptr<Loop>>(&statement);
  if (loop == nullptr) return;
  for (const kernel::Carried& carried : (*loop)->carried) {
    f(carried.initial);
    f(carried.next);
  }
  for (const Statement& inner : (*loop)->block) for_each_operand(inner, f);
}

/// The value that a statement gives; invalid of loops, stores and barriers.
kernel::Var result_of(const Statement& statement) {
  return std::visit(
      [](const auto& each) -> kernel::Var {
        if constexpr (requires { each.result; })
          return each.result;
        else
          return {};
      },
      statement);
}

/// What stands between barrier `stage` - 1 and `stage`, and what it needs of what stands before.
Block part_of(Block block, std::size_t stage) {
  std::size_t at = 0;
  std::vector<std::size_t> stages;
  for (const Statement& statement : block) {
    stages.push_back(at);
    at += std::holds_alternative<kernel::Barrier>(statement);
  }
  std::set<std::uint32_t> needed;
  Block made;
  for (std::size_t i = block.size(); i-- > 0;) {
    const bool is_barrier = std::holds_alternative<kernel::Barrier>(block[i]);
    const bool is_own = stages[i] == stage && !is_barrier;
    if (!is_own && !needed.contains(result_of(block[i]).index)) continue;
    for_each_operand(block[i], [&](kernel::Var operand) { needed.insert(operand.index); });
    made.push_back(std::move(block[i]));
  }
  std::reverse(made.begin(), made.end());
  return made;
}

DType narrowed(DType dtype) { return dtype == DType::i64 ? DType::i32 : dtype == DType::u64 ? DType::u32 : dtype; }

/// Of an integer that is beyond all others the greatest of 32 bits serves as well: the beginning of an extreme.
bool narrow(kernel::Constant& constant) {
  auto* bits = std::get_if<std::int64_t>(&constant.value);
  std::int64_t value = bits != nullptr ? *bits : static_cast<std::int64_t>(std::get<double>(constant.value));
  using Wide = std::numeric_limits<std::int64_t>;
  using Narrow = std::numeric_limits<std::int32_t>;
  if (constant.dtype == DType::i64) {
    if (value == Wide::max()) value = Narrow::max();
    if (value == Wide::min()) value = Narrow::min();
    if (value > Narrow::max() || value < Narrow::min()) return false;
  } else if (value < 0 || value > std::numeric_limits<std::uint32_t>::max()) {
    return false;
  }
  constant.dtype = narrowed(constant.dtype);
  constant.value = value;
  return true;
}

}  // namespace

std::optional<Unified> unify(const Points& points, const std::vector<Variant>& variants, std::vector<bool>& same) {
  return Unifying(points, variants, same).run();
}

Result<void> narrow(kernel::Program& program) {
  std::set<std::uint32_t> numbers;
  for_each_statement(std::as_const(program.block), [&](const Statement& statement) {
    if (const auto* number = std::get_if<kernel::Number>(&statement)) numbers.insert(number->result.index);
  });
  for (std::uint32_t i = 0; i < program.vars.size(); ++i)
    if (!numbers.contains(i)) program.vars[i] = narrowed(program.vars[i]);
  for (kernel::Buffer& buffer : program.buffers) buffer.dtype = narrowed(buffer.dtype);
  bool fits = true;
  for_each_statement(program.block, [&](Statement& statement) {
    if (auto* compute = std::get_if<kernel::Compute>(&statement)) compute->to = narrowed(compute->to);
    auto* constant = std::get_if<kernel::Constant>(&statement);
    if (constant != nullptr && constant->dtype != narrowed(constant->dtype)) fits = narrow(*constant) && fits;
  });
  if (!fits) return fail(Code::unsupported, "WGSL has no 64-bit integers, and a constant does not fit 32 bits");
  return {};
}

std::vector<Program> split_at_barriers(const Program& program) {
  const auto copy_of = [&] {
    return Program{program.name, program.buffers, program.params, program.counters, program.vars, {}, false};
  };
  const std::unique_ptr<Loop>* steps = nullptr;
  for (const Statement& statement : program.block)
    if (const auto* loop = std::get_if<std::unique_ptr<Loop>>(&statement)) steps = steps == nullptr ? loop : nullptr;
  std::size_t stages = 1;
  if (steps != nullptr && (*steps)->kind == Loop::Kind::steps && (*steps)->carried.empty())
    for (const Statement& statement : (*steps)->block) stages += std::holds_alternative<kernel::Barrier>(statement);
  std::vector<Program> made;
  if (stages < 2) {
    made.push_back(copy_of());
    made.back().block = copied(program.block);
    return made;
  }
  // The last barrier has nothing behind it.
  for (std::size_t stage = 0; stage + 1 < stages; ++stage) {
    made.push_back(copy_of());
    for (const Statement& statement : program.block) {
      made.back().block.push_back(copied(statement));
      auto* loop = std::get_if<std::unique_ptr<Loop>>(&made.back().block.back());
      if (loop != nullptr) (*loop)->block = part_of(std::move((*loop)->block), stage);
    }
  }
  return made;
}

Uses uses_of(const Program& program) {
  Uses uses{std::vector<bool>(program.buffers.size()), std::vector<bool>(program.buffers.size())};
  for_each_statement(program.block, [&](const Statement& statement) {
    if (const auto* load = std::get_if<kernel::Load>(&statement)) uses.loads[load->buffer] = true;
    if (const auto* store = std::get_if<kernel::Store>(&statement)) uses.stores[store->buffer] = true;
  });
  return uses;
}

void renumber_buffers(Program& program, const std::vector<std::uint32_t>& to, std::vector<kernel::Buffer> buffers) {
  for_each_statement(program.block, [&](Statement& statement) {
    if (auto* load = std::get_if<kernel::Load>(&statement)) load->buffer = to[load->buffer];
    if (auto* store = std::get_if<kernel::Store>(&statement)) store->buffer = to[store->buffer];
  });
  program.buffers = std::move(buffers);
}

}  // namespace pawl::package
