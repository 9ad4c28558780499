// Body values for all steps at once, outside of the loop.
#pragma once

#include <optional>
#include <unordered_map>

#include "scan/dependence.h"
#include "scan/node_program.h"
#include "scan/pass.h"

namespace pawl::scan {

/// A body value of all T steps, as an outer value [T, …].
struct Stacked {
  graph::ValueId outer;
  bool reversed = false;  ///< entry i belongs to step T-1-i
};

/// Emits into the outer graph what a body's nodes compute, for all steps at once.
class OverTime {
 public:
  OverTime(const Site& site, const Dependence& dependence);

  /// Says that a body value is there for all steps.
  void set(graph::ValueId inner, Stacked stacked) { stacked_[inner.index] = stacked; }
  /// Says that a body value that is the same in every step is there outside.
  void set_captured(graph::ValueId inner, graph::ValueId outer) { captured_[inner.index] = outer; }
  [[nodiscard]] bool has(graph::ValueId inner) const {
    return stacked_.contains(inner.index) || element_of_.contains(inner.index);
  }

  /// The value for all steps, in the given order. Elements are cut along their leading axis first.
  Result<graph::ValueId> get(graph::ValueId inner, bool reversed);
  /// What a node's output, emitted or set before, is outside.
  [[nodiscard]] graph::ValueId outside(graph::ValueId inner) const { return stacked_.at(inner.index).outer; }
  /// The order in which a value is there already.
  [[nodiscard]] bool order_of(graph::ValueId inner) const;

  /// The program that computes the node for all steps when `over_time` says which body values differ from step to step;
  /// nothing when it has none, or may fail where the node would not have run.
  [[nodiscard]] std::optional<NodeProgram> program(const graph::Node& node, const HasRows& over_time) const;

  /// Emits that program; the node's outputs are there afterwards.
  Result<void> emit(const graph::Node& node, const NodeProgram& program, bool reversed);

  /// [T, …] in step order to what a scan output is: along its axis, in its direction.
  Result<graph::ValueId> as_output(Stacked stacked, std::size_t output, const std::string& name);

 private:
  /// An invariant value of the body, outside.
  Result<graph::ValueId> invariant(graph::ValueId inner);

  const Site& site_;
  const Dependence& dependence_;
  std::unordered_map<std::uint32_t, Stacked> stacked_;
  std::unordered_map<std::uint32_t, std::size_t> element_of_;
  std::unordered_map<std::uint32_t, graph::ValueId> captured_;
};

/// A value with the entries along one axis in the opposite order.
Result<graph::ValueId> reversed_along(graph::Builder& to, graph::ValueId value, std::int64_t axis,
                                      const std::string& name);

/// Whether a node for all steps needs no more memory at a time, for each step, than what it reads and makes: a loop
/// inside makes values that only it sees.
bool stays_narrow(const graph::Graph& graph, const graph::Node& node);

/// How many times the elements of `base` a value of type `type` has, whatever numbers the symbols stand for: infinite
/// where it has a symbol that `base` has not, or an extent is not known at all.
double times_as_large(const Type& type, const Type& base);

/// Elements of a tensor type; symbols count as 1. Nothing when an extent is not known at all.
std::optional<double> elements_in(const Type& type);

}  // namespace pawl::scan
