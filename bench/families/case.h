// One benchmark case as generate.py wrote it: models, data, expected results.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "pawl/error.h"
#include "pawl/tensor.h"

namespace pawl::bench {

using NamedTensor = std::pair<std::string, Tensor>;

struct Case {
  std::string family, preset, dtype;
  std::map<std::string, std::int64_t> sizes;
  bool reverse = false;
  std::int64_t axis = 0;
  bool exact = false;
  double tolerance = 0;
  std::int64_t bytes = 0;
  std::string text;                                   ///< case.json, whole
  std::filesystem::path scan, fused;                  ///< models; fused is empty when there is none
  std::vector<NamedTensor> inputs, weights, outputs;  ///< in memory of their own; outputs: what is expected

  /// "gru small"
  [[nodiscard]] std::string name() const { return family + " " + preset; }
};

/// Errors: io, bad_file.
Result<Case> load_case(const std::filesystem::path& folder);

/// Memory of the shapes of the expected outputs, filled with what no result has.
Result<std::vector<NamedTensor>> make_outputs(const Case& c);

/// The largest |got - expected| of an output over 1 + its root mean square; infinite where shapes, types or NaNs
/// differ, and where integers do.
double error_of(const std::vector<NamedTensor>& expected, const std::vector<NamedTensor>& got);

/// Whether results that are so far off are right.
bool acceptable(const Case& c, double error);

}  // namespace pawl::bench
