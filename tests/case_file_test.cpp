// The .case format: nothing in a file may be skipped in silence.
#include "case_file.h"

#include <gtest/gtest.h>

#include "case_values.h"

namespace pawl::tests {
namespace {

constexpr std::string_view kModel = "=== t\n--- model\ng () => () {}\n";

std::string refusal(std::string_view text) {
  const auto cases = parse_case_file(text);
  return cases.ok() ? "accepted" : cases.error().message;
}

std::string refusal_after_model(std::string_view rest) { return refusal(std::string(kModel) + std::string(rest)); }

TEST(CaseFile, Sections) {
  const auto cases = parse_case_file(
      "# a comment\n\n=== first case\n# Source: none\n--- model\nM1\nM2\n--- tolerance rtol=1e-3 atol=0\n--- warning "
      "\"a\"\n"
      "--- input\nx = 1\n--- output\ny = 1\n--- input\n--- error bad_shape \"w1\" \"w2\"\n=== second\n--- model\n"
      "--- error bad_model \"w\"\n");
  ASSERT_TRUE(cases.ok()) << cases.error().to_string();
  ASSERT_EQ(cases->size(), 2U);
  const Case& first = (*cases)[0];
  EXPECT_EQ(first.title, "first case");
  EXPECT_EQ(first.line, 3);
  EXPECT_EQ(first.model.text, "M1\nM2\n");
  EXPECT_EQ(first.tolerance.rtol, 1e-3);
  EXPECT_EQ(first.tolerance.atol, 0);
  EXPECT_EQ(first.warnings, std::vector<std::string>{"a"});
  ASSERT_EQ(first.runs.size(), 2U);
  EXPECT_EQ(first.runs[0].outputs.text, "y = 1\n");
  ASSERT_TRUE(first.runs[1].error);
  EXPECT_EQ(first.runs[1].error->code, Code::bad_shape);
  EXPECT_EQ(first.runs[1].error->words, (std::vector<std::string>{"w1", "w2"}));
  EXPECT_TRUE((*cases)[1].refusal);
}

TEST(CaseFile, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(refusal(""), "line 0: the file has no case: one starts with \"=== title\"");
  EXPECT_EQ(refusal("# only a comment\n"), "line 1: the file has no case: one starts with \"=== title\"");
  EXPECT_EQ(refusal("x = 1\n"), "line 1: expected \"=== title\", \"--- section\" or a comment");
  EXPECT_EQ(refusal("--- model\n"), "line 1: a section before the first \"=== title\"");
  EXPECT_EQ(refusal("===\n"), "line 1: a case needs a title");
  EXPECT_EQ(refusal("=== t\n"), "line 1: this case has no model");
  EXPECT_EQ(refusal(kModel), "line 1: this case has neither an output nor an error");
  EXPECT_EQ(refusal_after_model("--- outputs\n"),
            "line 4: unknown section: there are model, input, output, error, warning, tolerance, dims and expect");
  EXPECT_EQ(refusal_after_model("--- output y\n"), "line 4: words behind the name of a section");
  EXPECT_EQ(refusal_after_model("--- input\n=== u\n"), "line 4: this input has neither an output nor an error");
  EXPECT_EQ(refusal_after_model("--- output\n--- output\n"), "line 5: a second output or error for one input");
  EXPECT_EQ(refusal_after_model("--- error bad\n"),
            "line 4: an error needs a code, as in: --- error bad_shape \"words\"");
  EXPECT_EQ(refusal_after_model("--- error io\n"),
            "line 4: 1:10: expected words in double quotes, found the end of the text");
  EXPECT_EQ(refusal_after_model("--- error io \"w\"\n--- input\n"),
            "line 5: an input for a model that must be refused");
  EXPECT_EQ(refusal_after_model("--- tolerance tol=1\n"), "line 4: a tolerance is written: rtol=1e-3 atol=1e-3");
  EXPECT_EQ(refusal_after_model("--- tolerance rtol=1\nx\n"),
            "line 5: expected \"=== title\", \"--- section\" or a comment");
  EXPECT_EQ(refusal_after_model("--- output\n=== t\n"), "line 5: another case has the same title");
}

std::string value_again(std::string_view text, const Type& type) {
  onnx::Lexer lexer(text);
  const Result<Value> value = parse_value(lexer, type);
  if (!value.ok()) return value.error().message;
  EXPECT_TRUE(lexer.at_end()) << text;
  return describe(*value);
}

TEST(CaseValues, TakeTheirTypeFromTheModel) {
  const Type floats = Type::tensor(DType::f32);
  EXPECT_EQ(value_again("5", floats), "float[]");
  EXPECT_EQ(value_again("[[1, 2, inf], [-inf, nan, 0]]", floats), "float[2,3]");
  EXPECT_EQ(value_again("[]", floats), "float[0]");
  EXPECT_EQ(value_again("[[], []]", floats), "float[2,0]");
  EXPECT_EQ(value_again("int64[2,0] {}", floats), "int64[2,0]");
  EXPECT_EQ(value_again("[(1, 2)]", Type::tensor(DType::c64)), "complex64[1]");
  EXPECT_EQ(value_again("none", Type::optional(floats)), "none");
  EXPECT_EQ(value_again("[1]", Type::optional(floats)), "float[1]");
  EXPECT_EQ(value_again("seq [[1], [2, 3], int8 {1}]", Type::sequence(floats)),
            describe(Sequence(DType::f32, std::vector<Value>(3))));
  EXPECT_EQ(value_again("[[1], 2]", floats), "1:7: the items of a list have different shapes");
  EXPECT_EQ(value_again("[1", floats), "1:3: expected ']', found the end of the text");
  EXPECT_EQ(value_again("[1]", Type()),
            "1:1: expected a value with a type of its own, as in float[2] {1, 2} (none is declared), found '['");
}

}  // namespace
}  // namespace pawl::tests
