#include "scan/raise/linear.h"

#include <algorithm>
#include <cstdlib>

#include "base/try.h"
#include "graph/infer.h"
#include "graph/walk.h"

namespace pawl::scan {
namespace {

constexpr std::int64_t kMost = std::int64_t{1} << 40;

bool is_small(std::int64_t value) { return value > -kMost && value < kMost; }

bool same_value(const Linear::Term& a, const Linear::Term& b) {
  return a.symbol == b.symbol && (!a.symbol.empty() || a.value == b.value);
}

bool is_integer(DType dtype) { return dtype == DType::i64 || dtype == DType::i32; }

/// Whether a type has one element for sure.
bool is_single(const Type& type) {
  return type.is_tensor() && is_integer(type.dtype) && type.shape &&
         std::all_of(type.shape->begin(), type.shape->end(), [](const Dim& dim) { return dim.value == 1; });
}

bool surely_not_negative(const Linear& sum) {
  return sum.offset >= 0 && std::all_of(sum.terms.begin(), sum.terms.end(), [](const Linear::Term& term) {
           return term.factor > 0 && !term.symbol.empty();
         });
}

}  // namespace

std::optional<Linear> plus(const Linear& a, const Linear& b, std::int64_t factor) {
  const auto fits = [&](std::int64_t x, std::int64_t y) {
    return is_small(x) && is_small(y) && std::abs(factor) <= 4096 && is_small(y * factor) && is_small(x + y * factor);
  };
  if (!fits(a.offset, b.offset)) return std::nullopt;
  Linear sum(a.offset + factor * b.offset);
  sum.terms = a.terms;
  for (const Linear::Term& term : b.terms) {
    const auto found = std::find_if(sum.terms.begin(), sum.terms.end(),
                                    [&](const Linear::Term& other) { return same_value(other, term); });
    if (!fits(found == sum.terms.end() ? 0 : found->factor, term.factor)) return std::nullopt;
    if (found == sum.terms.end()) {
      sum.terms.push_back(term);
      sum.terms.back().factor = factor * term.factor;
    } else {
      found->factor += factor * term.factor;
      if (!found->value.valid()) found->value = term.value;
    }
  }
  std::erase_if(sum.terms, [](const Linear::Term& term) { return term.factor == 0; });
  return sum;
}

std::optional<Linear> minus(const Linear& a, const Linear& b) { return plus(a, b, -1); }

std::optional<std::int64_t> difference(const Linear& a, const Linear& b) {
  const auto left = minus(a, b);
  return left && left->constant() ? std::optional(left->offset) : std::nullopt;
}

bool same(const Linear& a, const Linear& b) { return difference(a, b) == 0; }

std::optional<Linear> Integers::of(ValueId id) {
  if (!id.valid()) return std::nullopt;
  if (const auto found = known_.find(id.index); found != known_.end()) return found->second;
  auto made = read(id);
  known_.emplace(id.index, made);
  return made;
}

std::optional<Linear> Integers::read(ValueId id) {
  const ops::Fact fact = outer_.fact(id);
  if (const auto value = graph::integer_in(fact.tensor()))
    return is_small(*value) ? std::optional(Linear(*value)) : std::nullopt;
  if (!is_single(fact.type)) return std::nullopt;
  Linear leaf;
  if (fact.elements.size() == 1 && !fact.elements[0].symbol.empty()) {
    leaf.terms.push_back({fact.elements[0].symbol, id, 1});
    return leaf;
  }
  const graph::Node* node = producer_of(outer_.graph(), id);
  const auto* operation = node == nullptr ? nullptr : std::get_if<graph::OpCall>(&node->operation);
  if (operation != nullptr && operation->def->domain.empty())
    if (auto made = call(*node, *operation)) return made;
  leaf.terms.push_back({{}, id, 1});
  return leaf;
}

std::optional<Linear> Integers::call(const graph::Node& node, const graph::OpCall& operation) {
  const std::string_view op = operation.def->name;
  if (op == "Identity" || op == "Cast" || op == "Squeeze" || op == "Unsqueeze" || op == "Reshape")
    return of(node.inputs[0]);
  if (op == "Gather") return extent_of(node, operation);
  if (op != "Add" && op != "Sub" && op != "Mul") return std::nullopt;
  const auto a = of(node.inputs[0]);
  const auto b = of(node.inputs[1]);
  if (!a || !b) return std::nullopt;
  if (op == "Add") return plus(*a, *b);
  if (op == "Sub") return minus(*a, *b);
  if (a->constant()) return plus(Linear(), *b, a->offset);
  return b->constant() ? plus(Linear(), *a, b->offset) : std::nullopt;
}

/// Gather(Shape(x), a constant).
std::optional<Linear> Integers::extent_of(const graph::Node& gather, const graph::OpCall&) {
  const graph::Node* shape = producer_of(outer_.graph(), gather.inputs[0]);
  const graph::OpCall* call = call_of(shape, "Shape");
  const auto place = graph::integer_in(outer_.fact(gather.inputs[1]).tensor());
  if (call == nullptr || !place || call->attributes.has("start") || call->attributes.has("end")) return std::nullopt;
  const auto dims = outer_.fact(shape->inputs[0]).type.shape;
  if (!dims) return std::nullopt;
  const auto axis = graph::resolve_axis(*place, dims->size(), "place");
  return axis.ok() ? extent(shape->inputs[0], *axis) : std::nullopt;
}

Type Integers::type(ValueId id) {
  Type type = outer_.fact(id).type;
  if (!type.is_tensor() || !type.shape) return type;
  for (std::size_t axis = 0; axis < type.shape->size(); ++axis) {
    Dim& dim = (*type.shape)[axis];
    if (dim.known() || !dim.symbol.empty()) continue;
    dim.symbol = fmt::format("\x1f{}.{}", id.index, axis);
    named_.emplace(dim.symbol, Extent{id, axis});
  }
  return type;
}

Type Integers::without_names(Type type) const {
  if (type.shape)
    for (Dim& dim : *type.shape)
      if (named_.contains(dim.symbol)) dim = Dim();
  return type;
}

std::optional<Linear> Integers::extent(ValueId tensor, std::size_t axis) {
  const auto shape = type(tensor).shape;
  if (!shape || axis >= shape->size()) return std::nullopt;
  const Dim& dim = (*shape)[axis];
  if (dim.known()) return is_small(dim.value) ? std::optional(Linear(dim.value)) : std::nullopt;
  if (dim.symbol.empty()) return std::nullopt;
  Linear made;
  made.terms.push_back({dim.symbol, {}, 1});
  return made;
}

bool Integers::never_negative(const Linear& sum) const {
  if (surely_not_negative(sum)) return true;
  return std::any_of(positive_.begin(), positive_.end(), [&](const Linear& positive) {
    auto rest = minus(sum, positive);
    if (!rest) return false;
    ++rest->offset;
    return surely_not_negative(*rest);
  });
}

Result<ValueId> Integers::scalar(ValueId id, const std::string& name) {
  if (const auto known = graph::integer_in(outer_.fact(id).tensor()))
    return outer_.add_constant(Tensor::scalar<std::int64_t>(*known), name);
  const Type type = outer_.fact(id).type;
  if (type.dtype != DType::i64) {
    TRY_ASSIGN(const auto cast, outer_.call("Cast", {{"to", std::int64_t{7}}}, {id}, name));
    id = cast[0];
  }
  if (type.shape && type.shape->empty()) return id;
  const ValueId none = outer_.add_integers({}, "scalar");
  TRY_ASSIGN(const auto made, outer_.call("Reshape", {}, {id, none}, name));
  return made[0];
}

/// The value of a term; an extent whose value was not seen is read from a tensor that has it.
Result<ValueId> Integers::term(const Linear::Term& term, const std::string& name) {
  if (term.value.valid()) return scalar(term.value, name);
  const std::optional<Extent> found = find_extent(term.symbol);
  if (!found) return fail(Code::internal, "no tensor has the extent \"{}\"", term.symbol);
  TRY_ASSIGN(const auto extents, outer_.call("Shape", {}, {found->tensor}, name));
  const ValueId place =
      outer_.add_constant(Tensor::scalar<std::int64_t>(static_cast<std::int64_t>(found->axis)), "place");
  TRY_ASSIGN(const auto extent, outer_.call("Gather", {{"axis", std::int64_t{0}}}, {extents[0], place}, name));
  return extent[0];
}

std::optional<Integers::Extent> Integers::find_extent(const std::string& symbol) const {
  if (const auto named = named_.find(symbol); named != named_.end()) return named->second;
  const auto& values = outer_.graph().values;
  for (std::uint32_t i = 0; i < values.size(); ++i) {
    const Type& type = values[i].fact.type;
    if (!type.is_tensor() || !type.shape) continue;
    for (std::size_t axis = 0; axis < type.shape->size(); ++axis)
      if ((*type.shape)[axis].symbol == symbol) return Extent{ValueId{i}, axis};
  }
  return std::nullopt;
}

Result<ValueId> Integers::emit(const Linear& sum, const std::string& name) {
  const auto integer = [&](std::int64_t value) {
    return outer_.add_constant(Tensor::scalar<std::int64_t>(value), name);
  };
  if (sum.constant()) return integer(sum.offset);
  ValueId made;
  // What is added comes before what is taken away, so that the first one stands for itself.
  for (const bool positive : {true, false}) {
    for (const Linear::Term& term : sum.terms) {
      if ((term.factor > 0) != positive) continue;
      TRY_ASSIGN(ValueId value, this->term(term, name));
      if (std::abs(term.factor) != 1) {
        TRY_ASSIGN(const auto product, outer_.call("Mul", {}, {value, integer(std::abs(term.factor))}, name));
        value = product[0];
      }
      if (!made.valid() && positive) {
        made = value;
        continue;
      }
      TRY_ASSIGN(const auto both,
                 outer_.call(positive ? "Add" : "Sub", {}, {made.valid() ? made : integer(0), value}, name));
      made = both[0];
    }
  }
  if (sum.offset == 0) return made;
  TRY_ASSIGN(const auto shifted,
             outer_.call(sum.offset > 0 ? "Add" : "Sub", {}, {made, integer(std::abs(sum.offset))}, name));
  return shifted[0];
}

}  // namespace pawl::scan
