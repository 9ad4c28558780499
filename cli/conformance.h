// ONNX backend-test cases: finding them in a tree, running one, comparing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "model_facts.h"
#include "pawl/program.h"
#include "tensor/compare.h"

namespace pawl::cli {

/// What a case is expected to do. Without a MODELS.tsv: to run, within the ONNX runner's tolerance.
struct Expectation {
  bool may_run = true;
  bool may_be_refused = false;
  double rtol = 1e-3;
  std::vector<double> atol = {1e-7};  ///< one per output; the last one is for all that follow

  [[nodiscard]] Tolerance tolerance(std::size_t output) const {
    return {rtol, atol[output < atol.size() ? output : atol.size() - 1]};
  }
};

/// One case: a model, and data sets whose i-th input is the i-th graph input without an initializer.
struct Case {
  std::string name;  ///< path of its folder below the directory that was searched
  std::filesystem::path folder;
  std::vector<std::filesystem::path> models;  ///< one, or the case is malformed
  std::vector<std::filesystem::path> data_sets;
  /// ONNX's "light" layout: no data sets, inputs 0/n, 1/n, …, expected outputs in <model>_output_<i>.pb.
  bool light = false;
  Expectation expectation;
};

enum class Outcome : std::uint8_t { passed, failed, skipped };

struct CaseResult {
  Outcome outcome = Outcome::failed;
  std::string reason;                 ///< empty when it passed as expected
  std::vector<OperatorName> missing;  ///< operators that pawl does not have, when it was skipped for them
};

/// Every case at or below `directory`, sorted by path. `otherwise` is what is expected of those that no MODELS.tsv
/// names; the nearest one at or above a case's folder counts. Errors: io; bad_argument when there is no case; bad_file
/// for a MODELS.tsv that cannot be understood.
Result<std::vector<Case>> find_cases(const std::filesystem::path& directory, const Expectation& otherwise);

/// How a case is run.
struct CaseOptions {
  RunOptions run;
  Guarantee guarantee = Guarantee::deterministic;
  /// Where operators have a function body, run the case a second time with the bodies in their place.
  bool expand = false;
};

/// Runs all data sets of a case. Errors: interrupted; everything else is a CaseResult.
Result<CaseResult> run_case(const Case& test, const CaseOptions& options);

}  // namespace pawl::cli
