// Every real model, printed as text, reads back as the same model.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <vector>

#include "onnx/read.h"
#include "onnx/text.h"
#include "onnx/write.h"

namespace pawl::onnx {
namespace {

std::vector<std::filesystem::path> models_below(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> models;
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at(folder, error), end; at != end; at.increment(error)) {
    if (error) break;
    if (at->path().extension() == ".onnx") models.push_back(at->path());
  }
  return models;
}

/// What encode() makes of a model holds all of it but the place where external data came from.
void expect_same_through_text(const std::filesystem::path& path, const Model& model) {
  const std::string text = print_text(model);
  const Result<Model> again = parse_text(text);
  ASSERT_TRUE(again.ok()) << path << ": " << again.error().to_string();
  const Result<std::string> want = encode(model);
  const Result<std::string> got = encode(*again);
  ASSERT_TRUE(want.ok() && got.ok()) << path;
  EXPECT_TRUE(*got == *want) << path << " changed on its way through text";
  EXPECT_TRUE(print_text(*again) == text) << path << " is printed differently the second time";
}

void expect_all_same(const std::filesystem::path& folder) {
  const std::vector<std::filesystem::path> models = models_below(folder);
  if (models.empty()) GTEST_SKIP() << "there are no models in " << folder;
  int compared = 0;
  for (const std::filesystem::path& path : models) {
    const Result<Model> model = read_model(path);
    if (!model.ok()) continue;  // Some are there to be refused.
    expect_same_through_text(path, *model);
    ++compared;
  }
  EXPECT_GT(compared, 0);
}

TEST(TextModels, RealModels) {
  const char* shared = std::getenv("PAWL_SHARED");
  expect_all_same(std::filesystem::path(shared ? shared : PAWL_SOURCE "/../shared") / "models");
}

TEST(TextModels, Examples) { expect_all_same(PAWL_SOURCE "/examples"); }

/// tools/run_tests unpacks the conformance suites there.
TEST(TextModels, ConformanceSuites) { expect_all_same(PAWL_SOURCE "/build/conformance"); }

}  // namespace
}  // namespace pawl::onnx
