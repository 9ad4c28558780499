#include "scan/standard/lift_over_time.h"

#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/motion.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

/// A Scan that only lifts: the steps of the site's Scan, with the lift as its body.
graph::ScanOp scan_of(const Site& site, graph::Body lift) {
  graph::ScanOp scan;
  scan.schema = site.scan.schema;
  scan.states = site.scan.states;
  scan.elements = site.scan.elements;
  scan.input_axes = site.scan.input_axes;
  scan.input_reversed = site.scan.input_reversed;
  scan.body = std::move(lift);
  return scan;
}

class Lifting {
 public:
  Lifting(const Site& site, const graph::ScanOp& scan)
      : site_{site.outer, site.node, scan, *scan.body.graph, site.runner, nullptr, site.outputs},
        dependence_(scan),
        all_(site_, dependence_),
        outside_(*scan.body.graph) {
    for (const graph::Capture& capture : scan.body.captures) outside_[capture.inner] = capture.outer;
  }

  Result<std::optional<LiftOverTime>> run() {
    const graph::Graph& lift = site_.body;
    const std::vector<bool> needed = graph::values_behind(lift, lift.outputs);
    for (std::uint32_t i = 0; i < needed.size(); ++i)
      if (needed[i] && dependence_.on_state({i})) return std::optional<LiftOverTime>();
    for (const graph::Node& node : lift.nodes) {
      if (!graph::any_of(node.outputs, needed)) continue;
      TRY_ASSIGN(const bool made, emit(node));
      if (!made) return std::optional<LiftOverTime>();
    }
    return finish();
  }

 private:
  [[nodiscard]] bool moves(ValueId id) const { return dependence_.on_element(id); }

  Result<bool> emit(const graph::Node& node) {
    if (!std::holds_alternative<graph::OpCall>(node.operation)) return false;
    const bool any =
        std::any_of(node.outputs.begin(), node.outputs.end(), [&](ValueId id) { return id.valid() && moves(id); });
    if (!any) return emit_steady(node);
    const std::optional<NodeProgram> program = all_.program(node, [&](ValueId id) { return moves(id); });
    if (!program) return false;
    const auto first =
        std::find_if(node.inputs.begin(), node.inputs.end(), [&](ValueId id) { return id.valid() && moves(id); });
    TRY(all_.emit(node, *program, all_.order_of(*first)));
    return true;
  }

  Result<bool> emit_steady(const graph::Node& node) {
    graph::Node copy;
    copy.name = node.name;
    copy.label = node.label;
    copy.operation = std::get<graph::OpCall>(node.operation);
    for (const ValueId id : node.inputs) copy.inputs.push_back(id.valid() ? steady(id) : id);
    std::vector<const ops::Fact*> facts;
    for (const ValueId id : copy.inputs) facts.push_back(id.valid() ? &site_.outer.fact(id) : nullptr);
    if (!may_run_early(site_, node, facts)) return false;
    TRY_ASSIGN(const std::vector<ValueId> made, site_.outer.add(std::move(copy), graph::outputs_of(site_.body, node)));
    for (std::size_t i = 0; i < made.size(); ++i) {
      if (!node.outputs[i].valid()) continue;
      outside_[node.outputs[i]] = made[i];
      all_.set_captured(node.outputs[i], made[i]);
    }
    return true;
  }

  /// A value that is the same in every step, outside.
  ValueId steady(ValueId inner) {
    if (const ValueId known = outside_(inner); known.valid()) return known;
    const Tensor* constant = site_.body[inner].fact.tensor();
    CHECK(constant != nullptr);
    return site_.outer.add_constant(*constant, site_.body[inner].name);
  }

  Result<std::optional<LiftOverTime>> finish() {
    LiftOverTime made;
    for (const ValueId id : site_.body.outputs)
      if (moves(id)) made.reversed = all_.order_of(id);
    for (const ValueId id : site_.body.outputs) {
      if (!moves(id)) {
        made.tuple.push_back({steady(id), true});
        continue;
      }
      TRY_ASSIGN(const ValueId outer, all_.get(id, made.reversed));
      made.tuple.push_back({outer, false});
    }
    return std::optional<LiftOverTime>(std::move(made));
  }

  const Site site_;
  const Dependence dependence_;
  OverTime all_;
  graph::Mapping outside_;
};

}  // namespace

bool same_extents(std::span<const Dim> a, std::span<const Dim> b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Dim& x, const Dim& y) { return x.same(y); });
}

Result<std::optional<LiftOverTime>> lift_over_time(const Site& site, graph::Body lift) {
  for (const ValueId id : lift.graph->outputs)
    if (!(*lift.graph)[id].fact.type.shape) return std::optional<LiftOverTime>();
  const graph::ScanOp scan = scan_of(site, std::move(lift));
  return Lifting(site, scan).run();
}

Result<ValueId> steps_of(const Site& site) {
  TimeAxis make(site.outer);
  const Dim trips = site.trips();
  if (trips.known()) return make.integers({trips.value});
  const ValueId scanned = site.scanned(0);
  TRY_ASSIGN(const std::size_t axis,
             graph::resolve_axis(site.scan.input_axes[0], site.outer.fact(scanned).type.shape->size(), "scan axis"));
  TRY_ASSIGN(const ValueId shape, make.call("Shape", {scanned}));
  return make.call("Gather", {shape, make.integers({static_cast<std::int64_t>(axis)})}, {{"axis", std::int64_t{0}}});
}

Result<ValueId> over_steps(const Site& site, const Lifted& lifted, std::size_t rank) {
  TimeAxis make(site.outer);
  const std::size_t own = site.outer.fact(lifted.outer).type.shape->size();
  CHECK(own <= rank + (lifted.steady ? 0 : 1));
  if (!lifted.steady) return make.with_axes(lifted.outer, 1, rank + 1 - own);
  TRY_ASSIGN(const ValueId wide, make.with_axes(lifted.outer, 0, rank + 1 - own));
  TRY_ASSIGN(const ValueId steps, steps_of(site));
  if (rank == 0) return make.expand(wide, steps);
  const ValueId ones = make.integers(std::vector<std::int64_t>(rank, 1));
  TRY_ASSIGN(const ValueId shape, make.concat({steps, ones}));
  return make.expand(wide, shape);
}

Result<ValueId> as_state_over_steps(const Site& site, const Lifted& lifted, std::size_t state) {
  TimeAxis make(site.outer);
  const SymbolicShape wanted = *site.outer.fact(site.initial(state)).type.shape;
  TRY_ASSIGN(const ValueId wide, over_steps(site, lifted, wanted.size()));
  const SymbolicShape got = *site.outer.fact(wide).type.shape;
  if (same_extents(std::span(got).subspan(1), wanted)) return wide;
  TRY_ASSIGN(const ValueId extents, make.call("Shape", {site.initial(state)}));
  TRY_ASSIGN(const ValueId shape, make.concat({make.integers({1}), extents}));
  return make.expand(wide, shape);
}

}  // namespace pawl::scan
