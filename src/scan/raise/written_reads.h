// What a Loop's body reads of a value that it carries to be written into.
#pragma once

#include "scan/raise/writes.h"

namespace pawl::scan {

/// An inner value that is an entry which this step has written, or the one before it.
struct Seen {
  std::size_t carried = 0;
  bool now = false;                  ///< of this step
  std::vector<std::int64_t> kept{};  ///< axes of extent 1 that the inner value has and the entry has not
  std::optional<Read> first{};       ///< what the first step reads instead, where that is an entry of a tensor
  ValueId first_item{};              ///< what it reads instead, else; outer
};

class WrittenReads {
 public:
  WrittenReads(LoopSite& site, IndexForms& forms, Reads& reads, const Writes& writes)
      : site_(site), forms_(forms), reads_(reads), writes_(writes) {}

  struct Found {
    std::optional<Read> unwritten;  ///< an entry that no step before has written
    std::optional<Seen> seen;
  };
  /// What a node reads of a written carried value, before or after this step writes to it.
  Result<Found> find(const graph::Node& node);

 private:
  Result<Found> replaced(const graph::Node& node, std::size_t i, bool after);
  Result<std::optional<Seen>> pushed(const graph::Node& node, std::size_t i, bool after);
  Result<std::optional<Seen>> grown(const graph::Node& node, std::size_t i, bool after);

  LoopSite& site_;
  IndexForms& forms_;
  Reads& reads_;
  const Writes& writes_;
};

/// The first entry that a read gives, as an outer value that is there also when there is no step: then it is zeros, and
/// a place outside is no error.
Result<ValueId> first_entry(LoopSite& site, const Read& read, const Steps& steps);

}  // namespace pawl::scan
