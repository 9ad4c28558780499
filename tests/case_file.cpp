#include "case_file.h"

#include "base/try.h"
#include "onnx/text_lexer.h"

namespace pawl::tests {
namespace {

using onnx::Lexer;

Error error_at(int line, std::string_view message) { return fail(Code::bad_file, "line {}: {}", line, message); }

bool is_blank_or_comment(std::string_view line) {
  const std::size_t start = line.find_first_not_of(" \t\r");
  return start == std::string_view::npos || line[start] == '#';
}

std::string_view trimmed(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r");
  if (start == std::string_view::npos) return {};
  return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

std::optional<Code> code_from_name(std::string_view word) {
  for (int i = 0; i <= static_cast<int>(Code::internal); ++i)
    if (name(static_cast<Code>(i)) == word) return static_cast<Code>(i);
  return std::nullopt;
}

/// Strings in quotes up to the end of the line, at least one.
Result<std::vector<std::string>> parse_words(Lexer& head, int line) {
  std::vector<std::string> words;
  do {
    Result<std::string> word = head.quoted("words in double quotes");
    if (!word.ok()) return error_at(line, word.error().message);
    words.push_back(std::move(*word));
  } while (!head.at_end());
  return words;
}

/// The file, line by line; keeps the section that is being filled.
class CaseFileParser {
 public:
  Result<std::vector<Case>> parse(std::string_view text);

 private:
  Result<void> line(std::string_view line);
  Result<void> section(std::string_view head);
  Result<void> expect_model(std::string_view what) const;
  Result<void> error_section(Lexer& head);
  Result<void> tolerance_section(Lexer& head);
  Result<void> dims_section(Lexer& head);
  Result<void> expect_section(Lexer& head);
  Result<void> counts(Lexer& head, std::vector<std::pair<std::string, std::int64_t>>& list);
  Result<void> finish_case();
  /// Fails when the last input has neither outputs nor an error yet.
  Result<void> finish_run() const;

  std::vector<Case> cases_;
  int line_ = 0;
  std::string* body_ = nullptr;  ///< where lines go; null where there must be none
};

Result<std::vector<Case>> CaseFileParser::parse(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    ++line_;
    TRY(line(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  TRY(finish_case());
  if (cases_.empty()) return error_at(line_, "the file has no case: one starts with \"=== title\"");
  return std::move(cases_);
}

Result<void> CaseFileParser::line(std::string_view line) {
  if (line.starts_with("===")) {
    TRY(finish_case());
    Case next;
    next.title = trimmed(line.substr(3));
    next.line = line_;
    if (next.title.empty()) return error_at(line_, "a case needs a title");
    for (const Case& other : cases_)
      if (other.title == next.title) return error_at(line_, "another case has the same title");
    cases_.push_back(std::move(next));
    body_ = nullptr;
    return {};
  }
  if (line.starts_with("---")) return section(line.substr(3));
  if (body_)
    body_->append(line).append(1, '\n');
  else if (!is_blank_or_comment(line))
    return error_at(line_, "expected \"=== title\", \"--- section\" or a comment");
  return {};
}

Result<void> CaseFileParser::section(std::string_view head_line) {
  if (cases_.empty()) return error_at(line_, "a section before the first \"=== title\"");
  Case& current = cases_.back();
  Lexer head(head_line);
  const std::string_view key = head.accept_word();
  body_ = nullptr;
  if (key == "model") {
    if (current.model.line != 0) return error_at(line_, "a second model");
    current.model.line = line_;
    if (head.at_end()) {
      body_ = &current.model.text;
    } else {
      TRY_ASSIGN(std::vector<std::string> words, parse_words(head, line_));
      if (words.size() > 1) return error_at(line_, "a model is in one file");
      current.model_file = std::move(words[0]);
    }
  } else if (key == "input") {
    TRY(expect_model("an input"));
    TRY(finish_run());
    current.runs.emplace_back().inputs.line = line_;
    body_ = &current.runs.back().inputs.text;
  } else if (key == "output") {
    TRY(expect_model("an output"));
    // A model without inputs runs as it is.
    if (current.runs.empty()) current.runs.emplace_back();
    CaseRun& run = current.runs.back();
    if (run.outputs.line != 0 || run.error) return error_at(line_, "a second output or error for one input");
    run.outputs.line = line_;
    body_ = &run.outputs.text;
  } else if (key == "error") {
    return error_section(head);
  } else if (key == "warning") {
    TRY_ASSIGN(std::vector<std::string> words, parse_words(head, line_));
    current.warnings.insert(current.warnings.end(), words.begin(), words.end());
  } else if (key == "tolerance") {
    return tolerance_section(head);
  } else if (key == "dims") {
    return dims_section(head);
  } else if (key == "expect") {
    return expect_section(head);
  } else {
    return error_at(line_,
                    "unknown section: there are model, input, output, error, warning, tolerance, dims and expect");
  }
  if (!head.at_end()) return error_at(line_, "words behind the name of a section");
  return {};
}

Result<void> CaseFileParser::expect_model(std::string_view what) const {
  if (cases_.back().model.line == 0) return error_at(line_, fmt::format("{} before the model", what));
  if (cases_.back().refusal) return error_at(line_, fmt::format("{} for a model that must be refused", what));
  return {};
}

Result<void> CaseFileParser::error_section(Lexer& head) {
  TRY(expect_model("an error"));
  Case& current = cases_.back();
  const std::optional<Code> code = code_from_name(head.accept_word());
  if (!code) return error_at(line_, "an error needs a code, as in: --- error bad_shape \"words\"");
  TRY_ASSIGN(std::vector<std::string> words, parse_words(head, line_));
  ExpectedError error{*code, std::move(words)};
  if (current.runs.empty()) {
    current.refusal = std::move(error);
    return {};
  }
  CaseRun& run = current.runs.back();
  if (run.outputs.line != 0 || run.error) return error_at(line_, "a second output or error for one input");
  run.error = std::move(error);
  return {};
}

Result<void> CaseFileParser::tolerance_section(Lexer& head) {
  Tolerance& tolerance = cases_.back().tolerance;
  while (!head.at_end()) {
    const std::string_view key = head.accept_word();
    if ((key != "rtol" && key != "atol") || !head.accept('='))
      return error_at(line_, "a tolerance is written: rtol=1e-3 atol=1e-3");
    const Result<onnx::Number> number = head.number("a number");
    if (!number.ok()) return error_at(line_, number.error().message);
    TRY_ASSIGN((key == "rtol" ? tolerance.rtol : tolerance.atol), onnx::to_double(*number));
  }
  return {};
}

Result<void> CaseFileParser::dims_section(Lexer& head) {
  while (!head.at_end()) {
    const std::string symbol(head.accept_word());
    if (symbol.empty() || !head.accept('=')) return error_at(line_, "extents are written: T=4096 C=64");
    const Result<std::int64_t> extent = head.integer("an extent");
    if (!extent.ok()) return error_at(line_, extent.error().message);
    cases_.back().dims.emplace_back(symbol, *extent);
  }
  return {};
}

/// "log-sum-exp"; empty at the end.
std::string hyphened(Lexer& head) {
  std::string word(head.accept_word());
  while (head.accept('-')) word += "-" + std::string(head.accept_word());
  return word;
}

Result<void> CaseFileParser::expect_section(Lexer& head) {
  Case& current = cases_.back();
  const std::string_view key = head.accept_word();
  if (key == "class" || key == "plan") {
    std::vector<std::string>& words = key == "class" ? current.classes : current.plans;
    for (std::string word = hyphened(head); !word.empty(); word = hyphened(head)) words.push_back(word);
    return head.at_end() ? Result<void>() : error_at(line_, "expected words");
  }
  if (key == "explain") {
    TRY_ASSIGN(const std::vector<std::string> words, parse_words(head, line_));
    current.explanations.insert(current.explanations.end(), words.begin(), words.end());
    return {};
  }
  if (key == "kernel") {
    TRY_ASSIGN(const std::vector<std::string> words, parse_words(head, line_));
    current.kernels.insert(current.kernels.end(), words.begin(), words.end());
    return {};
  }
  if (key == "refusal") {
    const std::string strategy(head.accept_word());
    TRY_ASSIGN(const std::vector<std::string> words, parse_words(head, line_));
    for (const std::string& each : words) current.refusals.emplace_back(strategy, each);
    return {};
  }
  if (key == "evals") return counts(head, current.evaluations);
  if (key == "optimized") return counts(head, current.optimized);
  if (key == "parallel_scan") return counts(head, current.parallel_scan);
  return error_at(
      line_,
      "there are: evals { Add: 3 }, optimized and parallel_scan likewise, class, plan, explain, kernel and refusal");
}

Result<void> CaseFileParser::counts(Lexer& head, std::vector<std::pair<std::string, std::int64_t>>& list) {
  if (!head.accept('{')) return error_at(line_, "expected { Add: 3 }");
  while (!head.accept('}')) {
    const std::string op(head.accept_word());
    if (op.empty() || !head.accept(':')) return error_at(line_, "counts are written: { Add: 3  MatMul: 1 }");
    const Result<std::int64_t> count = head.integer("a number");
    if (!count.ok()) return error_at(line_, count.error().message);
    list.emplace_back(op, *count);
  }
  return {};
}

Result<void> CaseFileParser::finish_run() const {
  const std::vector<CaseRun>& runs = cases_.back().runs;
  if (!runs.empty() && runs.back().outputs.line == 0 && !runs.back().error)
    return error_at(runs.back().inputs.line, "this input has neither an output nor an error");
  return {};
}

Result<void> CaseFileParser::finish_case() {
  if (cases_.empty()) return {};
  const Case& last = cases_.back();
  if (last.model.line == 0) return error_at(last.line, "this case has no model");
  if (last.runs.empty() && !last.refusal) return error_at(last.line, "this case has neither an output nor an error");
  return finish_run();
}

}  // namespace

Result<std::vector<Case>> parse_case_file(std::string_view text) { return CaseFileParser().parse(text); }

}  // namespace pawl::tests
