// Values that are affine in the states of a component, element by element:  v = a_0 ⊙ s_0 + … + a_n ⊙ s_n + b.
#pragma once

#include "scan/lift.h"

namespace pawl::scan {

/// A coefficient: 0, 1, or a value of the lift.
struct Coefficient {
  enum class Kind : std::uint8_t { zero, one, value };
  Kind kind = Kind::zero;
  graph::ValueId value;

  [[nodiscard]] bool is_zero() const { return kind == Kind::zero; }
  [[nodiscard]] bool is_one() const { return kind == Kind::one; }
};

struct AffineForm {
  std::vector<Coefficient> a;  ///< one per state of the component
  Coefficient b;
  bool masked = false;  ///< a condition chose between this and a state as it was
  bool reset = false;   ///< a condition chose between this and something free of states

  [[nodiscard]] bool is_free() const {
    for (const Coefficient& each : a)
      if (!each.is_zero()) return false;
    return true;
  }
};

/// What one step makes of every state: their forms, and the element type they share.
struct AffineStep {
  std::vector<AffineForm> next;
  DType dtype = DType::undefined;
};

/// The step in affine form. nullopt: it is not affine; `obstacle` names the node in the way.
Result<std::optional<AffineStep>> affine_step(const Component& component, Lift& lift, Obstacle& obstacle);

/// A coefficient as a value; 0 and 1 as scalars of that type.
graph::ValueId value_of(const Coefficient& coefficient, DType dtype, Arithmetic& make);

}  // namespace pawl::scan
