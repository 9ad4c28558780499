#include "expectations.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <optional>

#include "base/try.h"

namespace pawl::cli {
namespace {

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  while (true) {
    const std::size_t at = text.find(separator);
    parts.emplace_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size() || !(value >= 0)) return std::nullopt;
  return value;
}

/// Columns by the names in the first line.
struct Columns {
  std::size_t name = 0;
  std::size_t expect = 0;
  std::size_t tolerance = 0;
};

Result<Columns> find_columns(const std::string& header) {
  const std::vector<std::string> names = split(header, '\t');
  const auto find = [&](std::string_view name) -> Result<std::size_t> {
    const auto at = std::find(names.begin(), names.end(), name);
    if (at == names.end()) return fail(Code::bad_file, "the first line names no column \"{}\"", name);
    return static_cast<std::size_t>(at - names.begin());
  };
  Columns columns;
  TRY_ASSIGN(columns.name, find("case"));
  TRY_ASSIGN(columns.expect, find("expect"));
  TRY_ASSIGN(columns.tolerance, find("tolerance"));
  return columns;
}

Result<void> parse_tolerance(const std::string& text, Expectation& expectation) {
  expectation.rtol = 0;
  expectation.atol = {0};
  if (text == "exact" || text == "-") return {};
  for (const std::string& word : split(text, ' ')) {
    if (word.empty()) continue;
    std::vector<double> values;
    for (const std::string& part : split(std::string_view(word).substr(std::min<std::size_t>(5, word.size())), ',')) {
      const std::optional<double> value = number(part);
      if (!value) return fail(Code::bad_file, "tolerance \"{}\": \"{}\" is no number", text, part);
      values.push_back(*value);
    }
    if (word.starts_with("rtol="))
      expectation.rtol = values[0];
    else if (word.starts_with("atol="))
      expectation.atol = values;
    else
      return fail(Code::bad_file, "tolerance \"{}\": expected rtol=… and atol=…", text);
  }
  return {};
}

Result<Expectation> parse_row(const std::vector<std::string>& fields, const Columns& columns) {
  if (fields.size() <= std::max({columns.name, columns.expect, columns.tolerance}))
    return fail(Code::bad_file, "{} columns are too few", fields.size());
  Expectation expectation;
  expectation.may_run = fields[columns.expect].find("run") != std::string::npos;
  expectation.may_be_refused = fields[columns.expect].find("refuse") != std::string::npos;
  if (!expectation.may_run && !expectation.may_be_refused)
    return fail(Code::bad_file, "expect \"{}\": neither run nor refuse", fields[columns.expect]);
  TRY(parse_tolerance(fields[columns.tolerance], expectation));
  return expectation;
}

}  // namespace

Result<Expectations> read_expectations(const std::filesystem::path& table) {
  std::ifstream file(table);
  std::string line;
  if (!std::getline(file, line)) return fail(Code::io, "{}: cannot be read, or is empty", table.string());
  TRY_ASSIGN_IN_FILE(table.string(), const Columns columns, find_columns(line));
  Expectations expectations;
  for (int number = 2; std::getline(file, line); ++number) {
    if (line.empty()) continue;
    const std::vector<std::string> fields = split(line, '\t');
    Result<Expectation> expectation = parse_row(fields, columns);
    if (!expectation.ok())
      return std::move(expectation).error().in(fmt::format("line {}", number)).in_file(table.string());
    expectations[fields[columns.name]] = *std::move(expectation);
  }
  return expectations;
}

}  // namespace pawl::cli
