// Operators on strings.
#include <re2/re2.h>

#include <algorithm>

#include "ops/axis_rules.h"
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/letter_case.h"

namespace pawl::ops {
namespace {

Result<void> eval_string_concat(EvalContext& context) {
  return eval_map2<TypeList<std::string>>(context, [](const std::string& a, const std::string& b) { return a + b; });
}

Result<LetterCase> case_action(const Attributes& attributes) {
  const std::string action = attributes.text("case_change_action", "NONE");
  if (action == "NONE") return LetterCase::kept;
  if (action == "LOWER") return LetterCase::lower;
  if (action == "UPPER") return LetterCase::upper;
  return fail(Code::bad_value, "case_change_action \"{}\" is none of LOWER, UPPER, NONE", action);
}

Result<void> infer_string_normalizer(InferContext& context) {
  TRY(case_action(context.attributes));
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  const bool row = shape->size() == 2 && (!(*shape)[0].known() || (*shape)[0].value == 1);
  if (shape->size() != 1 && !row) return fail(Code::bad_shape, "input {} is neither [C] nor [1,C]", to_string(*shape));
  context.set_shape(0, row ? SymbolicShape{1, Dim()} : SymbolicShape{Dim()});
  return {};
}

/// Stop words are removed, then the case of what is left is changed. One empty string stands for nothing left.
Result<void> eval_string_normalizer(EvalContext& context) {
  TRY_ASSIGN(const LetterCase action, case_action(context.attributes));
  TRY_ASSIGN(const Tensor x, context.dense(0));
  const bool row = x.rank() == 2 && x.shape()[0] == 1;
  if (x.rank() != 1 && !row) return fail(Code::bad_shape, "input {} is neither [C] nor [1,C]", to_string(x.shape()));
  const bool exact = context.attributes.integer("is_case_sensitive", 0) != 0;
  const LetterCase compared = exact ? LetterCase::kept : LetterCase::lower;
  std::vector<std::string> stopwords;
  if (const auto* words = context.attributes.get<std::vector<std::string>>("stopwords"))
    for (const std::string& word : *words) stopwords.push_back(with_case(word, compared));
  std::vector<std::string> kept;
  for (const std::string& text : x.values<std::string>())
    if (std::find(stopwords.begin(), stopwords.end(), with_case(text, compared)) == stopwords.end())
      kept.push_back(with_case(text, action));
  if (kept.empty()) kept.emplace_back();
  const auto count = static_cast<std::int64_t>(kept.size());
  context.outputs[0] = Tensor::of<std::string>(row ? Dims{1, count} : Dims{count}, kept);
  return {};
}

constexpr std::string_view kBlanks = " \t\n\r\f\v";

/// Python's str.split(): runs of blanks separate; what follows the last split keeps its blanks at the end.
std::vector<std::string_view> split_at_blanks(std::string_view text, std::int64_t max_splits) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t first = text.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) return parts;
    text.remove_prefix(first);
    if (max_splits-- == 0) {
      parts.push_back(text);
      return parts;
    }
    const std::size_t end = std::min(text.find_first_of(kBlanks), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
}

/// Python's str.split(delimiter): every occurrence separates, also next to another one.
std::vector<std::string_view> split_at(std::string_view text, std::string_view delimiter, std::int64_t max_splits) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t end = max_splits-- == 0 ? std::string_view::npos : text.find(delimiter);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + delimiter.size());
  }
}

Result<void> infer_string_split(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  SymbolicShape parts = *shape;
  parts.emplace_back();
  context.set_shape(1, *shape);
  context.set_shape(0, std::move(parts));
  return {};
}

Result<void> eval_string_split(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  const std::string delimiter = context.attributes.text("delimiter", "");
  const std::int64_t max_splits = context.attributes.integer("maxsplit", -1);
  TRY_ASSIGN(Tensor counts, Tensor::allocate(DType::i64, x.shape()));
  std::vector<std::vector<std::string_view>> all;
  std::int64_t longest = 0;
  for (const std::string& text : x.values<std::string>()) {
    all.push_back(delimiter.empty() ? split_at_blanks(text, max_splits) : split_at(text, delimiter, max_splits));
    const auto count = static_cast<std::int64_t>(all.back().size());
    counts.mutable_values<std::int64_t>()[all.size() - 1] = count;
    longest = std::max(longest, count);
  }
  Dims shape = x.shape();
  shape.push_back(longest);
  TRY_ASSIGN(Tensor parts, Tensor::allocate(DType::string, shape));
  std::string* row = parts.mutable_data<std::string>();
  for (const std::vector<std::string_view>& texts : all) {
    std::copy(texts.begin(), texts.end(), row);
    row += longest;
  }
  context.outputs[0] = std::move(parts);
  context.outputs[1] = std::move(counts);
  return {};
}

/// Errors: bad_value, when RE2 does not take the pattern.
Result<std::unique_ptr<RE2>> compiled_pattern(const Attributes& attributes) {
  RE2::Options options;
  options.set_log_errors(false);
  const std::string pattern = attributes.text("pattern", "");
  auto expression = std::make_unique<RE2>(pattern, options);
  if (!expression->ok())
    return fail(Code::bad_value, "pattern \"{}\" is not RE2 syntax: {}", pattern, expression->error());
  return expression;
}

Result<void> infer_regex_full_match(InferContext& context) {
  TRY(compiled_pattern(context.attributes));
  return infer_same(context);
}

Result<void> eval_regex_full_match(EvalContext& context) {
  TRY_ASSIGN(const std::unique_ptr<RE2> expression, compiled_pattern(context.attributes));
  TRY_ASSIGN(context.outputs[0], (map1<std::string, bool>(context.tensor(0), [&](const std::string& text) {
               return RE2::FullMatch(text, *expression);
             })));
  return {};
}

constexpr OpDef kString[] = {
    {.name = "RegexFullMatch",
     .since = {20},
     .infer = infer_regex_full_match,
     .eval = eval_regex_full_match,
     .axes = kPointwiseAxes},
    {.name = "StringConcat",
     .since = {20},
     .infer = infer_broadcast,
     .eval = eval_string_concat,
     .axes = kPointwiseAxes},
    {.name = "StringNormalizer",
     .since = {10},
     .infer = infer_string_normalizer,
     .eval = eval_string_normalizer,
     .axes = kOpaqueAxes},
    {.name = "StringSplit", .since = {20}, .infer = infer_string_split, .eval = eval_string_split, .axes = kOpaqueAxes},
};

}  // namespace

std::span<const OpDef> string_ops() { return kString; }

}  // namespace pawl::ops
