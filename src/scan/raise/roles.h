// What each value of a Loop's body becomes when the Loop becomes a Scan.
#pragma once

#include <map>

#include "scan/raise/written_reads.h"

namespace pawl::scan {

class Roles {
 public:
  Roles(LoopSite& site, IndexForms& forms, Reads& reads, Writes& writes)
      : site_(site), forms_(forms), reads_(reads), writes_(writes) {}

  /// A Slice may give fewer entries than one, as far as its own type says: of those that do not, the site is told.
  Result<void> refine_types();
  /// After Writes::settle(). Written values that are read otherwise too become states.
  Result<void> find();
  /// Whether states keep their shape. A Loop's tensors may change it from step to step, a Scan's may not.
  bool is_steady(const Steps& steps, std::string& refusal);

  [[nodiscard]] bool is_live(std::size_t i) const { return live_[i]; }  ///< carried value: changes, and matters
  [[nodiscard]] bool is_state(std::size_t i) const { return live_[i] && !writes_.is_written(i); }
  /// Whether the entry that the step before wrote is read: it is a state.
  [[nodiscard]] bool keeps_last(std::size_t i) const { return keeps_last_[i]; }
  /// Inner values that are computed in the body.
  [[nodiscard]] const std::vector<bool>& needed() const { return needed_; }
  /// Inner values that are there otherwise, and read.
  [[nodiscard]] bool uses(ValueId id) const { return used_[id.index]; }
  [[nodiscard]] const std::map<std::uint32_t, Read>& reads() const { return read_; }
  [[nodiscard]] const std::map<std::uint32_t, Seen>& seen() const { return seen_; }
  /// Lengths of sequences that are no longer there: by inner value, what is added to the number of the step.
  [[nodiscard]] const std::map<std::uint32_t, std::int64_t>& lengths() const { return lengths_; }

 private:
  Result<void> find_known();
  Result<void> find_known(const graph::Node& node);
  Result<void> find_length(const graph::Node& node);
  void find_needed();
  void mark_needed();

  LoopSite& site_;
  IndexForms& forms_;
  Reads& reads_;
  Writes& writes_;
  std::map<std::uint32_t, Read> read_;  ///< by inner value
  std::map<std::uint32_t, Seen> seen_;  ///< by inner value
  std::map<std::uint32_t, std::int64_t> lengths_;
  std::vector<bool> known_;  ///< by inner value: not to be computed
  std::vector<bool> needed_;
  std::vector<bool> used_;
  std::vector<bool> live_;
  std::vector<bool> keeps_last_;
};

}  // namespace pawl::scan
