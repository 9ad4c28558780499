// Writes as outputs of the Scan, and what then has to be done with them outside.
#pragma once

#include "graph/rebuild.h"
#include "scan/raise/writes.h"

namespace pawl::scan {

class WriteOutputs {
 public:
  WriteOutputs(LoopSite& site, const Writes& writes, const Steps& steps)
      : site_(site), writes_(writes), steps_(steps) {}

  /// Adds the scan outputs of carried value i; `mapping` has what they are made of.
  Result<void> add(std::size_t i, graph::Mapping& mapping, ScanBuilder& made);
  /// The entry that a step writes, in the Scan's body.
  Result<ValueId> entry(std::size_t i, const graph::Mapping& mapping, ScanBuilder& made);
  /// What the carried value is after the loop.
  ///   results : the Scan's, final states first
  Result<ValueId> finish(std::size_t i, std::span<const ValueId> results);

 private:
  Result<void> add(std::size_t i, const Grown& write, graph::Mapping& mapping, ScanBuilder& made);
  Result<void> add(std::size_t i, const Scattered& write, graph::Mapping& mapping, ScanBuilder& made);
  Result<void> add(std::size_t i, const Spliced& write, graph::Mapping& mapping, ScanBuilder& made);
  Result<ValueId> finish(std::size_t i, const Pushed& write, ValueId stacked);
  Result<ValueId> finish(std::size_t i, const Grown& write, ValueId stacked);
  Result<ValueId> finish(std::size_t i, const Scattered& write, std::span<const ValueId> stacked);
  Result<ValueId> finish(std::size_t i, const Spliced& write, ValueId stacked);

  /// Whether all entries of the carried value are replaced by whole ones.
  bool covers(std::size_t i);
  static Result<ValueId> squeezed(ScanBuilder& made, ValueId value, const std::vector<std::int64_t>& axes);
  void add_output(std::size_t i, ScanBuilder& made, ValueId value, Cut cut);
  Result<ValueId> call(std::size_t i, std::string_view op, std::vector<ops::Attribute> attributes,
                       std::vector<ValueId> inputs);

  struct Place {
    std::size_t carried;
    std::size_t first;  ///< its first scan output
    std::size_t count = 0;
  };

  LoopSite& site_;
  const Writes& writes_;
  const Steps& steps_;
  std::vector<Place> places_;
};

}  // namespace pawl::scan
