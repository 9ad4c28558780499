#include "scan/recurrences/transition_form.h"

#include "scan/over_time.h"
#include "scan/step_walk.h"

namespace pawl::scan {
namespace {

using graph::ValueId;
using Form = std::optional<TransitionForm>;
using Side = TransitionForm::Side;

class Steps {
 public:
  Steps(const Component& component, Lift& lift) : component_(component), lift_(lift), make_(lift.builder()) {}

  Arithmetic& make() { return make_; }

  template <class Forms>
  Form operator()(const graph::Node& node, const graph::OpCall& call, Forms&& forms) {
    const std::string_view op = call.def->name;
    if (op == "Identity") return forms(node.inputs[0]);
    if (node.inputs.size() != 2 || (component_.reaches(node.inputs[0]) && component_.reaches(node.inputs[1])))
      return std::nullopt;
    const std::size_t own = component_.reaches(node.inputs[0]) ? 0 : 1;
    if (!forms(node.inputs[own])) return std::nullopt;
    const TransitionForm& form = *forms(node.inputs[own]);
    const ValueId other = lift_(node.inputs[1 - own]);
    if (op == "MatMul") return own == 1 ? multiplied(form, other, Side::left) : multiplied(form, other, Side::right);
    if (op == "Add") return moved(form, other);
    if (op == "Sub" && own == 0) return moved(form, make_.neg(other));
    if (op == "Mul" && elements_in(component_.body[node.inputs[1 - own]].fact.type) == 1.0) return scaled(form, other);
    return std::nullopt;
  }

 private:
  Form multiplied(TransitionForm form, ValueId matrix, Side side) {
    if (form.side != Side::none && form.side != side) return std::nullopt;
    const auto product = [&](ValueId x) {
      return side == Side::left ? make_.matmul(matrix, x) : make_.matmul(x, matrix);
    };
    form.a = form.side == Side::none ? matrix : product(form.a);
    if (form.b.valid()) form.b = product(form.b);
    form.side = side;
    return form;
  }
  Form moved(TransitionForm form, ValueId by) {
    form.b = form.b.valid() ? make_.add(form.b, by) : by;
    return form;
  }
  Form scaled(TransitionForm form, ValueId by) {
    if (form.side == Side::none) return std::nullopt;
    form.a = make_.mul(form.a, by);
    if (form.b.valid()) form.b = make_.mul(form.b, by);
    return form;
  }

  const Component& component_;
  Lift& lift_;
  Arithmetic make_;
};

}  // namespace

Result<std::optional<TransitionForm>> transition_step(const Component& component, Lift& lift, std::string& refusal) {
  if (component.states.size() != 1) {
    refusal = "not one state";
    return Form();
  }
  const std::size_t state = component.states[0];
  Steps steps(component, lift);
  TRY_ASSIGN(auto forms, walk_step<TransitionForm>(
                             component, steps.make(), "a product of the state with a matrix", refusal,
                             [](std::size_t) { return TransitionForm(); }, steps));
  if (!forms) return Form();
  const Form& next = (*forms)[component.body.outputs[state].index];
  // The products of matrices from several steps need room for b in full.
  const bool fits =
      next && next->side != Side::none && component.body[component.body.inputs[state]].fact.type.static_shape();
  if (!fits) refusal = "the next state is no product with a matrix";
  return fits ? next : Form();
}

}  // namespace pawl::scan
