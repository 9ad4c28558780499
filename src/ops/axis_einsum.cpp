// The axis rule of Einsum: one more letter is the new axis.
#include <algorithm>
#include <string>

#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/equation.h"

namespace pawl::ops {
namespace {

std::optional<Equation> equation_of(const NodeFacts& node) {
  Result<Equation> equation = parse_equation(node.attributes.text("equation", ""));
  if (!equation.ok() || equation->inputs.size() != node.inputs.size()) return std::nullopt;
  return std::move(equation).value();
}

std::string text_of(const Term& term) {
  std::string text;
  for (const int letter : term.letters) text += static_cast<char>(letter);
  if (term.ellipsis >= 0) text.insert(static_cast<std::size_t>(term.ellipsis), "...");
  return text;
}

/// A letter that no operand has; 0 when all are taken.
char free_letter(const Equation& equation) {
  for (const char letter : std::string_view("tabcdefghijklmnopqrsuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) {
    const bool taken = std::any_of(equation.inputs.begin(), equation.inputs.end(), [&](const Term& term) {
      return std::find(term.letters.begin(), term.letters.end(), letter) != term.letters.end();
    });
    if (!taken) return letter;
  }
  return 0;
}

/// How many axes "..." stands for.
std::size_t hidden_rank(const NodeFacts& node, const Equation& equation) {
  for (std::size_t i = 0; i < equation.inputs.size(); ++i)
    if (equation.inputs[i].ellipsis >= 0 && node.rank(i) >= equation.inputs[i].letters.size())
      return node.rank(i) - equation.inputs[i].letters.size();
  return 0;
}

}  // namespace

Batching batch_einsum(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  const std::optional<Equation> equation = equation_of(node);
  if (!equation) return b.refuse("the equation is not valid");
  const char letter = free_letter(*equation);
  if (letter == 0) return b.refuse("the equation uses every letter");
  std::string text;
  for (std::size_t i = 0; i < equation->inputs.size(); ++i) {
    if (i > 0) text += ',';
    if (b.batched(i)) text += letter;
    text += text_of(equation->inputs[i]);
  }
  text = text + "->" + letter + text_of(equation->output);
  return b.done(b.again(b.inputs(), with(node.attributes, "equation", text)));
}

Ties relate_einsum(const NodeFacts& node) {
  Ties ties;
  const std::optional<Equation> equation = equation_of(node);
  if (!equation) return ties;
  const std::size_t hidden = hidden_rank(node, *equation);
  const bool in_inputs = std::any_of(equation->inputs.begin(), equation->inputs.end(),
                                     [](const Term& term) { return term.ellipsis >= 0; });
  const Labels output = equation->output.labels(in_inputs ? hidden : 0);
  for (std::size_t axis = 0; axis < output.size(); ++axis) {
    Tie tie{0, axis, {}};
    bool once = true;
    for (const Term& term : equation->inputs) {
      const Labels labels = term.labels(hidden);
      const auto at = std::find(labels.begin(), labels.end(), output[axis]);
      // Along a diagonal two axes move at the same time.
      once = once && std::count(labels.begin(), labels.end(), output[axis]) <= 1;
      tie.inputs.push_back(at == labels.end() ? -1 : static_cast<int>(at - labels.begin()));
    }
    if (once) ties.list.push_back(std::move(tie));
  }
  return ties;
}

}  // namespace pawl::ops
