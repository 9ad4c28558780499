#include "scan/standard/standard_form.h"

#include <algorithm>
#include <array>

#include "base/try.h"
#include "scan/over_time.h"
#include "scan/remake.h"
#include "scan/standard/time_axis.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

/// Which values of the body what is left of a Scan reads.
struct Reads {
  std::vector<bool> before;  ///< by entry: the state as it comes in
  std::vector<bool> after;   ///< the next state
  std::vector<bool> others;
  bool anything = false;  ///< whether something is left at all
};

bool is_made_by_node(const graph::Graph& body, ValueId id) { return producer_of(body, id) != nullptr; }

class Removal {
 public:
  Removal(const Site& site, TakenOut& out)
      : site_(site), out_(out), keeps_state_(site.scan.states, true), keeps_output_(site.scan.outputs) {
    for (const std::size_t state : out.states) keeps_state_[state] = false;
    for (std::size_t k = 0; k < keeps_output_.size(); ++k)
      keeps_output_[k] = !site.outputs[site.scan.states + k].name.empty();
  }

  Rewritten run() {
    std::vector<ValueId> results(site_.outputs.size());
    for (std::size_t i = 0; i < out_.states.size(); ++i)
      if (!site_.outputs[out_.states[i]].name.empty()) {
        TRY_ASSIGN(results[out_.states[i]], final_of(i));
      }
    const Reads reads = find_reads();
    if (!reads.anything) return {std::move(results)};
    Remake made(site_, keeps_state_, keeps_output_);
    for (std::size_t i = 0; i < out_.states.size(); ++i) {
      const std::size_t state = out_.states[i];
      if (reads.before[i]) {
        TRY_ASSIGN(const ValueId rows, before(i));
        TRY(add(made, site_.state(state), rows, i));
      }
      if (reads.after[i]) {
        TRY_ASSIGN(const ValueId rows, after(i));
        TRY(add(made, site_.next(state), rows, i));
      }
    }
    for (std::size_t i = 0; i < out_.others.size(); ++i)
      if (reads.others[i]) TRY(add(made, out_.others[i].inner, out_.others[i].rows, 0));
    TRY_ASSIGN(const std::vector<ValueId> kept, made.finish());
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i].valid()) results[i] = kept[i];
    return {std::move(results)};
  }

 private:
  Reads find_reads() const {
    Reads reads{std::vector<bool>(out_.states.size(), false), std::vector<bool>(out_.states.size(), false),
                std::vector<bool>(out_.others.size(), false), false};
    std::vector<ValueId> roots;
    for (std::size_t i = 0; i < site_.scan.states; ++i)
      if (keeps_state_[i]) roots.push_back(site_.next(i));
    for (std::size_t k = 0; k < site_.scan.outputs; ++k)
      if (keeps_output_[k]) roots.push_back(site_.output(k));
    reads.anything = !roots.empty();
    static_cast<void>(graph::values_behind(site_.body, roots, [&](ValueId id) {
      bool known = false;
      for (std::size_t i = 0; i < out_.others.size(); ++i)
        if (id == out_.others[i].inner) known = reads.others[i] = true;
      for (std::size_t i = 0; i < out_.states.size(); ++i) {
        if (id == site_.state(out_.states[i])) known = reads.before[i] = true;
        if (id == site_.next(out_.states[i]) && is_made_by_node(site_.body, id)) known = reads.after[i] = true;
      }
      return known;
    }));
    return reads;
  }

  Result<ValueId> all(StateOverTime& value, std::size_t state) {
    if (value.all.valid()) return value.all;
    TimeAxis make(site_.outer);
    TRY_ASSIGN(const ValueId first, make.with_axes(site_.initial(state), 0, 1));
    TRY_ASSIGN(value.all,
               make.concat(value.reversed ? std::vector{value.after, first} : std::vector{first, value.after}));
    return value.all;
  }

  /// Rows of `all` without its first or its last one.
  static TimeAxis::Made part(TimeAxis make, const StateOverTime& value, bool first) {
    const std::int64_t end = value.trail + (first ? 1 : 0);
    return make.slice(value.all, value.lead + (first ? 0 : 1), end == 0 ? TimeAxis::kEnd : -end);
  }
  Result<ValueId> before(std::size_t i) {
    TRY(all(out_.values[i], out_.states[i]));
    return part(TimeAxis(site_.outer), out_.values[i], !out_.values[i].reversed);
  }
  Result<ValueId> after(std::size_t i) {
    const StateOverTime& value = out_.values[i];
    if (value.after.valid()) return value.after;
    return part(TimeAxis(site_.outer), value, value.reversed);
  }
  Result<ValueId> final_of(std::size_t i) {
    StateOverTime& value = out_.values[i];
    TimeAxis make(site_.outer);
    if (site_.trips().value > 0 && value.after.valid()) return make.row(value.after, value.reversed ? 0 : -1);
    TRY_ASSIGN(const ValueId rows, all(value, out_.states[i]));
    return make.row(rows, value.reversed ? value.lead : -1 - value.trail);
  }

  Result<void> add(Remake& made, ValueId inner, ValueId rows, std::size_t i) {
    TRY_ASSIGN(made.mapping()[inner], made.scan().add_element(site_.body[inner], rows, {0, out_.values[i].reversed}));
    return {};
  }

  const Site& site_;
  TakenOut& out_;
  std::vector<bool> keeps_state_;
  std::vector<bool> keeps_output_;
};

/// States in all steps may take no more memory than what the Scan reads or writes anyway; a few numbers always may.
bool pays(const Site& site, const std::vector<std::size_t>& states) {
  constexpr double kFew = 64;
  double most = kFew;
  for (std::size_t i = 0; i < site.scan.elements; ++i)
    most = std::max(most, elements_in(site.body[site.element(i)].fact.type).value_or(0));
  for (std::size_t k = 0; k < site.scan.outputs; ++k)
    if (!site.outputs[site.scan.states + k].name.empty())
      most = std::max(most, elements_in(site.body[site.output(k)].fact.type).value_or(0));
  return std::all_of(states.begin(), states.end(), [&](std::size_t state) {
    const std::optional<double> size = elements_in(site.body[site.state(state)].fact.type);
    return size && *size <= most;
  });
}

/// The states have one shape before the loop and after each step; ranks of what is cut into elements are known.
bool knows_shapes(const Site& site, const std::vector<std::size_t>& states) {
  for (const std::size_t state : states) {
    const auto before = site.outer.fact(site.initial(state)).type.shape;
    const auto& after = site.body[site.next(state)].fact.type.shape;
    if (!before || !after || !same_extents(*before, *after)) return false;
  }
  for (std::size_t i = 0; i < site.scan.elements; ++i)
    if (!site.outer.fact(site.scanned(i)).type.shape) return false;
  return true;
}

using Form = TakeOut (*)(FormSite&);
constexpr std::array<Form, 4> kForms = {as_counter, as_cumulative, as_delay_line, as_log_steps};

}  // namespace

Result<const LiftOverTime*> FormSite::lift() {
  if (!asked_) {
    asked_ = true;
    TRY_ASSIGN(lifted_, lift_over_time(site, std::move(match_.lift)));
  }
  return lifted_ ? &*lifted_ : nullptr;
}

namespace {

/// Takes out the first component that a form is found for.
Rewritten take_out(const Site& site, const StandardForms& forms, std::span<const Form> asked) {
  if (!agree_on_length(site)) return {std::nullopt};
  const Dependence dependence(site.scan);
  for (std::vector<std::size_t>& states : components_of(site.scan, dependence)) {
    if (!knows_shapes(site, states) || (!forms.parallel_scan && !pays(site, states))) continue;
    const Component component{site.scan, site.body, dependence, std::move(states)};
    TRY_ASSIGN(Recognition recognition, recognise(component));
    if (!recognition.match) continue;
    FormSite at(site, forms, component, *recognition.match);
    for (const Form form : asked) {
      TRY_ASSIGN(std::optional<TakenOut> out, form(at));
      if (!out) continue;
      for (const std::size_t state : out->states)
        site.note("replaced", site.body[site.state(state)].name, std::string(out->how));
      return Removal(site, *out).run();
    }
  }
  return {std::nullopt};
}

/// Convolutions are seen while what they multiply still stands in the loop.
Result<graph::Graph> run_convolutions(const graph::Graph& graph, Runner runner, const StandardForms& forms,
                                      std::vector<Note>* notes) {
  constexpr std::array<Form, 1> kConvolution = {as_convolution};
  TRY_ASSIGN(graph::Graph best, run_passes(graph, runner, notes, "invariant"));
  for (bool changed = true; changed;) {
    changed = false;
    TRY_ASSIGN(graph::Graph made, rewrite_scans("convolution", best, runner, notes, changed,
                                                [&](const Site& site) { return take_out(site, forms, kConvolution); }));
    if (changed) best = std::move(made);
  }
  return best;
}

}  // namespace

Result<graph::Graph> run_standard_forms(const graph::Graph& graph, Runner runner, const StandardForms& forms,
                                        std::vector<Note>* notes) {
  graph::Graph best;
  if (forms.exact) {
    TRY_ASSIGN(best, run_passes(graph, runner, notes));
  } else {
    TRY_ASSIGN(const graph::Graph convolved, run_convolutions(graph, runner, forms, notes));
    TRY_ASSIGN(best, run_passes(convolved, runner, notes));
  }
  for (;;) {
    bool changed = false;
    TRY_ASSIGN(graph::Graph made, rewrite_scans("standard", best, runner, notes, changed,
                                                [&](const Site& site) { return take_out(site, forms, kForms); }));
    if (!changed) return best;
    TRY_ASSIGN(best, run_passes(made, runner, notes));
  }
}

}  // namespace pawl::scan
