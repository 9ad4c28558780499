#include "scan/raise/steps.h"

#include <algorithm>
#include <limits>

#include "base/try.h"
#include "graph/infer.h"

namespace pawl::scan {
namespace {

using graph::Node;
using graph::OpCall;

std::optional<bool> bool_in(const Tensor* constant) {
  if (constant == nullptr || constant->dtype() != DType::boolean || constant->size() != 1) return std::nullopt;
  const Result<Tensor> dense = constant->to_dense();
  return dense.ok() ? std::optional(*dense->data<bool>()) : std::nullopt;
}

/// A comparison of integers as: it holds when high - low > 0, plus 1 where the two may be equal.
struct Comparison {
  std::size_t low = 0;  ///< place among the node's inputs
  std::size_t high = 1;
  std::int64_t extra = 0;
};

std::optional<Comparison> comparison(std::string_view op, bool negated) {
  Comparison made;
  const bool less = op == "Less" || op == "LessOrEqual";
  if (!less && op != "Greater" && op != "GreaterOrEqual") return std::nullopt;
  const bool or_equal = op.ends_with("OrEqual");
  // not (a < b) is b <= a.
  if (less == negated) std::swap(made.low, made.high);
  made.extra = or_equal != negated ? 1 : 0;
  return made;
}

/// Another step follows step t while start - step * (t + 1) > 0.
struct Countdown {
  Linear start;
  std::int64_t step = 1;
  bool from_start = false;  ///< the first step comes only if start > 0
};

/// A truth value outside of the loop.
struct Flag {
  ValueId value;
  bool negated = false;
};

class StepCount {
 public:
  StepCount(LoopSite& site, IndexForms& forms, std::string& refusal)
      : site_(site), outer_(site.outer), forms_(forms), refusal_(refusal) {}

  Result<std::optional<Steps>> run() {
    const auto& inputs = site_.node.inputs;
    const bool has_count = !inputs.empty() && inputs[0].valid();
    const bool has_condition = inputs.size() > 1 && inputs[1].valid();
    const auto most = has_count ? graph::integer_in(outer_.fact(inputs[0]).tensor()) : std::nullopt;
    // With a trip count alone the body's condition is not looked at; after the last step nothing follows from it.
    const bool comes_again = !most || *most > 1;
    if ((has_condition && comes_again) || !has_count) {
      TRY_ASSIGN(const bool found, add_condition(site_.condition(), false));
      if (!found) return std::optional<Steps>();
    }
    if (has_condition) TRY(add_first_condition(inputs[1], false));
    if (has_count && most != std::numeric_limits<std::int64_t>::max()) count_ = inputs[0];
    if (!count_.valid() && countdowns_.empty() && !ends_) {
      refusal_ = "nothing says when it ends";
      return std::optional<Steps>();
    }
    TRY_ASSIGN(Steps steps, emit());
    return std::optional<Steps>(std::move(steps));
  }

 private:
  // --- the body's condition

  /// Takes in what `condition` demands; false, with the refusal set, where that is not known before the loop.
  Result<bool> add_condition(ValueId condition, bool negated) {
    condition = site_.behind(condition);
    const auto known = bool_in(site_.fact(condition).tensor());
    if (known || condition == site_.going()) {
      ends_ = ends_ || known.value_or(true) == negated;
      return true;
    }
    TRY_ASSIGN(const ValueId outside, site_.outside(condition));
    if (outside.valid() && has_one_element(condition)) {
      flags_.push_back({outside, negated});
      return true;
    }
    const Node* node = site_.producer(condition);
    if (node == nullptr) return refuse(condition);
    if (const auto* branch = std::get_if<graph::IfOp>(&node->operation)) {
      const auto in = [](const graph::Body& body) {
        return bool_in((*body.graph)[body.graph->outputs[0]].fact.tensor());
      };
      if (node->outputs.size() != 1) return refuse(condition);
      return add_choice(*node, in(branch->then_branch), in(branch->else_branch), negated);
    }
    const auto* call = std::get_if<OpCall>(&node->operation);
    if (call == nullptr || !call->def->domain.empty()) return refuse(condition);
    return add_call(*node, call->def->name, negated);
  }

  Result<bool> refuse(ValueId condition) {
    refusal_ = fmt::format("its end follows from \"{}\", which is computed in each step", site_.body[condition].name);
    return false;
  }

  Result<bool> add_call(const Node& node, std::string_view op, bool negated) {
    if (op == "Not") return add_condition(node.inputs[0], !negated);
    if (op == (negated ? "Or" : "And")) {
      TRY_ASSIGN(const bool first, add_condition(node.inputs[0], negated));
      if (!first) return false;
      return add_condition(node.inputs[1], negated);
    }
    const bool keeps = op == "Squeeze" || op == "Unsqueeze" || op == "Reshape" || op == "Cast";
    if (keeps && site_.type(node.inputs[0]).dtype == DType::boolean && has_one_element(node.inputs[0]))
      return add_condition(node.inputs[0], negated);
    if (op == "Where")
      return add_choice(node, bool_in(site_.fact(node.inputs[1]).tensor()),
                        bool_in(site_.fact(node.inputs[2]).tensor()), negated);
    if (const auto compared = comparison(op, negated)) return add_comparison(node, *compared);
    return refuse(node.outputs[0]);
  }

  [[nodiscard]] bool has_one_element(ValueId inner) const {
    const auto& shape = site_.type(inner).shape;
    return shape && std::all_of(shape->begin(), shape->end(), [](const Dim& dim) { return dim.value == 1; });
  }

  /// The node's first input chooses between two constants.
  Result<bool> add_choice(const Node& node, std::optional<bool> then, std::optional<bool> otherwise, bool negated) {
    if (!then || !otherwise || *then == *otherwise) return refuse(node.outputs[0]);
    return add_condition(node.inputs[0], negated == *then);
  }

  Result<bool> add_comparison(const Node& node, const Comparison& compared) {
    TRY_ASSIGN(const auto low, forms_.of(node.inputs[compared.low]));
    TRY_ASSIGN(const auto high, forms_.of(node.inputs[compared.high]));
    auto room = low && high ? plus(*high, *low, -1) : std::nullopt;
    if (!room) return refuse(node.outputs[0]);
    room->rest.offset += compared.extra;
    if (room->scale < 0) {
      Countdown countdown{room->rest, -room->scale};
      countdown.start.offset += countdown.step;
      countdowns_.push_back(std::move(countdown));
      return true;
    }
    // Where it holds after the first step, it holds ever after.
    if (room->rest.constant()) {
      ends_ = ends_ || room->rest.offset <= 0;
      return true;
    }
    TRY_ASSIGN(const ValueId left, site_.integers.emit(room->rest, "room"));
    TRY_ASSIGN(const auto holds, outer_.call("Greater", {}, {left, integer(0)}, "goes_on"));
    flags_.push_back({holds[0], false});
    return true;
  }

  // --- the Loop's own condition

  /// What has to hold for the first step to come. Where a countdown says the same, it is counted from the start.
  Result<void> add_first_condition(ValueId condition, bool negated) {
    if (const auto known = bool_in(outer_.fact(condition).tensor())) {
      never_ = never_ || *known == negated;
      return {};
    }
    const Node* node = producer_of(outer_.graph(), condition);
    const auto* call = node == nullptr ? nullptr : std::get_if<OpCall>(&node->operation);
    const std::string_view op = call != nullptr && call->def->domain.empty() ? call->def->name : std::string_view();
    if (op == "Identity") return add_first_condition(node->inputs[0], negated);
    if (op == "Not") return add_first_condition(node->inputs[0], !negated);
    if (op == (negated ? "Or" : "And")) {
      const std::vector<ValueId> inputs = node->inputs;
      TRY(add_first_condition(inputs[0], negated));
      return add_first_condition(inputs[1], negated);
    }
    if (const auto compared = comparison(op, negated)) {
      const auto low = site_.integers.of(node->inputs[compared->low]);
      const auto high = site_.integers.of(node->inputs[compared->high]);
      auto room = low && high ? minus(*high, *low) : std::nullopt;
      if (room) room->offset += compared->extra;
      for (Countdown& countdown : countdowns_) {
        if (!room || !same(countdown.start, *room)) continue;
        countdown.from_start = true;
        return {};
      }
    }
    gates_.push_back({condition, negated});
    return {};
  }

  // --- the number

  ValueId integer(std::int64_t value) { return outer_.add_constant(Tensor::scalar<std::int64_t>(value), "steps"); }

  Result<ValueId> call(std::string_view op, std::vector<ValueId> inputs) {
    TRY_ASSIGN(const auto made, outer_.call(op, {}, std::move(inputs), "steps"));
    return made[0];
  }

  Result<ValueId> at_least(ValueId value, std::int64_t least) {
    if (const auto known = graph::integer_in(outer_.fact(value).tensor())) return integer(std::max(*known, least));
    const auto sum = site_.integers.of(value);
    if (least == 0 && sum && site_.integers.never_negative(*sum)) return value;
    return call("Max", {value, integer(least)});
  }

  /// Values that may be anything, kept from wrapping when something is added.
  Result<Linear> kept_small(Linear sum) {
    if (sum.offset == 0 && sum.terms.size() == 1 && sum.terms[0].factor == 1) return sum;
    constexpr std::int64_t kFar = std::int64_t{1} << 50;
    for (Linear::Term& term : sum.terms) {
      if (!term.symbol.empty()) continue;
      TRY_ASSIGN(const ValueId value, site_.integers.scalar(term.value, "steps"));
      TRY_ASSIGN(const ValueId below, call("Min", {value, integer(kFar)}));
      TRY_ASSIGN(term.value, call("Max", {below, integer(-kFar)}));
    }
    return sum;
  }

  Result<ValueId> emit(const Countdown& countdown) {
    TRY_ASSIGN(const Linear start, kept_small(countdown.start));
    TRY_ASSIGN(ValueId steps, site_.integers.emit(start, "steps"));
    if (countdown.step != 1) {
      TRY_ASSIGN(steps, at_least(steps, 0));
      TRY_ASSIGN(steps, call("Add", {steps, integer(countdown.step - 1)}));
      TRY_ASSIGN(steps, call("Div", {steps, integer(countdown.step)}));
    }
    return at_least(steps, countdown.from_start ? 0 : 1);
  }

  Result<Steps> emit() {
    if (never_) return Steps{integer(0), Linear(0)};
    std::vector<Linear> limits;
    ValueId steps;
    if (count_.valid()) {
      TRY_ASSIGN(steps, site_.integers.scalar(count_, "steps"));
      if (const auto sum = site_.integers.of(steps)) limits.push_back(*sum);
      TRY_ASSIGN(steps, at_least(steps, 0));
    }
    bool in_terms = flags_.empty() && (!count_.valid() || !limits.empty());
    for (const Countdown& countdown : countdowns_) {
      if (countdown.step == 1 &&
          std::any_of(limits.begin(), limits.end(), [&](const Linear& limit) { return same(limit, countdown.start); }))
        continue;
      // Where a step comes in any case, there may be one more than the countdown says.
      const auto more = minus(countdown.start, Linear(1));
      const bool counts_all = countdown.from_start || (more && site_.integers.never_negative(*more));
      in_terms = in_terms && countdown.step == 1 && counts_all;
      limits.push_back(countdown.start);
      TRY_ASSIGN(const ValueId limit, emit(countdown));
      if (!steps.valid()) {
        steps = limit;
      } else {
        TRY_ASSIGN(steps, call("Min", {steps, limit}));
      }
    }
    if (ends_) {
      steps = steps.valid() ? steps : integer(1);
      TRY_ASSIGN(steps, call("Min", {steps, integer(1)}));
      limits.assign(1, Linear(1));
      in_terms = true;
    }
    TRY_ASSIGN(steps, gated(steps));
    auto inside = in_terms ? smallest(limits) : std::nullopt;
    return Steps{steps, inside ? std::move(inside) : site_.integers.of(steps)};
  }

  /// The steps when each flag and gate is looked at.
  Result<ValueId> gated(ValueId steps) {
    for (const bool is_gate : {false, true}) {
      for (const Flag& flag : is_gate ? gates_ : flags_) {
        TRY_ASSIGN(const ValueId truth, scalar_truth(flag.value));
        ValueId otherwise = integer(0);
        if (!is_gate) {
          TRY_ASSIGN(otherwise, call("Min", {steps, integer(1)}));
        }
        TRY_ASSIGN(steps, call("Where", flag.negated ? std::vector{truth, otherwise, steps}
                                                     : std::vector{truth, steps, otherwise}));
      }
    }
    return steps;
  }

  Result<ValueId> scalar_truth(ValueId id) {
    const auto shape = outer_.fact(id).type.shape;
    if (shape && shape->empty()) return id;
    return call("Reshape", {id, outer_.add_integers({}, "scalar")});
  }

  /// The one that is never above another; nothing where that cannot be told.
  [[nodiscard]] static std::optional<Linear> smallest(const std::vector<Linear>& limits) {
    const Linear* least = &limits.front();
    for (const Linear& limit : limits) {
      const auto above = difference(limit, *least);
      if (!above) return std::nullopt;
      if (*above < 0) least = &limit;
    }
    return *least;
  }

  LoopSite& site_;
  graph::Builder& outer_;
  IndexForms& forms_;
  std::string& refusal_;
  ValueId count_;                      ///< invalid: as many as the condition lets
  std::vector<Countdown> countdowns_;  ///< the loop ends with the first one that does
  std::vector<Flag> flags_;            ///< there is one step at most where one does not hold
  std::vector<Flag> gates_;            ///< there is no step where one does not hold
  bool ends_ = false;                  ///< after the first step, for sure
  bool never_ = false;                 ///< there is no step, for sure
};

}  // namespace

Result<std::optional<Steps>> find_steps(LoopSite& site, IndexForms& forms, std::string& refusal) {
  return StepCount(site, forms, refusal).run();
}

}  // namespace pawl::scan
