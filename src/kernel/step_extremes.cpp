// The greatest and the least element along axes, and where it is.
#include <algorithm>
#include <limits>

#include "expr/types.h"
#include "kernel/step_emitter.h"

namespace pawl::kernel {

using expr::Op;

namespace {

/// So many extremes are looked for side by side: each waits for the one before it. And of one at most so many, because
/// what they have found is put together in the end.
constexpr int kBeside = 8;
constexpr int kSides = 4;

/// The place along the axis that is gone is `at`.
Indices with_place(Indices indices, const AxisIndex& at) {
  for (AxisIndex& index : indices) {
    std::vector<AxisTerm> terms;
    for (const AxisTerm& term : index.terms) {
      if (term.axis != kLoopAxis) {
        terms.push_back(term);
        continue;
      }
      index.offset += term.factor * at.offset;
      for (const AxisTerm& each : at.terms) terms.push_back({term.factor * each.factor, each.axis});
    }
    index.terms = std::move(terms);
  }
  return indices;
}

}  // namespace

bool is_most(Fold fold) { return fold == Fold::most || fold == Fold::first_most || fold == Fold::last_most; }

Var least_value(Builder& builder, DType dtype, bool greatest) {
  if (expr::is_float(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return builder.constant(dtype, greatest ? infinity : -infinity);
  }
  const int bits = 8 * static_cast<int>(size_of(dtype));
  if (!expr::is_signed(dtype)) return builder.integer(dtype, greatest ? -1 : 0);
  const std::uint64_t lowest = ~std::uint64_t{0} << (bits - 1);
  return builder.integer(dtype, static_cast<std::int64_t>(greatest ? ~lowest : lowest));
}

/// The extreme element that is found on the way to its index: of equal ones both are of the first.
bool StepEmitter::is_twin_of(const Sum& sum, const Sum& other) const {
  const StepValue &value = graph_[sum.id], &index = graph_[other.id];
  const bool fits = (value.fold == Fold::most && index.fold == Fold::first_most) ||
                    (value.fold == Fold::least && index.fold == Fold::first_least);
  return fits && index.operands == value.operands && index.axes == value.axes && other.indices == sum.indices;
}

bool StepEmitter::is_twin(const Group& group, const Sum& sum) const {
  return std::any_of(group.sums.begin(), group.sums.end(), [&](const Sum* other) { return is_twin_of(sum, *other); });
}

/// Whether x, which comes later, takes the place of what was best. The first NaN stays; it is more extreme than any
/// number.
Var StepEmitter::takes(Fold fold, Var x, Var best) {
  const bool most = is_most(fold), last = fold == Fold::last_most || fold == Fold::last_least;
  const Var low = most ? best : x, high = most ? x : best;
  const bool is_float = expr::is_float(builder_.type(x));
  const auto is_number = [&](Var var) { return builder_.compute(Op::equal, {var, var}); };
  const auto negated = [&](Var var) { return builder_.compute(Op::bit_not, {var}); };
  if (last) {
    const Var beyond = builder_.compute(Op::less_equal, {low, high});
    return is_float ? builder_.compute(Op::bit_or, {beyond, negated(is_number(x))}) : beyond;
  }
  const Var beyond = negated(builder_.compute(Op::less_equal, {high, low}));
  return is_float ? builder_.compute(Op::bit_and, {beyond, is_number(best)}) : beyond;
}

void StepEmitter::see(Fold fold, Var x, Var place, std::span<const Var> inside, std::vector<Var>& made) {
  const Var best = inside[made.size()];
  if (!gives_index(fold)) {
    made.push_back(builder_.compute(is_most(fold) ? Op::maximum : Op::minimum, {best, x}));
    return;
  }
  const Var index = inside[made.size() + 1], better = takes(fold, x, best);
  made.push_back(builder_.compute(Op::select, {better, x, best}));
  made.push_back(builder_.compute(Op::select, {better, place, index}));
}

/// Into how many parts an axis is cut that are gone through side by side. Extremes have one value in any order.
int StepEmitter::sides_of(const Group& group) const {
  if (!has_sides_ || group.extents.size() != 1 || !group.stores.empty() || group.sums.empty()) return 1;
  bool has_index = false;
  for (const Sum* sum : group.sums) {
    const Fold fold = graph_[sum->id].fold;
    if (fold == Fold::sum || fold == Fold::product) return 1;
    has_index = has_index || gives_index(fold);
  }
  // Vectors go along the axis, unless there is an index.
  if (lane_.vectors == kLoopAxis && !has_index) return 1;
  const int sides = std::clamp(kBeside / lane_.beside, 1, kSides);
  return group.extents[0] >= 2 * sides ? sides : 1;
}

std::vector<Var> StepEmitter::side_by_side(const Group& group, int sides) {
  const std::int64_t each = group.extents[0] / sides;
  const std::vector<Var> start = initial(group);
  std::vector<Var> carried;
  for (int side = 0; side < sides; ++side) carried.insert(carried.end(), start.begin(), start.end());
  const auto side_of = [&](std::span<const Var> all, int side) {
    return all.subspan(static_cast<std::size_t>(side) * start.size(), start.size());
  };
  const auto has_index = [&](const Sum* sum) { return gives_index(graph_[sum->id].fold); };
  const bool is_reduced = std::none_of(group.sums.begin(), group.sums.end(), has_index);
  const auto body = [&](Counter counter, std::span<const Var> inside) {
    lane_.places[kLoopAxis] = counter;
    known_.emplace_back();
    const Var place = is_reduced ? Var{} : builder_.cast(builder_.number(Form(counter)), DType::i32);
    std::vector<Var> next;
    for (int side = 0; side < sides; ++side)
      for (const Var var : see_place(group, {side * each, {{1, kLoopAxis}}}, place, side_of(inside, side)))
        next.push_back(var);
    known_.pop_back();
    return next;
  };
  std::vector<Op> ops;
  for (std::size_t i = 0; i < carried.size() && is_reduced; ++i)
    ops.push_back(is_most(graph_[group.sums[i % start.size()]->id].fold) ? Op::maximum : Op::minimum);
  const std::vector<Var> found = is_reduced ? builder_.reduced_with(each, carried, body, std::move(ops))
                                            : builder_.steps(each, carried, body, "k");
  lane_.places.erase(kLoopAxis);
  std::vector<Var> best(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(start.size()));
  for (int side = 1; side < sides; ++side) {
    // Places are counted from where the part begins.
    std::vector<Var> other;
    for (const Var var : side_of(found, side)) other.push_back(var);
    std::size_t at = 0;
    for (const Sum* sum : group.sums) {
      if (is_twin(group, *sum)) continue;
      if (gives_index(graph_[sum->id].fold))
        other[at + 1] = builder_.compute(Op::add, {other[at + 1], builder_.integer(DType::i32, side * each)});
      at += gives_index(graph_[sum->id].fold) ? 2 : 1;
    }
    best = better_of(group, best, other);
  }
  for (std::int64_t rest = sides * each; rest < group.extents[0]; ++rest)
    best = see_place(group, {rest, {}}, builder_.integer(DType::i32, rest), best);
  return best;
}

/// What is best once the place `at` was seen too; an index of it is `place`.
std::vector<Var> StepEmitter::see_place(const Group& group, const AxisIndex& at, Var place,
                                        std::span<const Var> inside) {
  std::vector<Var> made;
  for (const Sum* sum : group.sums) {
    if (is_twin(group, *sum)) continue;
    const StepValue& value = graph_[sum->id];
    const StepId operand = value.operands[0];
    const Var x = pull(operand, with_place(operand_indices(graph_, value, operand, sum->indices), at));
    see(value.fold, x, place, inside, made);
  }
  return made;
}

/// Of two parts of an axis, the second behind the first.
std::vector<Var> StepEmitter::better_of(const Group& group, std::span<const Var> first, std::span<const Var> second) {
  std::vector<Var> made;
  for (const Sum* sum : group.sums) {
    if (is_twin(group, *sum)) continue;
    const Fold fold = graph_[sum->id].fold;
    const Var place = gives_index(fold) ? second[made.size() + 1] : Var{};
    see(fold, second[made.size()], place, first, made);
  }
  return made;
}

}  // namespace pawl::kernel
