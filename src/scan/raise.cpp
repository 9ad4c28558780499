// A Loop whose number of steps is known before it starts is a Scan.
//   elements : Gather(x, t) and its kin; the number of the step itself
//   outputs  : scan outputs, and sequences that grow by one in each step
//   states   : everything else that is carried
#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/dependence.h"
#include "scan/index_form.h"
#include "scan/pass.h"
#include "scan/scan_builder.h"

namespace pawl::scan {
namespace {

using graph::LoopOp;
using graph::Mapping;
using graph::Node;
using graph::OpCall;

std::optional<bool> bool_in(const Tensor* constant) {
  if (constant == nullptr || constant->dtype() != DType::boolean || constant->size() != 1) return std::nullopt;
  return *constant->data<bool>();
}

class Raise {
 public:
  Raise(graph::Builder& outer, const Node& node, const LoopOp& loop, std::span<const ValueInfo> outputs,
        std::vector<Note>* notes)
      : outer_(outer),
        node_(node),
        loop_(loop),
        body_(*loop.body.graph),
        outputs_(outputs),
        notes_(notes),
        forms_(body_, body_.inputs[0]),
        mapping_(body_) {}

  Rewritten run() {
    find_counters();
    if (!find_trips() || !find_sequences() || !carries_steady_tensors()) return {std::nullopt};
    return rewrite();
  }

 private:
  [[nodiscard]] ValueId initial(std::size_t i) const { return node_.inputs[2 + i]; }
  [[nodiscard]] ValueId carried(std::size_t i) const { return body_.inputs[2 + i]; }
  [[nodiscard]] ValueId next(std::size_t i) const { return body_.outputs[1 + i]; }
  [[nodiscard]] ValueId outside(ValueId captured) const {
    for (const graph::Capture& capture : loop_.body.captures)
      if (capture.inner == captured) return capture.outer;
    return {};
  }

  /// Carried integers that grow by a constant from a constant.
  void find_counters() {
    for (std::size_t i = 0; i < loop_.carried; ++i) {
      const auto start = graph::integer_in(outer_.fact(initial(i)).tensor());
      const Node* node = producer_of(body_, forms_.behind(next(i)));
      const OpCall* call = call_of(node, "Add");
      if (!start || call == nullptr || body_[carried(i)].fact.type.dtype != DType::i64) continue;
      for (std::size_t side = 0; side < 2; ++side) {
        const auto step = graph::integer_in(body_[node->inputs[1 - side]].fact.tensor());
        if (node->inputs[side] == carried(i) && step) forms_.add_counter(carried(i), *start, *step);
      }
    }
  }

  // --- how many steps

  /// The number of steps as an outer int64 scalar, made of what the Loop was given.
  bool find_trips() {
    const bool has_count = !node_.inputs.empty() && node_.inputs[0].valid();
    const bool has_condition = node_.inputs.size() > 1 && node_.inputs[1].valid();
    if (has_condition && bool_in(outer_.fact(node_.inputs[1]).tensor()) != true) return false;
    count_ = has_count ? node_.inputs[0] : ValueId();
    // With a trip count alone the body's condition is not looked at.
    if (has_count && !has_condition) return true;
    const ValueId condition = forms_.behind(body_.outputs[0]);
    if (has_count && (condition == body_.inputs[1] || bool_in(body_[condition].fact.tensor()) == true)) return true;
    if (captured_true(condition)) return has_count;
    return find_bound(condition);
  }

  [[nodiscard]] bool captured_true(ValueId condition) const {
    const ValueId outer = outside(condition);
    return outer.valid() && bool_in(outer_.fact(outer).tensor()) == true;
  }

  /// t + offset < n, in its spellings: goes on while it holds after step t.
  bool find_bound(ValueId condition) {
    const Node* node = producer_of(body_, condition);
    const auto* call = node == nullptr ? nullptr : std::get_if<OpCall>(&node->operation);
    if (call == nullptr) return false;
    const std::string_view op = call->def->name;
    if (op == "And") {
      for (std::size_t side = 0; side < 2; ++side)
        if (forms_.behind(node->inputs[side]) == body_.inputs[1])
          return find_bound(forms_.behind(node->inputs[1 - side]));
      return false;
    }
    const bool less = op == "Less" || op == "LessOrEqual";
    const bool greater = op == "Greater" || op == "GreaterOrEqual";
    if (!less && !greater) return false;
    const auto low = forms_.of(node->inputs[less ? 0 : 1]);
    const auto high = forms_.of(node->inputs[less ? 1 : 0]);
    if (!low || !high || low->scale != 1 || high->scale != 0 || low->added.valid()) return false;
    if (high->added.valid() && !outside(high->added).valid()) return false;
    // Step t is followed by another while t + low < high: high - low steps after step 0, which always comes.
    bound_ = *high;
    bound_.offset -= low->offset;
    if (op.ends_with("OrEqual")) ++bound_.offset;
    has_bound_ = true;
    return true;
  }

  Result<ValueId> emit_trips() {
    const auto integer = [&](std::int64_t value) {
      return outer_.add_constant(Tensor::scalar<std::int64_t>(value), "steps");
    };
    const auto scalar = [&](ValueId id) -> Result<ValueId> {
      if (const auto known = graph::integer_in(outer_.fact(id).tensor())) return integer(*known);
      const auto& shape = outer_.fact(id).type.shape;
      if (shape && shape->empty()) return id;
      const ValueId none = outer_.add_constant(Tensor::of<std::int64_t>({0}, {}), "scalar");
      TRY_ASSIGN(const auto made, outer_.call("Reshape", {}, {id, none}, "steps"));
      return made[0];
    };
    ValueId steps;
    if (count_.valid()) {
      TRY_ASSIGN(steps, scalar(count_));
    }
    if (!has_bound_) {
      // A negative trip count is none; an extent is never negative.
      if (const auto known = graph::integer_in(outer_.fact(steps).tensor()))
        return integer(std::max<std::int64_t>(*known, 0));
      if (is_some_extent(steps)) return steps;
      TRY_ASSIGN(const auto not_negative, outer_.call("Max", {}, {steps, integer(0)}, "steps"));
      return not_negative[0];
    }
    ValueId bound = integer(bound_.offset + 1);
    if (bound_.added.valid()) {
      TRY_ASSIGN(const ValueId added, scalar(outside(bound_.added)));
      TRY_ASSIGN(const auto sum, outer_.call("Add", {}, {added, bound}, "steps"));
      bound = sum[0];
    }
    TRY_ASSIGN(const auto at_least_one, outer_.call("Max", {}, {bound, integer(1)}, "steps"));
    if (!steps.valid()) return at_least_one[0];
    TRY_ASSIGN(const auto fewest, outer_.call("Min", {}, {at_least_one[0], steps}, "steps"));
    return fewest[0];
  }

  // --- what is carried

  /// Sequences that start empty and get one tensor in each step, which nothing else in the body reads.
  bool find_sequences() {
    pushed_.assign(loop_.carried, ValueId());
    for (std::size_t i = 0; i < loop_.carried; ++i) {
      const bool tensor = body_[carried(i)].fact.type.is_tensor();
      if (tensor) continue;
      const Node* insert = producer_of(body_, forms_.behind(next(i)));
      if (call_of(insert, "SequenceInsert") == nullptr || insert->inputs.size() != 2 ||
          forms_.behind(insert->inputs[0]) != carried(i))
        return false;
      if (!starts_empty(initial(i)) || readers(carried(i)) != 1) return false;
      pushed_[i] = insert->inputs[1];
      if (!body_[pushed_[i]].fact.type.is_tensor() || !body_[pushed_[i]].fact.type.shape) return false;
    }
    return true;
  }

  [[nodiscard]] bool starts_empty(ValueId id) const {
    return call_of(producer_of(outer_.graph(), id), "SequenceEmpty") != nullptr;
  }

  [[nodiscard]] int readers(ValueId id) const {
    int count = 0;
    for (const Node& node : body_.nodes) for_each_read(node, [&](ValueId read) { count += read == id ? 1 : 0; });
    return count + static_cast<int>(std::count(body_.outputs.begin(), body_.outputs.end(), id));
  }

  /// A Loop's tensors may change their shape from step to step, a Scan's may not.
  bool carries_steady_tensors() {
    const auto is_fixed = [](const Type& type) {
      return type.is_tensor() && type.dtype != DType::undefined && type.shape &&
             std::all_of(type.shape->begin(), type.shape->end(),
                         [](const Dim& dim) { return dim.known() || !dim.symbol.empty(); });
    };
    std::vector<ops::Fact> facts(body_.inputs.size());
    for (std::size_t i = 0; i < facts.size(); ++i) facts[i].type = body_[body_.inputs[i]].fact.type;
    facts[0].type = Type::tensor(DType::i64, number_shape());
    for (std::size_t i = 0; i < loop_.carried; ++i) {
      if (pushed_[i].valid()) continue;
      facts[2 + i].type = outer_.fact(initial(i)).type;
      if (!is_fixed(facts[2 + i].type)) return false;
    }
    std::vector<ops::Fact> captured;
    for (const graph::Capture& capture : loop_.body.captures) captured.push_back(outer_.fact(capture.outer));
    const Result<std::vector<ops::Fact>> inferred = graph::infer_graph(body_, facts, std::move(captured));
    if (!inferred.ok()) return false;
    const auto same = [](const Type& a, const Type& b) { return to_string(a) == to_string(b); };
    for (std::size_t i = 0; i < loop_.carried; ++i) {
      const Type& after = (*inferred)[next(i).index].type;
      if (pushed_[i].valid() ? !is_fixed((*inferred)[pushed_[i].index].type) : !same(after, facts[2 + i].type))
        return false;
    }
    for (std::size_t k = 0; k < loop_.outputs; ++k)
      if (!is_fixed((*inferred)[body_.outputs[1 + loop_.carried + k].index].type)) return false;
    facts_ = std::move(*inferred);
    return true;
  }

  [[nodiscard]] Dims number_shape() const {
    const Type& declared = body_[body_.inputs[0]].declared;
    return declared.is_tensor() && declared.shape && declared.shape->size() == 1 ? Dims{1} : Dims{};
  }

  // --- the Scan

  Rewritten rewrite() {
    TRY_ASSIGN(const ValueId steps, emit_trips());
    if (graph::integer_in(outer_.fact(steps).tensor()).value_or(0) > kMostSteps) return {std::nullopt};
    ScanBuilder made(outer_, body_.name);
    made.drop_declarations();
    std::vector<std::size_t> index(loop_.carried, 0);
    for (std::size_t i = 0; i < loop_.carried; ++i) {
      if (pushed_[i].valid()) continue;
      index[i] = made.states();
      mapping_[carried(i)] = made.add_state(described(carried(i)), initial(i));
    }
    TRY(add_gathered(made, steps));
    if (!has_exact_length_ || reads_number()) TRY(add_number(made, steps));
    mapping_[body_.inputs[1]] = made.body().add_constant(condition_value(), "condition");
    for (const graph::Capture& capture : loop_.body.captures) mapping_[capture.inner] = made.capture(capture.outer);
    TRY(copy_needed(made));
    return finish(made, index);
  }

  /// The number of the step, as an element of 0, 1, 2, …
  Result<void> add_number(ScanBuilder& made, ValueId steps) {
    const auto integer = [&](std::int64_t value) {
      return outer_.add_constant(Tensor::scalar<std::int64_t>(value), "number");
    };
    TRY_ASSIGN(const auto numbers, outer_.call("Range", {}, {integer(0), steps, integer(1)}, node_.name + "_numbers"));
    ValueInfo number = described(body_.inputs[0]);
    number.fact.type = Type::tensor(DType::i64, Dims{});
    TRY_ASSIGN(ValueId at, made.add_element(number, numbers[0], {0, false}));
    if (number_shape().size() == 1) {
      const ValueId axes = made.body().add_constant(Tensor::of<std::int64_t>({1}, {0}), "axes");
      TRY_ASSIGN(const auto vector, made.body().call("Unsqueeze", {}, {at, axes}, "number"));
      at = vector[0];
    }
    mapping_[body_.inputs[0]] = at;
    return {};
  }

  /// Whether anything but the elements that were found needs the number of the step.
  [[nodiscard]] bool reads_number() const { return needed()[body_.inputs[0].index]; }

  [[nodiscard]] Tensor condition_value() const {
    const Type& declared = body_[body_.inputs[1]].declared;
    const bool vector = declared.is_tensor() && declared.shape && declared.shape->size() == 1;
    return Tensor::of<bool>(vector ? Dims{1} : Dims{}, {true});
  }

  [[nodiscard]] ValueInfo described(ValueId id) const {
    ValueInfo value;
    value.name = body_[id].name;
    value.fact.type = facts_[id.index].type;
    return value;
  }

  /// Gather(x, t) of a captured x is an element of x, if x has an element for each step; so is Slice(x, t, t + 1).
  Result<void> add_gathered(ScanBuilder& made, ValueId steps) {
    for (const Node& node : body_.nodes) {
      const OpCall* gather = call_of(&node, "Gather");
      if (gather == nullptr) continue;
      const ValueId x = outside(node.inputs[0]);
      const auto form = forms_.of(node.inputs[1]);
      if (!x.valid() || !form || form->scale != 1 || form->added.valid() || form->offset < 0) continue;
      const Type& type = outer_.fact(x).type;
      if (!type.shape) continue;
      TRY_ASSIGN(const std::size_t axis,
                 graph::resolve_axis(gather->attributes.integer("axis", 0), type.shape->size(), "axis"));
      TRY_ASSIGN(const ValueId cut, first(x, axis, form->offset, steps));
      TRY(add_cut(made, node, cut, {static_cast<std::int64_t>(axis), false}, form->vector));
    }
    for (const Node& node : body_.nodes) TRY(add_reversed(made, node, steps));
    return {};
  }

  /// Gather(x, n - 1 - t), where n is the number of steps.
  Result<void> add_reversed(ScanBuilder& made, const Node& node, ValueId steps) {
    const OpCall* gather = call_of(&node, "Gather");
    if (gather == nullptr || mapping_(node.outputs[0]).valid()) return {};
    const ValueId x = outside(node.inputs[0]);
    const auto form = forms_.of(node.inputs[1]);
    if (!x.valid() || !form || form->scale != -1 || form->offset != -1 || !form->added.valid()) {
      if (!x.valid() || !form || form->scale != -1 || form->added.valid() ||
          form->offset + 1 != graph::integer_in(outer_.fact(steps).tensor()))
        return {};
    } else if (outside(form->added) != count_ || has_bound_) {
      return {};
    }
    const Type& type = outer_.fact(x).type;
    if (!type.shape) return {};
    TRY_ASSIGN(const std::size_t axis,
               graph::resolve_axis(gather->attributes.integer("axis", 0), type.shape->size(), "axis"));
    TRY_ASSIGN(const ValueId cut, first(x, axis, 0, steps));
    return add_cut(made, node, cut, {static_cast<std::int64_t>(axis), true}, form->vector);
  }

  Result<void> add_cut(ScanBuilder& made, const Node& node, ValueId cut, Cut how, bool vector) {
    ValueInfo value = described(node.outputs[0]);
    TRY_ASSIGN(ValueId element, made.add_element(value, cut, how));
    if (vector)
      unsqueezed_.push_back({node.outputs[0], element, how.axis});
    else
      mapping_[node.outputs[0]] = element;
    return {};
  }

  /// x from `offset` on along an axis, as many as there are steps; x itself when that is all of it.
  Result<ValueId> first(ValueId x, std::size_t axis, std::int64_t offset, ValueId steps) {
    const Dim& extent = (*outer_.fact(x).type.shape)[axis];
    const auto known = graph::integer_in(outer_.fact(steps).tensor());
    if (offset == 0 && ((known && extent.known() && extent.value == *known) || is_extent(steps, x, axis))) {
      has_exact_length_ = true;
      return x;
    }
    const auto list = [&](std::int64_t value) {
      return outer_.add_constant(Tensor::of<std::int64_t>({1}, {value}), "bound");
    };
    TRY_ASSIGN(const auto end, outer_.call("Add", {}, {steps, list(offset)}, "end"));
    TRY_ASSIGN(const auto made,
               outer_.call("Slice", {}, {x, list(offset), end[0], list(static_cast<std::int64_t>(axis))},
                           outer_.graph()[x].name + "_steps"));
    return made[0];
  }

  /// Whether the number of steps is Shape(x)[axis], of x or of something with the same extent.
  [[nodiscard]] bool is_extent(ValueId steps, ValueId x, std::size_t axis) const {
    const Node* node = producer_of(outer_.graph(), steps);
    if (call_of(node, "Gather") == nullptr) return false;
    const Node* shape = producer_of(outer_.graph(), node->inputs[0]);
    const auto at = graph::integer_in(outer_.fact(node->inputs[1]).tensor());
    if (call_of(shape, "Shape") == nullptr || !at || std::get<OpCall>(shape->operation).attributes.has("start"))
      return false;
    const auto& type = outer_.fact(shape->inputs[0]).type;
    if (!type.shape) return false;
    const auto rank = static_cast<std::int64_t>(type.shape->size());
    const std::int64_t place = *at < 0 ? *at + rank : *at;
    if (place < 0 || place >= rank) return false;
    if (shape->inputs[0] == x && static_cast<std::size_t>(place) == axis) return true;
    return (*type.shape)[static_cast<std::size_t>(place)].same((*outer_.fact(x).type.shape)[axis]);
  }

  /// Gather(Shape(…), a constant).
  [[nodiscard]] bool is_some_extent(ValueId steps) const {
    const Node* node = producer_of(outer_.graph(), steps);
    return call_of(node, "Gather") != nullptr &&
           call_of(producer_of(outer_.graph(), node->inputs[0]), "Shape") != nullptr;
  }

  [[nodiscard]] bool is_unsqueezed(ValueId id) const {
    return std::any_of(unsqueezed_.begin(), unsqueezed_.end(), [&](const Unsqueezed& each) { return each.id == id; });
  }

  /// By value: what the Scan's outputs and next states are made of, and has no counterpart yet.
  [[nodiscard]] std::vector<bool> needed() const {
    std::vector<ValueId> roots;
    for (std::size_t i = 0; i < loop_.carried; ++i) roots.push_back(pushed_[i].valid() ? pushed_[i] : next(i));
    for (std::size_t k = 0; k < loop_.outputs; ++k) roots.push_back(body_.outputs[1 + loop_.carried + k]);
    return graph::values_behind(body_, roots, [&](ValueId id) { return mapping_(id).valid() || is_unsqueezed(id); });
  }

  Result<void> copy_needed(ScanBuilder& made) {
    for (const auto& [id, element, axis] : unsqueezed_) {
      const ValueId axes = made.body().add_constant(Tensor::of<std::int64_t>({1}, {axis}), "axes");
      TRY_ASSIGN(const auto wide, made.body().call("Unsqueeze", {}, {element, axes}, body_[id].name));
      mapping_[id] = wide[0];
    }
    return graph::copy_nodes(body_, needed(), mapping_, made.body());
  }

  Rewritten finish(ScanBuilder& made, const std::vector<std::size_t>& index) {
    const auto is_wanted = [&](std::size_t output) {
      return output < outputs_.size() && !outputs_[output].name.empty();
    };
    for (std::size_t i = 0; i < loop_.carried; ++i) {
      if (pushed_[i].valid()) continue;
      made.set_next(index[i], mapping_(next(i)));
      if (is_wanted(i)) made.set_final(index[i], outputs_[i]);
    }
    for (std::size_t k = 0; k < loop_.outputs; ++k) {
      const std::size_t output = loop_.carried + k;
      if (is_wanted(output)) made.add_output(mapping_(body_.outputs[1 + output]), outputs_[output], {0, false});
    }
    for (std::size_t i = 0; i < loop_.carried; ++i) {
      if (!pushed_[i].valid() || !is_wanted(i)) continue;
      ValueInfo value;
      value.name = outputs_[i].name + "_stacked";
      made.add_output(mapping_(pushed_[i]), value, {0, false});
    }
    const std::size_t states = made.states();
    TRY_ASSIGN(const std::vector<ValueId> results, made.finish(node_.name, node_.label));
    std::vector<ValueId> replaced(outputs_.size());
    std::size_t at = states;
    for (std::size_t i = 0; i < loop_.carried; ++i)
      if (!pushed_[i].valid() && is_wanted(i)) replaced[i] = results[index[i]];
    for (std::size_t k = 0; k < loop_.outputs; ++k)
      if (is_wanted(loop_.carried + k)) replaced[loop_.carried + k] = results[at++];
    for (std::size_t i = 0; i < loop_.carried; ++i) {
      if (!pushed_[i].valid() || !is_wanted(i)) continue;
      const std::vector<ops::Attribute> attributes{{"axis", std::int64_t{0}}, {"keepdims", std::int64_t{0}}};
      TRY_ASSIGN(const auto sequence, outer_.call("SplitToSequence", attributes, {results[at++]}, outputs_[i].name));
      replaced[i] = sequence[0];
    }
    if (notes_ != nullptr)
      notes_->push_back({node_.label, "raised", "Loop", "the number of steps is known before it starts"});
    return {std::move(replaced)};
  }

  /// The numbers of the steps are a tensor: a loop of more steps stays a Loop.
  static constexpr std::int64_t kMostSteps = std::int64_t{1} << 27;

  struct Unsqueezed {
    ValueId id;
    ValueId element;
    std::int64_t axis;
  };

  graph::Builder& outer_;
  const Node& node_;
  const LoopOp& loop_;
  const graph::Graph& body_;
  std::span<const ValueInfo> outputs_;
  std::vector<Note>* notes_;
  IndexForms forms_;
  Mapping mapping_;
  ValueId count_;  ///< outer; invalid: none
  bool has_bound_ = false;
  bool has_exact_length_ = false;  ///< an element is a whole tensor, whose extent is the number of steps
  IndexForm bound_;                ///< steps after the first one
  std::vector<ValueId> pushed_;    ///< by carried value: what a sequence gets in each step; invalid for tensors
  std::vector<ops::Fact> facts_;   ///< of the body's values
  std::vector<Unsqueezed> unsqueezed_;
};

}  // namespace

Rewritten raise_loop(graph::Builder& outer, const Node& node, const LoopOp& loop, std::span<const ValueInfo> outputs,
                     std::vector<Note>* notes) {
  return Raise(outer, node, loop, outputs, notes).run();
}

}  // namespace pawl::scan
