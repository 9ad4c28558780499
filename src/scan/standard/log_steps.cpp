// Any recurrence whose elements combine lane by lane: the elements of ever longer runs of steps, twice as long in each
// round (Hillis and Steele 1986), then one act on the initial state.
#include <algorithm>

#include "base/try.h"
#include "scan/standard/standard_form.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

/// What one combination makes of elements of these types: their types, when every operator works lane by lane.
std::optional<std::vector<Type>> combined_types(const Recurrence& law, const std::vector<Type>& types) {
  graph::Builder trial("trial");
  Tuple earlier;
  Tuple later;
  for (const Type& type : types) {
    earlier.push_back(trial.add_input({"a", {type, std::nullopt}, {}}));
    later.push_back(trial.add_input({"b", {type, std::nullopt}, {}}));
  }
  const Result<Tuple> made = law.combine(trial, earlier, later);
  if (!made.ok()) return std::nullopt;
  for (const graph::Node& node : trial.graph().nodes) {
    const auto* call = std::get_if<graph::OpCall>(&node.operation);
    if (call == nullptr || call->def->axes.kind != ops::AxisKind::pointwise) return std::nullopt;
  }
  std::vector<Type> results;
  for (const ValueId id : *made) {
    if (!trial.fact(id).type.static_shape()) return std::nullopt;
    results.push_back(trial.fact(id).type);
  }
  return results;
}

/// Broadcasts elements until combining them does not change their shapes. False: they have no such shapes.
Result<bool> settle(const Site& site, const Recurrence& law, Tuple& elements) {
  TimeAxis make(site.outer);
  for (std::size_t round = 0; round <= elements.size(); ++round) {
    std::vector<Type> types;
    for (const ValueId id : elements) types.push_back(site.outer.fact(id).type);
    const std::optional<std::vector<Type>> wanted = combined_types(law, types);
    if (!wanted) return false;
    bool changed = false;
    for (std::size_t i = 0; i < elements.size(); ++i) {
      if (types[i].static_shape() == (*wanted)[i].static_shape()) continue;
      changed = true;
      const Dims shape = *(*wanted)[i].static_shape();
      TRY_ASSIGN(elements[i], make.expand(elements[i], make.integers({shape.begin(), shape.end()})));
    }
    if (!changed) return true;
  }
  return false;
}

class Rounds {
 public:
  Rounds(const Site& site, const Recurrence& law, std::int64_t steps, bool reversed)
      : make_(site.outer), law_(law), steps_(steps), reversed_(reversed) {}

  /// The elements of all steps up to each one.
  Result<Tuple> run(Tuple elements) {
    for (std::int64_t distance = 1; distance < steps_; distance *= 2) {
      TRY_ASSIGN(const Tuple low, rows(elements, 0, steps_ - distance));
      TRY_ASSIGN(const Tuple high, rows(elements, distance, steps_));
      TRY_ASSIGN(const Tuple both, law_.combine(make_.builder(), reversed_ ? high : low, reversed_ ? low : high));
      const std::int64_t start = reversed_ ? steps_ - distance : 0;
      TRY_ASSIGN(const Tuple done, rows(elements, start, start + distance));
      for (std::size_t i = 0; i < elements.size(); ++i) {
        TRY_ASSIGN(elements[i],
                   make_.concat(reversed_ ? std::vector{both[i], done[i]} : std::vector{done[i], both[i]}));
      }
    }
    return elements;
  }

 private:
  Result<Tuple> rows(const Tuple& tuple, std::int64_t start, std::int64_t end) {
    Tuple cut;
    for (const ValueId id : tuple) {
      TRY_ASSIGN(const ValueId part, make_.slice(id, start, end));
      cut.push_back(part);
    }
    return cut;
  }

  TimeAxis make_;
  const Recurrence& law_;
  std::int64_t steps_;
  bool reversed_;
};

}  // namespace

TakeOut as_log_steps(FormSite& at) {
  const Dim trips = at.site.trips();
  const Arrangement& arrangement = at.match().arrangement;
  if (!at.forms.parallel_scan || at.match().recurrence == &kDelay) return {std::nullopt};
  if (arrangement.column || !arrangement.order.empty()) return {std::nullopt};
  if (!trips.known()) {
    at.site.note("kept", at.site.body[at.site.state(at.component.states[0])].name,
                 "the number of steps is not known: --dim gives it");
    return {std::nullopt};
  }
  if (trips.value < 1) return {std::nullopt};
  TRY_ASSIGN(const LiftOverTime* lift, at.lift());
  if (lift == nullptr) return {std::nullopt};
  const Site& site = at.site;
  const Recurrence& law = *at.match().recurrence;
  const auto rank_of = [&](ValueId id) { return site.outer.fact(id).type.shape->size(); };
  const std::size_t rank = rank_of(site.initial(at.component.states[0]));
  for (const std::size_t state : at.component.states)
    if (rank_of(site.initial(state)) != rank) return {std::nullopt};
  for (const Lifted& each : lift->tuple)
    if (rank_of(each.outer) > rank + (each.steady ? 0 : 1)) return {std::nullopt};
  Tuple elements;
  for (const Lifted& each : lift->tuple) {
    TRY_ASSIGN(const ValueId rows, over_steps(site, each, rank));
    elements.push_back(rows);
  }
  TRY_ASSIGN(const bool settled, settle(site, law, elements));
  if (!settled) return {std::nullopt};
  TRY_ASSIGN(elements, Rounds(site, law, trips.value, lift->reversed).run(std::move(elements)));
  TimeAxis make(site.outer);
  Tuple initial;
  for (const std::size_t state : at.component.states) {
    TRY_ASSIGN(const ValueId first, make.with_axes(site.initial(state), 0, 1));
    initial.push_back(first);
  }
  TRY_ASSIGN(const Tuple after, law.act(site.outer, elements, initial));
  TakenOut out{at.component.states, {}, "a recurrence: a chain of logarithmic length"};
  for (std::size_t i = 0; i < after.size(); ++i) {
    TRY_ASSIGN(const ValueId rows, as_state_over_steps(site, {after[i], false}, out.states[i]));
    out.values.push_back({.after = rows, .reversed = lift->reversed});
  }
  return std::optional(std::move(out));
}

}  // namespace pawl::scan
