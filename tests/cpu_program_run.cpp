#include "cpu_program_run.h"

#include <gtest/gtest.h>

namespace pawl {

Result<Program> compiled(const std::string& text, const CompileOptions& options) {
  const Result<Model> model = Model::from_text(text);
  if (!model.ok()) return model.error();
  return Program::compile(*model, options);
}

std::string report(const Program& program) {
  std::string all;
  for (const std::string& line : program.kernel_report()) all += line + "\n";
  return all;
}

void expect_same(const Values& got, const Values& want, Tolerance tolerance, std::string_view what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const auto difference = first_difference(got[i], want[i], tolerance);
    EXPECT_FALSE(difference) << what << (what.empty() ? "" : ", ") << "output " << i << ": " << *difference;
  }
}

}  // namespace pawl
