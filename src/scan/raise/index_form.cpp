#include "scan/raise/index_form.h"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/try.h"
#include "graph/infer.h"

namespace pawl::scan {
namespace {

using graph::OpCall;

/// Operators that repeat, move or rename elements: of equal ones they make equal ones. The second kind fails where
/// extents do not fit, which then has to be known.
constexpr std::array<std::string_view, 8> kKeepsElements = {"Identity",  "Unsqueeze", "Expand",  "Tile",
                                                            "Transpose", "Slice",     "Flatten", "Cast"};
constexpr std::array<std::string_view, 3> kFitsElements = {"Squeeze", "Reshape", "Gather"};

bool is_integer(const Type& type) { return type.is_tensor() && (type.dtype == DType::i64 || type.dtype == DType::i32); }

/// The only value of all elements of an integer constant.
std::optional<std::int64_t> uniform(const Tensor* constant) {
  constexpr std::int64_t kMost = 4096;
  if (constant == nullptr || constant->size() < 1 || constant->size() > kMost) return std::nullopt;
  const Result<Tensor> dense = constant->to_dense();
  if (!dense.ok()) return std::nullopt;
  const auto at = [&](std::int64_t i) {
    return dense->dtype() == DType::i64 ? dense->data<std::int64_t>()[i] : dense->data<std::int32_t>()[i];
  };
  if (dense->dtype() != DType::i64 && dense->dtype() != DType::i32) return std::nullopt;
  for (std::int64_t i = 1; i < dense->size(); ++i)
    if (at(i) != at(0)) return std::nullopt;
  return at(0);
}

bool is_one(const Type& type) {
  return is_integer(type) && type.shape &&
         std::all_of(type.shape->begin(), type.shape->end(), [](const Dim& dim) { return dim.value == 1; });
}

}  // namespace

std::optional<IndexForm> plus(const IndexForm& a, const IndexForm& b, std::int64_t factor) {
  auto rest = plus(a.rest, b.rest, factor);
  const auto scale = plus(Linear(a.scale), Linear(b.scale), factor);
  if (!rest || !scale) return std::nullopt;
  return IndexForm{scale->offset, std::move(*rest)};
}

void IndexForms::add_counter(ValueId id, Linear start, std::int64_t step) {
  counters_.push_back({id, std::move(start), step});
  known_.clear();
}

void IndexForms::set_steps(Linear steps) {
  site_.integers.assume_positive(steps);
  steps_ = std::move(steps);
  known_.clear();
}

Result<std::optional<IndexForm>> IndexForms::of(ValueId id) {
  if (const auto found = known_.find(id.index); found != known_.end()) return found->second;
  TRY_ASSIGN(auto made, read(id));
  known_.insert_or_assign(id.index, made);
  return made;
}

IndexForms::Found IndexForms::read(ValueId id) {
  if (!is_integer(site_.type(id))) return {std::nullopt};
  TRY_ASSIGN(auto found, leaf(id));
  if (found) return {std::move(found)};
  const graph::Node* node = site_.producer(id);
  const auto* operation = node == nullptr ? nullptr : std::get_if<OpCall>(&node->operation);
  if (operation == nullptr || !operation->def->domain.empty()) return {std::nullopt};
  return call(*node, *operation);
}

IndexForms::Found IndexForms::leaf(ValueId id) {
  if (const auto value = uniform(site_.fact(id).tensor())) {
    auto constant = plus(Linear(), Linear(*value));
    if (!constant) return {std::nullopt};
    return {IndexForm{0, std::move(*constant)}};
  }
  if (id == site_.number()) return {IndexForm{1, {}}};
  for (const Counter& counter : counters_)
    if (counter.id == id) return {IndexForm{counter.step, counter.start}};
  const ops::Fact fact = site_.fact(id);
  if (!is_one(fact.type)) return {std::nullopt};
  if (fact.elements.size() == 1 && !fact.elements[0].symbol.empty()) {
    Linear extent;
    extent.terms.push_back({fact.elements[0].symbol, {}, 1});
    return {IndexForm{0, std::move(extent)}};
  }
  TRY_ASSIGN(const ValueId outer, site_.outside(id));
  auto rest = site_.integers.of(outer);
  if (!rest) return {std::nullopt};
  return {IndexForm{0, std::move(*rest)}};
}

IndexForms::Found IndexForms::call(const graph::Node& node, const OpCall& operation) {
  const std::string_view op = operation.def->name;
  if (std::find(kKeepsElements.begin(), kKeepsElements.end(), op) != kKeepsElements.end() &&
      graph::is_measured(site_.type(node.outputs[0])))
    return of(node.inputs[0]);
  if (std::find(kFitsElements.begin(), kFitsElements.end(), op) != kFitsElements.end() && fits_for_sure(node))
    return of(node.inputs[0]);
  if (op == "Neg") {
    TRY_ASSIGN(const auto a, of(node.inputs[0]));
    if (!a) return {std::nullopt};
    return {plus(IndexForm(), *a, -1)};
  }
  if (op == "Where") return choice(node);
  const bool two = op == "Add" || op == "Sub" || op == "Mul" || op == "Mod" || op == "Max" || op == "Min";
  if (!two || node.inputs.size() != 2) return {std::nullopt};
  TRY_ASSIGN(const auto a, of(node.inputs[0]));
  TRY_ASSIGN(const auto b, of(node.inputs[1]));
  if (!a || !b) return {std::nullopt};
  return arithmetic(op, *a, *b);
}

/// Inference has seen all that the operator looks at.
bool IndexForms::fits_for_sure(const graph::Node& node) const {
  for (std::size_t i = 1; i < node.inputs.size(); ++i)
    if (node.inputs[i].valid() && site_.fact(node.inputs[i]).tensor() == nullptr) return false;
  return site_.type(node.inputs[0]).static_shape() && site_.type(node.outputs[0]).static_shape();
}

IndexForms::Found IndexForms::arithmetic(std::string_view op, const IndexForm& a, const IndexForm& b) const {
  if (op == "Add") return {plus(a, b)};
  if (op == "Sub") return {plus(a, b, -1)};
  if (op == "Mul") {
    const bool first = a.scale == 0 && a.rest.constant();
    const IndexForm& factor = first ? a : b;
    if (factor.scale != 0 || !factor.rest.constant()) return {std::nullopt};
    return {plus(IndexForm(), first ? b : a, factor.rest.offset)};
  }
  if (op == "Mod") {
    if (b.scale != 0 || !never_negative(a) || !always_below(a, b.rest)) return {std::nullopt};
    return {a};
  }
  const auto a_less_b = plus(a, b, -1);
  const auto b_less_a = plus(b, a, -1);
  const bool a_is_larger = a_less_b && never_negative(*a_less_b);
  const bool b_is_larger = b_less_a && never_negative(*b_less_a);
  if (!a_is_larger && !b_is_larger) return {std::nullopt};
  return {a_is_larger == (op == "Max") ? a : b};
}

/// Where(i < 0, i + n, i): how negative indices are made positive ones.
IndexForms::Found IndexForms::choice(const graph::Node& node) {
  TRY_ASSIGN(const auto truth, decided(node.inputs[0]));
  if (!truth) return {std::nullopt};
  return of(node.inputs[*truth ? 1 : 2]);
}

Result<std::optional<bool>> IndexForms::decided(ValueId condition) {
  const graph::Node* node = site_.producer(site_.behind(condition));
  const auto* operation = node == nullptr ? nullptr : std::get_if<OpCall>(&node->operation);
  if (operation == nullptr || !operation->def->domain.empty()) return std::optional<bool>();
  const std::string_view op = operation->def->name;
  const bool less = op == "Less" || op == "LessOrEqual";
  if (!less && op != "Greater" && op != "GreaterOrEqual") return std::optional<bool>();
  TRY_ASSIGN(const auto low, of(node->inputs[less ? 0 : 1]));
  TRY_ASSIGN(const auto high, of(node->inputs[less ? 1 : 0]));
  if (!low || !high) return std::optional<bool>();
  // It holds where high - low - (1 if strict) is not negative, and fails where low - high - (1 if not) is not.
  const std::int64_t strict = op.ends_with("OrEqual") ? 0 : 1;
  auto above = plus(*high, *low, -1);
  auto below = plus(*low, *high, -1);
  if (!above || !below) return std::optional<bool>();
  above->rest.offset -= strict;
  below->rest.offset -= 1 - strict;
  if (never_negative(*above)) return std::optional<bool>(true);
  if (never_negative(*below)) return std::optional<bool>(false);
  return std::optional<bool>();
}

bool IndexForms::never_negative(const IndexForm& form) const {
  if (form.scale >= 0) return site_.integers.never_negative(form.rest);
  if (!steps_) return false;
  auto last = plus(form.rest, *steps_, form.scale);
  if (!last) return false;
  last->offset -= form.scale;
  return site_.integers.never_negative(*last);
}

bool IndexForms::always_below(const IndexForm& form, const Linear& limit) const {
  auto room = plus(IndexForm{0, limit}, form, -1);
  if (!room) return false;
  --room->rest.offset;
  return never_negative(*room);
}

}  // namespace pawl::scan
