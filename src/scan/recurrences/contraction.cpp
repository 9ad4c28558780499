#include "scan/recurrences/contraction.h"

#include <cmath>

#include "scan/recurrences/semiring.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

bool contains(const Labels& labels, Label label) {
  return std::find(labels.begin(), labels.end(), label) != labels.end();
}

}  // namespace

bool Product::has(Label label) const {
  if (state && contains(*state, label)) return true;
  return std::any_of(factors.begin(), factors.end(),
                     [&](const Factor& factor) { return contains(factor.axes, label); });
}

bool Contraction::has_state() const {
  return std::any_of(terms.begin(), terms.end(), [](const Product& term) { return term.state.has_value(); });
}

bool Contraction::has_axis(Label label) const { return contains(axes, label); }

void Contraction::rename(Label from, Label to) {
  std::replace(axes.begin(), axes.end(), from, to);
  for (Product& term : terms) {
    if (term.state) std::replace(term.state->begin(), term.state->end(), from, to);
    for (Factor& factor : term.factors) std::replace(factor.axes.begin(), factor.axes.end(), from, to);
  }
}

Label ContractionAlgebra::fresh(const Dim& extent) {
  if (extent.known() && extent.value == 1) return kUnit;
  extents_.push_back(extent);
  return static_cast<Label>(extents_.size() - 1);
}

Labels ContractionAlgebra::fresh(const SymbolicShape& shape) {
  Labels labels;
  for (const Dim& dim : shape) labels.push_back(fresh(dim));
  return labels;
}

Contraction ContractionAlgebra::renamed(Contraction contraction) {
  std::vector<std::pair<Label, Label>> names;
  const auto rename = [&](Labels& labels) {
    for (Label& label : labels) {
      if (label == kUnit) continue;
      auto found = std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == label; });
      if (found == names.end()) found = names.insert(names.end(), {label, fresh(Dim(extent(label)))});
      label = found->second;
    }
  };
  rename(contraction.axes);
  for (Product& term : contraction.terms) {
    if (term.state) rename(*term.state);
    for (Factor& factor : term.factors) rename(factor.axes);
  }
  return contraction;
}

bool ContractionAlgebra::unite(std::span<Contraction> operands, Label a, Label b) {
  if (a == b) return true;
  if (a == kUnit || b == kUnit || !extent(a).same(extent(b))) return false;
  for (Contraction& each : operands) each.rename(b, a);
  return true;
}

std::optional<Labels> ContractionAlgebra::broadcast(std::span<Contraction> operands) {
  std::size_t rank = 0;
  for (const Contraction& each : operands) rank = std::max(rank, each.axes.size());
  Labels result(rank, kUnit);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    for (const Contraction& each : operands) {
      if (axis + each.axes.size() < rank) continue;
      const Label label = each.axes[axis + each.axes.size() - rank];
      if (label == kUnit) continue;
      if (result[axis] == kUnit)
        result[axis] = label;
      else if (!unite(operands, result[axis], label))
        return std::nullopt;
    }
  }
  return result;
}

Contraction ContractionAlgebra::times(const Contraction& x, const Contraction& y, Labels axes) const {
  Contraction result;
  result.axes = std::move(axes);
  for (const Product& a : x.terms) {
    for (const Product& b : y.terms) {
      Product product = a;
      if (b.state) product.state = b.state;
      product.factors.insert(product.factors.end(), b.factors.begin(), b.factors.end());
      result.terms.push_back(std::move(product));
    }
  }
  return result;
}

Contraction ContractionAlgebra::scaled(Contraction x, ValueId by) const {
  for (Product& term : x.terms) term.factors.push_back({by, {}});
  return x;
}

std::optional<ValueId> ContractionAlgebra::repeated(std::int64_t count) {
  if (count <= 0) return std::nullopt;
  switch (semiring_) {
    case Semiring::ordinary: return make_.constant(dtype_, static_cast<double>(count));
    case Semiring::log_sum: return make_.constant(dtype_, std::log(static_cast<double>(count)));
    case Semiring::max_plus:
    case Semiring::min_plus: break;
  }
  return ValueId();
}

std::optional<Contraction> ContractionAlgebra::summed(Contraction x, Label label) {
  x.axes.erase(std::remove(x.axes.begin(), x.axes.end(), label), x.axes.end());
  for (Product& term : x.terms) {
    if (term.has(label)) continue;
    const Dim& length = extent(label);
    const std::optional<ValueId> count = length.known() ? repeated(length.value) : std::nullopt;
    if (!count) return std::nullopt;
    if (count->valid()) term.factors.push_back({*count, {}});
  }
  return x;
}

ValueId ContractionAlgebra::zero() {
  switch (semiring_) {
    case Semiring::ordinary: return make_.constant(dtype_, 0);
    case Semiring::min_plus: return highest(dtype_, make_);
    case Semiring::max_plus:
    case Semiring::log_sum: break;
  }
  return lowest(dtype_, make_);
}

ValueId ContractionAlgebra::one() { return make_.constant(dtype_, semiring_ == Semiring::ordinary ? 1 : 0); }

ValueId ContractionAlgebra::plus(ValueId a, ValueId b) {
  switch (semiring_) {
    case Semiring::ordinary: return make_.add(a, b);
    case Semiring::max_plus: return make_.max(a, b);
    case Semiring::min_plus: return make_.min(a, b);
    case Semiring::log_sum: break;
  }
  return log_add_exp(a, b, dtype_, make_);
}

ValueId ContractionAlgebra::multiply(ValueId a, ValueId b) {
  return semiring_ == Semiring::ordinary ? make_.mul(a, b) : make_.add(a, b);
}

ValueId ContractionAlgebra::selection(std::span<const std::int64_t> selected, std::int64_t extent) {
  const ValueId rows =
      make_.call("Unsqueeze", {make_.integers({selected.begin(), selected.end()}), make_.integers({1})});
  std::vector<std::int64_t> all(static_cast<std::size_t>(extent));
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::int64_t>(i);
  return make_.where(make_.call("Equal", {rows, make_.integers(all)}), one(), zero());
}

/// The factor with its axes in the order of some labels; those that it has not become axes of extent 1.
ValueId ContractionAlgebra::aligned(const Factor& factor, const Labels& order) {
  ValueId value = factor.value;
  std::vector<std::int64_t> units;
  Labels kept;
  for (std::size_t i = 0; i < factor.axes.size(); ++i) {
    if (factor.axes[i] == kUnit)
      units.push_back(static_cast<std::int64_t>(i));
    else
      kept.push_back(factor.axes[i]);
  }
  if (!units.empty()) value = make_.call("Squeeze", {value, make_.integers(units)});
  std::vector<std::int64_t> perm;
  std::vector<std::int64_t> missing;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto found = order[i] == kUnit ? kept.end() : std::find(kept.begin(), kept.end(), order[i]);
    if (found == kept.end())
      missing.push_back(static_cast<std::int64_t>(i));
    else
      perm.push_back(found - kept.begin());
  }
  if (!std::is_sorted(perm.begin(), perm.end())) value = make_.call("Transpose", {value}, {{"perm", perm}});
  if (!missing.empty()) value = make_.call("Unsqueeze", {value, make_.integers(missing)});
  return value;
}

ValueId ContractionAlgebra::emit(const std::vector<Factor>& factors, const Labels& axes) {
  Labels order = axes;
  for (const Factor& factor : factors)
    for (const Label label : factor.axes)
      if (label != kUnit && !contains(order, label)) order.push_back(label);
  ValueId product;
  for (const Factor& factor : factors) {
    const ValueId value = aligned(factor, order);
    product = product.valid() ? multiply(product, value) : value;
  }
  if (!product.valid()) product = aligned({one(), {}}, order);
  std::vector<std::int64_t> inner;
  for (std::size_t i = axes.size(); i < order.size(); ++i) inner.push_back(static_cast<std::int64_t>(i));
  if (inner.empty()) return product;
  static constexpr std::string_view kSums[] = {"ReduceSum", "ReduceMax", "ReduceMin", "ReduceLogSumExp"};
  return make_.call(kSums[static_cast<std::size_t>(semiring_)], {product, make_.integers(inner)},
                    {{"keepdims", std::int64_t{0}}});
}

}  // namespace pawl::scan
