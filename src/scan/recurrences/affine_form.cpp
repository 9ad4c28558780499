#include "scan/recurrences/affine_form.h"

#include <algorithm>

#include "scan/recurrences/types.h"
#include "scan/step_walk.h"

namespace pawl::scan {
namespace {

using graph::ValueId;
using Form = std::optional<AffineForm>;
using Kind = Coefficient::Kind;

/// Coefficient arithmetic that keeps 0 and 1 what they are.
class Algebra {
 public:
  Algebra(Lift& lift, DType dtype) : make_(lift.builder()), dtype_(dtype) {}

  Arithmetic& make() { return make_; }

  Coefficient add(const Coefficient& x, const Coefficient& y) {
    if (x.is_zero()) return y;
    if (y.is_zero()) return x;
    return of(make_.add(value(x), value(y)));
  }
  Coefficient sub(const Coefficient& x, const Coefficient& y) {
    if (y.is_zero()) return x;
    if (x.is_zero()) return neg(y);
    return of(make_.sub(value(x), value(y)));
  }
  /// By subtraction: Neg takes no unsigned numbers. Floats keep the sign of 0.
  Coefficient neg(const Coefficient& x) {
    if (x.is_zero()) return x;
    return of(is_real(dtype_) ? make_.neg(value(x)) : make_.sub(make_.constant(dtype_, 0), value(x)));
  }
  Coefficient mul(const Coefficient& x, const Coefficient& y) {
    if (x.is_zero() || y.is_zero()) return {};
    if (x.is_one()) return y;
    if (y.is_one()) return x;
    return of(make_.mul(value(x), value(y)));
  }
  Coefficient div(const Coefficient& x, const Coefficient& y) {
    return x.is_zero() || y.is_one() ? x : of(make_.div(value(x), value(y)));
  }
  Coefficient where(ValueId condition, const Coefficient& x, const Coefficient& y) {
    if (x.kind == y.kind && (x.kind != Kind::value || x.value == y.value)) return x;
    return of(make_.where(condition, value(x), value(y)));
  }
  ValueId value(const Coefficient& x) { return value_of(x, dtype_, make_); }
  static Coefficient of(ValueId value) { return {Kind::value, value}; }

 private:
  Arithmetic make_;
  DType dtype_;
};

class Walk {
 public:
  Walk(const Component& component, Lift& lift, DType dtype)
      : component_(component), lift_(lift), algebra_(lift, dtype) {}

  Result<std::optional<AffineStep>> run(Obstacle& obstacle) {
    const auto start = [&](std::size_t i) {
      AffineForm form;
      form.a.resize(component_.states.size());
      form.a[i].kind = Kind::one;
      return form;
    };
    TRY_ASSIGN(const auto forms,
               walk_step<AffineForm>(component_, algebra_.make(), "affine in the state", obstacle, start,
                                     [&](const graph::Node& node, const graph::OpCall& call, auto&& known) {
                                       return form_of(node, call, known);
                                     }));
    if (!forms) return std::optional<AffineStep>();
    AffineStep step;
    for (std::size_t i = 0; i < component_.states.size(); ++i)
      step.next.push_back(*form(component_.next(i), [&](ValueId id) { return (*forms)[id.index]; }));
    return std::optional<AffineStep>(std::move(step));
  }

 private:
  /// The form of a value: of a free one, itself.
  template <class Forms>
  Form form(ValueId id, Forms&& known) {
    if (component_.reaches(id)) return known(id);
    AffineForm form;
    form.a.resize(component_.states.size());
    const Tensor* constant = component_.body[id].fact.tensor();
    form.b = constant != nullptr && is_all(*constant, 0) ? Coefficient{} : Algebra::of(lift_(id));
    return form;
  }

  /// Exactly +0 in every element; -0 is a value of its own.
  static bool is_all(const Tensor& tensor, unsigned char byte) {
    if (!tensor.dense() || tensor.dtype() == DType::string) return false;
    const auto* bytes = reinterpret_cast<const unsigned char*>(tensor.bytes());
    return std::all_of(bytes, bytes + tensor.size() * static_cast<std::int64_t>(size_of(tensor.dtype())),
                       [=](unsigned char each) { return each == byte; });
  }

  template <class F>
  Form zip(const AffineForm& x, const AffineForm& y, F f) {
    AffineForm result;
    for (std::size_t i = 0; i < x.a.size(); ++i) result.a.push_back(f(x.a[i], y.a[i]));
    result.b = f(x.b, y.b);
    result.masked = x.masked || y.masked;
    result.reset = x.reset || y.reset;
    return result;
  }

  Form scaled(const AffineForm& x, Coefficient factor, bool divide) {
    AffineForm result = x;
    // 0 times a state is not 0 when the state is infinite.
    if (factor.is_zero()) factor = Algebra::of(algebra_.value(factor));
    for (Coefficient& each : result.a) each = divide ? algebra_.div(each, factor) : algebra_.mul(each, factor);
    result.b = divide ? algebra_.div(x.b, factor) : algebra_.mul(x.b, factor);
    return result;
  }

  template <class Forms>
  Form form_of(const graph::Node& node, const graph::OpCall& call, Forms&& known) {
    const std::string_view op = call.def->name;
    std::vector<Form> in;
    for (const ValueId id : node.inputs) in.push_back(id.valid() ? form(id, known) : Form());
    for (const Form& each : in)
      if (!each) return std::nullopt;
    const auto add = [&](const Coefficient& x, const Coefficient& y) { return algebra_.add(x, y); };
    if (op == "Identity") return in[0];
    if (op == "Add") return zip(*in[0], *in[1], add);
    if (op == "Sub")
      return zip(*in[0], *in[1], [&](const Coefficient& x, const Coefficient& y) { return algebra_.sub(x, y); });
    if (op == "Sum") {
      Form sum = in[0];
      for (std::size_t i = 1; i < in.size(); ++i) sum = zip(*sum, *in[i], add);
      return sum;
    }
    if (op == "Neg")
      return zip(*in[0], *in[0], [&](const Coefficient& x, const Coefficient&) { return algebra_.neg(x); });
    if (op == "Mul" && in[1]->is_free()) return scaled(*in[0], in[1]->b, false);
    if (op == "Mul" && in[0]->is_free()) return scaled(*in[1], in[0]->b, false);
    if (op == "Div" && in[1]->is_free() && is_real(component_.body[node.inputs[0]].fact.type.dtype))
      return scaled(*in[0], in[1]->b, true);
    if (op == "Where") return choose(node, *in[1], *in[2]);
    if (op == "Unsqueeze" || op == "Squeeze" || op == "Reshape" || op == "Flatten") return reshaped(node, call, *in[0]);
    return std::nullopt;
  }

  /// The same elements in the same order under another shape. No form has fewer elements than a state, and the next
  /// state has as many: wherever states meet on the way, their elements meet one by one.
  Form reshaped(const graph::Node& node, const graph::OpCall& call, const AffineForm& x) {
    const std::optional<Dims> before = component_.body[node.inputs[0]].fact.type.static_shape();
    const std::optional<Dims> after = component_.body[node.outputs[0]].fact.type.static_shape();
    for (std::size_t i = 1; i < node.inputs.size(); ++i)
      if (node.inputs[i].valid() && component_.reaches(node.inputs[i])) return std::nullopt;
    if (!before || !after) return std::nullopt;
    AffineForm result = x;
    for (Coefficient& each : result.a) each = reshaped(each, node, call, *before);
    result.b = reshaped(x.b, node, call, *before);
    return result;
  }
  Coefficient reshaped(const Coefficient& x, const graph::Node& node, const graph::OpCall& call, const Dims& before) {
    if (x.kind != Kind::value) return x;
    graph::Builder& to = lift_.builder();
    const std::vector<std::int64_t> extents(before.begin(), before.end());
    const ValueId shape = to.add_integers(extents, "shape");
    graph::Node made;
    made.label = node.label;
    made.operation = call;
    made.inputs = {algebra_.make().call("Expand", {x.value, shape})};
    for (std::size_t i = 1; i < node.inputs.size(); ++i)
      made.inputs.push_back(node.inputs[i].valid() ? lift_(node.inputs[i]) : ValueId());
    graph::ValueInfo value;
    value.name = "reshaped";
    const Result<std::vector<ValueId>> ids = to.add(std::move(made), {&value, 1});
    if (!ids.ok()) return {};
    return Algebra::of((*ids)[0]);
  }

  Form choose(const graph::Node& node, const AffineForm& x, const AffineForm& y) {
    if (component_.reaches(node.inputs[0])) return std::nullopt;
    const ValueId condition = lift_(node.inputs[0]);
    Form chosen =
        zip(x, y, [&](const Coefficient& a, const Coefficient& b) { return algebra_.where(condition, a, b); });
    const auto is_state = [](const AffineForm& form) {
      return form.b.is_zero() &&
             std::count_if(form.a.begin(), form.a.end(), [](const Coefficient& c) { return c.is_one(); }) == 1 &&
             std::count_if(form.a.begin(), form.a.end(), [](const Coefficient& c) { return c.is_zero(); }) ==
                 static_cast<std::ptrdiff_t>(form.a.size()) - 1;
    };
    chosen->masked = chosen->masked || is_state(x) || is_state(y);
    chosen->reset = chosen->reset || x.is_free() || y.is_free();
    return chosen;
  }

  const Component& component_;
  Lift& lift_;
  Algebra algebra_;
};

}  // namespace

ValueId value_of(const Coefficient& coefficient, DType dtype, Arithmetic& make) {
  if (coefficient.kind == Kind::value) return coefficient.value;
  return make.constant(dtype, coefficient.is_one() ? 1 : 0);
}

Result<std::optional<AffineStep>> affine_step(const Component& component, Lift& lift, Obstacle& obstacle) {
  const DType dtype = component.body[component.body.inputs[component.states[0]]].fact.type.dtype;
  for (const std::size_t state : component.states) {
    if (component.body[component.body.inputs[state]].fact.type.dtype == dtype) continue;
    obstacle.words = "the states have different types";
    return std::optional<AffineStep>();
  }
  if (dtype == DType::undefined || dtype == DType::boolean || dtype == DType::string) {
    obstacle.words = "the state holds no numbers";
    return std::optional<AffineStep>();
  }
  TRY_ASSIGN(std::optional<AffineStep> step, Walk(component, lift, dtype).run(obstacle));
  if (step) step->dtype = dtype;
  return step;
}

}  // namespace pawl::scan
