#include "scan/standard/taps.h"

#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/arithmetic.h"

namespace pawl::scan {
namespace {

using graph::Node;
using graph::ValueId;

/// A sum of taps; or a window of such sums, side by side along an axis of its own.
struct Form {
  std::optional<std::size_t> axis;
  std::vector<Taps> entries;
};

class TapWalk {
 public:
  TapWalk(const Site& site, const Dependence& dependence, const std::vector<std::size_t>& line)
      : site_(site), dependence_(dependence), make_(site.outer), forms_(site.body.values.size()) {
    for (const graph::Capture& capture : site.scan.body.captures) captured_[capture.inner.index] = capture.outer;
    const Type& type = site.body[site.state(line[0])].fact.type;
    one_ = Arithmetic(site.outer).constant(type.dtype, 1);
    for (std::size_t i = 0; i < line.size(); ++i) forms_[site.state(line[i]).index] = tap(i + 1);
    forms_[site.next(line[0]).index] = tap(0);
    rank_ = type.shape->size();
  }

  Result<TappedValues> run() {
    TappedValues found{{}, one_};
    if (!one_.valid()) return found;
    for (const Node& node : site_.body.nodes) {
      if (node.outputs.size() != 1 || forms_[node.outputs[0].index]) continue;
      TRY_ASSIGN(forms_[node.outputs[0].index], form_of(node));
    }
    found.list = tapped();
    return found;
  }

 private:
  Form tap(std::size_t number) const { return {std::nullopt, {Taps{{number, one_}}}}; }

  const std::optional<Form>& at(ValueId id) const { return forms_[id.index]; }

  /// A value that is the same in every step, outside; invalid where it is none, or not there.
  ValueId steady(ValueId inner) {
    if (!dependence_.invariant(inner)) return {};
    if (const auto found = captured_.find(inner.index); found != captured_.end()) return found->second;
    const Tensor* constant = site_.body[inner].fact.tensor();
    return constant == nullptr ? ValueId() : site_.outer.add_constant(*constant, site_.body[inner].name);
  }

  Result<std::optional<Form>> form_of(const Node& node) {
    for (const ValueId id : node.inputs)
      if (!id.valid()) return std::optional<Form>();
    if (call_of(&node, "Identity") != nullptr) return at(node.inputs[0]);
    if (call_of(&node, "Add") != nullptr) return sum(at(node.inputs[0]), at(node.inputs[1]), false);
    if (call_of(&node, "Sub") != nullptr) return sum(at(node.inputs[0]), at(node.inputs[1]), true);
    if (call_of(&node, "Mul") != nullptr)
      return at(node.inputs[0]) ? scaled(node.inputs[0], node.inputs[1]) : scaled(node.inputs[1], node.inputs[0]);
    if (call_of(&node, "Unsqueeze") != nullptr) return widened(node);
    if (const auto* call = call_of(&node, "Concat")) return joined(node, *call);
    if (const auto* call = call_of(&node, "ReduceSum")) return summed(node, *call);
    return std::optional<Form>();
  }

  Result<std::optional<Form>> sum(const std::optional<Form>& a, const std::optional<Form>& b, bool minus) {
    if (!a || !b || a->axis || b->axis) return std::optional<Form>();
    Form made = *a;
    TRY(add(made.entries[0], b->entries[0], minus));
    return std::optional(std::move(made));
  }

  Result<void> add(Taps& to, const Taps& more, bool minus) {
    for (const auto& [tap, factor] : more) {
      ValueId added = factor;
      if (minus) {
        TRY_ASSIGN(added, make_.call("Neg", {factor}));
      }
      const auto known = to.find(tap);
      if (known == to.end()) {
        to.emplace(tap, added);
      } else {
        TRY_ASSIGN(known->second, make_.call("Add", {known->second, added}));
      }
    }
    return {};
  }

  Result<std::optional<Form>> scaled(ValueId tapped, ValueId other) {
    const ValueId factor = at(tapped) ? steady(other) : ValueId();
    if (!factor.valid()) return std::optional<Form>();
    Form made = *at(tapped);
    const std::optional<SymbolicShape> shape = site_.outer.fact(factor).type.shape;
    const std::size_t rank = rank_ + (made.axis ? 1 : 0);
    if (!shape || shape->size() > rank || !fits_window(*shape, rank, made)) return std::optional<Form>();
    for (std::size_t entry = 0; entry < made.entries.size(); ++entry) {
      TRY_ASSIGN(const ValueId part, factor_of(factor, *shape, rank, made, entry));
      for (auto& [tap, had] : made.entries[entry]) {
        if (had == one_)
          had = part;
        else {
          TRY_ASSIGN(had, make_.call("Mul", {had, part}));
        }
      }
    }
    return std::optional(std::move(made));
  }

  /// A factor has one slice for each entry of a window, or one for all.
  static bool fits_window(const SymbolicShape& shape, std::size_t rank, const Form& form) {
    if (!form.axis || *form.axis + shape.size() < rank) return true;
    const std::int64_t extent = shape[*form.axis + shape.size() - rank].value;
    return extent == 1 || extent == static_cast<std::int64_t>(form.entries.size());
  }

  /// What a window's entry is multiplied with: the factor's slice along the window's axis, or all of it.
  Result<ValueId> factor_of(ValueId factor, const SymbolicShape& shape, std::size_t rank, const Form& form,
                            std::size_t entry) {
    if (!form.axis || *form.axis + shape.size() < rank) return factor;
    const std::size_t axis = *form.axis + shape.size() - rank;
    const std::int64_t index = shape[axis].value == 1 ? 0 : static_cast<std::int64_t>(entry);
    return make_.call("Gather", {factor, make_.integer(index)}, {{"axis", static_cast<std::int64_t>(axis)}});
  }

  Result<std::optional<Form>> widened(const Node& node) {
    const std::optional<std::int64_t> axis = graph::integer_in(site_.body[node.inputs.back()].fact.tensor());
    const std::optional<Form>& form = at(node.inputs[0]);
    if (node.inputs.size() != 2 || !form || form->axis || !axis) return std::optional<Form>();
    const Result<std::size_t> place = graph::resolve_axis(*axis, rank_ + 1, "axis");
    if (!place.ok()) return std::optional<Form>();
    Form made = *form;
    made.axis = *place;
    return std::optional(std::move(made));
  }

  Result<std::optional<Form>> joined(const Node& node, const graph::OpCall& call) const {
    const Result<std::size_t> axis = graph::resolve_axis(call.attributes.integer("axis", 0), rank_ + 1, "axis");
    Form made;
    if (!axis.ok()) return std::optional<Form>();
    made.axis = *axis;
    for (const ValueId id : node.inputs) {
      if (!at(id) || at(id)->axis != made.axis) return std::optional<Form>();
      made.entries.insert(made.entries.end(), at(id)->entries.begin(), at(id)->entries.end());
    }
    return std::optional(std::move(made));
  }

  Result<std::optional<Form>> summed(const Node& node, const graph::OpCall& call) {
    const std::optional<Form>& form = at(node.inputs[0]);
    if (node.inputs.size() != 2 || !form || !form->axis || call.attributes.integer("keepdims", 1) != 0)
      return std::optional<Form>();
    const std::optional<std::int64_t> axis = graph::integer_in(site_.body[node.inputs[1]].fact.tensor());
    if (!axis) return std::optional<Form>();
    const Result<std::size_t> place = graph::resolve_axis(*axis, rank_ + 1, "axis");
    if (!place.ok() || *place != *form->axis) return std::optional<Form>();
    Form made{std::nullopt, {Taps()}};
    for (const Taps& entry : form->entries) TRY(add(made.entries[0], entry, false));
    return std::optional(std::move(made));
  }

  /// Those that something reads which is no sum of taps itself.
  std::vector<TappedValue> tapped() const {
    std::vector<bool> read(forms_.size(), false);
    for (const Node& node : site_.body.nodes) {
      const bool goes_on = node.outputs.size() == 1 && forms_[node.outputs[0].index].has_value();
      if (!goes_on) for_each_read(node, [&](ValueId id) { read[id.index] = true; });
    }
    for (const ValueId id : site_.body.outputs) read[id.index] = true;
    std::vector<TappedValue> found;
    for (std::uint32_t i = 0; i < forms_.size(); ++i)
      if (read[i] && forms_[i] && !forms_[i]->axis && forms_[i]->entries[0].size() > 1)
        found.push_back({{i}, forms_[i]->entries[0]});
    return found;
  }

  const Site& site_;
  const Dependence& dependence_;
  TimeAxis make_;
  std::vector<std::optional<Form>> forms_;  ///< by value
  std::unordered_map<std::uint32_t, ValueId> captured_;
  ValueId one_;
  std::size_t rank_ = 0;
};

}  // namespace

Result<TappedValues> find_tapped(const Site& site, const Dependence& dependence, const std::vector<std::size_t>& line) {
  return TapWalk(site, dependence, line).run();
}

}  // namespace pawl::scan
