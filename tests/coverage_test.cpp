// No operator goes without a case, and none without one of its versions.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "case_file.h"
#include "onnx/text.h"
#include "ops/functions.h"
#include "ops/schema.h"

namespace pawl::tests {
namespace {

namespace fs = std::filesystem;
using OperatorNames = std::set<std::pair<std::string, std::string>>;

std::string slurp(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

void add_operators(const std::vector<onnx::Node>& nodes, OperatorNames& names) {
  for (const onnx::Node& node : nodes) {
    names.emplace(node.domain == "ai.onnx" ? "" : node.domain, node.op_type);
    for (const onnx::Attribute& attribute : node.attributes)
      if (const auto* graph = std::get_if<std::shared_ptr<const onnx::Graph>>(&attribute.payload))
        add_operators((*graph)->nodes, names);
  }
}

/// Operators of the models that some case runs and compares outputs of.
OperatorNames operators_of_cases() {
  OperatorNames names;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(PAWL_SOURCE) / "tests/cases")) {
    if (entry.path().extension() != ".case") continue;
    const Result<std::vector<Case>> cases = parse_case_file(slurp(entry.path()));
    if (!cases.ok()) continue;
    for (const Case& each : *cases) {
      if (std::all_of(each.runs.begin(), each.runs.end(), [](const CaseRun& run) { return run.error.has_value(); }))
        continue;
      const Result<onnx::Model> model = onnx::parse_text(each.model.text, entry.path().parent_path());
      if (!model.ok()) continue;
      add_operators(model->graph.nodes, names);
      for (const onnx::Function& function : model->functions) add_operators(function.nodes, names);
    }
  }
  return names;
}

TEST(Coverage, EveryOperatorHasACase) {
  const OperatorNames names = operators_of_cases();
  ASSERT_GT(names.size(), 100U);
  // Maps cannot be written into a case.
  const std::string maps = slurp(fs::path(PAWL_SOURCE) / "tests/ml_maps_test.cpp");
  const auto expect = [&](std::string_view domain, std::string_view name) {
    const bool in_test = domain == "ai.onnx.ml" && maps.find("ai.onnx.ml." + std::string(name)) != std::string::npos;
    EXPECT_TRUE(in_test || names.contains({std::string(domain), std::string(name)}))
        << domain << " " << name << " is in no case that compares outputs";
  };
  for (const std::span<const ops::OpDef> family : ops::op_table())
    for (const ops::OpDef& row : family) expect(row.domain, row.name);
  for (const std::span<const ops::FunctionDef> rows : ops::function_table())
    for (const ops::FunctionDef& row : rows) expect(row.domain, row.name);
  for (const char* name : {"Scan", "Loop", "If"}) expect("", name);
}

TEST(Coverage, EveryVersionOfAnOperatorThatIsThereIsThere) {
  for (const ops::Schema& schema : ops::all_schemas()) {
    const ops::OpDef* row = ops::find_op(schema.domain, schema.name);
    if (row == nullptr) continue;
    EXPECT_NE(std::find(row->since.begin(), row->since.end(), schema.since), row->since.end())
        << schema.name << "-" << schema.since;
  }
}

}  // namespace
}  // namespace pawl::tests
