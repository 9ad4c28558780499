// What the shared library shows, and what ten thousand runs leave behind.
#include <malloc.h>

#include <cstdio>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "c_fixture.h"

namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  char line[4096];
  while (pipe != nullptr && std::fgets(line, sizeof line, pipe) != nullptr) text += line;
  if (pipe != nullptr) pclose(pipe);
  return text;
}

std::set<std::string> matches(const std::string& text, const char* pattern) {
  std::set<std::string> found;
  const std::regex name(pattern);
  for (std::sregex_iterator match(text.begin(), text.end(), name), end; match != end; ++match)
    found.insert((*match)[1]);
  return found;
}

TEST(CLibrary, ShowsTheFunctionsOfTheHeaderAndNothingElse) {
  std::ifstream header(PAWL_SOURCE "/include/pawl/pawl.h");
  std::stringstream text;
  text << header.rdbuf();
  std::set<std::string> declared = matches(text.str(), R"((?:PAWL_EXPORT|PAWL_FAILS)[^(]*?(pawl_[a-z0-9_]+)\()");
  declared.insert("PAWL_0");
  const std::string symbols = output_of("nm -D --defined-only " PAWL_SHARED_LIBRARY);
  ASSERT_NE(symbols, "");
  EXPECT_EQ(matches(symbols, R"( [A-Z] ([^@\n]+))"), declared);
}

TEST(CLibrary, HasAVersionInItsName) {
  EXPECT_NE(output_of("readelf -d " PAWL_SHARED_LIBRARY).find("soname: [libpawl.so.0]"), std::string::npos);
}

/// Bytes that are in use now.
size_t in_use() {
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
}

int64_t resident_pages() {
  std::ifstream statm("/proc/self/statm");
  int64_t size = 0;
  int64_t resident = 0;
  statm >> size >> resident;
  return resident;
}

TEST(CLibrary, LosesNothingInTenThousandRuns) {
  const ProgramHandle program = program_of(kPrefixSum);
  const ValueHandle start = floats({2}, {1, 2});
  const ValueHandle wrong = floats({2, 3}, {1, 2, 3, 4, 5, 6});
  const int64_t shape[] = {3, 2};
  const float data[] = {0, 1, 2, 3, 4, 5};
  std::vector<ValueHandle> outputs;
  const auto runs = [&](int count) {
    for (int i = 0; i < count; ++i) {
      pawl_value* x = nullptr;
      ASSERT_EQ(pawl_value_borrow(PAWL_FLOAT, 2, shape, nullptr, data, nullptr, nullptr, &x), nullptr);
      const ValueHandle owned(x);
      ASSERT_EQ(run(program.get(), {start.get(), x}, outputs).code, "done");
      ASSERT_EQ(run(program.get(), {start.get(), wrong.get()}, outputs).code, "bad_shape");
    }
  };
  runs(1000);
  const size_t before = in_use();
  const int64_t pages = resident_pages();
  runs(10000);
  EXPECT_LT(static_cast<double>(in_use()), static_cast<double>(before) + 10000);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which keep what was freed, and watch themselves
  EXPECT_LT(resident_pages(), pages + 256);
#else
  static_cast<void>(pages);
#endif
}

}  // namespace
