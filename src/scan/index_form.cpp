#include "scan/index_form.h"

#include <algorithm>

#include "graph/infer.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

constexpr std::int64_t kMost = std::int64_t{1} << 40;

bool is_small(std::int64_t value) { return value > -kMost && value < kMost; }

std::optional<IndexForm> checked(IndexForm form) {
  if (!is_small(form.scale) || !is_small(form.offset)) return std::nullopt;
  return form;
}

}  // namespace

ValueId IndexForms::behind(ValueId id) const {
  const graph::Node* node = producer_of(body_, id);
  for (; graph::call_of(node, "Identity") != nullptr; node = producer_of(body_, id)) id = node->inputs[0];
  return id;
}

std::optional<IndexForm> IndexForms::leaf(ValueId id) const {
  const Type& type = body_[id].fact.type;
  const bool vector = type.shape && type.shape->size() == 1;
  if (const auto value = graph::integer_in(body_[id].fact.tensor())) return checked({0, *value, {}, vector});
  if (id == number_) return IndexForm{1, 0, {}, vector};
  for (const Counter& counter : counters_)
    if (counter.id == id) return checked({counter.step, counter.start, {}, vector});
  // A captured value is the same in every step.
  if (std::find(body_.captured.begin(), body_.captured.end(), id) != body_.captured.end())
    return IndexForm{0, 0, id, vector};
  return std::nullopt;
}

std::optional<IndexForm> IndexForms::of(ValueId id) const {
  if (const auto found = leaf(id)) return found;
  const graph::Node* node = producer_of(body_, id);
  const auto* call = node == nullptr ? nullptr : std::get_if<graph::OpCall>(&node->operation);
  if (call == nullptr) return std::nullopt;
  const std::string_view op = call->def->name;
  if (op == "Identity" || op == "Unsqueeze" || op == "Squeeze" || op == "Reshape" || op == "Cast") {
    const Type& type = body_[id].fact.type;
    auto form = of(node->inputs[0]);
    if (!form || type.dtype != DType::i64 || !type.shape || type.shape->size() > 1) return std::nullopt;
    if (type.shape->size() == 1 && (*type.shape)[0].value != 1) return std::nullopt;
    form->vector = type.shape->size() == 1;
    return form;
  }
  if (op != "Add" && op != "Sub" && op != "Mul") return std::nullopt;
  const auto a = of(node->inputs[0]);
  const auto b = of(node->inputs[1]);
  if (!a || !b) return std::nullopt;
  const bool vector = a->vector || b->vector;
  if (op == "Mul") {
    const IndexForm& factor = a->scale == 0 && !a->added.valid() ? *a : *b;
    const IndexForm& other = &factor == &*a ? *b : *a;
    if (factor.scale != 0 || factor.added.valid() || other.added.valid() || std::abs(factor.offset) > 1024)
      return std::nullopt;
    return checked({other.scale * factor.offset, other.offset * factor.offset, {}, vector});
  }
  if (a->added.valid() && b->added.valid()) return std::nullopt;
  if (op == "Add")
    return checked({a->scale + b->scale, a->offset + b->offset, a->added.valid() ? a->added : b->added, vector});
  if (b->added.valid()) return std::nullopt;
  return checked({a->scale - b->scale, a->offset - b->offset, a->added, vector});
}

}  // namespace pawl::scan
