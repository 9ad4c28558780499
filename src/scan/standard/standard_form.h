// Scans whose steps are a known recurrence, as standard operators without a loop.
#pragma once

#include "scan/facts.h"
#include "scan/pass.h"
#include "scan/standard/lift_over_time.h"

namespace pawl::scan {

struct StandardForms {
  /// The newest opset that may be written.
  std::int64_t opset = 0;
  /// Recurrences that no operator stands for, as chains of operators whose length is the logarithm of the number of
  /// steps: for runtimes that work on long tensors faster than on many short ones. Floats are added up in another
  /// order.
  bool parallel_scan = false;
  /// Floats keep their bits: nothing is added up in another order.
  bool exact = false;
};

/// One state in all steps, outside of the loop. Rows are steps; `reversed`: from the last one on. One of the two is
/// there.
struct StateOverTime {
  graph::ValueId all = {};  ///< [lead + T+1 + trail, …]: before the first step, and after each one
  std::int64_t lead = 0;    ///< rows that belong to something else
  std::int64_t trail = 0;
  graph::ValueId after = {};  ///< [T, …]: after each step
  bool reversed = false;
};

/// A value of the body that is known outside, for all steps in the order of the states: [T, …].
struct KnownValue {
  graph::ValueId inner;
  graph::ValueId rows;
};

/// States that are known outside.
struct TakenOut {
  std::vector<std::size_t> states;
  std::vector<StateOverTime> values;  ///< by entry of `states`
  std::string_view how;               ///< for the note
  std::vector<KnownValue> others = {};
};
/// Nothing, when the form is none for the component. What was emitted then is read by nobody.
using TakeOut = Result<std::optional<TakenOut>>;

/// What a form is asked for: one component with a class.
class FormSite {
 public:
  FormSite(const Site& scan, const StandardForms& wanted, const Component& states, Match& known)
      : site(scan), forms(wanted), component(states), match_(known) {}

  const Site& site;
  const StandardForms& forms;
  const Component& component;

  [[nodiscard]] const Match& match() const { return match_; }
  /// The monoid's elements for all steps; null where there is no way. Emitted when it is first asked for.
  Result<const LiftOverTime*> lift();

 private:
  Match& match_;
  bool asked_ = false;
  std::optional<LiftOverTime> lifted_;
};

TakeOut as_counter(FormSite& at);      // counter.cpp: Range
TakeOut as_cumulative(FormSite& at);   // cumulative.cpp: CumSum, CumProd
TakeOut as_delay_line(FormSite& at);   // delay_line.cpp: Concat and Slice
TakeOut as_convolution(FormSite& at);  // delay_line.cpp: the same, where taps add up to a Conv
TakeOut as_log_steps(FormSite& at);    // log_steps.cpp

/// Takes components out until none is left that can be; after each one the passes move on what no longer needs the
/// loop. Errors as run_passes.
Result<graph::Graph> run_standard_forms(const graph::Graph& graph, Runner runner, const StandardForms& forms,
                                        std::vector<Note>* notes = nullptr);

}  // namespace pawl::scan
