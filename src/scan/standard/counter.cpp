// s' = s + c with the same c in every step: after t steps the state is s + t c.
#include <cmath>

#include "base/try.h"
#include "ops/convert.h"
#include "scan/standard/standard_form.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

/// The largest magnitude of a constant whose elements are all whole numbers, none of them -0.
std::optional<double> largest_whole(const Tensor* constant) {
  if (constant == nullptr) return std::nullopt;
  const Result<Tensor> numbers = ops::convert(*constant, DType::f64);
  if (!numbers.ok()) return std::nullopt;
  const Result<Tensor> dense = numbers->to_dense();
  if (!dense.ok()) return std::nullopt;
  double most = 0;
  for (const double each : dense->values<double>()) {
    if (each != std::trunc(each) || (each == 0 && std::signbit(each))) return std::nullopt;
    most = std::max(most, std::abs(each));
  }
  return most;
}

/// Integers wrap around in any order. Floats must be whole numbers below the first that is not followed by the next.
bool is_exact(const Site& site, std::size_t state, const Lifted& added) {
  const ops::Fact initial = site.outer.fact(site.initial(state));
  const DType dtype = initial.type.dtype;
  if (dtype == DType::i32 || dtype == DType::i64) return true;
  if (dtype != DType::f32 && dtype != DType::f64) return false;
  const std::optional<double> start = largest_whole(initial.tensor());
  const std::optional<double> step = largest_whole(site.outer.fact(added.outer).tensor());
  const Dim trips = site.trips();
  if (!start || !step || !trips.known()) return false;
  return *start + (static_cast<double>(trips.value) + 1) * *step <= std::ldexp(1, dtype == DType::f32 ? 24 : 53);
}

/// 0, 1, …, T with `rank` more axes.
Result<ValueId> numbers(const Site& site, DType dtype, std::size_t rank) {
  TimeAxis make(site.outer);
  TRY_ASSIGN(const ValueId steps, steps_of(site));
  TRY_ASSIGN(const ValueId scalar, make.call("Squeeze", {steps}));
  TRY_ASSIGN(const ValueId end, make.call("Add", {scalar, make.integer(1)}));
  TRY_ASSIGN(ValueId made, make.call("Range", {make.integer(0), end, make.integer(1)}));
  if (dtype != DType::i64) {
    TRY_ASSIGN(made, make.call("Cast", {made}, {{"to", static_cast<std::int64_t>(dtype)}}));
  }
  return make.with_axes(made, 1, rank);
}

}  // namespace

TakeOut as_counter(FormSite& at) {
  if (!at.match().counter || at.component.states.size() != 1) return {std::nullopt};
  TRY_ASSIGN(const LiftOverTime* lift, at.lift());
  const std::size_t state = at.component.states[0];
  const Site& site = at.site;
  if (lift == nullptr || !lift->tuple[0].steady || !is_exact(site, state, lift->tuple[0])) return {std::nullopt};
  TimeAxis make(site.outer);
  const Type type = site.outer.fact(site.initial(state)).type;
  const std::size_t rank = type.shape->size();
  const ValueId added = lift->tuple[0].outer;
  const DType dtype = type.dtype;
  TRY_ASSIGN(const ValueId number, numbers(site, dtype, rank));
  TRY_ASSIGN(const ValueId step, make.with_axes(added, 0, rank + 1 - site.outer.fact(added).type.shape->size()));
  TRY_ASSIGN(const ValueId passed, make.call("Mul", {number, step}));
  TRY_ASSIGN(const ValueId first, make.with_axes(site.initial(state), 0, 1));
  TRY_ASSIGN(const ValueId all, make.call("Add", {first, passed}));
  return std::optional(TakenOut{{state}, {{.all = all}}, "a counter: Range"});
}

}  // namespace pawl::scan
