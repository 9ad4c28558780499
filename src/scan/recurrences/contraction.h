// Values of one step as sums of products over named axes: what MatMul, Einsum, transposes and reductions of a state
// come to, whatever they are spelled with.
#pragma once

#include <optional>

#include "scan/lift.h"

namespace pawl::scan {

/// What adds and what multiplies.
enum class Semiring : std::uint8_t { ordinary, max_plus, min_plus, log_sum };

/// The name of an axis within one contraction. Axes of extent 1 have none: they stretch, and nothing is added up along
/// them.
using Label = int;
inline constexpr Label kUnit = -1;
using Labels = std::vector<Label>;

/// A value of the lift, with a label for each of its axes.
struct Factor {
  graph::ValueId value;
  Labels axes;
};

/// A product of factors, and of the state where `state` has labels for its axes.
struct Product {
  std::vector<Factor> factors;
  std::optional<Labels> state;

  [[nodiscard]] bool has(Label label) const;
};

/// The sum of products; each is also summed over the labels that it has and `axes` has not.
struct Contraction {
  Labels axes;
  std::vector<Product> terms;

  [[nodiscard]] bool has_state() const;
  [[nodiscard]] bool has_axis(Label label) const;
  void rename(Label from, Label to);
};

/// Labels, their extents, and the algebra of contractions over a semiring.
class ContractionAlgebra {
 public:
  ContractionAlgebra(Arithmetic& make, Semiring semiring, DType dtype)
      : make_(make), semiring_(semiring), dtype_(dtype) {}

  Label fresh(const Dim& extent);
  [[nodiscard]] const Dim& extent(Label label) const { return extents_[static_cast<std::size_t>(label)]; }
  /// Labels for the axes of a value of that shape.
  Labels fresh(const SymbolicShape& shape);
  /// The same contraction with labels that nothing else has.
  Contraction renamed(Contraction contraction);

  /// Makes the axes of operands meet as numpy broadcasts them; they must have labels of their own. nullopt: two extents
  /// are not known to be the same.
  ///   returns : the labels of the result's axes
  std::optional<Labels> broadcast(std::span<Contraction> operands);
  /// One label in place of two, in all operands. false: their extents are not known to be the same.
  bool unite(std::span<Contraction> operands, Label a, Label b);

  /// Elements are multiplied; at most one of the two has the state.
  Contraction times(const Contraction& x, const Contraction& y, Labels axes) const;
  /// Multiplied by a value of one element.
  Contraction scaled(Contraction x, graph::ValueId by) const;
  /// The label is no axis any more. Terms that are the same all along it count as often as it is long. nullopt: that
  /// takes a length which is not known.
  std::optional<Contraction> summed(Contraction x, Label label);

  /// The product of some factors as one value.
  ///   axes    : its axes; kUnit: an axis of extent 1. Labels that no factor has become axes of extent 1 too
  ///   returns : the value; the identity of the product, in a shape of ones, where there is no factor
  graph::ValueId emit(const std::vector<Factor>& factors, const Labels& axes);

  /// The number of the semiring that stands for 0 and 1 of the ordinary one.
  graph::ValueId zero();
  graph::ValueId one();
  graph::ValueId plus(graph::ValueId a, graph::ValueId b);
  /// A 0/1 matrix in terms of the semiring: entry (i, j) is `one` where selected[i] == j.
  graph::ValueId selection(std::span<const std::int64_t> selected, std::int64_t extent);

  Arithmetic& make() { return make_; }
  [[nodiscard]] Semiring semiring() const { return semiring_; }

 private:
  graph::ValueId aligned(const Factor& factor, const Labels& order);
  graph::ValueId multiply(graph::ValueId a, graph::ValueId b);
  std::optional<graph::ValueId> repeated(std::int64_t count);

  Arithmetic& make_;
  Semiring semiring_;
  DType dtype_;
  std::vector<Dim> extents_;
};

/// A contraction of the only state of a component that makes its next value. nullopt: it is none over this semiring;
/// `obstacle` names the node in the way.
Result<std::optional<Contraction>> contraction_step(const Component& component, Lift& lift, ContractionAlgebra& algebra,
                                                    Obstacle& obstacle);

}  // namespace pawl::scan
