// Facts and plans in words.
#pragma once

#include "plan/plan.h"
#include "scan/pass.h"

namespace pawl::plan {

/// One Scan with all that is said of it.
struct Explained {
  const scan::ScanFacts& facts;
  const ScanPlan& plan;
  std::vector<scan::Note> notes;  ///< those of this Scan
};

/// "a diagonal affine recurrence over 320x16 channels; …": one line.
std::string summary(const Explained& scan);
/// Lines for a person: what the Scan is and what moved, and how it would be run.
std::string facts_text(const Explained& scan);
std::string plan_text(const Explained& scan, const Target& target);
/// One object with a list "scans".
std::string to_json(const std::vector<Explained>& scans);

}  // namespace pawl::plan
