#include "scan/recurrences/order_form.h"

#include <limits>

#include "scan/recurrences/types.h"
#include "scan/step_walk.h"
#include "tensor/dispatch.h"

namespace pawl::scan {
namespace {

using graph::ValueId;
using Form = std::optional<OrderForm>;

class Steps {
 public:
  Steps(const Component& component, Lift& lift, DType dtype)
      : component_(component), lift_(lift), make_(lift.builder()), dtype_(dtype) {}

  Arithmetic& make() { return make_; }

  template <class Forms>
  Form operator()(const graph::Node& node, const graph::OpCall& call, Forms&& forms) {
    const std::string_view op = call.def->name;
    const auto form = [&](std::size_t i) -> const Form& { return forms(node.inputs[i]); };
    const auto free = [&](std::size_t i) {
      return i < node.inputs.size() && node.inputs[i].valid() && !component_.reaches(node.inputs[i]);
    };
    if (op == "Identity") return form(0);
    if (op == "Max" || op == "Min") return bounded(node, op == "Max", forms);
    if (op == "Add" && free(1) && form(0)) return shifted(*form(0), lift_(node.inputs[1]), false);
    if (op == "Add" && free(0) && form(1)) return shifted(*form(1), lift_(node.inputs[0]), false);
    if (op == "Sub" && free(1) && form(0)) return shifted(*form(0), lift_(node.inputs[1]), true);
    if (op == "Relu" && form(0)) return at_least(*form(0), make_.constant(dtype_, 0));
    if (op == "Clip" && form(0) && call.schema->since >= 11) {
      OrderForm clamped = *form(0);
      if (free(1)) clamped = at_least(clamped, lift_(node.inputs[1]));
      if (free(2)) clamped = at_most(clamped, lift_(node.inputs[2]));
      const bool reaches_bounds = (node.inputs.size() > 1 && node.inputs[1].valid() && !free(1)) ||
                                  (node.inputs.size() > 2 && node.inputs[2].valid() && !free(2));
      return reaches_bounds ? Form() : Form(clamped);
    }
    if (op == "Greater" || op == "GreaterOrEqual") return comparison(node, true, forms);
    if (op == "Less" || op == "LessOrEqual") return comparison(node, false, forms);
    if (op == "Where" && !free(0)) return better(node, forms);
    if (op == "Where" && free(0) && form(1) && form(2)) return choose(lift_(node.inputs[0]), *form(1), *form(2));
    return std::nullopt;
  }

 private:
  static bool is_state(const Form& form) {
    return form && !form->shift.valid() && !form->low.valid() && !form->high.valid() && !form->compared.valid() &&
           !form->masked;
  }

  /// first > second, when `greater`; one of them is the state as it came in.
  template <class Forms>
  Form comparison(const graph::Node& node, bool greater, Forms&& forms) {
    const std::size_t own = component_.reaches(node.inputs[0]) ? 0 : 1;
    if (component_.reaches(node.inputs[1 - own]) || !is_state(forms(node.inputs[own]))) return std::nullopt;
    OrderForm form;
    form.compared = node.inputs[1 - own];
    form.above = greater == (own == 1);
    return form;
  }

  /// Where(x > s, x, s) and its kin: the larger one. A NaN in x is passed over, one in s stays.
  template <class Forms>
  Form better(const graph::Node& node, Forms&& forms) {
    const Form& condition = forms(node.inputs[0]);
    if (!condition || !condition->compared.valid()) return std::nullopt;
    const bool takes_new =
        node.inputs[1] == condition->compared && component_.reaches(node.inputs[2]) && is_state(forms(node.inputs[2]));
    const bool takes_old =
        node.inputs[2] == condition->compared && component_.reaches(node.inputs[1]) && is_state(forms(node.inputs[1]));
    if (takes_new == takes_old) return std::nullopt;
    const bool larger = condition->above == takes_new;
    // Where(s > x, x, s) would keep the smaller one of two and take a NaN's side otherwise: only the new one may be
    // NaN.
    if (takes_old && is_real(dtype_)) return std::nullopt;
    ValueId bound = lift_(condition->compared);
    if (is_real(dtype_))
      bound = make_.where(make_.call("IsNaN", {bound}), larger ? lowest(dtype_, make_) : highest(dtype_, make_), bound);
    return larger ? at_least(OrderForm(), bound) : at_most(OrderForm(), bound);
  }

  template <class Forms>
  Form bounded(const graph::Node& node, bool from_below, Forms&& forms) {
    Form result;
    for (const ValueId id : node.inputs) {
      if (!component_.reaches(id)) continue;
      if (result) return std::nullopt;
      result = forms(id);
      if (!result) return std::nullopt;
    }
    for (const ValueId id : node.inputs) {
      if (component_.reaches(id)) continue;
      result = from_below ? at_least(*result, lift_(id)) : at_most(*result, lift_(id));
    }
    return result;
  }

  ValueId both(bool larger, ValueId a, ValueId b) {
    if (!a.valid()) return b;
    return larger ? make_.max(a, b) : make_.min(a, b);
  }
  OrderForm at_least(OrderForm form, ValueId bound) {
    form.low = both(true, form.low, bound);
    if (form.high.valid()) form.high = make_.max(form.high, bound);
    return form;
  }
  OrderForm at_most(OrderForm form, ValueId bound) {
    if (form.low.valid()) form.low = make_.min(form.low, bound);
    form.high = both(false, form.high, bound);
    return form;
  }
  /// Integers wrap, and what wraps keeps no order.
  Form shifted(OrderForm form, ValueId by, bool minus) {
    if (!is_real(dtype_)) return std::nullopt;
    const ValueId shift = minus ? make_.neg(by) : by;
    form.shift = form.shift.valid() ? make_.add(form.shift, shift) : shift;
    if (form.low.valid()) form.low = make_.add(form.low, shift);
    if (form.high.valid()) form.high = make_.add(form.high, shift);
    return form;
  }
  Form choose(ValueId condition, const OrderForm& x, const OrderForm& y) {
    OrderForm form;
    form.masked = true;
    if (x.shift.valid() || y.shift.valid()) {
      const ValueId zero = make_.constant(dtype_, 0);
      form.shift = make_.where(condition, x.shift.valid() ? x.shift : zero, y.shift.valid() ? y.shift : zero);
    }
    if (x.low.valid() || y.low.valid()) {
      const ValueId none = lowest(dtype_, make_);
      form.low = make_.where(condition, x.low.valid() ? x.low : none, y.low.valid() ? y.low : none);
    }
    if (x.high.valid() || y.high.valid()) {
      const ValueId none = highest(dtype_, make_);
      form.high = make_.where(condition, x.high.valid() ? x.high : none, y.high.valid() ? y.high : none);
    }
    return form;
  }

  const Component& component_;
  Lift& lift_;
  Arithmetic make_;
  DType dtype_;
};

ValueId bound(DType dtype, bool high, Arithmetic& make, graph::Builder& to) {
  Result<Tensor> made = dispatch<Numbers>(dtype, [&](auto tag) -> Result<Tensor> {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_integral_v<T>)
      return Tensor::scalar<T>(high ? std::numeric_limits<T>::max() : std::numeric_limits<T>::min());
    else
      return Tensor::scalar<T>(
          static_cast<T>(high ? std::numeric_limits<float>::infinity() : -std::numeric_limits<float>::infinity()));
  });
  if (!made.ok()) return make.constant(DType::string, 0);  // fails, with the type's name
  return to.add_constant(std::move(made).value(), high ? "highest" : "lowest");
}

}  // namespace

graph::ValueId lowest(DType dtype, Arithmetic& make) { return bound(dtype, false, make, make.builder()); }
graph::ValueId highest(DType dtype, Arithmetic& make) { return bound(dtype, true, make, make.builder()); }

Result<std::optional<OrderForm>> order_step(const Component& component, Lift& lift, Obstacle& obstacle) {
  const DType dtype = component.body[component.body.inputs[component.states[0]]].fact.type.dtype;
  if (component.states.size() != 1 || dtype == DType::boolean || dtype == DType::string || dtype == DType::undefined) {
    obstacle.words = "not one state of numbers";
    return Form();
  }
  Steps steps(component, lift, dtype);
  TRY_ASSIGN(auto forms, walk_step<OrderForm>(
                             component, steps.make(), "a shift or a bound of the state", obstacle,
                             [](std::size_t) { return OrderForm(); }, steps));
  if (!forms) return Form();
  const Form& next = (*forms)[component.next(0).index];
  if (!next || next->compared.valid()) {
    obstacle.words = "the next state is a condition";
    return Form();
  }
  return (*forms)[component.next(0).index];
}

}  // namespace pawl::scan
