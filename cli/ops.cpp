// pawl ops: the operators that there are, in which versions and types, how they treat axes, and how each is run.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>

#include "backend/cpu/accelerate.h"
#include "base/try.h"
#include "command.h"
#include "graph/graph.h"
#include "model_facts.h"
#include "ops/axis_rule.h"
#include "ops/functions.h"
#include "ops/schema.h"
#include "terminal.h"

namespace pawl::cli {
namespace {

/// An operator of any kind. Sorted by domain and name.
struct OperatorLine {
  std::vector<int> versions;
  std::vector<std::string> ways;
  std::string axes;  ///< the kind of its axis rule
};

using Lines = std::map<OperatorName, OperatorLine>;

struct TypeGroup {
  const char* name;
  std::vector<DType> members;
};

const std::vector<TypeGroup>& type_groups() {
  static const std::vector<TypeGroup> groups = {
      {"floats", {DType::f16, DType::bf16, DType::f32, DType::f64}},
      {"ints", {DType::i8, DType::u8, DType::i16, DType::u16, DType::i32, DType::u32, DType::i64, DType::u64}},
      {"bool", {DType::boolean}},
      {"string", {DType::string}},
      {"complex", {DType::c64, DType::c128}},
      {"float8", {DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2, DType::f8e5m2fnuz, DType::f8e8m0}},
      {"float6", {DType::f6e2m3, DType::f6e3m2}},
      {"float4", {DType::f4e2m1}},
      {"int4", {DType::i4, DType::u4}},
      {"int2", {DType::i2, DType::u2}},
  };
  return groups;
}

/// "floats ints bool": groups that are there as a whole, and single types.
std::string types_text(const ops::TypeSet& types) {
  const std::uint32_t elements = types.tensor | types.sequence | types.optional_tensor | types.optional_sequence;
  std::vector<std::string> words;
  for (const TypeGroup& group : type_groups()) {
    const auto there = [&](DType dtype) { return (elements >> static_cast<int>(dtype) & 1) != 0; };
    if (std::all_of(group.members.begin(), group.members.end(), there)) {
      words.emplace_back(group.name);
      continue;
    }
    for (const DType dtype : group.members)
      if (there(dtype)) words.emplace_back(name(dtype));
  }
  if (types.sequence != 0) words.emplace_back("sequences");
  if ((types.optional_tensor | types.optional_sequence) != 0) words.emplace_back("optionals");
  if (types.map) words.emplace_back("maps");
  return fmt::format("{}", fmt::join(words, " "));
}

/// Of the first input; of the outputs where there is no input, and of control flow.
std::string types_of(const OperatorName& name, int version) {
  const std::string domain = name.first == "ai.onnx" ? "" : name.first;
  const ops::Schema* schema = ops::find_schema(domain, name.second, version);
  if (schema == nullptr) return "";
  const auto& parameters =
      schema->inputs.empty() || graph::is_control_flow(domain, name.second) ? schema->outputs : schema->inputs;
  return parameters.empty() ? "" : types_text(parameters[0].types);
}

void add(Lines& lines, std::string_view domain, std::string_view name, std::span<const int> versions, std::string way) {
  OperatorLine& line = lines[{shown_domain(std::string(domain)), std::string(name)}];
  for (const int version : versions)
    if (version != 0) line.versions.push_back(version);
  std::sort(line.versions.begin(), line.versions.end());
  line.versions.erase(std::unique(line.versions.begin(), line.versions.end()), line.versions.end());
  line.ways.push_back(std::move(way));
}

Lines gather_lines() {
  Lines lines;
  for (const std::span<const ops::OpDef> family : ops::op_table())
    for (const ops::OpDef& row : family) {
      add(lines, row.domain, row.name, row.since, "reference");
      lines[{shown_domain(std::string(row.domain)), std::string(row.name)}].axes = ops::name(row.axes.kind);
      if (cpu::is_accelerated(row)) add(lines, row.domain, row.name, {}, "oneDNN");
    }
  for (const ops::Schema& schema : ops::all_schemas())
    if (graph::is_control_flow(schema.domain, schema.name))
      add(lines, schema.domain, schema.name, {&schema.since, 1}, "control flow");
  for (const std::span<const ops::FunctionDef> rows : ops::function_table())
    for (const ops::FunctionDef& row : rows)
      add(lines, row.domain, row.name, row.since, row.loops ? "function with a loop" : "function");
  for (auto& [name, line] : lines) line.ways.erase(std::unique(line.ways.begin(), line.ways.end()), line.ways.end());
  return lines;
}

/// "221 of the standard's 227 operators: ai.onnx 202 of 203, …". Operators whose newest version is deprecated count,
/// too.
std::string coverage_text(const Lines& lines) {
  std::map<std::string, std::set<std::string_view>> standard;
  for (const ops::Schema& schema : ops::all_schemas())
    standard[shown_domain(std::string(schema.domain))].insert(schema.name);
  std::size_t all = 0, here = 0;
  std::vector<std::string> parts;
  for (const auto& [domain, names] : standard) {
    const auto known =
        static_cast<std::size_t>(std::count_if(names.begin(), names.end(), [&, d = domain](std::string_view name) {
          return lines.contains({d, std::string(name)});
        }));
    all += names.size();
    here += known;
    parts.push_back(fmt::format("{} {} of {}", domain, known, names.size()));
  }
  return fmt::format("{} of the standard's {} operators: {}", here, all, fmt::join(parts, ", "));
}

Result<int> print_operators(const std::string& only) {
  const Lines lines = gather_lines();
  const bool known =
      std::any_of(lines.begin(), lines.end(), [&](const auto& line) { return line.first.second == only; });
  if (!only.empty() && !known) return fail(Code::bad_argument, "there is no operator {}", only);
  print(fmt::format("{:<16} {:<28} {:<32} {:<44} {:<11} {}\n", "domain", "operator", "versions",
                    "types (first input, newest version)", "axes", "run by"));
  for (const auto& [name, line] : lines) {
    if (!only.empty() && name.second != only) continue;
    print(fmt::format("{:<16} {:<28} {:<32} {:<44} {:<11} {}\n", name.first, name.second,
                      fmt::format("{}", fmt::join(line.versions, " ")), types_of(name, line.versions.back()),
                      line.axes.empty() ? "-" : line.axes, fmt::join(line.ways, ", ")));
  }
  if (only.empty()) print(coverage_text(lines) + "\n");
  return 0;
}

}  // namespace

Action define_ops(CLI::App& command) {
  const auto only = std::make_shared<std::string>();
  command.add_option("NAME", *only, "This operator alone");
  return [only] { return print_operators(*only); };
}

}  // namespace pawl::cli
