// The card of a package: README.md beside its build folder.
#pragma once

#include "package/compile.h"

namespace pawl::package {

struct CardFacts {
  std::string model;  ///< the file's name
  std::string tool;
  std::vector<std::pair<std::string, std::int64_t>> dims;
  std::vector<std::string> scans;  ///< of the model, a line each
};

std::string readme_text(const Compiled& compiled, const CardFacts& facts);

}  // namespace pawl::package
