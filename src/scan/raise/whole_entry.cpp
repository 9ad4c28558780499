// Whether what a step writes is one whole entry: then the next step may have read it, and all of them may be all there
// is.
#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/raise/writes.h"

namespace pawl::scan {

using graph::Node;
using graph::OpCall;

Result<std::optional<Entry>> Writes::find_entry(std::size_t i) {
  if (const auto* pushed = get<Pushed>(i); pushed != nullptr && !pushed->copied.valid())
    return std::optional(Entry{pushed->item});
  if (const auto* grown = get<Grown>(i)) {
    const bool is_one = grown->parts.size() == 1 && (*site_.type(grown->parts[0]).shape)[grown->axis].value == 1;
    if (is_one) return std::optional(Entry{grown->parts[0], {static_cast<std::int64_t>(grown->axis)}});
  }
  if (const auto* spliced = get<Spliced>(i))
    return std::optional(Entry{spliced->concat->inputs[1], {static_cast<std::int64_t>(spliced->axis)}});
  if (const auto* scattered = get<Scattered>(i)) return scattered_entry(i, *scattered);
  return std::optional<Entry>();
}

Result<std::optional<Entry>> Writes::scattered_entry(std::size_t i, const Scattered& write) {
  const Node& node = *write.nodes[0];
  const bool replaces = std::get<OpCall>(node.operation).attributes.text("reduction", "none") == "none";
  if (write.nodes.size() != 1 || !replaces) return std::optional<Entry>();
  const SymbolicShape target = *site_.initial_type(i).shape;
  const SymbolicShape& updates = *site_.type(node.inputs[2]).shape;
  Entry entry{node.inputs[2]};
  if (is_along_axis(node)) {
    if (!equal_beside(updates, target, write.axis)) return std::optional<Entry>();
    entry.ones.push_back(static_cast<std::int64_t>(write.axis));
    return std::optional(std::move(entry));
  }
  // ScatterND: beside the place that the step has, the places count through all of their axes, each along one of its
  // own.
  const auto places = places_of(node.inputs[1]);
  if (!places) return std::optional<Entry>();
  std::vector<bool> stays(updates.size(), true);
  const std::size_t grid = site_.type(node.inputs[1]).shape->size() - 1;
  std::fill_n(stays.begin(), grid, false);
  std::size_t first_free = 0;
  for (std::size_t p = 0; p < places->size(); ++p) {
    if (p == write.axis) continue;
    const auto extent = site_.integers.extent(site_.initial(i), p);
    if (!extent) return std::optional<Entry>();
    TRY_ASSIGN(const auto axis, counted_axis((*places)[p], *extent));
    if (!axis || *axis < first_free) return std::optional<Entry>();
    stays[*axis] = true;
    first_free = *axis + 1;
  }
  SymbolicShape shape;
  for (std::size_t k = 0; k < updates.size(); ++k) {
    if (stays[k])
      shape.push_back(updates[k]);
    else if (updates[k].value == 1)
      entry.ones.push_back(static_cast<std::int64_t>(k));
    else
      return std::optional<Entry>();
  }
  SymbolicShape expected = target;
  expected.erase(expected.begin() + static_cast<std::ptrdiff_t>(write.axis));
  return equal(shape, expected) ? std::optional(std::move(entry)) : std::nullopt;
}

/// The parts of ScatterND's indices for each axis that they name.
std::optional<std::vector<ValueId>> Writes::places_of(ValueId indices) const {
  const auto last = [&](ValueId id) { return site_.type(id).shape->back().value; };
  indices = site_.behind(indices);
  if (last(indices) == 1) return std::vector{indices};
  const Node* node = site_.producer(indices);
  const OpCall* concat = call_of(node, "Concat");
  const std::size_t rank = site_.type(indices).shape->size();
  if (concat == nullptr) return std::nullopt;
  const auto axis = graph::resolve_axis(concat->attributes.integer("axis", 0), rank, "axis");
  const auto is_one = [&](ValueId id) { return site_.type(id).shape && last(id) == 1; };
  if (!axis.ok() || *axis + 1 != rank || !std::all_of(node->inputs.begin(), node->inputs.end(), is_one))
    return std::nullopt;
  return node->inputs;
}

/// The only axis along which the places differ, when along it they are 0, 1, 2, … below the extent.
Result<std::optional<std::size_t>> Writes::counted_axis(ValueId place, const Linear& extent) {
  const SymbolicShape& shape = *site_.type(place).shape;
  std::optional<std::size_t> found;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    if (shape[k].value == 1) continue;
    if (found) return std::optional<std::size_t>();
    found = k;
  }
  if (!found) return std::optional<std::size_t>();
  const Dim& dim = shape[*found];
  Linear count(dim.known() ? dim.value : 0);
  if (!dim.known()) count.terms.push_back({dim.symbol, {}, 1});
  if (!same(count, extent)) return std::optional<std::size_t>();
  TRY_ASSIGN(const bool counts, counts_up(place, extent));
  return counts ? found : std::nullopt;
}

/// 0, 1, 2, … below the extent in a value of as many elements, however its axes are.
Result<bool> Writes::counts_up(ValueId value, const Linear& extent) {
  if (const Tensor* constant = site_.fact(value).tensor()) {
    TRY_ASSIGN(const Tensor dense, constant->to_dense());
    if (dense.dtype() != DType::i64) return false;
    for (std::int64_t k = 0; k < dense.size(); ++k)
      if (dense.data<std::int64_t>()[k] != k) return false;
    return true;
  }
  const Node* node = site_.producer(value);
  const auto* call = node == nullptr ? nullptr : std::get_if<OpCall>(&node->operation);
  if (call == nullptr || !call->def->domain.empty()) return false;
  const std::string_view op = call->def->name;
  if (op == "Range") {
    TRY_ASSIGN(const auto first, forms_.of(node->inputs[0]));
    TRY_ASSIGN(const auto limit, forms_.of(node->inputs[1]));
    TRY_ASSIGN(const auto step, forms_.of(node->inputs[2]));
    const auto is = [](const std::optional<IndexForm>& form, const Linear& number) {
      return form && form->scale == 0 && same(form->rest, number);
    };
    return is(first, Linear(0)) && is(limit, extent) && is(step, Linear(1));
  }
  const bool views = op == "Unsqueeze" || op == "Squeeze" || op == "Reshape" || op == "Identity" || op == "Cast";
  const bool same_elements = (op == "Expand" || op == "Slice") && has_as_many(node->inputs[0], value);
  return views || same_elements ? counts_up(node->inputs[0], extent) : Result<bool>(false);
}

/// Whether two values have equal extents, but for those of 1.
bool Writes::has_as_many(ValueId a, ValueId b) const {
  const auto extents = [&](ValueId id) {
    SymbolicShape made;
    for (const Dim& dim : *site_.type(id).shape)
      if (dim.value != 1) made.push_back(dim);
    return made;
  };
  return site_.type(a).shape && site_.type(b).shape && equal(extents(a), extents(b));
}

}  // namespace pawl::scan
