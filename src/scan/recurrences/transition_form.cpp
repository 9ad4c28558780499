#include "scan/recurrences/transition_form.h"

#include <numeric>

namespace pawl::scan {
namespace {

using graph::ValueId;

/// Matrices of more rows are not written out.
constexpr std::int64_t kMostMixed = 4096;

/// What one factor group of a product along the mixed axis is: new entry i gets left[i] * right[j] of old entry j, or
/// whole[i, j].
struct Mixing {
  std::vector<Factor> left;
  std::vector<Factor> right;
  std::vector<Factor> whole;  ///< everything, where the two do not come apart
};

class Assembly {
 public:
  Assembly(const Component& component, Lift& lift, ContractionAlgebra& algebra, Contraction step, Obstacle& obstacle)
      : type_(component.body[component.body.inputs[component.states[0]]].fact.type),
        lift_(lift),
        algebra_(algebra),
        step_(std::move(step)),
        obstacle_(obstacle) {}

  Result<std::optional<Transition>> run() {
    if (!find_mixed_axis()) return std::optional<Transition>();
    Transition made = mixed_ ? with_matrix() : by_elements();
    TRY(algebra_.make().status());
    if (made.recurrence == nullptr) return std::optional<Transition>();
    return std::optional(std::move(made));
  }

 private:
  [[nodiscard]] std::size_t rank() const { return step_.axes.size(); }
  bool refuse(std::string why) {
    obstacle_.words = std::move(why);
    return false;
  }

  /// The axis along which entries of the next state are made of more than one entry of the state: one at most.
  bool find_mixed_axis() {
    if (rank() != type_.shape->size()) return refuse("the next state has another rank");
    for (const Product& term : step_.terms) {
      if (!term.state) continue;
      for (std::size_t axis = 0; axis < rank(); ++axis) {
        const Label from = (*term.state)[axis];
        if (from == step_.axes[axis]) continue;
        if (from != kUnit && step_.has_axis(from)) return refuse("the axes of the state change places");
        if (mixed_ && *mixed_ != axis) return refuse("the state is mixed along two axes");
        mixed_ = axis;
      }
    }
    if (!mixed_) return true;
    const Dim& extent = (*type_.shape)[*mixed_];
    if (!extent.known() || extent.value == 0) return refuse(fmt::format("the extent of axis {} is not known", *mixed_));
    if (extent.value > kMostMixed)
      return refuse(fmt::format("the matrix has {} rows, {} are the most", extent.value, kMostMixed));
    extent_ = extent.value;
    to_ = step_.axes[*mixed_];
    from_ = algebra_.fresh(extent);
    for (Product& term : step_.terms)
      if (is_mixed(term)) rename_mixed(term);
    return true;
  }

  [[nodiscard]] bool is_mixed(const Product& term) const { return term.state && (*term.state)[*mixed_] != to_; }
  void rename_mixed(Product& term) {
    Contraction one{{}, {term}};
    one.rename((*term.state)[*mixed_], from_);
    term = std::move(one.terms[0]);
  }

  // --- element by element

  Transition by_elements() {
    ValueId a;
    ValueId b;
    for (const Product& term : step_.terms) {
      ValueId& sum = term.state ? a : b;
      sum = plus(sum, algebra_.emit(term.factors, step_.axes));
    }
    Transition made;
    switch (algebra_.semiring()) {
      case Semiring::ordinary: made.recurrence = b.valid() ? &kAffine : &kProduct; break;
      case Semiring::max_plus: made.recurrence = &kMaxPlus; break;
      case Semiring::min_plus: made.recurrence = &kMinPlus; break;
      case Semiring::log_sum: made.recurrence = &kLogSumExp; break;
    }
    made.element = {a};
    if (made.recurrence != &kProduct) made.element.push_back(b.valid() ? b : algebra_.zero());
    return made;
  }

  ValueId plus(ValueId sum, ValueId more) { return sum.valid() ? algebra_.plus(sum, more) : more; }

  // --- along one axis

  Transition with_matrix() {
    arrange();
    std::vector<Mixing> mixings;
    ValueId diagonal;
    ValueId added;
    for (const Product& term : step_.terms) {
      if (!term.state) {
        added = plus(added, algebra_.emit(term.factors, all_axes_));
      } else if (is_mixed(term)) {
        mixings.push_back(taken_apart(term));
      } else {
        diagonal = plus(diagonal, algebra_.emit(term.factors, with(to_, kUnit)));
      }
    }
    const bool apart =
        std::all_of(mixings.begin(), mixings.end(), [](const Mixing& each) { return each.whole.empty(); });
    Transition made;
    made.arrangement = arrangement_;
    if (algebra_.semiring() == Semiring::ordinary && apart &&
        2 * static_cast<std::int64_t>(mixings.size()) <= extent_) {
      made.recurrence = &kDelta;
      made.element = low_rank(mixings, diagonal);
    } else {
      static constexpr const Recurrence* kMatrices[] = {&kTransition, &kMaxPlusMatrix, &kMinPlusMatrix,
                                                        &kLogSumExpMatrix};
      made.recurrence = kMatrices[static_cast<std::size_t>(algebra_.semiring())];
      made.element = {dense(mixings, diagonal)};
    }
    if (!added.valid()) added = algebra_.zero();
    // As many axes as the arranged state has.
    std::vector<std::int64_t> shape(all_axes_.size(), 1);
    shape[shape.size() - 2] = extent_;
    made.element.push_back(expanded(added, shape));
    return made;
  }

  /// The order of axes in which the step is a product of matrices: those that the matrix differs along, then those that
  /// it does not, then the mixed one, then one more that it does not differ along.
  void arrange() {
    std::vector<std::size_t> batch;
    std::vector<std::size_t> rest;
    for (std::size_t axis = 0; axis < rank(); ++axis) {
      if (axis == *mixed_) continue;
      const Label label = step_.axes[axis];
      const bool differs =
          label != kUnit && std::any_of(step_.terms.begin(), step_.terms.end(), [&](const Product& term) {
            return term.state && std::any_of(term.factors.begin(), term.factors.end(), [&](const Factor& factor) {
                     return std::find(factor.axes.begin(), factor.axes.end(), label) != factor.axes.end();
                   });
          });
      (differs ? batch : rest).push_back(axis);
    }
    // The last of those along which it is the same, and that is longer than 1, makes the state a matrix.
    std::stable_sort(rest.begin(), rest.end(),
                     [&](std::size_t a, std::size_t b) { return step_.axes[a] == kUnit && step_.axes[b] != kUnit; });
    arrangement_.column = rest.empty();
    for (const std::size_t axis : batch) take(axis, step_.axes[axis]);
    for (std::size_t i = 0; i + 1 < rest.size(); ++i) take(rest[i], kUnit);
    take(*mixed_, kUnit);
    batch_.pop_back();
    if (!rest.empty()) take(rest.back(), kUnit);
    if (!rest.empty()) batch_.pop_back();
    for (const std::int64_t axis : arrangement_.order) all_axes_.push_back(step_.axes[static_cast<std::size_t>(axis)]);
    if (arrangement_.column) all_axes_.push_back(kUnit);
    if (std::is_sorted(arrangement_.order.begin(), arrangement_.order.end())) arrangement_.order.clear();
  }
  void take(std::size_t axis, Label batch) {
    arrangement_.order.push_back(static_cast<std::int64_t>(axis));
    batch_.push_back(batch);
  }

  /// The axes of a coefficient: those before the mixed one, and two more.
  [[nodiscard]] Labels with(Label row, Label column) const {
    Labels axes = batch_;
    axes.push_back(row);
    axes.push_back(column);
    return axes;
  }

  /// Factors that share a label which is summed over stay together.
  Mixing taken_apart(const Product& term) {
    const auto is_inner = [&](Label label) {
      return label != kUnit && label != to_ && label != from_ && !step_.has_axis(label);
    };
    std::vector<std::size_t> group(term.factors.size());
    std::iota(group.begin(), group.end(), 0);
    for (std::size_t i = 0; i < group.size(); ++i)
      for (std::size_t j = 0; j < i; ++j)
        if (std::any_of(term.factors[i].axes.begin(), term.factors[i].axes.end(), [&](Label label) {
              return is_inner(label) && Product{{term.factors[j]}, std::nullopt}.has(label);
            })) {
          const std::size_t old = group[j];
          std::replace(group.begin(), group.end(), old, group[i]);
        }
    Mixing mixing;
    for (std::size_t g = 0; g < group.size(); ++g) {
      Product part;
      for (std::size_t i = 0; i < group.size(); ++i)
        if (group[i] == g) part.factors.push_back(term.factors[i]);
      if (part.has(to_) && part.has(from_)) {
        mixing.whole = term.factors;
        return mixing;
      }
      std::vector<Factor>& side = part.has(from_) ? mixing.right : mixing.left;
      side.insert(side.end(), part.factors.begin(), part.factors.end());
    }
    return mixing;
  }

  ValueId dense(const std::vector<Mixing>& mixings, ValueId diagonal) {
    ValueId matrix;
    for (const Mixing& mixing : mixings) {
      std::vector<Factor> factors = mixing.whole;
      if (factors.empty()) {
        factors = mixing.left;
        factors.insert(factors.end(), mixing.right.begin(), mixing.right.end());
      }
      matrix = plus(matrix, algebra_.emit(factors, with(to_, from_)));
    }
    if (diagonal.valid()) matrix = plus(matrix, algebra_.make().where(on_diagonal(), diagonal, algebra_.zero()));
    return expanded(matrix, {extent_, extent_});
  }
  ValueId on_diagonal() {
    const auto size = static_cast<std::size_t>(extent_ * extent_);
    const auto flags = std::make_unique<bool[]>(size);
    for (std::size_t i = 0; i < size; i += static_cast<std::size_t>(extent_) + 1) flags[i] = true;
    return lift_.builder().add_constant(Tensor::of<bool>({extent_, extent_}, std::span<const bool>(flags.get(), size)),
                                        "diagonal");
  }

  /// (decay, left, right): one column for each product.
  Tuple low_rank(const std::vector<Mixing>& mixings, ValueId diagonal) {
    if (!diagonal.valid()) diagonal = algebra_.emit({{algebra_.zero(), {}}}, with(kUnit, kUnit));
    std::vector<ValueId> left;
    std::vector<ValueId> right;
    for (const Mixing& mixing : mixings) {
      left.push_back(algebra_.emit(mixing.left, with(to_, kUnit)));
      right.push_back(algebra_.emit(mixing.right, with(from_, kUnit)));
    }
    const ValueId shape = shape_of_all(diagonal, left, right);
    Arithmetic& make = algebra_.make();
    const auto columns = [&](std::vector<ValueId>& all) {
      for (ValueId& each : all) each = make.call("Expand", {each, shape});
      return all.size() == 1 ? all[0] : make.call("Concat", all, {{"axis", std::int64_t{-1}}});
    };
    const ValueId lefts = columns(left);
    return {diagonal, lefts, columns(right)};
  }

  /// [batch…, extent, 1], as the values themselves have it.
  ValueId shape_of_all(ValueId diagonal, const std::vector<ValueId>& left, const std::vector<ValueId>& right) {
    Arithmetic& make = algebra_.make();
    ValueId sum = expanded(diagonal, {extent_, 1});
    for (const ValueId each : left) sum = make.add(sum, each);
    for (const ValueId each : right) sum = make.add(sum, each);
    return make.call("Shape", {sum});
  }

  ValueId expanded(ValueId value, const std::vector<std::int64_t>& last) {
    const ValueId shape = lift_.builder().add_integers(last, "shape");
    return algebra_.make().call("Expand", {value, shape});
  }

  const Type& type_;
  Lift& lift_;
  ContractionAlgebra& algebra_;
  Contraction step_;
  Obstacle& obstacle_;
  std::optional<std::size_t> mixed_;
  std::int64_t extent_ = 0;
  Label to_ = kUnit;    ///< of the mixed axis, in the next state
  Label from_ = kUnit;  ///< of the mixed axis, in the state
  Arrangement arrangement_;
  Labels batch_;     ///< of the axes before the last two; kUnit where the matrix is the same
  Labels all_axes_;  ///< of the arranged state
};

}  // namespace

Result<std::optional<Transition>> transition_step(const Component& component, Lift& lift, Semiring semiring,
                                                  Obstacle& obstacle) {
  const DType dtype = component.body[component.body.inputs[component.states[0]]].fact.type.dtype;
  Arithmetic make(lift.builder());
  ContractionAlgebra algebra(make, semiring, dtype);
  TRY_ASSIGN(std::optional<Contraction> step, contraction_step(component, lift, algebra, obstacle));
  if (!step) return std::optional<Transition>();
  return Assembly(component, lift, algebra, std::move(*step), obstacle).run();
}

}  // namespace pawl::scan
