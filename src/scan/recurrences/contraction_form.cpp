// One step followed in terms of contractions: each operator's meaning for the axes of what it reads.
#include <numeric>

#include "expr/types.h"
#include "ops/axes.h"
#include "ops/equation.h"
#include "scan/recurrences/contraction.h"
#include "scan/recurrences/types.h"
#include "scan/selection.h"
#include "scan/signs.h"
#include "scan/step_walk.h"

namespace pawl::scan {
namespace {

using graph::Node;
using graph::OpCall;
using graph::ValueId;

/// A value that depends on the state. In logarithms: `level` times a pivot (the largest term, say) is added to it,
/// which cancels in the end; a raised one stands for the exponential.
struct Value {
  enum class Kind : std::uint8_t { plain, raised, pivot };
  Kind kind = Kind::plain;
  Contraction contraction;
  ValueId pivot;  ///< of the body; invalid: none
  int level = 0;
};
using Form = std::optional<Value>;

/// More elements than this are not cut and put together one by one.
constexpr std::int64_t kMostSelected = 256;

class Steps {
 public:
  Steps(const Component& component, Lift& lift, ContractionAlgebra& algebra, DType dtype)
      : component_(component), lift_(lift), algebra_(algebra), dtype_(dtype) {}

  template <class Forms>
  Form operator()(const Node& node, const OpCall& call, Forms&& forms, std::size_t output) {
    const std::string_view op = call.def->name;
    const auto of = [&](std::size_t i) -> Form {
      const ValueId id = node.inputs[i];
      if (!component_.reaches(id)) return free(lift_(id), shape(id));
      Form form = forms(id);
      if (form && form->kind != Value::Kind::pivot) form->contraction = algebra_.renamed(std::move(form->contraction));
      return form;
    };
    if (op == "Identity") return forms(node.inputs[0]);
    if (const Form form = pivot(node, op, forms)) return form;
    if (op == "Exp" || op == "Log") return raised(op == "Exp", of(0));
    if (op == "Add" || op == "Sum" || op == "Max" || op == "Min" || op == "Sub") return united(node, op, of);
    if (op == "Mul" || op == "Div") return multiplied(node, op == "Div", of);
    if (op == "Neg" && is_ordinary() && can_negate()) return negated(of(0));
    if (op == "MatMul") return product(of_factor(node, 0, of), of_factor(node, 1, of));
    if (op == "Gemm") return gemm(node, call, of);
    if (op == "Einsum") return einsum(node, call, of);
    if (op.starts_with("Reduce")) return reduced(node, call, of);
    if (op == "Transpose") return transposed(node, of(0));
    if (op == "Unsqueeze" || op == "Squeeze" || op == "Reshape" || op == "Flatten") return reshaped(node, of(0));
    if (op == "Expand") return expanded(node, of(0));
    if (op == "Gather" || op == "Slice" || op == "Split") return selected(node, output, of);
    if (op == "Concat") return joined(node, of);
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool is_ordinary() const { return algebra_.semiring() == Semiring::ordinary; }
  [[nodiscard]] bool in_logarithms() const { return algebra_.semiring() == Semiring::log_sum; }
  [[nodiscard]] bool can_negate() const { return is_real(dtype_) || expr::is_signed(dtype_); }
  [[nodiscard]] const std::optional<SymbolicShape>& shape(ValueId id) const {
    return component_.body[id].fact.type.shape;
  }
  ValueId number(double value) { return algebra_.make().constant(dtype_, value); }

  Form negated(Form x) {
    if (x && x->kind != Value::Kind::pivot) x->contraction = algebra_.scaled(std::move(x->contraction), number(-1));
    return x && x->kind != Value::Kind::pivot ? x : Form();
  }
  /// The same kind of value as `like`, with another contraction.
  static Form remade(Contraction made, const Form& like) {
    if (!like || like->kind == Value::Kind::pivot) return std::nullopt;
    Value value = *like;
    value.contraction = std::move(made);
    return value;
  }

  Form free(ValueId value, const std::optional<SymbolicShape>& of_shape) {
    if (!of_shape) return std::nullopt;
    Value made;
    made.contraction.axes = algebra_.fresh(*of_shape);
    made.contraction.terms = {{{{value, made.contraction.axes}}, std::nullopt}};
    return made;
  }

  // --- logarithms

  /// What is subtracted before the exponential and added after the logarithm does not matter: its value is not
  /// followed.
  template <class Forms>
  Form pivot(const Node& node, std::string_view op, Forms&& forms) {
    if (!in_logarithms()) return std::nullopt;
    const auto is_pivot = [&](ValueId id) {
      if (!id.valid()) return false;
      if (!component_.reaches(id)) return true;
      const Form& form = forms(id);
      return form && form->kind == Value::Kind::pivot;
    };
    Value value;
    value.kind = Value::Kind::pivot;
    value.pivot = node.outputs[0];
    value.level = 1;
    if (op == "Max" || op == "ReduceMax") return value;
    if (!std::all_of(node.inputs.begin(), node.inputs.end(), is_pivot)) return std::nullopt;
    if (op == "Squeeze" || op == "Unsqueeze" || op == "Reshape" || op == "Expand") return forms(node.inputs[0]);
    if (op == "Where" || op == "IsInf" || op == "Abs" || op == "Equal" || op == "Not" || op == "IsNaN") return value;
    return std::nullopt;
  }

  Form raised(bool up, Form x) {
    if (!in_logarithms() || !x || x->kind != (up ? Value::Kind::plain : Value::Kind::raised)) return std::nullopt;
    x->kind = up ? Value::Kind::raised : Value::Kind::plain;
    return x;
  }

  /// A factor beside an exponential is the exponential of its logarithm, which it has if it is not below zero.
  template <class Of>
  Form of_factor(const Node& node, std::size_t i, Of&& of) {
    if (!in_logarithms() || component_.reaches(node.inputs[i])) return of(i);
    const Node* exponential = producer_of(component_.body, node.inputs[i]);
    Form form;
    if (graph::call_of(exponential, "Exp") != nullptr)
      form = free(lift_(exponential->inputs[0]), shape(exponential->inputs[0]));
    else if (is_never_negative(component_, node.inputs[i]))
      form = free(algebra_.make().call("Log", {lift_(node.inputs[i])}), shape(node.inputs[i]));
    if (form) form->kind = Value::Kind::raised;
    return form;
  }

  // --- sums and products of elements

  template <class Of>
  Form united(const Node& node, std::string_view op, Of&& of) {
    static constexpr std::string_view kAdds[] = {"Add", "Max", "Min", ""};
    const bool adds =
        op == kAdds[static_cast<std::size_t>(algebra_.semiring())] || (is_ordinary() && (op == "Sum" || op == "Sub"));
    if (adds) return added(node, op == "Sub", of);
    if (is_ordinary() || (op != "Add" && op != "Sub") || !is_real(dtype_)) return std::nullopt;
    Form x = of(0);
    Form y = of(1);
    if (!x || !y) return std::nullopt;
    if (op == "Add" && in_logarithms() && (x->kind == Value::Kind::raised || y->kind == Value::Kind::raised))
      return added(node, false, [&](std::size_t i) { return of_factor(node, i, of); });
    if (op == "Add" && x->kind == Value::Kind::pivot) std::swap(x, y);
    if (y->kind == Value::Kind::pivot) return moved(std::move(x), *y, op == "Add" ? 1 : -1);
    if (op == "Sub") {
      if (component_.reaches(node.inputs[1])) return std::nullopt;
      y = free(algebra_.make().neg(lift_(node.inputs[1])), shape(node.inputs[1]));
    }
    return times(std::move(x), std::move(y));
  }

  static Form moved(Form x, const Value& by, int sign) {
    if (x->kind != Value::Kind::plain || (x->level != 0 && !(x->pivot == by.pivot))) return std::nullopt;
    x->level += sign;
    x->pivot = by.pivot;
    return x;
  }

  template <class Of>
  Form added(const Node& node, bool minus, Of&& of) {
    std::vector<Contraction> operands;
    Form like;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      Form form = of(i);
      if (!form || form->kind == Value::Kind::pivot) return std::nullopt;
      if (minus && i == 1) {
        if (!can_negate()) return std::nullopt;
        form->contraction = algebra_.scaled(std::move(form->contraction), number(-1));
      }
      if (like && (like->kind != form->kind || like->level != form->level ||
                   (like->level != 0 && !(like->pivot == form->pivot))))
        return std::nullopt;
      operands.push_back(std::move(form->contraction));
      form->contraction = {};
      like = std::move(form);
    }
    return sum_of(std::move(operands), like);
  }

  /// The sum of operands that are broadcast together, a value of the same kind as `like`.
  Form sum_of(std::vector<Contraction> operands, const Form& like) {
    std::optional<Labels> axes = algebra_.broadcast(operands);
    if (!axes) return std::nullopt;
    Contraction sum;
    sum.axes = std::move(*axes);
    for (Contraction& each : operands) sum.terms.insert(sum.terms.end(), each.terms.begin(), each.terms.end());
    return remade(std::move(sum), like);
  }

  /// Whether two values may be multiplied in the semiring, and of what kind the product is.
  static bool can_multiply(const Form& x, const Form& y) {
    return x && y && x->kind == y->kind && x->kind != Value::Kind::pivot &&
           !(x->contraction.has_state() && y->contraction.has_state()) && (x->level == 0 || y->level == 0);
  }
  static const Form& stateful(const Form& x, const Form& y) { return y->contraction.has_state() ? y : x; }

  Form times(Form x, Form y) {
    if (!can_multiply(x, y)) return std::nullopt;
    Contraction operands[] = {x->contraction, y->contraction};
    std::optional<Labels> axes = algebra_.broadcast(operands);
    if (!axes) return std::nullopt;
    return remade(algebra_.times(operands[0], operands[1], std::move(*axes)), stateful(x, y));
  }

  template <class Of>
  Form multiplied(const Node& node, bool divide, Of&& of) {
    if (!divide)
      return is_ordinary() || in_logarithms() ? multiplied_kind(of_factor(node, 0, of), of_factor(node, 1, of))
                                              : Form();
    if (!is_ordinary() || !is_real(dtype_) || component_.reaches(node.inputs[1])) return std::nullopt;
    return times(of(0), free(algebra_.make().div(number(1), lift_(node.inputs[1])), shape(node.inputs[1])));
  }
  /// Mul is the product of the ordinary semiring, and in logarithms that of exponentials.
  Form multiplied_kind(Form x, Form y) {
    return x && (is_ordinary() || x->kind == Value::Kind::raised) ? times(std::move(x), std::move(y)) : Form();
  }

  // --- products of matrices

  Form product(const Form& x, const Form& y) {
    if (!can_multiply(x, y) || !(is_ordinary() || x->kind == Value::Kind::raised)) return std::nullopt;
    Contraction operands[] = {x->contraction, y->contraction};
    Labels& left = operands[0].axes;
    Labels& right = operands[1].axes;
    if (left.empty() || right.empty()) return std::nullopt;
    const bool row = left.size() == 1;
    const bool column = right.size() == 1;
    if (row) left.insert(left.begin(), kUnit);
    if (column) right.push_back(kUnit);
    const Label inner = left.back();
    const Label also = right[right.size() - 2];
    if (inner != also && !algebra_.unite(operands, inner, also)) return std::nullopt;
    const Label outer_left = left[left.size() - 2];
    const Label outer_right = right.back();
    left.resize(left.size() - 2);
    right.resize(right.size() - 2);
    std::optional<Labels> axes = algebra_.broadcast(operands);
    if (!axes) return std::nullopt;
    if (!row) axes->push_back(outer_left);
    if (!column) axes->push_back(outer_right);
    return summed(algebra_.times(operands[0], operands[1], std::move(*axes)), {inner}, stateful(x, y));
  }

  Form summed(Contraction made, const Labels& over, const Form& like) {
    for (const Label label : over) {
      if (label == kUnit) continue;
      std::optional<Contraction> each = algebra_.summed(std::move(made), label);
      if (!each) return std::nullopt;
      made = std::move(*each);
    }
    return remade(std::move(made), like);
  }

  template <class Of>
  Form gemm(const Node& node, const OpCall& call, Of&& of) {
    if (!is_ordinary()) return std::nullopt;
    Form a = of(0);
    Form b = of(1);
    if (!a || !b || a->contraction.axes.size() != 2 || b->contraction.axes.size() != 2) return std::nullopt;
    if (call.attributes.integer("transA", 0) != 0) std::swap(a->contraction.axes[0], a->contraction.axes[1]);
    if (call.attributes.integer("transB", 0) != 0) std::swap(b->contraction.axes[0], b->contraction.axes[1]);
    Form made = product(a, b);
    const float alpha = call.attributes.real("alpha", 1);
    const float beta = call.attributes.real("beta", 1);
    if (made && alpha != 1)
      made->contraction = algebra_.scaled(std::move(made->contraction), number(static_cast<double>(alpha)));
    if (!made || node.inputs.size() < 3 || !node.inputs[2].valid()) return made;
    Form c = of(2);
    if (!c) return std::nullopt;
    if (beta != 1) c->contraction = algebra_.scaled(std::move(c->contraction), number(static_cast<double>(beta)));
    return sum_of({made->contraction, c->contraction}, made);
  }

  template <class Of>
  Form einsum(const Node& node, const OpCall& call, Of&& of) {
    const Result<ops::Equation> equation = ops::parse_equation(call.attributes.text("equation", ""));
    if (!equation.ok() || equation->inputs.size() != node.inputs.size()) return std::nullopt;
    std::vector<Contraction> operands;
    std::vector<ops::Labels> letters;
    Form like;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const Form form = of_factor(node, i, of);
      if (!form || form->kind != (is_ordinary() ? Value::Kind::plain : Value::Kind::raised)) return std::nullopt;
      if (form->contraction.has_state()) {
        if (like) return std::nullopt;
        like = form;
      }
      letters.push_back(equation->inputs[i].labels(form->contraction.axes.size()));
      operands.push_back(form->contraction);
      ops::Labels sorted = letters.back();
      std::sort(sorted.begin(), sorted.end());
      if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end()) return std::nullopt;
    }
    if (!like) return std::nullopt;
    return named(std::move(operands), letters, equation->output, *shape(node.outputs[0]), like);
  }

  /// The product of operands whose axes have letters, summed over those that the result has not.
  Form named(std::vector<Contraction> operands, const std::vector<ops::Labels>& letters, const ops::Term& output,
             const SymbolicShape& result, const Form& like) {
    std::vector<std::pair<int, Label>> names;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      for (std::size_t axis = 0; axis < letters[i].size(); ++axis) {
        const Label label = operands[i].axes[axis];
        const int letter = letters[i][axis];
        auto found = std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == letter; });
        if (found == names.end()) {
          names.emplace_back(letter, label);
        } else if (found->second == kUnit) {
          found->second = label;
        } else if (label != kUnit && !algebra_.unite(operands, found->second, label)) {
          return std::nullopt;
        }
      }
    }
    Contraction made = operands[0];
    for (std::size_t i = 1; i < operands.size(); ++i) made = algebra_.times(made, operands[i], {});
    const ops::Labels wanted = output.labels(result.size());
    made.axes.clear();
    Labels over;
    for (const int letter : wanted) {
      const auto found =
          std::find_if(names.begin(), names.end(), [&](const auto& each) { return each.first == letter; });
      made.axes.push_back(found == names.end() ? kUnit : found->second);
    }
    for (const auto& [letter, label] : names)
      if (label != kUnit && !made.has_axis(label)) over.push_back(label);
    return summed(std::move(made), over, like);
  }

  // --- axes

  template <class Of>
  Form reduced(const Node& node, const OpCall& call, Of&& of) {
    const std::string_view op = call.def->name;
    Form x = of(0);
    if (!x || x->kind == Value::Kind::pivot) return std::nullopt;
    const bool mean = op == "ReduceMean" && is_ordinary() && is_real(dtype_);
    const bool fits = mean || (is_ordinary() && op == "ReduceSum") ||
                      (algebra_.semiring() == Semiring::max_plus && op == "ReduceMax") ||
                      (algebra_.semiring() == Semiring::min_plus && op == "ReduceMin") ||
                      (in_logarithms() && op == (x->kind == Value::Kind::raised ? "ReduceSum" : "ReduceLogSumExp"));
    const std::optional<std::vector<bool>> axes = fits ? axes_of(node, call, x->contraction.axes.size()) : std::nullopt;
    if (!axes) return std::nullopt;
    Labels over;
    Labels kept;
    const bool keeps = call.attributes.integer("keepdims", 1) != 0;
    double count = 1;
    for (std::size_t i = 0; i < axes->size(); ++i) {
      const Label label = x->contraction.axes[i];
      if (!(*axes)[i])
        kept.push_back(label);
      else if (keeps)
        kept.push_back(kUnit);
      if (!(*axes)[i] || label == kUnit) continue;
      over.push_back(label);
      if (mean && !algebra_.extent(label).known()) return std::nullopt;
      if (mean) count *= static_cast<double>(algebra_.extent(label).value);
    }
    Form made = summed(x->contraction, over, x);
    if (!made) return std::nullopt;
    made->contraction.axes = std::move(kept);
    if (mean) made->contraction = algebra_.scaled(std::move(made->contraction), number(1 / count));
    return made;
  }

  /// Which axes a reduction takes; nullopt when they are not constant.
  [[nodiscard]] std::optional<std::vector<bool>> axes_of(const Node& node, const OpCall& call, std::size_t rank) const {
    std::vector<std::int64_t> list;
    if (const auto* attribute = call.attributes.get<std::vector<std::int64_t>>("axes")) list = *attribute;
    if (node.inputs.size() > 1 && node.inputs[1].valid()) {
      const Tensor* constant = component_.body[node.inputs[1]].fact.tensor();
      if (constant == nullptr) return std::nullopt;
      const Result<Dims> read = ops::integers_of(*constant);
      if (!read.ok()) return std::nullopt;
      list.assign(read->begin(), read->end());
    }
    if (list.empty()) return std::vector<bool>(rank, call.attributes.integer("noop_with_empty_axes", 0) == 0);
    Result<std::vector<bool>> marked = ops::mark_axes(list, rank);
    return marked.ok() ? std::optional(std::move(marked).value()) : std::nullopt;
  }

  Form transposed(const Node& node, Form x) {
    const auto order = order_of_transpose(node, component_.body[node.inputs[0]].fact.type);
    if (!x || !order || x->kind == Value::Kind::pivot) return std::nullopt;
    Labels axes;
    for (const std::int64_t axis : *order) axes.push_back(x->contraction.axes[static_cast<std::size_t>(axis)]);
    x->contraction.axes = std::move(axes);
    return x;
  }

  /// Axes of extent 1 come and go; all others stay in their order.
  Form reshaped(const Node& node, Form x) {
    const auto& after = shape(node.outputs[0]);
    for (std::size_t i = 1; i < node.inputs.size(); ++i)
      if (node.inputs[i].valid() && component_.reaches(node.inputs[i])) return std::nullopt;
    if (!x || !after || x->kind == Value::Kind::pivot) return std::nullopt;
    Labels left;
    for (const Label label : x->contraction.axes)
      if (label != kUnit) left.push_back(label);
    Labels axes;
    std::size_t at = 0;
    for (const Dim& dim : *after) {
      if (dim.known() && dim.value == 1) {
        axes.push_back(kUnit);
        continue;
      }
      if (at == left.size() || !algebra_.extent(left[at]).same(dim)) return std::nullopt;
      axes.push_back(left[at++]);
    }
    if (at != left.size()) return std::nullopt;
    x->contraction.axes = std::move(axes);
    return x;
  }

  Form expanded(const Node& node, Form x) {
    const auto& after = shape(node.outputs[0]);
    if (!x || !after || x->kind == Value::Kind::pivot || component_.reaches(node.inputs[1])) return std::nullopt;
    Labels axes = algebra_.fresh(*after);
    const Labels& before = x->contraction.axes;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const std::size_t to = axes.size() - before.size() + i;
      if (before[i] == kUnit) continue;
      if (axes[to] == kUnit || !algebra_.extent(before[i]).same((*after)[to])) return std::nullopt;
      axes[to] = before[i];
    }
    x->contraction.axes = std::move(axes);
    return x;
  }

  // --- parts of an axis, as products with a matrix that selects

  /// Along each axis that is cut: which entries are taken.
  template <class Of>
  Form selected(const Node& node, std::size_t output, Of&& of) {
    if (!component_.reaches(node.inputs[0])) return std::nullopt;
    const Type& type = component_.body[node.inputs[0]].fact.type;
    const auto taken = type.static_shape() ? selections_of(component_.body, node, output) : std::nullopt;
    Form x = of(0);
    if (!x || !taken || x->kind != Value::Kind::plain) return std::nullopt;
    for (const Selection& each : *taken) {
      x = picked_from(std::move(*x), each.axis, each.places(), *extent_of(type, each.axis));
      if (!x) return std::nullopt;
      Labels& axes = x->contraction.axes;
      if (each.drops) axes.erase(axes.begin() + static_cast<std::ptrdiff_t>(each.axis));
    }
    return x;
  }

  Form picked_from(Value x, std::size_t axis, const std::vector<std::int64_t>& picked, std::int64_t extent) {
    std::vector<std::int64_t> all(static_cast<std::size_t>(extent));
    std::iota(all.begin(), all.end(), 0);
    if (picked == all) return x;
    const Label from = x.contraction.axes[axis];
    if (from == kUnit) return std::nullopt;
    const auto count = static_cast<std::int64_t>(picked.size());
    if (count > kMostSelected || extent > kMostSelected) return std::nullopt;
    const Label to = algebra_.fresh(Dim(count));
    const Factor chosen{algebra_.selection(picked, extent), {to, from}};
    for (Product& term : x.contraction.terms) term.factors.push_back(chosen);
    x.contraction.axes[axis] = to;
    return x;
  }

  /// Each part put to its place by a matrix, and all of them added.
  template <class Of>
  Form joined(const Node& node, Of&& of) {
    const std::optional<std::size_t> axis = concat_axis(component_.body, node);
    const auto extent = axis ? extent_of(component_.body[node.outputs[0]].fact.type, *axis) : std::nullopt;
    if (!extent || *extent > kMostSelected) return std::nullopt;
    std::vector<Contraction> parts;
    Form like;
    std::int64_t at = 0;
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      Form x = of(i);
      if (!x || x->kind != Value::Kind::plain || x->level != 0) return std::nullopt;
      const auto length = extent_of(component_.body[node.inputs[i]].fact.type, *axis);
      if (!length) return std::nullopt;
      if (*length == 0) continue;
      parts.push_back(placed(std::move(x->contraction), *axis, at, *length, *extent));
      at += *length;
      x->contraction = {};
      like = std::move(x);
    }
    return like ? sum_of(std::move(parts), like) : Form();
  }

  Contraction placed(Contraction part, std::size_t axis, std::int64_t at, std::int64_t length, std::int64_t extent) {
    std::vector<std::int64_t> from(static_cast<std::size_t>(extent), -1);
    for (std::int64_t i = 0; i < length; ++i) from[static_cast<std::size_t>(at + i)] = i;
    const Label to = algebra_.fresh(Dim(extent));
    const Label inner = part.axes[axis];
    // A part of one entry, or one that is the same all along, has no label there.
    const Factor place{algebra_.selection(from, length), {to, inner}};
    for (Product& term : part.terms) term.factors.push_back(place);
    part.axes[axis] = to;
    return part;
  }

  const Component& component_;
  Lift& lift_;
  ContractionAlgebra& algebra_;
  DType dtype_;
};

}  // namespace

Result<std::optional<Contraction>> contraction_step(const Component& component, Lift& lift, ContractionAlgebra& algebra,
                                                    Obstacle& obstacle) {
  const auto none = [&](std::string why) {
    obstacle.words = std::move(why);
    return std::optional<Contraction>();
  };
  const Type& type = component.body[component.body.inputs[component.states[0]]].fact.type;
  if (component.states.size() != 1) return none("not one state");
  if (!type.shape || type.dtype == DType::boolean || type.dtype == DType::string)
    return none("the state holds no numbers");
  if (algebra.semiring() != Semiring::ordinary && !is_real(type.dtype)) return none("integers wrap, and keep no order");
  const Labels state = algebra.fresh(*type.shape);
  Steps steps(component, lift, algebra, type.dtype);
  const auto start = [&](std::size_t) {
    Value value;
    value.contraction = {state, {{{}, state}}};
    return value;
  };
  TRY_ASSIGN(auto forms, walk_step<Value>(component, algebra.make(), "linear in the state", obstacle, start, steps));
  if (!forms) return std::optional<Contraction>();
  const Form& next = (*forms)[component.next(0).index];
  if (!next || next->kind != Value::Kind::plain || next->level != 0 || !next->contraction.has_state())
    return none("the next state is not linear in the state");
  return std::optional(next->contraction);
}

}  // namespace pawl::scan
