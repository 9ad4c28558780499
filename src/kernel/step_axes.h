// Which axes of a step's values go along with each other.
#pragma once

#include "kernel/step_graph.h"

namespace pawl::kernel {

/// Classes of axes: two are one class where one value's place along the first is the other's along the second.
class StepAxes {
 public:
  StepAxes(const StepGraph& graph, std::size_t states);

  [[nodiscard]] std::size_t class_of(StepId value, std::size_t axis) const { return find(first_[value.index] + axis); }
  /// No place along it is reached from another one by way of a state.
  [[nodiscard]] bool is_apart(std::size_t of_class) const { return !mixed_[of_class]; }
  /// Whether a state is behind a value.
  [[nodiscard]] bool depends(StepId value) const { return depends_[value.index]; }

 private:
  [[nodiscard]] std::size_t find(std::size_t at) const;
  void tie(std::size_t a, std::size_t b);
  void mix(StepId value, std::size_t axis) { mixing_.push_back(first_[value.index] + axis); }
  void add(const StepGraph& graph, StepId id);
  void add_view(const StepGraph& graph, StepId id);

  std::vector<std::size_t> first_;  ///< by value: the number of its first axis
  mutable std::vector<std::size_t> parent_;
  std::vector<std::size_t> mixing_;
  std::vector<bool> mixed_;
  std::vector<bool> depends_;
};

}  // namespace pawl::kernel
