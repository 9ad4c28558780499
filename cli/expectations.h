// MODELS.tsv: what each model of a collection is expected to do, and how exactly.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "conformance.h"

namespace pawl::cli {

/// Case folder, relative to the table's, to expectation.
using Expectations = std::map<std::string, Expectation, std::less<>>;

inline constexpr const char* kTableName = "MODELS.tsv";

/// Reads the columns "case", "expect" ("run", "refuse", or both words) and "tolerance" ("exact", "-", or
/// "rtol=1e-4 atol=1e-5,2e-5": an atol per output). Errors: io, bad_file with the line.
Result<Expectations> read_expectations(const std::filesystem::path& table);

}  // namespace pawl::cli
