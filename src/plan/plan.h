// How each Scan is going to be run, and why not otherwise.
#pragma once

#include "plan/chunk_policy.h"
#include "scan/facts.h"

namespace pawl::plan {

/// What a plan is made for.
struct Target {
  std::string_view device = "cpu";
  int threads = 1;
  int lanes = 16;      ///< floats that one instruction works on
  bool exact = false;  ///< the bits of the reference: nothing is added up in another order
  ChunkPolicy chunks{};
};

/// Not this way, for a reason.
struct Refusal {
  std::string_view strategy;
  std::string why;
};

struct ScanPlan {
  std::string_view strategy;
  std::string how;                   ///< in words: what runs side by side
  std::vector<Refusal> passed_over;  ///< the strategies that were asked before, in order
};

/// A strategy says how it would run a Scan, or why it does not.
struct Strategy {
  std::string_view name;
  /// Fills `how` and returns true, or fills `why` and returns false.
  bool (*accepts)(const scan::ScanFacts& facts, const Target& target, std::string& how, std::string& why);
};

/// Asks the strategies in order; the last one accepts everything.
ScanPlan choose(const scan::ScanFacts& facts, const Target& target);

/// "h, c": the states of a component.
std::string names_of(const scan::ScanFacts& facts, const scan::ComponentFacts& component);
/// "1 thread", "2 threads".
std::string counted(double count, std::string_view what);

}  // namespace pawl::plan
