#include "scan/recurrences/boolean_form.h"

#include "scan/recurrences/types.h"
#include "scan/step_walk.h"

namespace pawl::scan {
namespace {

using graph::ValueId;
using Form = std::optional<BooleanForm>;

class Steps {
 public:
  Steps(const Component& component, Lift& lift, DType dtype)
      : component_(component), lift_(lift), make_(lift.builder()), dtype_(dtype) {}

  Arithmetic& make() { return make_; }

  template <class Forms>
  Form operator()(const graph::Node& node, const graph::OpCall& call, Forms&& forms) {
    const std::string_view op = call.def->name;
    if (op == "Identity") return forms(node.inputs[0]);
    if (op == word("Not"))
      return forms(node.inputs[0]) ? Form(flipped(*forms(node.inputs[0]), all_ones(dtype_, make_))) : Form();
    if (op == "Where" && !component_.reaches(node.inputs[0])) return choose(node, forms);
    if (node.inputs.size() != 2) return std::nullopt;
    const std::size_t own = component_.reaches(node.inputs[0]) ? 0 : 1;
    if (component_.reaches(node.inputs[1 - own]) || !forms(node.inputs[own])) return std::nullopt;
    const BooleanForm& form = *forms(node.inputs[own]);
    const ValueId other = lift_(node.inputs[1 - own]);
    if (op == word("And")) return kept(form, other);
    // s or f  =  (s and not f) xor f
    if (op == word("Or")) return flipped(kept(form, flip_all(other)), other);
    if (op == word("Xor")) return flipped(form, other);
    if (op == "Equal" && dtype_ == DType::boolean) return flipped(form, flip_all(other));
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::string word(std::string_view op) const {
    return (dtype_ == DType::boolean ? "" : "Bitwise") + std::string(op);
  }
  ValueId both(ValueId x, ValueId y) { return make_.call(word("And"), {x, y}); }
  ValueId either(ValueId x, ValueId y) { return make_.call(word("Xor"), {x, y}); }
  ValueId flip_all(ValueId x) { return make_.call(word("Not"), {x}); }

  BooleanForm kept(BooleanForm form, ValueId where) {
    form.a = form.a.valid() ? both(form.a, where) : where;
    if (form.b.valid()) form.b = both(form.b, where);
    return form;
  }
  BooleanForm flipped(BooleanForm form, ValueId where) {
    form.b = form.b.valid() ? either(form.b, where) : where;
    return form;
  }

  template <class Forms>
  Form choose(const graph::Node& node, Forms&& forms) {
    const ValueId condition = lift_(node.inputs[0]);
    BooleanForm parts[2];
    bool has_free = false;
    for (std::size_t i = 0; i < 2; ++i) {
      const ValueId id = node.inputs[1 + i];
      const ValueId zeros = make_.constant(dtype_, 0);
      if (!component_.reaches(id)) {
        has_free = true;
        parts[i] = {zeros, lift_(id), false, false};
        continue;
      }
      if (!forms(id)) return std::nullopt;
      parts[i] = *forms(id);
      if (!parts[i].a.valid()) parts[i].a = all_ones(dtype_, make_);
      if (!parts[i].b.valid()) parts[i].b = zeros;
    }
    return BooleanForm{make_.where(condition, parts[0].a, parts[1].a), make_.where(condition, parts[0].b, parts[1].b),
                       parts[0].masked || parts[1].masked || !has_free, parts[0].reset || parts[1].reset || has_free};
  }

  const Component& component_;
  Lift& lift_;
  Arithmetic make_;
  DType dtype_;
};

}  // namespace

graph::ValueId all_ones(DType dtype, Arithmetic& make) {
  if (dtype == DType::boolean) return make.constant(dtype, 1);
  return make.call("BitwiseNot", {make.constant(dtype, 0)});
}

Result<std::optional<BooleanForm>> boolean_step(const Component& component, Lift& lift, Obstacle& obstacle) {
  const DType dtype = component.body[component.body.inputs[component.states[0]]].fact.type.dtype;
  const bool is_bits =
      dtype == DType::boolean || (dtype != DType::undefined && !is_real(dtype) && dtype != DType::string);
  if (component.states.size() != 1 || !is_bits) {
    obstacle.words = "not one state of bits";
    return Form();
  }
  Steps steps(component, lift, dtype);
  TRY_ASSIGN(auto forms, walk_step<BooleanForm>(
                             component, steps.make(), "a logical operation on the state", obstacle,
                             [](std::size_t) { return BooleanForm(); }, steps));
  if (!forms) return Form();
  return (*forms)[component.next(0).index];
}

}  // namespace pawl::scan
