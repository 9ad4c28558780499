#include "graph/elements.h"

#include <algorithm>
#include <array>

#include "graph/infer.h"

namespace pawl::graph {
namespace {

using ops::Element;
using ops::Fact;
using Elements = std::vector<Element>;
using Facts = std::span<const Fact* const>;

/// Shapes have no more extents than this, as far as it is worth following them.
constexpr std::int64_t kMostElements = 16;

bool is_index(DType dtype) { return dtype == DType::i64 || dtype == DType::i32; }

std::optional<std::int64_t> count_of(const Type& type) {
  if (!type.is_tensor() || !type.shape || type.shape->size() > 1) return std::nullopt;
  if (type.shape->empty()) return 1;
  const Dim& dim = type.shape->front();
  return dim.known() && dim.value <= kMostElements ? std::optional(dim.value) : std::nullopt;
}

Element number(std::int64_t value) { return {value, {}}; }
Element element_of(const Dim& dim) { return dim.known() ? number(dim.value) : Element{std::nullopt, dim.symbol}; }
Dim dim_of(const Element& element) {
  if (element.number) return *element.number >= 0 ? Dim(*element.number) : Dim();
  return element.symbol.empty() ? Dim() : Dim::named(element.symbol);
}
bool is_known(const Element& element) { return element.number || !element.symbol.empty(); }
bool same(const Element& a, const Element& b) {
  return is_known(a) && a.number == b.number && (a.number || a.symbol == b.symbol);
}

/// The elements of input i; nothing where their number is not known.
std::optional<Elements> elements_of(Facts inputs, std::size_t i) {
  if (i >= inputs.size() || inputs[i] == nullptr) return std::nullopt;
  const Fact& fact = *inputs[i];
  if (const Tensor* tensor = fact.tensor()) {
    const auto& shape = tensor->shape();
    if (!is_index(tensor->dtype()) && tensor->dtype() != DType::boolean) return std::nullopt;
    if (shape.size() > 1 || tensor->size() > kMostElements) return std::nullopt;
    const Result<Tensor> dense = tensor->to_dense();
    if (!dense.ok()) return std::nullopt;
    Elements made;
    for (std::int64_t k = 0; k < dense->size(); ++k)
      made.push_back(number(dense->dtype() == DType::i64       ? dense->data<std::int64_t>()[k]
                            : dense->dtype() == DType::boolean ? static_cast<std::int64_t>(dense->data<bool>()[k])
                                                               : dense->data<std::int32_t>()[k]));
    return made;
  }
  if (!fact.elements.empty()) return fact.elements;
  const auto count = count_of(fact.type);
  if (!count || !is_index(fact.type.dtype)) return std::nullopt;
  return Elements(static_cast<std::size_t>(*count));
}

/// The numbers of an integer input; nothing where one of them is not known.
std::optional<std::vector<std::int64_t>> numbers_of(Facts inputs, std::size_t i) {
  const auto elements = elements_of(inputs, i);
  if (!elements) return std::nullopt;
  std::vector<std::int64_t> made;
  for (const Element& element : *elements) {
    if (!element.number) return std::nullopt;
    made.push_back(*element.number);
  }
  return made;
}

// --- elements

using Rule = std::optional<Elements> (*)(const OpCall& call, Facts inputs);

std::optional<Elements> shape(const OpCall& call, Facts inputs) {
  const auto& dims = inputs[0]->type.shape;
  if (!dims || static_cast<std::int64_t>(dims->size()) > kMostElements) return std::nullopt;
  const auto rank = static_cast<std::int64_t>(dims->size());
  const auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + rank : at, 0, rank); };
  const std::int64_t end = place(call.attributes.integer("end", rank));
  Elements made;
  for (std::int64_t i = place(call.attributes.integer("start", 0)); i < end; ++i)
    made.push_back(element_of((*dims)[static_cast<std::size_t>(i)]));
  return made;
}

std::optional<Elements> size(const OpCall&, Facts inputs) {
  const auto& dims = inputs[0]->type.shape;
  if (!dims || dims->size() != 1) return std::nullopt;
  return Elements{element_of(dims->front())};
}

std::optional<Elements> unchanged(const OpCall&, Facts inputs) { return elements_of(inputs, 0); }

/// Between integers only: as a truth value an extent is something else.
std::optional<Elements> cast(const OpCall&, Facts inputs) {
  if (!is_index(inputs[0]->type.dtype)) return std::nullopt;
  auto made = elements_of(inputs, 0);
  if (!made) return std::nullopt;
  for (Element& each : *made)
    if (each.number && static_cast<std::int32_t>(*each.number) != *each.number) each = Element();
  return made;
}

std::optional<Elements> gather(const OpCall&, Facts inputs) {
  const auto from = elements_of(inputs, 0);
  const auto at = numbers_of(inputs, 1);
  const auto& rank = inputs[0]->type.shape;
  if (!from || !at || !rank || rank->size() != 1) return std::nullopt;
  Elements made;
  for (const std::int64_t index : *at) {
    const auto count = static_cast<std::int64_t>(from->size());
    if (index < -count || index >= count) return std::nullopt;
    made.push_back((*from)[static_cast<std::size_t>(index < 0 ? index + count : index)]);
  }
  return made;
}

std::optional<Elements> slice(const OpCall& call, Facts inputs) {
  const auto from = elements_of(inputs, 0);
  const auto& rank = inputs[0]->type.shape;
  if (!from || !rank || rank->size() != 1) return std::nullopt;
  std::optional<std::vector<std::int64_t>> start = numbers_of(inputs, 1);
  std::optional<std::vector<std::int64_t>> end = numbers_of(inputs, 2);
  if (call.schema->since < 10) {
    const auto starts = call.attributes.integers("starts");
    const auto ends = call.attributes.integers("ends");
    start.emplace(starts.begin(), starts.end());
    end.emplace(ends.begin(), ends.end());
  }
  if (inputs.size() > 4 && inputs[4] != nullptr && numbers_of(inputs, 4) != std::vector<std::int64_t>{1})
    return std::nullopt;
  if (!start || !end || start->size() != 1 || end->size() != 1) return std::nullopt;
  const auto count = static_cast<std::int64_t>(from->size());
  const auto place = [&](std::int64_t at) { return std::clamp<std::int64_t>(at < 0 ? at + count : at, 0, count); };
  const std::int64_t first = place(start->front());
  const std::int64_t last = std::max(first, place(end->front()));
  return Elements(from->begin() + first, from->begin() + last);
}

std::optional<Elements> concat(const OpCall&, Facts inputs) {
  Elements made;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const auto part = elements_of(inputs, i);
    if (!part) return std::nullopt;
    made.insert(made.end(), part->begin(), part->end());
  }
  return made;
}

/// Two lists element by element, one of which may be a single element; `f` gives nothing where it does not know.
template <class F>
std::optional<Elements> pairwise(Facts inputs, std::size_t first, F&& f) {
  const auto a = elements_of(inputs, first);
  const auto b = elements_of(inputs, first + 1);
  if (!a || !b || a->empty() || b->empty()) return std::nullopt;
  if (a->size() != b->size() && a->size() != 1 && b->size() != 1) return std::nullopt;
  Elements made;
  for (std::size_t i = 0; i < std::max(a->size(), b->size()); ++i)
    made.push_back(f((*a)[a->size() == 1 ? 0 : i], (*b)[b->size() == 1 ? 0 : i]));
  return made;
}

std::optional<Elements> multiply(const OpCall&, Facts inputs) {
  return pairwise(inputs, 0, [](const Element& a, const Element& b) {
    if (a.number == 1) return b;
    if (b.number == 1) return a;
    return Element();
  });
}

std::optional<Elements> add(const OpCall&, Facts inputs) {
  return pairwise(inputs, 0, [](const Element& a, const Element& b) {
    if (a.number == 0) return b;
    if (b.number == 0) return a;
    return Element();
  });
}

/// An extent is never negative.
std::optional<Elements> equal(const OpCall&, Facts inputs) {
  return pairwise(inputs, 0, [](const Element& a, const Element& b) {
    if (a.number && b.number) return number(static_cast<std::int64_t>(*a.number == *b.number));
    if (same(a, b)) return number(1);
    if (!is_known(a) || !is_known(b)) return Element();
    return (a.number ? *a.number : *b.number) < 0 ? number(0) : Element();
  });
}

std::optional<Elements> where(const OpCall&, Facts inputs) {
  const auto choice = inputs[0]->elements.empty() ? elements_of(inputs, 0) : inputs[0]->elements;
  if (!choice || choice->empty()) return std::nullopt;
  std::size_t next = 0;
  auto made = pairwise(inputs, 1, [&](const Element& a, const Element& b) {
    const Element& flag = (*choice)[choice->size() == 1 ? 0 : std::min(next, choice->size() - 1)];
    ++next;
    if (!flag.number) return same(a, b) ? a : Element();
    return *flag.number != 0 ? a : b;
  });
  if (made && choice->size() != 1 && choice->size() != made->size()) return std::nullopt;
  return made;
}

struct Row {
  std::string_view op;
  Rule rule;
};

constexpr std::array kRows = {
    Row{"Shape", shape},       Row{"Size", size},           Row{"Identity", unchanged}, Row{"Cast", cast},
    Row{"Squeeze", unchanged}, Row{"Unsqueeze", unchanged}, Row{"Reshape", unchanged},  Row{"Flatten", unchanged},
    Row{"Gather", gather},     Row{"Slice", slice},         Row{"Concat", concat},      Row{"Mul", multiply},
    Row{"Add", add},           Row{"Equal", equal},         Row{"Where", where},
};

Result<Tensor> tensor_of(const Type& type, const Elements& elements) {
  Dims shape;
  if (!type.shape->empty()) shape.push_back(static_cast<std::int64_t>(elements.size()));
  Result<Tensor> made = Tensor::allocate(type.dtype, shape);
  if (!made.ok()) return made;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    if (type.dtype == DType::i64) made->mutable_data<std::int64_t>()[i] = *elements[i].number;
    if (type.dtype == DType::i32)
      made->mutable_data<std::int32_t>()[i] = static_cast<std::int32_t>(*elements[i].number);
    if (type.dtype == DType::boolean) made->mutable_data<bool>()[i] = *elements[i].number != 0;
  }
  return made;
}

void set_elements(const OpCall& call, Facts inputs, Fact& output) {
  if (output.constant || inputs.empty() || inputs[0] == nullptr) return;
  const bool fits = is_index(output.type.dtype) || output.type.dtype == DType::boolean;
  const auto count = fits ? count_of(output.type) : std::nullopt;
  if (!count) return;
  if (output.type.dtype == DType::boolean && call.def->name == "Cast") return;
  const auto row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& each) { return each.op == call.def->name; });
  if (row == kRows.end()) return;
  auto made = row->rule(call, inputs);
  if (!made || static_cast<std::int64_t>(made->size()) != *count || std::none_of(made->begin(), made->end(), is_known))
    return;
  if (std::all_of(made->begin(), made->end(), [](const Element& each) { return each.number.has_value(); })) {
    if (Result<Tensor> tensor = tensor_of(output.type, *made); tensor.ok()) output.constant = std::move(*tensor);
    return;
  }
  output.elements = std::move(*made);
}

// --- extents

/// What the -1 of a Reshape stands for: the input's extents, with those of the target divided out.
Dim remaining(SymbolicShape above, const SymbolicShape& below) {
  std::int64_t numerator = 1;
  std::int64_t denominator = 1;
  const auto times = [](std::int64_t& product, std::int64_t factor) {
    return !__builtin_mul_overflow(product, factor, &product);
  };
  for (const Dim& dim : below) {
    const auto match = std::find_if(above.begin(), above.end(), [&](const Dim& other) { return dim.same(other); });
    if (match != above.end())
      above.erase(match);
    else if (!dim.known() || !times(denominator, dim.value))
      return {};
  }
  Dim symbol;
  for (const Dim& dim : above) {
    if (dim.known() ? !times(numerator, dim.value) : dim.symbol.empty() || !symbol.symbol.empty()) return {};
    if (!dim.known()) symbol = dim;
  }
  if (denominator <= 0 || numerator % denominator != 0) return {};
  if (symbol.symbol.empty()) return Dim(numerator / denominator);
  return numerator == denominator ? symbol : Dim();
}

/// A symbol in a Reshape's target may stand for 0, which then copies an extent. Where that could give something else
/// than 0, nothing is said: with one symbol among numbers the sizes fit only when it gives 0.
bool zero_is_harmless(const OpCall& call, const SymbolicShape& from, const Elements& target) {
  if (call.attributes.integer("allowzero", 0) != 0) return true;
  std::size_t strange = 0;
  bool has_zero = false;
  for (std::size_t i = 0; i < target.size(); ++i) {
    has_zero = has_zero || target[i].number == 0 || !is_known(target[i]);
    if (!target[i].symbol.empty() && (i >= from.size() || from[i].symbol != target[i].symbol)) ++strange;
  }
  return strange == 0 || (strange == 1 && !has_zero);
}

std::optional<SymbolicShape> reshaped(const OpCall& call, Facts inputs) {
  const auto target = elements_of(inputs, 1);
  const auto& from = inputs[0]->type.shape;
  if (!target || !from || !zero_is_harmless(call, *from, *target)) return std::nullopt;
  const bool copies = call.attributes.integer("allowzero", 0) == 0;
  SymbolicShape made;
  SymbolicShape below;
  std::optional<std::size_t> open;
  bool complete = true;
  for (std::size_t i = 0; i < target->size(); ++i) {
    const Element& element = (*target)[i];
    Dim dim = dim_of(element);
    if (element.number == -1 && !open) open = i;
    if (element.number == 0 && copies) dim = i < from->size() ? (*from)[i] : Dim();
    if (open != i) {
      complete = complete && (dim.known() || !dim.symbol.empty());
      below.push_back(dim);
    }
    made.push_back(std::move(dim));
  }
  if (open && complete) made[*open] = remaining(*from, below);
  return made;
}

std::optional<SymbolicShape> dims_of(const std::optional<Elements>& elements) {
  if (!elements) return std::nullopt;
  SymbolicShape made;
  for (const Element& element : *elements) made.push_back(dim_of(element));
  return made;
}

std::optional<SymbolicShape> expanded(Facts inputs) {
  auto wanted = dims_of(elements_of(inputs, 1));
  auto from = inputs[0]->type.shape;
  if (!wanted || !from) return std::nullopt;
  while (from->size() < wanted->size()) from->insert(from->begin(), Dim(1));
  while (wanted->size() < from->size()) wanted->insert(wanted->begin(), Dim(1));
  SymbolicShape made;
  for (std::size_t i = 0; i < from->size(); ++i) {
    const Dim& a = (*from)[i];
    const Dim& b = (*wanted)[i];
    if (a.value == 1 || a.same(b)) {
      made.push_back(b);
    } else if (b.value == 1 || a.value > 1) {
      made.push_back(a);
    } else {
      made.push_back(b.value > 1 ? b : Dim());
    }
  }
  return made;
}

std::optional<SymbolicShape> tiled(Facts inputs) {
  const auto repeats = elements_of(inputs, 1);
  const auto& from = inputs[0]->type.shape;
  if (!repeats || !from || repeats->size() != from->size()) return std::nullopt;
  SymbolicShape made;
  for (std::size_t i = 0; i < from->size(); ++i) {
    const Dim count = dim_of((*repeats)[i]);
    made.push_back((*from)[i].value == 1 ? count : count.value == 1 ? (*from)[i] : Dim());
  }
  return made;
}

std::optional<SymbolicShape> counted(Facts inputs) {
  const auto start = elements_of(inputs, 0);
  const auto limit = elements_of(inputs, 1);
  const auto step = elements_of(inputs, 2);
  const auto is = [](const std::optional<Elements>& list, std::int64_t value) {
    return list && list->size() == 1 && list->front().number == value;
  };
  if (!is(start, 0) || !is(step, 1) || !limit || limit->size() != 1) return std::nullopt;
  return SymbolicShape{dim_of(limit->front())};
}

std::optional<SymbolicShape> extents_of(const OpCall& call, Facts inputs) {
  const std::string_view op = call.def->name;
  if (op == "ConstantOfShape" || op == "Reshape" || op == "Expand" || op == "Tile") {
    const auto shape = elements_of(inputs, op == "ConstantOfShape" ? 0 : 1);
    if (!shape || !std::all_of(shape->begin(), shape->end(), is_known)) return std::nullopt;
  }
  if (op == "ConstantOfShape") return dims_of(elements_of(inputs, 0));
  if (op == "Reshape" && call.schema->since >= 5) return reshaped(call, inputs);
  if (op == "Expand") return expanded(inputs);
  if (op == "Tile" && call.schema->since >= 6) return tiled(inputs);
  if (op == "Range") return counted(inputs);
  return std::nullopt;
}

/// What the operator's own rule left open is filled in, where each element of the shape is known: of a shape that is
/// known in parts nothing is said, so that an extent which was never computed is 0 in all its spellings.
void refine_shape(const OpCall& call, Facts inputs, Type& type) {
  if (!type.is_tensor()) return;
  if (type.shape && std::all_of(type.shape->begin(), type.shape->end(), [](const Dim& dim) { return dim.known(); }))
    return;
  const auto made = extents_of(call, inputs);
  if (!made) return;
  if (!type.shape) {
    type.shape = *made;
  } else if (type.shape->size() == made->size()) {
    for (std::size_t i = 0; i < made->size(); ++i) {
      Dim& dim = (*type.shape)[i];
      if (!dim.known() && ((*made)[i].known() || dim.symbol.empty())) dim = (*made)[i];
    }
  }
}

}  // namespace

void infer_elements(const OpCall& call, Facts inputs, std::span<Fact> outputs) {
  if (!call.def->domain.empty() || outputs.empty()) return;
  refine_shape(call, inputs, outputs[0].type);
  set_elements(call, inputs, outputs[0]);
}

}  // namespace pawl::graph
