#include "scan/dependence.h"

#include <algorithm>

namespace pawl::scan {

using graph::ValueId;

bool draws(const graph::Node& node) {
  if (const auto* call = std::get_if<graph::OpCall>(&node.operation)) return call->def->random;
  bool found = false;
  graph::for_each_body(node, [&](const graph::Body& body, std::string_view) {
    found = found || std::any_of(body.graph->nodes.begin(), body.graph->nodes.end(), draws);
  });
  return found;
}

Dependence::Dependence(const graph::ScanOp& scan)
    : state_words_((scan.states + 63) / 64),
      words_(scan.body.graph->values.size() * state_words_),
      element_(scan.body.graph->values.size()) {
  const graph::Graph& body = *scan.body.graph;
  for (std::size_t i = 0; i < scan.states; ++i)
    words_[body.inputs[i].index * state_words_ + i / 64] |= std::uint64_t{1} << (i % 64);
  for (std::size_t i = scan.states; i < body.inputs.size(); ++i) element_[body.inputs[i].index] = true;
  for (const graph::Node& node : body.nodes) {
    const bool random = draws(node);
    for (const ValueId output : node.outputs) {
      if (!output.valid()) continue;
      for_each_read(node, [&](ValueId input) { add(output, input); });
      if (random) element_[output.index] = true;
    }
  }
}

bool Dependence::any(ValueId id) const {
  const auto first = words_.begin() + static_cast<std::ptrdiff_t>(id.index * state_words_);
  return std::any_of(first, first + static_cast<std::ptrdiff_t>(state_words_),
                     [](std::uint64_t word) { return word != 0; });
}

void Dependence::add(ValueId to, ValueId from) {
  for (std::size_t i = 0; i < state_words_; ++i)
    words_[to.index * state_words_ + i] |= words_[from.index * state_words_ + i];
  if (element_[from.index]) element_[to.index] = true;
}

}  // namespace pawl::scan
