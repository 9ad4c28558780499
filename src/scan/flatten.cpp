// A Scan whose body is a Scan that goes on with the states where the one before stopped: one Scan over all steps. Axes
// [T1, T2] of what is scanned become one of T1 T2 places.
#include <algorithm>
#include <numeric>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/motion.h"
#include "scan/over_time.h"
#include "scan/pass.h"
#include "scan/remake.h"
#include "scan/selection.h"
#include "scan/trips.h"

namespace pawl::scan {
namespace {

using graph::Graph;
using graph::Node;
using graph::ScanOp;
using Order = std::vector<std::int64_t>;

/// Extents of which each is more than 0 for sure.
bool are_positive(const SymbolicShape& shape) {
  return std::all_of(shape.begin(), shape.end(), [](const Dim& dim) { return dim.value > 0; });
}

class Flatten {
 public:
  explicit Flatten(const Site& site) : site_(site) {}

  Rewritten run() {
    if (!agree_on_length(site_) || !find_inner()) return {std::nullopt};
    const ScanOp& scan = std::get<ScanOp>(inner_->operation);
    inner_scan_ = &scan;
    inner_body_ = scan.body.graph.get();
    const bool fits = !scan.batched && is_settled(*inner_body_) && threads_states() && scans_elements() &&
                      captures_invariants() && gives_outputs() && has_extents();
    if (!fits) return {std::nullopt};
    return emit();
  }

 private:
  /// The only node of the body.
  bool find_inner() {
    const std::vector<bool> needed = graph::values_behind(site_.body, site_.body.outputs);
    for (const Node& node : site_.body.nodes) {
      if (!graph::any_of(node.outputs, needed)) continue;
      if (inner_ != nullptr || !std::holds_alternative<ScanOp>(node.operation)) return false;
      inner_ = &node;
    }
    return inner_ != nullptr;
  }

  /// Each state of the inner Scan starts as a state of the outer one, and its final value is what that becomes.
  bool threads_states() {
    if (inner_scan_->states != site_.scan.states) return false;
    std::vector<bool> used(site_.scan.states, false);
    for (std::size_t j = 0; j < inner_scan_->states; ++j) {
      bool found = false;
      for (std::size_t i = 0; i < site_.scan.states && !found; ++i) {
        found = !used[i] && inner_->inputs[j] == site_.state(i) && inner_->outputs[j] == site_.next(i);
        if (!found) continue;
        used[i] = true;
        outer_state_.push_back(i);
      }
      const Type& type = site_.body[inner_->inputs[j]].fact.type;
      if (!found || !graph::implies((*inner_body_)[inner_body_->outputs[j]].fact.type, type)) return false;
    }
    return true;
  }

  /// What the inner Scan cuts are elements of the outer one, all with as many places.
  bool scans_elements() {
    const Dim first = length_of(site_.body, *inner_, *inner_scan_, 0);
    for (std::size_t j = 0; j < inner_scan_->elements; ++j) {
      const ValueId scanned = inner_->inputs[inner_scan_->states + j];
      std::optional<std::size_t> element;
      for (std::size_t i = 0; i < site_.scan.elements; ++i)
        if (site_.element(i) == scanned) element = i;
      if (!element || !length_of(site_.body, *inner_, *inner_scan_, j).same(first)) return false;
      outer_element_.push_back(*element);
    }
    inner_length_ = first;
    return true;
  }

  [[nodiscard]] bool captures_invariants() const {
    return std::all_of(inner_scan_->body.captures.begin(), inner_scan_->body.captures.end(),
                       [&](const graph::Capture& capture) {
                         return site_.body[capture.outer].fact.tensor() != nullptr || outside(capture.outer).valid();
                       });
  }
  [[nodiscard]] ValueId outside(ValueId captured) const {
    for (const graph::Capture& capture : site_.scan.body.captures)
      if (capture.inner == captured) return capture.outer;
    return {};
  }

  bool gives_outputs() {
    for (std::size_t k = 0; k < site_.scan.outputs; ++k) {
      const auto first = inner_->outputs.begin() + static_cast<std::ptrdiff_t>(inner_scan_->states);
      const auto found = std::find(first, inner_->outputs.end(), site_.output(k));
      if (found == inner_->outputs.end()) return false;
      inner_output_.push_back(static_cast<std::size_t>(found - first));
      if (!inner_body()[inner_value(k)].fact.type.shape) return false;
    }
    return true;
  }
  [[nodiscard]] const Graph& inner_body() const { return *inner_body_; }
  /// What outer output k is made of in each step.
  [[nodiscard]] ValueId inner_value(std::size_t k) const {
    return inner_body_->outputs[inner_scan_->states + inner_output_[k]];
  }

  /// A Reshape can say what it has to: of both lengths and of the other extents, all but one are known.
  [[nodiscard]] bool has_extents() const {
    const Dim outer = site_.trips();
    if (outer.value > 0 && inner_length_.value > 0) return true;
    if (outer.value < 1 && inner_length_.value < 1) return false;
    for (std::size_t i : outer_element_) {
      SymbolicShape shape = *site_.outer.fact(site_.scanned(i)).type.shape;
      const auto axis = axis_of(site_.scan.input_axes[i], shape.size());
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
      for (std::size_t j = 0; j < outer_element_.size(); ++j)
        if (outer_element_[j] == i) {
          SymbolicShape rest = shape;
          rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(axis_of(inner_scan_->input_axes[j], shape.size())));
          if (!are_positive(rest)) return false;
        }
    }
    for (std::size_t k = 0; k < site_.scan.outputs; ++k)
      if (!are_positive(*inner_body()[inner_value(k)].fact.type.shape)) return false;
    return true;
  }

  static std::size_t axis_of(std::int64_t axis, std::size_t rank) {
    return static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(rank) : axis);
  }

  // --- the new Scan

  Rewritten emit() {
    ScanBuilder made(site_.outer, inner_body_->name);
    graph::Mapping inside(*inner_body_);
    for (std::size_t j = 0; j < outer_state_.size(); ++j) {
      const ValueId state = inner_body_->inputs[j];
      inside[state] = made.add_state(inner_body()[state], site_.initial(outer_state_[j]));
    }
    for (std::size_t j = 0; j < outer_element_.size(); ++j) {
      TRY_ASSIGN(const ValueId steps, all_steps(j));
      const ValueId element = inner_body_->inputs[inner_scan_->states + j];
      const Cut cut{-1, site_.scan.input_reversed[outer_element_[j]]};
      TRY_ASSIGN(inside[element], made.add_element(inner_body()[element], steps, cut));
    }
    for (const graph::Capture& capture : inner_scan_->body.captures)
      inside[capture.inner] = made.capture(captured(capture));
    TRY(graph::copy_nodes(*inner_body_, graph::values_behind(*inner_body_, inner_body_->outputs), inside, made.body()));
    for (std::size_t j = 0; j < outer_state_.size(); ++j) {
      made.set_next(j, inside(inner_body_->outputs[j]));
      made.set_final(j, site_.outputs[outer_state_[j]]);
    }
    for (std::size_t k = 0; k < site_.scan.outputs; ++k) {
      ValueInfo value;
      value.name = name_of_output(k) + "_steps";
      made.add_output(inside(inner_value(k)), value, {-1, site_.scan.output_reversed[k]});
    }
    TRY_ASSIGN(const std::vector<ValueId> given, made.finish(site_.node.name, site_.node.label));
    site_.note("flattened", inner_->label, "goes on where it stopped: one loop over all steps");
    std::vector<ValueId> results(site_.outputs.size());
    for (std::size_t j = 0; j < outer_state_.size(); ++j) results[outer_state_[j]] = given[j];
    for (std::size_t k = 0; k < site_.scan.outputs; ++k) {
      if (site_.outputs[site_.scan.states + k].name.empty()) continue;
      TRY_ASSIGN(results[site_.scan.states + k], as_output(k, given[site_.scan.states + k]));
    }
    return {std::move(results)};
  }

  [[nodiscard]] std::string name_of_output(std::size_t k) const {
    const std::string& name = site_.outputs[site_.scan.states + k].name;
    return name.empty() ? inner_body()[inner_value(k)].name : name;
  }

  ValueId captured(const graph::Capture& capture) {
    const ValueId found = outside(capture.outer);
    return found.valid()
               ? found
               : site_.outer.add_constant(*site_.body[capture.outer].fact.tensor(), site_.body[capture.outer].name);
  }

  Result<ValueId> call(std::string_view op, std::vector<ops::Attribute> attributes, std::vector<ValueId> inputs,
                       const std::string& name) {
    TRY_ASSIGN(const std::vector<ValueId> made, site_.outer.call(op, std::move(attributes), std::move(inputs), name));
    return made[0];
  }
  Result<ValueId> moved(ValueId x, const Order& order, const std::string& name) {
    if (std::is_sorted(order.begin(), order.end())) return x;
    return call("Transpose", {{"perm", order}}, {x}, name + "_moved");
  }
  Result<ValueId> reshaped(ValueId x, const Order& shape, const std::string& name) {
    const ValueId target = site_.outer.add_integers(shape, "shape");
    return call("Reshape", {}, {x, target}, name);
  }
  /// What is scanned, with the steps of both loops as its last axis.
  Result<ValueId> all_steps(std::size_t j) {
    const std::size_t i = outer_element_[j];
    const ValueId scanned = site_.scanned(i);
    const std::string name = inner_body()[inner_body_->inputs[inner_scan_->states + j]].name + "_steps";
    const std::size_t rank = site_.outer.fact(scanned).type.shape->size();
    const std::size_t outer_axis = axis_of(site_.scan.input_axes[i], rank);
    std::size_t inner_axis = axis_of(inner_scan_->input_axes[j], rank - 1);
    if (inner_axis >= outer_axis) ++inner_axis;
    Order order;
    for (std::size_t axis = 0; axis < rank; ++axis)
      if (axis != outer_axis && axis != inner_axis) order.push_back(static_cast<std::int64_t>(axis));
    order.push_back(static_cast<std::int64_t>(outer_axis));
    order.push_back(static_cast<std::int64_t>(inner_axis));
    TRY_ASSIGN(ValueId steps, moved(scanned, order, name));
    if (inner_scan_->input_reversed[j] != site_.scan.input_reversed[i]) {
      TRY_ASSIGN(steps, reversed_along(site_.outer, steps, static_cast<std::int64_t>(rank - 1), name));
    }
    Order shape(rank - 2, 0);
    shape.push_back(product(site_.trips(), inner_length_));
    return reshaped(steps, shape, name);
  }

  /// -1 where it is not known, or may not be.
  static std::int64_t product(const Dim& a, const Dim& b) {
    std::int64_t both = 0;
    if (a.value < 1 || b.value < 1 || __builtin_mul_overflow(a.value, b.value, &both)) return -1;
    return both;
  }

  /// Outer output k, from what all steps gave out, the steps as the last axis.
  Result<ValueId> as_output(std::size_t k, ValueId steps) {
    const std::string name = name_of_output(k);
    const std::size_t rank = inner_body()[inner_value(k)].fact.type.shape->size();
    Order shape(rank, 0);
    shape.push_back(site_.trips().value > 0 ? site_.trips().value : -1);
    shape.push_back(inner_length_.value > 0 ? inner_length_.value : -1);
    TRY_ASSIGN(ValueId made, reshaped(steps, shape, name + "_apart"));
    const std::size_t inner = inner_output_[k];
    if (inner_scan_->output_reversed[inner] != site_.scan.output_reversed[k]) {
      TRY_ASSIGN(made, reversed_along(site_.outer, made, static_cast<std::int64_t>(rank + 1), name));
    }
    Order order(rank);
    std::iota(order.begin(), order.end(), 0);
    const auto insert = [&](std::int64_t at, std::size_t axis) {
      const std::size_t place = axis_of(at, order.size() + 1);
      order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), static_cast<std::int64_t>(axis));
    };
    insert(inner_scan_->output_axes[inner], rank + 1);
    insert(site_.scan.output_axes[k], rank);
    return moved(made, order, name);
  }

  const Site& site_;
  const Node* inner_ = nullptr;
  const ScanOp* inner_scan_ = nullptr;
  const Graph* inner_body_ = nullptr;
  Dim inner_length_;
  std::vector<std::size_t> outer_state_;    ///< by state of the inner Scan
  std::vector<std::size_t> outer_element_;  ///< by element of the inner Scan
  std::vector<std::size_t> inner_output_;   ///< by output of the outer Scan
};

}  // namespace

Rewritten flatten_loops(const Site& site) { return Flatten(site).run(); }

}  // namespace pawl::scan
