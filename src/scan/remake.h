// A Scan made once more with changes: what most passes do.
#pragma once

#include "scan/pass.h"
#include "scan/scan_builder.h"

namespace pawl::scan {

/// Starts with the kept states. Then the caller maps those body values that it has a substitute for (a capture, another
/// element, a state that is equal); finish() adds the elements, captures and nodes that the rest needs.
class Remake {
 public:
  /// `keeps_state` and `keeps_output` say, by state and by scan output, what the new Scan still has.
  Remake(const Site& site, std::vector<bool> keeps_state, std::vector<bool> keeps_output);
  explicit Remake(const Site& site)
      : Remake(site, std::vector<bool>(site.scan.states, true), std::vector<bool>(site.scan.outputs, true)) {}

  ScanBuilder& scan() { return scan_; }
  graph::Mapping& mapping() { return mapping_; }

  /// Another scan output: a value of the site's body, given out after those that are kept.
  void give_out(ValueId inner, Cut cut) { given_.push_back({inner, cut, {}}); }

  /// Emits the Scan.
  ///   returns : one value per output of the site's node; invalid where it was omitted or is not kept
  Result<std::vector<ValueId>> finish();

  /// The two ends of finish(), for who emits the body's nodes itself: the elements and captures that `needed` names (by
  /// value), then the Scan, when every next state and output that is kept is mapped.
  Result<void> add_inputs(const std::vector<bool>& needed);
  Result<std::vector<ValueId>> close();

  /// The final value of a state that was added to scan(): the i-th of them. After close().
  [[nodiscard]] ValueId final_of_added(std::size_t i) const { return added_[i]; }

  /// The final value of a kept state even where the site's node omits it. After finish().
  [[nodiscard]] ValueId final_of(std::size_t state) const { return finals_[state]; }
  /// What the i-th call of give_out() became outside. After finish().
  [[nodiscard]] ValueId given_out(std::size_t i) const { return given_[i].outside; }
  /// Makes the final value of a kept state available although the site's node omits it.
  void want_final(std::size_t state) { wants_final_[state] = true; }

 private:
  struct Given {
    ValueId inner;
    Cut cut;
    ValueId outside;
  };

  const Site& site_;
  std::vector<bool> keeps_state_;
  std::vector<bool> keeps_output_;
  std::vector<bool> wants_final_;
  std::vector<std::size_t> index_;
  std::vector<ValueId> finals_;
  std::vector<ValueId> added_;
  std::vector<Given> given_;
  ScanBuilder scan_;
  graph::Mapping mapping_;
};

/// Whether all scan inputs are cut into equally many elements for sure. Otherwise the Scan may fail for it.
bool agree_on_length(const Site& site);

}  // namespace pawl::scan
