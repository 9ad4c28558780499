#include "scan/raise/writes.h"

#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/sequences.h"

namespace pawl::scan {
namespace {

using graph::Node;
using graph::OpCall;

/// No tensor goes as far.
constexpr std::int64_t kFar = std::int64_t{1} << 39;

/// Chains of writes in one step that are followed.
constexpr int kMostNodes = 16;

bool is_scatter(const Node* node) {
  return call_of(node, "ScatterND") != nullptr || call_of(node, "ScatterElements") != nullptr ||
         call_of(node, "Scatter") != nullptr;
}

}  // namespace

bool is_along_axis(const Node& scatter) { return call_of(&scatter, "ScatterND") == nullptr; }

bool equal_beside(const SymbolicShape& a, const SymbolicShape& b, std::size_t axis) {
  if (a.size() != b.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (i != axis && !a[i].same(b[i])) return false;
  return true;
}

bool equal(const SymbolicShape& a, const SymbolicShape& b) { return equal_beside(a, b, a.size()); }

void Writes::find() {
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    if (site_.stays(i)) continue;
    writes_[i] = pushed(i);
    if (!is_written(i)) writes_[i] = grown(i);
    if (!is_written(i)) writes_[i] = scattered(i);
    if (!is_written(i)) writes_[i] = spliced(i);
  }
}

Write Writes::pushed(std::size_t i) const {
  const Node* insert = site_.producer(site_.behind(site_.next(i)));
  if (call_of(insert, "SequenceInsert") == nullptr || site_.behind(insert->inputs[0]) != site_.carried(i)) return {};
  return Pushed{insert->inputs[1], insert->inputs.size() > 2 ? insert->inputs[2] : ValueId()};
}

/// Whether carried value i stands at the one or the other end of nested Concats.
bool Writes::reaches(ValueId id, std::size_t i, int depth) const {
  id = site_.behind(id);
  if (id == site_.carried(i)) return true;
  const Node* node = site_.producer(id);
  return depth > 0 && call_of(node, "Concat") != nullptr &&
         (reaches(node->inputs.front(), i, depth - 1) || reaches(node->inputs.back(), i, depth - 1));
}

Write Writes::grown(std::size_t i) const {
  const auto shape = site_.outer.fact(site_.initial(i)).type.shape;
  if (!shape) return {};
  Grown made;
  ValueId at = site_.behind(site_.next(i));
  for (int count = 0; count < kMostNodes && at != site_.carried(i); ++count) {
    const Node* node = site_.producer(at);
    const OpCall* concat = call_of(node, "Concat");
    if (concat == nullptr || node->inputs.size() < 2) return {};
    const auto axis = graph::resolve_axis(concat->attributes.integer("axis", 0), shape->size(), "axis");
    if (!axis.ok() || (count > 0 && *axis != made.axis)) return {};
    made.axis = *axis;
    // The first Concat says at which end; the others have to agree.
    const bool in_front = !reaches(node->inputs.front(), i, kMostNodes / 2);
    if (count > 0 && in_front != made.in_front) return {};
    made.in_front = in_front;
    std::vector<ValueId> others = node->inputs;
    at = site_.behind(in_front ? others.back() : others.front());
    others.erase(in_front ? others.end() - 1 : others.begin());
    // In front: what the outer one adds comes first. Behind: what it adds comes last.
    made.parts.insert(in_front ? made.parts.end() : made.parts.begin(), others.begin(), others.end());
  }
  if (at != site_.carried(i)) return {};
  return made;
}

Write Writes::scattered(std::size_t i) const {
  Scattered made;
  ValueId at = site_.behind(site_.next(i));
  for (int count = 0; count < kMostNodes && at != site_.carried(i); ++count) {
    const Node* node = site_.producer(at);
    if (!is_scatter(node)) return {};
    made.nodes.insert(made.nodes.begin(), node);
    at = site_.behind(node->inputs[0]);
  }
  if (at != site_.carried(i)) return {};
  return made;
}

Write Writes::spliced(std::size_t i) const {
  const Node* concat = site_.producer(site_.behind(site_.next(i)));
  const auto shape = site_.outer.fact(site_.initial(i)).type.shape;
  if (call_of(concat, "Concat") == nullptr || concat->inputs.size() != 3 || !shape) return {};
  const auto axis =
      graph::resolve_axis(std::get<OpCall>(concat->operation).attributes.integer("axis", 0), shape->size(), "axis");
  if (!axis.ok()) return {};
  for (const std::size_t part : {std::size_t{0}, std::size_t{2}}) {
    const Node* slice = site_.producer(site_.behind(concat->inputs[part]));
    if (call_of(slice, "Slice") == nullptr || site_.behind(slice->inputs[0]) != site_.carried(i)) return {};
  }
  return Spliced{concat, *axis};
}

std::vector<std::optional<Type>> Writes::grown_types() {
  std::vector<std::optional<Type>> types(writes_.size());
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    const auto* write = get<Grown>(i);
    if (write == nullptr) continue;
    types[i] = site_.initial_type(i);
    (*types[i]->shape)[write->axis] = Dim();
  }
  return types;
}

Result<void> Writes::settle(const Steps& steps) {
  for (std::size_t i = 0; i < writes_.size(); ++i) {
    bool fits_all = true;
    if (auto* pushed = std::get_if<Pushed>(&writes_[i])) {
      TRY_ASSIGN(fits_all, fits(i, *pushed, steps));
    }
    if (const auto* grown = std::get_if<Grown>(&writes_[i])) fits_all = fits(i, *grown);
    if (auto* scattered = std::get_if<Scattered>(&writes_[i])) {
      TRY_ASSIGN(fits_all, fits(i, *scattered));
    }
    if (auto* spliced = std::get_if<Spliced>(&writes_[i])) {
      TRY_ASSIGN(fits_all, fits(i, *spliced));
    }
    if (!fits_all) make_state(i);
    TRY_ASSIGN(entries_[i], find_entry(i));
  }
  return {};
}

Result<bool> Writes::fits(std::size_t i, Pushed& write, const Steps& steps) {
  const ValueId initial = site_.initial(i);
  const auto before = known_items(site_.outer.graph(), initial);
  const Type sequence = site_.outer.fact(initial).type;
  const Type& item = site_.type(write.item);
  if (!before || !sequence.element || sequence.element->dtype != item.dtype) return false;
  if (write.position.valid()) {
    TRY_ASSIGN(const auto place, forms_.of(write.position));
    const Linear count(static_cast<std::int64_t>(before->size()));
    write.in_front = place && place->scale == 0 && same(place->rest, Linear());
    if (!write.in_front && !(place && place->scale == 1 && same(place->rest, count))) return false;
  }
  if (before->empty()) {
    TRY_ASSIGN(write.copied, copied(write, steps));
    if (write.copied.valid()) return true;
  }
  write.before = *before;
  return graph::is_measured(item) && std::all_of(before->begin(), before->end(), [&](ValueId id) {
           return graph::same_type(site_.integers.type(id), item);
         });
}

/// The sequence all of whose tensors are pushed, in their order, whatever their shapes are.
Result<ValueId> Writes::copied(const Pushed& write, const Steps& steps) {
  const Node* at = site_.producer(site_.behind(write.item));
  if (call_of(at, "SequenceAt") == nullptr || write.in_front) return ValueId();
  TRY_ASSIGN(const ValueId sequence, site_.outside(at->inputs[0]));
  TRY_ASSIGN(const auto place, forms_.of(at->inputs[1]));
  if (!sequence.valid() || !place || place->scale != 1 || !same(place->rest, Linear())) return ValueId();
  // A count that is no length may be less than 0: then it is another value.
  const Node* length = producer_of(site_.outer.graph(), steps.count);
  if (call_of(length, "Max") != nullptr) length = producer_of(site_.outer.graph(), length->inputs[0]);
  return call_of(length, "SequenceLength") != nullptr && length->inputs[0] == sequence ? sequence : ValueId();
}

bool Writes::fits(std::size_t i, const Grown& write) {
  const Type initial = site_.initial_type(i);
  return std::all_of(write.parts.begin(), write.parts.end(), [&](ValueId part) {
    const Type& type = site_.type(part);
    return graph::is_measured(type) && type.dtype == initial.dtype &&
           equal_beside(*initial.shape, *type.shape, write.axis);
  });
}

/// The entry is surely there, so that what is before it, it and what is behind it are as many as before.
Result<bool> Writes::fits(std::size_t i, Spliced& write) {
  const Type initial = site_.initial_type(i);
  const Type& part = site_.type(write.concat->inputs[1]);
  const auto extent = site_.integers.extent(site_.initial(i), write.axis);
  if (!graph::is_measured(initial) || !graph::is_measured(part) || part.dtype != initial.dtype || !extent ||
      !equal_beside(*part.shape, *initial.shape, write.axis) || (*part.shape)[write.axis].value != 1)
    return false;
  TRY_ASSIGN(const auto before, sliced(*site_.producer(site_.behind(write.concat->inputs[0])), write.axis));
  TRY_ASSIGN(const auto behind, sliced(*site_.producer(site_.behind(write.concat->inputs[2])), write.axis));
  if (!before || !behind || before->second.scale == 0 || before->first.scale != 0 || behind->second.scale != 0)
    return false;
  write.at = before->second;
  const auto beyond = minus(behind->second.rest, *extent);
  const bool from_start = same(before->first.rest, Linear());
  const bool to_end = same(behind->second.rest, Linear(kFar)) || (beyond && site_.integers.never_negative(*beyond));
  return from_start && to_end && behind->first.scale == write.at.scale &&
         difference(behind->first.rest, write.at.rest) == 1 && forms_.never_negative(write.at) &&
         forms_.always_below(write.at, *extent);
}

Result<std::optional<std::pair<IndexForm, IndexForm>>> Writes::sliced(const Node& node, std::size_t axis) {
  using Found = std::optional<std::pair<IndexForm, IndexForm>>;
  const auto input = [&](std::size_t k) { return k < node.inputs.size() ? node.inputs[k] : ValueId(); };
  const auto is = [&](ValueId id, std::int64_t otherwise, std::size_t wanted) {
    const auto given = id.valid() ? graph::integer_in(site_.fact(id).tensor()) : std::optional(otherwise);
    return given && *given == static_cast<std::int64_t>(wanted);
  };
  if (std::get<OpCall>(node.operation).schema->since < 10 || !is(input(3), 0, axis) || !is(input(4), 1, 1))
    return Found();
  TRY_ASSIGN(const auto from, forms_.of(input(1)));
  // An end beyond all is too large for a form.
  const auto end = graph::integer_in(site_.fact(input(2)).tensor());
  if (from && end && *end >= kFar) return Found({*from, IndexForm{0, Linear(kFar)}});
  TRY_ASSIGN(const auto to, forms_.of(input(2)));
  return from && to ? Found({*from, *to}) : Found();
}

std::optional<Places> Writes::places(std::size_t i) const {
  if (const auto* scattered = get<Scattered>(i)) return Places{scattered->axis, scattered->at};
  if (const auto* spliced = get<Spliced>(i)) return Places{spliced->axis, spliced->at};
  return std::nullopt;
}

/// The nodes write to the same entries of one axis, which are others in each step.
Result<bool> Writes::fits(std::size_t i, Scattered& write) {
  const Type initial = site_.initial_type(i);
  if (!graph::is_measured(initial)) return false;
  for (const Node* node : write.nodes) {
    if (!fits(i, *node)) return false;
    Scattered other;
    TRY_ASSIGN(const bool found, find_axis(*node, initial.shape->size(), other));
    if (!found || !is_steady(other.at)) return false;
    const bool first = node == write.nodes.front();
    if (!first && (other.axis != write.axis || other.at.scale != write.at.scale || !same(other.at.rest, write.at.rest)))
      return false;
    write.axis = other.axis;
    write.at = other.at;
  }
  return true;
}

/// Whether the shapes are right for sure: with no steps nothing may fail of them.
bool Writes::fits(std::size_t i, const Node& scatter) {
  const SymbolicShape target = *site_.initial_type(i).shape;
  const Type& indices = site_.type(scatter.inputs[1]);
  const Type& updates = site_.type(scatter.inputs[2]);
  if (!graph::is_measured(indices) || !graph::is_measured(updates) ||
      updates.dtype != site_.outer.fact(site_.initial(i)).type.dtype)
    return false;
  if (is_along_axis(scatter)) {
    const auto axis =
        graph::resolve_axis(std::get<OpCall>(scatter.operation).attributes.integer("axis", 0), target.size(), "axis");
    if (!axis.ok() || !equal(*indices.shape, *updates.shape) || indices.shape->size() != target.size()) return false;
    for (std::size_t k = 0; k < target.size(); ++k) {
      const Dim& dim = (*indices.shape)[k];
      if (k == *axis ? dim.value != 1 : !dim.same(target[k]) && !(dim.known() && dim.value <= target[k].value))
        return false;
    }
    return true;
  }
  if (indices.shape->empty()) return false;
  const std::int64_t places = indices.shape->back().value;
  if (places < 1 || places > static_cast<std::int64_t>(target.size())) return false;
  SymbolicShape expected(indices.shape->begin(), indices.shape->end() - 1);
  expected.insert(expected.end(), target.begin() + places, target.end());
  return equal(expected, *updates.shape);
}

Result<bool> Writes::find_axis(const Node& scatter, std::size_t rank, Scattered& write) {
  const ValueId indices = scatter.inputs[1];
  const auto differs = [](const std::optional<IndexForm>& form) { return form && form->scale != 0; };
  if (is_along_axis(scatter)) {
    TRY_ASSIGN(write.axis,
               graph::resolve_axis(std::get<OpCall>(scatter.operation).attributes.integer("axis", 0), rank, "axis"));
    TRY_ASSIGN(auto at, forms_.of(indices));
    if (!differs(at)) return false;
    write.at = std::move(*at);
    return true;
  }
  const std::int64_t places = site_.type(indices).shape->back().value;
  for (std::int64_t place = 0; place < places; ++place) {
    TRY_ASSIGN(auto at, component(indices, place));
    if (!differs(at)) continue;
    write.axis = static_cast<std::size_t>(place);
    write.at = std::move(*at);
    return true;
  }
  return false;
}

/// What stands at one place of all tuples along the last axis.
Result<std::optional<IndexForm>> Writes::component(ValueId indices, std::int64_t place) {
  TRY_ASSIGN(auto all, forms_.of(indices));
  if (all) return all;
  const Node* node = site_.producer(indices);
  const auto* call = node == nullptr ? nullptr : std::get_if<OpCall>(&node->operation);
  const auto last = [&](ValueId id) {
    const auto& shape = site_.type(id).shape;
    return shape && !shape->empty() ? shape->back().value : Dim::kUnknown;
  };
  if (call == nullptr || !call->def->domain.empty()) return std::optional<IndexForm>();
  const std::string_view op = call->def->name;
  if (op == "Concat") {
    const auto axis =
        graph::resolve_axis(call->attributes.integer("axis", 0), site_.type(indices).shape->size(), "axis");
    if (!axis.ok() || *axis + 1 != site_.type(indices).shape->size()) return std::optional<IndexForm>();
    for (const ValueId part : node->inputs) {
      if (last(part) < 0) break;
      if (place < last(part)) return component(part, place);
      place -= last(part);
    }
    return std::optional<IndexForm>();
  }
  const bool keeps =
      op == "Identity" || op == "Cast" || op == "Reshape" || op == "Unsqueeze" || op == "Squeeze" || op == "Expand";
  const bool same_tuples = keeps && last(node->inputs[0]) > 1 && last(node->inputs[0]) == last(indices);
  return same_tuples ? component(node->inputs[0], place) : Result<std::optional<IndexForm>>(std::nullopt);
}

/// Places of different steps differ: all count from the front, or all from the end.
bool Writes::is_steady(const IndexForm& form) const {
  return forms_.never_negative(form) || (form.scale < 0 && form.rest.constant() && form.rest.offset < 0);
}

std::vector<ValueId> Writes::sources(std::size_t i) const {
  if (const auto* pushed = get<Pushed>(i))
    return pushed->copied.valid() ? std::vector<ValueId>() : std::vector{pushed->item};
  if (const auto* grown = get<Grown>(i)) return grown->parts;
  if (const auto* spliced = get<Spliced>(i)) return {spliced->concat->inputs[1]};
  std::vector<ValueId> made;
  if (const auto* scattered = get<Scattered>(i))
    for (const Node* node : scattered->nodes) made.insert(made.end(), {node->inputs[1], node->inputs[2]});
  return made;
}

}  // namespace pawl::scan
