#include "ops/equation.h"

#include <algorithm>
#include <array>
#include <string>

namespace pawl::ops {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

Result<Term> parse_term(std::string_view text, std::string_view equation) {
  Term term;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (is_letter(text[i])) {
      term.letters.push_back(text[i]);
    } else if (text.substr(i, 3) == "...") {
      if (term.ellipsis >= 0) return fail(Code::bad_value, "equation \"{}\": a term has two ellipses", equation);
      term.ellipsis = static_cast<int>(term.letters.size());
      i += 2;
    } else {
      return fail(Code::bad_value, "equation \"{}\": '{}' is neither a letter nor an ellipsis", equation, text[i]);
    }
  }
  return term;
}

/// How often each letter occurs on the left.
std::array<int, 128> count_letters(const std::vector<Term>& inputs) {
  std::array<int, 128> counts{};
  for (const Term& term : inputs)
    for (const int letter : term.letters) ++counts[static_cast<std::size_t>(letter)];
  return counts;
}

Term implicit_output(const std::vector<Term>& inputs) {
  Term output;
  if (std::any_of(inputs.begin(), inputs.end(), [](const Term& term) { return term.ellipsis >= 0; }))
    output.ellipsis = 0;
  const auto counts = count_letters(inputs);
  for (int letter = 0; letter < 128; ++letter)
    if (counts[static_cast<std::size_t>(letter)] == 1) output.letters.push_back(letter);
  return output;
}

Result<void> check_output(const Equation& parsed, std::string_view equation) {
  const auto counts = count_letters(parsed.inputs);
  std::array<bool, 128> seen{};
  for (const int letter : parsed.output.letters) {
    const auto at = static_cast<std::size_t>(letter);
    if (counts[at] == 0)
      return fail(Code::bad_value, "equation \"{}\": '{}' is in no input", equation, static_cast<char>(letter));
    if (seen[at])
      return fail(Code::bad_value, "equation \"{}\": '{}' is twice in the output", equation, static_cast<char>(letter));
    seen[at] = true;
  }
  return {};
}

}  // namespace

Labels Term::labels(std::size_t rank) const {
  Labels all = letters;
  if (ellipsis < 0) return all;
  Labels hidden(rank);
  for (std::size_t i = 0; i < rank; ++i) hidden[i] = kEllipsis + static_cast<int>(i);
  all.insert(all.begin() + ellipsis, hidden.begin(), hidden.end());
  return all;
}

Result<Equation> parse_equation(std::string_view text) {
  std::string tight(text);
  tight.erase(std::remove(tight.begin(), tight.end(), ' '), tight.end());
  const std::size_t arrow = tight.find("->");
  std::string_view left = std::string_view(tight).substr(0, arrow);
  Equation equation;
  while (true) {
    const std::size_t comma = left.find(',');
    TRY_ASSIGN(Term term, parse_term(left.substr(0, comma), text));
    equation.inputs.push_back(std::move(term));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  if (arrow == std::string::npos) {
    equation.output = implicit_output(equation.inputs);
    return equation;
  }
  TRY_ASSIGN(equation.output, parse_term(std::string_view(tight).substr(arrow + 2), text));
  TRY(check_output(equation, text));
  return equation;
}

}  // namespace pawl::ops
