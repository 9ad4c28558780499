// Runs the program as its users do, in a folder of the test's own.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>  // mkdtemp
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "pawl/value_file.h"
#include "tensor/compare.h"

namespace pawl {

inline constexpr const char* kPrefixSum = R"(<ir_version: 8, opset_import: ["" : 17]>
prefix_sum (float[C] start, float[T, C] x) => (float[C] total, float[T, C] sums) {
  total, sums = Scan <num_scan_inputs = 1,
    body = step (float[C] s, float[C] v) => (float[C] next, float[C] sum) { next = Add(s, v)  sum = Identity(next) }> (start, x)
})";

struct Finished {
  int status = -1;
  std::string out;
  std::string err;
};

inline std::string slurp(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

inline std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class Cli : public ::testing::Test {
 protected:
  Cli() {
    std::string pattern = (std::filesystem::temp_directory_path() / "pawl-cli-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  ~Cli() override { std::filesystem::remove_all(folder_); }

  /// Runs pawl inside the test's own folder; `redirect` is added for the shell.
  Finished pawl(const std::vector<std::string>& arguments, const std::string& redirect = "") {
    std::string command = "cd '" + folder_.string() + "' && '" PAWL_BINARY "'";
    for (const std::string& argument : arguments) command += " '" + argument + "'";
    command += " >.out 2>.err " + redirect;
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, slurp(folder_ / ".out"), slurp(folder_ / ".err")};
  }

  /// Expects status 2, nothing but one error line, and the words in it.
  void expect_fault(const std::vector<std::string>& arguments, const std::vector<std::string>& words) {
    const Finished done = pawl(arguments);
    EXPECT_EQ(done.status, 2) << done.err;
    EXPECT_EQ(count(done.err, "\n"), 1U) << done.err;
    EXPECT_EQ(done.err.rfind("error: ", 0), 0U) << done.err;
    for (const std::string& word : words)
      EXPECT_NE(done.err.find(word), std::string::npos) << word << " in: " << done.err;
  }

  std::filesystem::path write(const std::string& name, const std::string& text) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << text;
    return folder_ / name;
  }
  void write(const std::string& name, const Value& value) {
    std::filesystem::create_directories((folder_ / name).parent_path());
    const Result<void> written = write_value(folder_ / name, value, type_of(value), "");
    ASSERT_TRUE(written.ok()) << written.error().to_string();
  }
  void expect_file(const std::string& name, const Value& want) {
    const Result<Value> got = read_value(folder_ / name, type_of(want));
    ASSERT_TRUE(got.ok()) << got.error().to_string();
    EXPECT_EQ(first_difference(*got, want, {0, 0}), std::nullopt) << name;
  }
  void write_prefix_sum() {
    write("sum.onnxtxt", kPrefixSum);
    write("start.npy", Tensor::of<float>({2}, {7, 8}));
    write("x.npy", Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6}));
  }

  std::filesystem::path folder_;
};

}  // namespace pawl
