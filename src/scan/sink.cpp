// What no next state reads is computed after the loop, for all steps at once, from what the loop then gives out.
#include <algorithm>

#include "base/try.h"
#include "scan/over_time.h"
#include "scan/pass.h"
#include "scan/policy.h"
#include "scan/remake.h"

namespace pawl::scan {
namespace {

class Sink {
 public:
  explicit Sink(const Site& site)
      : site_(site),
        dependence_(site.scan),
        all_(site, dependence_),
        stays_(graph::values_behind(site.body, std::span(site.body.outputs).first(site.scan.states))),
        wanted_(site.body.values.size(), false),
        read_inside_(wanted_),
        read_outside_(wanted_),
        sunk_(wanted_),
        programs_(site.body.nodes.size()) {}

  Rewritten run() {
    if (!agree_on_length(site_) || site_.scan.outputs == 0) return {std::nullopt};
    for (std::size_t k = 0; k < site_.scan.outputs; ++k)
      if (!site_.outputs[site_.scan.states + k].name.empty()) wanted_[site_.output(k).index] = true;
    bool any = false;
    for (std::size_t n = site_.body.nodes.size(); n-- > 0;) any = try_sink(n) || any;
    if (!any) return {std::nullopt};
    return rewrite();
  }

 private:
  /// Values that the loop would have to give out for this node to run after it.
  [[nodiscard]] double given_out(const graph::Node& node) const {
    double count = 0;
    for_each_read(node, [&](ValueId id) {
      if (!dependence_.invariant(id) && !all_.has(id) && !wanted_[id.index])
        count += elements_in(site_.body[id].fact.type).value_or(std::numeric_limits<double>::infinity());
    });
    return count;
  }

  [[nodiscard]] bool pays(const graph::Node& node) const {
    const auto* call = std::get_if<graph::OpCall>(&node.operation);
    if (call == nullptr && !stays_narrow(site_.body, node)) return false;
    const bool with_weights = std::any_of(node.inputs.begin(), node.inputs.end(),
                                          [&](ValueId id) { return id.valid() && dependence_.invariant(id); });
    double most = limit(call == nullptr ? policy_for_loop() : policy_for(*call->def, with_weights), site_.runner);
    double made = 0;
    for (const ValueId id : node.outputs)
      if (id.valid() && wanted_[id.index]) made += elements_in(site_.body[id].fact.type).value_or(0);
    // What follows a node that moves has to move too; by itself it may write what it reads.
    if (graph::any_of(node.outputs, read_outside_)) most = std::max(most, 1.0);
    return most > 0 && given_out(node) <= most * made;
  }

  /// From the last node to the first: all that read this one have been looked at.
  bool try_sink(std::size_t n) {
    const graph::Node& node = site_.body.nodes[n];
    if (!graph::any_of(node.outputs, wanted_) || graph::any_of(node.outputs, stays_)) {
      keep(node);
      return false;
    }
    const bool on_state = std::any_of(node.outputs.begin(), node.outputs.end(),
                                      [&](ValueId id) { return id.valid() && dependence_.on_state(id); });
    const auto over_time = [&](ValueId id) { return !dependence_.invariant(id); };
    bool able = on_state && !graph::any_of(node.outputs, read_inside_);
    for_each_read(node, [&](ValueId id) { able = able && site_.body[id].fact.type.shape.has_value(); });
    std::optional<NodeProgram> program;
    if (able) program = all_.program(node, over_time);
    if (!program || !pays(node)) {
      keep(node);
      return false;
    }
    programs_[n] = std::move(program);
    for (const ValueId id : node.outputs)
      if (id.valid()) sunk_[id.index] = true;
    for_each_read(node, [&](ValueId id) {
      read_outside_[id.index] = true;
      if (!dependence_.invariant(id)) wanted_[id.index] = true;
    });
    return true;
  }

  /// The node stays in the loop: so does what it reads.
  void keep(const graph::Node& node) {
    if (graph::any_of(node.outputs, wanted_) || graph::any_of(node.outputs, stays_))
      for_each_read(node, [&](ValueId id) { read_inside_[id.index] = true; });
  }
  Rewritten rewrite() {
    const graph::ScanOp& scan = site_.scan;
    std::vector<bool> keeps(scan.outputs, false);
    bool reversed = false;
    for (std::size_t k = 0; k < scan.outputs; ++k) {
      keeps[k] = !site_.outputs[scan.states + k].name.empty() && !sunk_[site_.output(k).index];
      if (sunk_[site_.output(k).index]) reversed = scan.output_reversed[k];
    }
    // Values that cross from the loop to the nodes after it.
    std::vector<ValueId> crossing;
    std::vector<bool> met(sunk_.size(), false);
    for (std::size_t n = 0; n < programs_.size(); ++n) {
      if (!programs_[n]) continue;
      for_each_read(site_.body.nodes[n], [&](ValueId id) {
        if (met[id.index] || dependence_.invariant(id) || all_.has(id) || sunk_[id.index]) return;
        met[id.index] = true;
        crossing.push_back(id);
      });
    }
    Remake made(site_, std::vector<bool>(scan.states, true), keeps);
    for (const ValueId id : crossing) made.give_out(id, {0, reversed});
    TRY_ASSIGN(std::vector<ValueId> results, made.finish());
    for (std::size_t i = 0; i < crossing.size(); ++i) all_.set(crossing[i], {made.given_out(i), reversed});
    for (std::size_t n = 0; n < programs_.size(); ++n)
      if (programs_[n]) {
        TRY(all_.emit(site_.body.nodes[n], *programs_[n], reversed));
        site_.note("sunk", site_.body.nodes[n].label, "no next state reads it");
      }
    for (std::size_t k = 0; k < scan.outputs; ++k) {
      const std::string& name = site_.outputs[scan.states + k].name;
      if (name.empty() || keeps[k]) continue;
      TRY_ASSIGN(const ValueId stacked, all_.get(site_.output(k), reversed));
      TRY_ASSIGN(results[scan.states + k], all_.as_output({stacked, reversed}, k, name));
    }
    return {std::move(results)};
  }

  const Site& site_;
  const Dependence dependence_;
  OverTime all_;
  std::vector<bool> stays_;                           ///< by value: a next state is made of it
  std::vector<bool> wanted_;                          ///< by value: an output, or read by a sunk node
  std::vector<bool> read_inside_;                     ///< by value: by a node that stays in the loop
  std::vector<bool> read_outside_;                    ///< by value: by a sunk node
  std::vector<bool> sunk_;                            ///< by value: a sunk node makes it
  std::vector<std::optional<NodeProgram>> programs_;  ///< by node: how it runs after the loop
};

}  // namespace

Rewritten sink_outputs(const Site& site) { return Sink(site).run(); }

}  // namespace pawl::scan
