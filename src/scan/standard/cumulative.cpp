// Running sums and products: CumSum and CumProd over the initial state and what each step adds, in the loop's order.
#include <algorithm>
#include <array>

#include "base/try.h"
#include "scan/recurrences/types.h"
#include "scan/standard/standard_form.h"
#include "scan/step_walk.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

struct Operator {
  const Recurrence* recurrence;
  std::string_view name;
  int since;
  std::array<std::string_view, 2> steps;  ///< operators that do to a float what this one does, in one rounding
  std::string_view how;
};

constexpr std::array kOperators = {
    Operator{&kSum, "CumSum", 11, {"Add", "Sub"}, "a running sum: CumSum"},
    Operator{&kProduct, "CumProd", 26, {"Mul", "Mul"}, "a running product: CumProd"},
};

/// Types that runtimes have these operators for. Smaller floats are added up in another type there than in a loop.
constexpr std::array kTypes = {DType::f32, DType::f64, DType::i32, DType::i64};

/// Whether the component's step is one of the two operators and nothing else: each float is rounded once a step.
bool is_one_step(const Component& component, const Operator& op) {
  const std::vector<bool> needed = made_into_next_states(component);
  std::size_t count = 0;
  for (const graph::Node& node : component.body.nodes) {
    const auto matters = [&](ValueId id) { return id.valid() && needed[id.index] && component.reaches(id); };
    if (std::none_of(node.outputs.begin(), node.outputs.end(), matters)) continue;
    if (graph::call_of(&node, "Identity") != nullptr) continue;
    const bool is_step = std::any_of(op.steps.begin(), op.steps.end(),
                                     [&](std::string_view name) { return graph::call_of(&node, name) != nullptr; });
    if (!is_step) return false;
    ++count;
  }
  return count == component.states.size();
}

}  // namespace

TakeOut as_cumulative(FormSite& at) {
  const auto op = std::find_if(kOperators.begin(), kOperators.end(),
                               [&](const Operator& each) { return each.recurrence == at.match().recurrence; });
  if (op == kOperators.end() || op->since > at.forms.opset) return {std::nullopt};
  const Site& site = at.site;
  for (const std::size_t state : at.component.states) {
    const DType dtype = site.outer.fact(site.initial(state)).type.dtype;
    if (std::find(kTypes.begin(), kTypes.end(), dtype) == kTypes.end()) return {std::nullopt};
    if (is_real(dtype) && at.forms.exact && !is_one_step(at.component, *op)) return {std::nullopt};
  }
  TRY_ASSIGN(const LiftOverTime* lift, at.lift());
  if (lift == nullptr) return {std::nullopt};
  TimeAxis make(site.outer);
  TakenOut out{at.component.states, {}, op->how};
  for (std::size_t i = 0; i < out.states.size(); ++i) {
    TRY_ASSIGN(const ValueId rows, as_state_over_steps(site, lift->tuple[i], out.states[i]));
    TRY_ASSIGN(const ValueId first, make.with_axes(site.initial(out.states[i]), 0, 1));
    TRY_ASSIGN(const ValueId data, make.concat(lift->reversed ? std::vector{rows, first} : std::vector{first, rows}));
    std::vector<ops::Attribute> attributes;
    if (lift->reversed) attributes.push_back({"reverse", std::int64_t{1}});
    TRY_ASSIGN(const ValueId all, make.call(op->name, {data, make.integer(0)}, std::move(attributes)));
    out.values.push_back({.all = all, .reversed = lift->reversed});
  }
  return std::optional(std::move(out));
}

}  // namespace pawl::scan
