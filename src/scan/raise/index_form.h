// Integers inside a loop that follow from the number of the step:  scale * t + rest.
#pragma once

#include <optional>

#include "scan/raise/linear.h"
#include "scan/raise/loop_site.h"

namespace pawl::scan {

/// Of a tensor all of whose elements are this number.
struct IndexForm {
  std::int64_t scale = 0;
  Linear rest;  ///< of the outer graph
};

/// Follows integer values of a loop's body back to the number of the step.
class IndexForms {
 public:
  explicit IndexForms(LoopSite& site) : site_(site) {}

  /// A carried integer that starts as `start` and grows by `step`.
  void add_counter(ValueId id, Linear start, std::int64_t step);
  /// The number of steps, which holds in every step: t is below it. Some spellings are decided by that.
  void set_steps(Linear steps);
  [[nodiscard]] const std::optional<Linear>& steps() const { return steps_; }

  /// Errors: what emitting invariant integers outside says.
  Result<std::optional<IndexForm>> of(ValueId id);

  /// Whether it holds in every step, for sure.
  [[nodiscard]] bool never_negative(const IndexForm& form) const;
  [[nodiscard]] bool always_below(const IndexForm& form, const Linear& limit) const;

 private:
  struct Counter {
    ValueId id;
    Linear start;
    std::int64_t step;
  };
  using Found = Result<std::optional<IndexForm>>;
  Found read(ValueId id);
  Found leaf(ValueId id);
  Found call(const graph::Node& node, const graph::OpCall& call);
  Found arithmetic(std::string_view op, const IndexForm& a, const IndexForm& b) const;
  [[nodiscard]] bool fits_for_sure(const graph::Node& node) const;
  Found choice(const graph::Node& node);
  /// The truth of a comparison, where it is the same in every step.
  Result<std::optional<bool>> decided(ValueId condition);

  LoopSite& site_;
  std::vector<Counter> counters_;
  std::optional<Linear> steps_;
  std::unordered_map<std::uint32_t, std::optional<IndexForm>> known_;
};

std::optional<IndexForm> plus(const IndexForm& a, const IndexForm& b, std::int64_t factor = 1);

}  // namespace pawl::scan
