#include "scan/over_time.h"

#include <algorithm>
#include <limits>
#include <set>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/motion.h"

namespace pawl::scan {

using graph::ValueId;
using graph::ValueInfo;

namespace {

Result<std::size_t> axis_of(const Type& type, std::int64_t axis, std::size_t more) {
  CHECK(type.shape.has_value());
  return graph::resolve_axis(axis, type.shape->size() + more, "scan axis");
}

std::vector<std::int64_t> front_to(std::size_t rank, std::size_t axis) {
  std::vector<std::int64_t> perm;
  for (std::size_t i = 1; i < rank; ++i) perm.push_back(static_cast<std::int64_t>(i));
  perm.insert(perm.begin() + static_cast<std::ptrdiff_t>(axis), 0);
  return perm;
}

std::vector<std::int64_t> to_front(std::size_t rank, std::size_t axis) {
  std::vector<std::int64_t> perm{static_cast<std::int64_t>(axis)};
  for (std::size_t i = 0; i < rank; ++i)
    if (i != axis) perm.push_back(static_cast<std::int64_t>(i));
  return perm;
}

}  // namespace

double times_as_large(const Type& type, const Type& base) {
  constexpr double kNotKnown = std::numeric_limits<double>::infinity();
  const std::optional<double> size = elements_in(type);
  const std::optional<double> unit = elements_in(base);
  if (!size || !unit) return kNotKnown;
  std::multiset<std::string> symbols;
  for (const Dim& dim : *base.shape)
    if (!dim.known()) symbols.insert(dim.symbol);
  for (const Dim& dim : *type.shape) {
    if (dim.known()) continue;
    const auto found = symbols.find(dim.symbol);
    if (found == symbols.end()) return kNotKnown;
    symbols.erase(found);
  }
  return *size == 0 ? 0 : *size / std::max(*unit, 1.0);
}

std::optional<double> elements_in(const Type& type) {
  if (!type.is_tensor() || !type.shape) return std::nullopt;
  double count = 1;
  for (const Dim& dim : *type.shape) {
    if (!dim.known() && dim.symbol.empty()) return std::nullopt;
    if (dim.known()) count *= static_cast<double>(dim.value);
  }
  return count;
}

namespace {

/// The elements of the largest value in the bodies of a node.
double widest_inside(const graph::Node& node) {
  double widest = 0;
  graph::for_each_body(node, [&](const graph::Body& body, std::string_view) {
    for (const graph::Node& inner : body.graph->nodes) {
      widest = std::max(widest, widest_inside(inner));
      for (const ValueId id : inner.outputs)
        if (id.valid())
          widest = std::max(widest,
                            elements_in((*body.graph)[id].fact.type).value_or(std::numeric_limits<double>::infinity()));
    }
  });
  return widest;
}

}  // namespace

bool stays_narrow(const graph::Graph& graph, const graph::Node& node) {
  double seen = 0;
  const auto see = [&](ValueId id) { seen = std::max(seen, elements_in(graph[id].fact.type).value_or(0)); };
  for_each_read(node, see);
  for (const ValueId id : node.outputs)
    if (id.valid()) see(id);
  return widest_inside(node) <= seen;
}

OverTime::OverTime(const Site& site, const Dependence& dependence) : site_(site), dependence_(dependence) {
  for (std::size_t i = 0; i < site.scan.elements; ++i) element_of_[site.element(i).index] = i;
  for (const graph::Capture& capture : site.scan.body.captures) captured_[capture.inner.index] = capture.outer;
}

bool OverTime::order_of(ValueId inner) const {
  if (const auto found = stacked_.find(inner.index); found != stacked_.end()) return found->second.reversed;
  const auto element = element_of_.find(inner.index);
  return element != element_of_.end() && site_.scan.input_reversed[element->second];
}

Result<ValueId> reversed_along(graph::Builder& to, ValueId value, std::int64_t axis, const std::string& name) {
  const std::vector<ValueId> inputs{value, to.add_integers({-1}, name + "_last"),
                                    to.add_integers({std::numeric_limits<std::int64_t>::min()}, name + "_before_first"),
                                    to.add_integers({axis}, name + "_axis"), to.add_integers({-1}, name + "_step")};
  TRY_ASSIGN(const std::vector<ValueId> made, to.call("Slice", {}, inputs, name + "_reversed"));
  return made[0];
}

Result<ValueId> OverTime::get(ValueId inner, bool reversed) {
  const std::string& name = site_.body[inner].name;
  auto found = stacked_.find(inner.index);
  if (found == stacked_.end()) {
    const auto element = element_of_.find(inner.index);
    CHECK(element != element_of_.end());
    const std::size_t i = element->second;
    ValueId scanned = site_.scanned(i);
    TRY_ASSIGN(const std::size_t axis, axis_of(site_.outer.fact(scanned).type, site_.scan.input_axes[i], 0));
    if (axis != 0) {
      const std::size_t rank = site_.outer.fact(scanned).type.shape->size();
      TRY_ASSIGN(const std::vector<ValueId> made,
                 site_.outer.call("Transpose", {{"perm", to_front(rank, axis)}}, {scanned}, name + "_time_first"));
      scanned = made[0];
    }
    found = stacked_.emplace(inner.index, Stacked{scanned, site_.scan.input_reversed[i]}).first;
  }
  if (found->second.reversed == reversed) return found->second.outer;
  return reversed_along(site_.outer, found->second.outer, 0, name);
}

Result<ValueId> OverTime::invariant(ValueId inner) {
  if (const auto found = captured_.find(inner.index); found != captured_.end()) return found->second;
  const Tensor* constant = site_.body[inner].fact.tensor();
  CHECK(constant != nullptr);
  return site_.outer.add_constant(*constant, site_.body[inner].name);
}

std::optional<NodeProgram> OverTime::program(const graph::Node& node, const HasRows& over_time) const {
  bool any = false;
  bool is_there = true;
  for_each_read(node, [&](ValueId id) {
    any = any || over_time(id);
    // What is invariant and not outside yet stays in the loop, and with it what reads it.
    is_there = is_there && (over_time(id) || captured_.contains(id.index) || site_.body[id].fact.tensor() != nullptr);
  });
  if (!any || !is_there) return std::nullopt;
  return program_for(site_.body, node, over_time, site_.trips());
}

Result<void> OverTime::emit(const graph::Node& node, const NodeProgram& program, bool reversed) {
  const auto differs = [&](ValueId id) { return !dependence_.invariant(id) && has(id); };
  const Rows rows{site_.outer, site_.body, site_.trips(), differs,
                  [&](ValueId id) -> Result<ValueId> { return differs(id) ? get(id, reversed) : invariant(id); }};
  TRY_ASSIGN(const std::vector<ValueId> made, emit_program(rows, node, program));
  for (std::size_t i = 0; i < node.outputs.size(); ++i)
    if (node.outputs[i].valid()) set(node.outputs[i], {made[i], reversed});
  return {};
}

Result<ValueId> OverTime::as_output(Stacked stacked, std::size_t output, const std::string& name) {
  ValueId id = stacked.outer;
  if (stacked.reversed != site_.scan.output_reversed[output]) {
    TRY_ASSIGN(id, reversed_along(site_.outer, id, 0, name));
  }
  const Type type = site_.outer.fact(id).type;
  TRY_ASSIGN(const std::size_t axis, axis_of(type, site_.scan.output_axes[output], 0));
  if (axis == 0) return id;
  TRY_ASSIGN(const std::vector<ValueId> made,
             site_.outer.call("Transpose", {{"perm", front_to(type.shape->size(), axis)}}, {id}, name + "_placed"));
  return made[0];
}

}  // namespace pawl::scan
