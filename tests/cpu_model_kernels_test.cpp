// The kernels of models, as files: tests/golden/NAME.onnxtxt becomes NAME.kernels, and NAME.TARGET.ll where there is
// one (an empty file asks for it). tools/golden writes them anew. And every kernel of these models and of the
// well-known recurrences is generated for each target, those that do not run here too, and LLVM accepts it.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "backend/cpu/generate.h"
#include "backend/cpu/llvm_library.h"
#include "backend/cpu/object_code.h"
#include "cpu_kernel_run.h"
#include "cpu_kernels_of_models.h"

namespace pawl::cpu {
namespace {

namespace fs = std::filesystem;

const fs::path& source() {
  static const fs::path folder = PAWL_SOURCE;
  return folder;
}

bool writing() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe): nothing here sets the environment
  return std::getenv("PAWL_WRITE_GOLDEN") != nullptr;
}

void expect_text(const fs::path& path, const std::string& text) {
  if (writing()) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream file(path);
  std::istringstream lines(text);
  std::string want, got;
  for (int number = 1;; ++number) {
    const bool more = static_cast<bool>(std::getline(lines, got));
    if (static_cast<bool>(std::getline(file, want)) == more && (!more || want == got)) {
      if (!more) return;
      continue;
    }
    ADD_FAILURE() << path << ", line " << number << ":\n  " << want << "\nis now\n  " << got
                  << "\ntools/golden writes it anew";
    return;
  }
}

constexpr const char* kTargets[] = {"sse2", "avx2", "avx512", "neon"};

class ModelKernels : public testing::TestWithParam<fs::path> {};

std::string test_name(const testing::TestParamInfo<fs::path>& model) { return model.param.stem().string(); }

class GoldenModel : public ModelKernels {};
INSTANTIATE_TEST_SUITE_P(CpuGolden, GoldenModel, testing::ValuesIn(models_in(source() / "tests" / "golden")),
                         test_name);

TEST_P(GoldenModel, HasTheseKernels) {
  const std::string name = GetParam().stem().string();
  const fs::path folder = GetParam().parent_path();
  std::string kernels;
  std::map<std::string, std::string> code;
  for (const char* target : kTargets)
    if (fs::exists(folder / fmt::format("{}.{}.ll", name, target))) code[target] = "";
  const auto see = [&](const kernel::Program& program) -> Result<void> {
    kernels += (kernels.empty() ? "" : "\n") + kernel::print(program);
    for (auto& [target, text] : code) {
      TRY_ASSIGN(const std::string more, generate(program, *target_by_name(target)));
      text += more;
    }
    return {};
  };
  const Result<void> done = for_each_kernel(GetParam(), Guarantee::deterministic, 1, see);
  ASSERT_TRUE(done.ok()) << done.error().to_string();
  ASSERT_FALSE(kernels.empty()) << "no kernel";
  expect_text(folder / (name + ".kernels"), kernels);
  for (const auto& [target, text] : code) expect_text(folder / fmt::format("{}.{}.ll", name, target), text);
}

std::vector<fs::path> all_models() {
  std::vector<fs::path> models = models_in(source() / "examples" / "recurrences");
  for (const fs::path& each : models_in(source() / "tests" / "golden")) models.push_back(each);
  return models;
}

class AnyModel : public ModelKernels {};
INSTANTIATE_TEST_SUITE_P(CpuTargets, AnyModel, testing::ValuesIn(all_models()),
                         [](const testing::TestParamInfo<fs::path>& model) {
                           return model.param.parent_path().stem().string() + "_" + model.param.stem().string();
                         });

TEST_P(AnyModel, IsCompiledForEachTarget) {
  if (!can_compile()) GTEST_SKIP() << "no compiler for kernels";
  const auto see = [&](const kernel::Program& program) -> Result<void> {
    for (const char* name : kTargets) {
      const Target target = *target_by_name(name);
      const Result<std::string> text = generate(program, target);
      // A target without fma refuses what needs it.
      if (!text.ok() && text.error().code == Code::unsupported && !target.fused_multiply_add) continue;
      if (!text.ok()) return text.error();
      TRY_ASSIGN_IN(name, const std::string object, compile_with_llvm(*text, target));
      TRY_ASSIGN_IN(name, const ObjectCode linked, link_object(object, entry_name(program)));
      EXPECT_GT(linked.bytes.size(), 0U);
    }
    return {};
  };
  for (const Guarantee guarantee : {Guarantee::deterministic, Guarantee::exact}) {
    const Result<void> done = for_each_kernel(GetParam(), guarantee, 2, see);
    ASSERT_TRUE(done.ok()) << done.error().to_string();
  }
}

}  // namespace
}  // namespace pawl::cpu
