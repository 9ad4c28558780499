#include "ops/batcher.h"

#include <algorithm>
#include <numeric>

#include "ops/schema.h"

namespace pawl::ops {

Attributes without(const Attributes& attributes, std::string_view name) {
  std::vector<Attribute> list = attributes.list();
  std::erase_if(list, [&](const Attribute& attribute) { return attribute.name == name; });
  return Attributes(std::move(list));
}

Attributes with(const Attributes& attributes, std::string_view name, Attribute::Payload payload) {
  std::vector<Attribute> list = without(attributes, name).list();
  list.push_back({std::string(name), std::move(payload)});
  return Attributes(std::move(list));
}

Attributes only(std::string_view name, Attribute::Payload payload) { return with({}, name, std::move(payload)); }

std::vector<std::int64_t> consecutive(std::size_t count, std::int64_t first) {
  std::vector<std::int64_t> values(count);
  std::iota(values.begin(), values.end(), first);
  return values;
}

bool Batcher::others_batched(std::initializer_list<std::size_t> allowed) const {
  for (std::size_t i = 0; i < batched_.size(); ++i)
    if (batched(i) && std::find(allowed.begin(), allowed.end(), i) == allowed.end()) return true;
  return false;
}

Operand Batcher::input(std::size_t i) const {
  Operand operand;
  if (!node.has_input(i)) return operand;
  operand.kind = Operand::Kind::input;
  operand.index = i;
  return operand;
}

std::vector<Operand> Batcher::inputs() const {
  std::vector<Operand> operands;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) operands.push_back(input(i));
  return operands;
}

Operand Batcher::repeated(Operand value, DType dtype, std::size_t rank) {
  const Schema* expand = find_schema("", "Expand", kNewestOpset);
  if (dtype == DType::undefined || !expand->inputs[0].types.admits(Type::tensor(dtype)))
    refusal_ = "a value would be repeated whose type Expand does not take";
  Operand like;
  for (std::size_t i = 0; i < batched_.size() && like.kind == Operand::Kind::omitted; ++i)
    if (batched(i)) like = input(i);
  CHECK(like.kind == Operand::Kind::input);
  const Operand steps = extents(like, 0, 1);
  const std::vector<std::int64_t> ones(rank, 1);
  const Operand shape = rank == 0 ? steps : concat({steps, integers(ones)});
  return call("Expand", {std::move(value), shape});
}

Operand Batcher::lifted(std::size_t i) {
  if (batched(i) || !node.has_input(i)) return input(i);
  return repeated(input(i), node.inputs[i]->type.dtype, node.rank(i));
}

Operand Batcher::aligned(std::size_t i, std::size_t rank) {
  if (!batched(i) || node.rank(i) >= rank) return input(i);
  return unsqueeze(input(i), consecutive(rank - node.rank(i), 1));
}

Operand Batcher::constant(Tensor value) {
  Operand operand;
  operand.kind = Operand::Kind::constant;
  operand.constant = std::move(value);
  return operand;
}

Operand Batcher::integers(std::span<const std::int64_t> values) {
  return constant(Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, values));
}

Operand Batcher::add(Call call) {
  CHECK(call.schema != nullptr);
  calls_.push_back(std::move(call));
  Operand operand;
  operand.kind = Operand::Kind::result;
  operand.index = calls_.size() - 1;
  return operand;
}

Operand Batcher::call(std::string_view name, std::vector<Operand> operands, Attributes attributes,
                      std::size_t outputs) {
  return add({find_schema("", name, kNewestOpset), std::move(attributes), std::move(operands), outputs});
}

Operand Batcher::again(std::vector<Operand> operands, Attributes attributes) {
  return add({&node.schema, std::move(attributes), std::move(operands), node.outputs.size()});
}

Operand Batcher::newest(std::vector<Operand> operands, Attributes attributes) {
  const Schema* schema = find_schema(node.schema.domain, node.schema.name, kNewestOpset);
  return add({schema, std::move(attributes), std::move(operands), node.outputs.size()});
}

Operand Batcher::output(Operand first, std::size_t k) {
  first.output = k;
  return first;
}

Operand Batcher::unsqueeze(Operand x, std::span<const std::int64_t> axes) {
  return axes.empty() ? x : call("Unsqueeze", {std::move(x), integers(axes)});
}

Operand Batcher::squeeze(Operand x, std::int64_t axis) { return call("Squeeze", {std::move(x), integers({axis})}); }

Operand Batcher::transpose(Operand x, std::vector<std::int64_t> perm) {
  if (std::is_sorted(perm.begin(), perm.end())) return x;
  return call("Transpose", {std::move(x)}, only("perm", std::move(perm)));
}

Operand Batcher::reshape(Operand x, std::span<const std::int64_t> shape) {
  return call("Reshape", {std::move(x), integers(shape)});
}

Operand Batcher::reshape_to(Operand x, Operand shape) {
  return call("Reshape", {std::move(x), std::move(shape)}, only("allowzero", std::int64_t{1}));
}

Operand Batcher::extents(Operand x, std::int64_t start, std::optional<std::int64_t> end) {
  Attributes attributes = only("start", start);
  if (end) attributes = with(attributes, "end", *end);
  return call("Shape", {std::move(x)}, std::move(attributes));
}

Operand Batcher::concat(std::vector<Operand> lists) {
  return call("Concat", std::move(lists), only("axis", std::int64_t{0}));
}

namespace {

/// The extents from axis `first` on, where each is known and not 0; nullopt otherwise. A 0 leaves no room for a -1.
std::optional<std::vector<std::int64_t>> positive_extents(const SymbolicShape& shape, std::size_t first) {
  std::vector<std::int64_t> extents;
  for (std::size_t i = first; i < shape.size(); ++i) {
    if (!shape[i].known() || shape[i].value == 0) return std::nullopt;
    extents.push_back(shape[i].value);
  }
  return extents;
}

}  // namespace

Operand Batcher::merge(Operand x, const SymbolicShape& shape) {
  if (auto known = positive_extents(shape, 1)) {
    known->insert(known->begin(), -1);
    return reshape(std::move(x), *known);
  }
  const Operand rows = call("ReduceProd", {extents(x, 0, 2), integers({0})}, only("keepdims", std::int64_t{1}));
  const Operand target = concat({rows, extents(x, 2)});
  return reshape_to(std::move(x), target);
}

Operand Batcher::unmerge(Operand y, const std::optional<SymbolicShape>& shape, Operand like) {
  if (shape && !shape->empty()) {
    if (auto known = positive_extents(*shape, 0)) {
      known->insert(known->begin(), -1);
      return reshape(std::move(y), *known);
    }
  }
  const Operand target = concat({extents(std::move(like), 0, 2), extents(y, 1)});
  return reshape_to(std::move(y), target);
}

Batching Batcher::refuse(std::string_view reason) const {
  Batching batching;
  batching.refusal = reason;
  return batching;
}

Batching Batcher::done(std::vector<Operand> outputs) {
  if (!refusal_.empty()) return refuse(refusal_);
  Batching batching;
  batching.calls = std::move(calls_);
  batching.outputs = std::move(outputs);
  return batching;
}

Batching Batcher::done(Operand first) {
  std::vector<Operand> outputs;
  for (std::size_t k = 0; k < node.outputs.size(); ++k) outputs.push_back(output(first, k));
  return done(std::move(outputs));
}

}  // namespace pawl::ops
