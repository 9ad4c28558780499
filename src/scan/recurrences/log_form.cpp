#include "scan/recurrences/log_form.h"

#include <numbers>

#include "scan/recurrences/types.h"
#include "scan/step_walk.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

/// A value of the step, with terms taken out by `pivot` (the larger one, say), which cancels in the end:
///   linear : log(exp(s + a) + exp(b)) + level * pivot
///   raised : exp of that
struct Term {
  enum class Kind : std::uint8_t { linear, raised };
  Kind kind = Kind::linear;
  bool has_state = true;  ///< false: no exp(s + a)
  ValueId a;              ///< of the lift; invalid: 0
  ValueId b;              ///< of the lift; invalid: no exp(b)
  ValueId pivot;          ///< of the body; invalid: none
  int level = 0;
};
using Form = std::optional<Term>;

class Steps {
 public:
  Steps(const Component& component, Lift& lift, DType dtype)
      : component_(component), lift_(lift), make_(lift.builder()), dtype_(dtype) {}

  Arithmetic& make() { return make_; }

  template <class Forms>
  Form operator()(const graph::Node& node, const graph::OpCall& call, Forms&& forms) {
    const std::string_view op = call.def->name;
    const auto of = [&](std::size_t i) -> Form {
      return component_.reaches(node.inputs[i]) ? forms(node.inputs[i]) : free(node.inputs[i]);
    };
    if (op == "Identity") return of(0);
    if (op == "Max") {
      // A pivot: its value does not matter, it cancels.
      Term term;
      term.has_state = false;
      term.pivot = node.outputs[0];
      term.level = 1;
      return term;
    }
    if (op == "Exp") return raised(of(0));
    if (op == "Log") return lowered(of(0));
    if (op == "Add") return plus(raised_with(node, 0, of), raised_with(node, 1, of));
    if (op == "Sub") return minus(of(0), of(1));
    return std::nullopt;
  }

 private:
  /// An input of a sum: beside an exponential, a free one is taken for the exponential that it is.
  template <class Of>
  Form raised_with(const graph::Node& node, std::size_t i, Of of) {
    const Form other = of(1 - i);
    if (component_.reaches(node.inputs[i]) || !other || other->kind != Term::Kind::raised) return of(i);
    for (const graph::Node& each : component_.body.nodes) {
      const auto* call = std::get_if<graph::OpCall>(&each.operation);
      if (call == nullptr || call->def->name != "Exp" || each.outputs[0] != node.inputs[i]) continue;
      return raised(free(each.inputs[0]));
    }
    return std::nullopt;
  }

  Form free(ValueId id) {
    Term term;
    term.has_state = false;
    term.b = lift_(id);
    return term;
  }
  static bool is_pivot(const Term& term) {
    return term.kind == Term::Kind::linear && !term.has_state && !term.b.valid() && term.level == 1;
  }
  static Form raised(Form form) {
    if (!form || form->kind != Term::Kind::linear || is_pivot(*form)) return std::nullopt;
    form->kind = Term::Kind::raised;
    return form;
  }
  static Form lowered(Form form) {
    if (!form || form->kind != Term::Kind::raised) return std::nullopt;
    form->kind = Term::Kind::linear;
    return form;
  }

  Form plus(Form x, Form y) {
    if (!x || !y || x->kind != y->kind) return std::nullopt;
    if (x->kind == Term::Kind::raised) return united(*x, *y);
    if (is_pivot(*x)) std::swap(x, y);
    if (is_pivot(*y)) return moved(*x, y->pivot, 1);
    if (!x->has_state) std::swap(x, y);
    const bool y_is_free = !y->has_state && y->level == 0 && y->b.valid();
    return y_is_free ? Form(shifted(*x, y->b)) : Form();
  }
  Form minus(Form x, Form y) {
    if (!x || !y || x->kind != Term::Kind::linear || y->kind != Term::Kind::linear) return std::nullopt;
    if (is_pivot(*y)) return moved(*x, y->pivot, -1);
    const bool y_is_free = !y->has_state && y->level == 0 && y->b.valid();
    return y_is_free ? Form(shifted(*x, make_.neg(y->b))) : Form();
  }
  static Form moved(Term term, ValueId pivot, int by) {
    if (is_pivot(term) || (term.level != 0 && !(term.pivot == pivot))) return std::nullopt;
    term.level += by;
    term.pivot = pivot;
    return term;
  }
  Term shifted(Term term, ValueId by) {
    if (term.has_state) term.a = term.a.valid() ? make_.add(term.a, by) : by;
    if (term.b.valid()) term.b = make_.add(term.b, by);
    return term;
  }
  Form united(const Term& x, const Term& y) {
    if (x.level != y.level || (x.level != 0 && !(x.pivot == y.pivot)) || (x.has_state && y.has_state))
      return std::nullopt;
    Term term = x.has_state ? x : y;
    const ValueId other = x.has_state ? y.b : x.b;
    if (!other.valid()) return std::nullopt;
    term.b = term.b.valid() ? log_add_exp(term.b, other, dtype_, make_) : other;
    return term;
  }

  const Component& component_;
  Lift& lift_;
  Arithmetic make_;
  DType dtype_;
};

}  // namespace

graph::ValueId log_add_exp(ValueId x, ValueId y, DType dtype, Arithmetic& make) {
  const ValueId distance = make.call("Abs", {make.sub(x, y)});
  const ValueId rest = make.call("Log", {make.add(make.constant(dtype, 1), make.call("Exp", {make.neg(distance)}))});
  const ValueId apart = make.add(make.max(x, y), rest);
  const ValueId twice = make.add(x, make.constant(dtype, std::numbers::ln2));
  return make.where(make.call("Equal", {x, y}), twice, apart);
}

Result<std::optional<LogForm>> log_step(const Component& component, Lift& lift, Obstacle& obstacle) {
  const DType dtype = component.body[component.body.inputs[component.states[0]]].fact.type.dtype;
  if (component.states.size() != 1 || !is_real(dtype)) {
    obstacle.words = "not one state of real numbers";
    return std::optional<LogForm>();
  }
  Steps steps(component, lift, dtype);
  TRY_ASSIGN(auto forms, walk_step<Term>(
                             component, steps.make(), "a logarithm of sums of exponentials", obstacle,
                             [](std::size_t) { return Term(); }, steps));
  if (!forms) return std::optional<LogForm>();
  const Form& next = (*forms)[component.next(0).index];
  if (!next || next->kind != Term::Kind::linear || next->level != 0 || !next->has_state || !next->b.valid()) {
    obstacle.words = "the next state is no logarithm of a sum";
    return std::optional<LogForm>();
  }
  return std::optional<LogForm>(LogForm{next->a, next->b});
}

}  // namespace pawl::scan
