// Axis rules of Reshape and Flatten.
#include <algorithm>
#include <string>

#include "ops/axis_rules.h"
#include "ops/batcher.h"
#include "ops/extents.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

bool allows_zero(const NodeFacts& node) { return node.since() >= 14 && node.attributes.integer("allowzero", 0) != 0; }

/// Extents multiplied: a number and symbols.
struct Product {
  std::int64_t number = 1;
  std::vector<std::string> symbols;
  bool known = true;

  void times(const Dim& dim) {
    if (dim.known()) {
      known = known && !__builtin_mul_overflow(number, dim.value, &number);
    } else {
      known = known && !dim.symbol.empty();
      symbols.insert(std::upper_bound(symbols.begin(), symbols.end(), dim.symbol), dim.symbol);
    }
  }
  bool operator==(const Product& other) const {
    return known && other.known && number == other.number && symbols == other.symbols;
  }
};

Product product_of(std::span<const Dim> dims) {
  Product product;
  for (const Dim& dim : dims) product.times(dim);
  return product;
}

/// True when axis a of one shape and axis b of the other, with the same extent, have as much before or behind them.
bool same_place(std::span<const Dim> x, std::size_t a, std::span<const Dim> y, std::size_t b) {
  return x[a].same(y[b]) && (product_of(x.first(a)) == product_of(y.first(b)) ||
                             product_of(x.subspan(a + 1)) == product_of(y.subspan(b + 1)));
}

/// The number of elements of some axes when it is known and not 0.
std::optional<std::int64_t> count_of(std::span<const Dim> dims) {
  const Product product = product_of(dims);
  if (!product.known || !product.symbols.empty() || product.number == 0) return std::nullopt;
  return product.number;
}

}  // namespace

Batching batch_reshape(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  if (b.others_batched({0})) return b.refuse("the shape differs from step to step");
  const std::optional<Dims> given = node.since() < 5 ? Dims(node.attributes.integers("shape")) : node.integers(1);
  const bool literal = allows_zero(node) && (!given || std::find(given->begin(), given->end(), 0) != given->end());
  if (literal) return b.done({b.reshape_to(b.input(0), b.concat({b.extents(b.input(0), 0, 1), b.input(1)}))});
  // A 0 copies the extent at its own place, which for the first is the new axis, and moves with it for the others.
  if (!given) return b.done(b.call("Reshape", {b.input(0), b.concat({Batcher::integers({0}), b.input(1)})}));
  std::vector<std::int64_t> shape = {0};
  shape.insert(shape.end(), given->begin(), given->end());
  // An extent that is known need not be found: among no elements it could not be.
  if (!node.outputs.empty() && node.outputs[0].shape && node.outputs[0].shape->size() == given->size())
    for (std::size_t i = 0; i < given->size(); ++i)
      if (const Dim& dim = (*node.outputs[0].shape)[i]; (*given)[i] == -1 && dim.known() && dim.value > 0)
        shape[i + 1] = dim.value;
  return b.done({b.reshape(b.input(0), shape)});
}

Ties relate_reshape(const NodeFacts& node) {
  Ties ties;
  ties.by_elements = true;
  if (node.outputs.empty() || !node.outputs[0].shape) return ties;
  const SymbolicShape &from = *node.shape(0), &to = *node.outputs[0].shape;
  for (std::size_t axis = 0; axis < to.size(); ++axis)
    for (std::size_t i = 0; i < from.size(); ++i) {
      if (!same_place(to, axis, from, i)) continue;
      Tie tie{0, axis, std::vector<int>(node.inputs.size(), -1)};
      tie.inputs[0] = static_cast<int>(i);
      ties.list.push_back(std::move(tie));
      break;
    }
  return ties;
}

Batching batch_flatten(const NodeFacts& node, std::span<const bool> batched) {
  Batcher b(node, batched);
  const auto rank = static_cast<std::int64_t>(node.rank(0));
  std::int64_t axis = node.attributes.integer("axis", 1);
  if (axis < 0) axis += rank;
  if (axis < 0 || axis > rank) return b.refuse("the axis is out of range");
  const std::span<const Dim> dims(*node.shape(0));
  const std::optional<std::int64_t> rows = count_of(dims.first(static_cast<std::size_t>(axis)));
  const std::optional<std::int64_t> columns = count_of(dims.subspan(static_cast<std::size_t>(axis)));
  if (rows) return b.done({b.reshape(b.input(0), std::vector<std::int64_t>{0, *rows, -1})});
  if (columns) return b.done({b.reshape(b.input(0), std::vector<std::int64_t>{0, -1, *columns})});
  const auto product = [&](const Operand& extents) {
    return b.call("ReduceProd", {extents, Batcher::integers({0})}, only("keepdims", std::int64_t{1}));
  };
  const Operand first = product(b.extents(b.input(0), 1, axis + 1)), second = product(b.extents(b.input(0), axis + 1));
  return b.done({b.reshape_to(b.input(0), b.concat({b.extents(b.input(0), 0, 1), first, second}))});
}

}  // namespace pawl::ops
