#include "scan/over_time.h"

#include <algorithm>
#include <limits>
#include <memory>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/motion.h"

namespace pawl::scan {

using graph::ValueId;
using graph::ValueInfo;

namespace {

Result<std::size_t> axis_of(const Type& type, std::int64_t axis, std::size_t more) {
  CHECK(type.shape.has_value());
  return graph::resolve_axis(axis, type.shape->size() + more, "scan axis");
}

ops::Fact without_constant(const ops::Fact& fact) { return {fact.type, std::nullopt}; }

std::vector<std::int64_t> front_to(std::size_t rank, std::size_t axis) {
  std::vector<std::int64_t> perm;
  for (std::size_t i = 1; i < rank; ++i) perm.push_back(static_cast<std::int64_t>(i));
  perm.insert(perm.begin() + static_cast<std::ptrdiff_t>(axis), 0);
  return perm;
}

std::vector<std::int64_t> to_front(std::size_t rank, std::size_t axis) {
  std::vector<std::int64_t> perm{static_cast<std::int64_t>(axis)};
  for (std::size_t i = 0; i < rank; ++i)
    if (i != axis) perm.push_back(static_cast<std::int64_t>(i));
  return perm;
}

/// Whether a program, made for one step at least, can also be run for none.
bool survives_no_steps(const ops::Batching& batching, std::vector<ops::Fact> inputs,
                       const std::vector<bool>& over_time) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (over_time[i]) inputs[i].type.shape->insert(inputs[i].type.shape->begin(), Dim(0));
  std::vector<std::vector<ops::Fact>> results;
  for (const ops::Call& each : batching.calls) {
    std::vector<ops::Fact> constants(each.operands.size());
    std::vector<const ops::Fact*> facts(each.operands.size(), nullptr);
    for (std::size_t i = 0; i < facts.size(); ++i) {
      const ops::Operand& given = each.operands[i];
      if (given.kind == ops::Operand::Kind::input) facts[i] = &inputs[given.index];
      if (given.kind == ops::Operand::Kind::result) facts[i] = &results[given.index][given.output];
      if (given.kind != ops::Operand::Kind::constant) continue;
      constants[i] = {Type::tensor(given.constant.dtype(), given.constant.shape()), Value(given.constant)};
      facts[i] = &constants[i];
    }
    const graph::OpCall call{ops::find_op(each.schema->domain, each.schema->name), each.schema, each.attributes};
    Result<std::vector<ops::Fact>> made = graph::infer_call(call, facts, each.outputs);
    if (!made.ok()) return false;
    results.push_back(std::move(made).value());
  }
  return true;
}

}  // namespace

std::optional<double> elements_in(const Type& type) {
  if (!type.is_tensor() || !type.shape) return std::nullopt;
  double count = 1;
  for (const Dim& dim : *type.shape) {
    if (!dim.known() && dim.symbol.empty()) return std::nullopt;
    if (dim.known()) count *= static_cast<double>(dim.value);
  }
  return count;
}

OverTime::OverTime(const Site& site, const Dependence& dependence) : site_(site), dependence_(dependence) {
  for (std::size_t i = 0; i < site.scan.elements; ++i) element_of_[site.element(i).index] = i;
  for (const graph::Capture& capture : site.scan.body.captures) captured_[capture.inner.index] = capture.outer;
}

bool OverTime::order_of(ValueId inner) const {
  if (const auto found = stacked_.find(inner.index); found != stacked_.end()) return found->second.reversed;
  const auto element = element_of_.find(inner.index);
  return element != element_of_.end() && site_.scan.input_reversed[element->second];
}

Result<ValueId> OverTime::reverse(ValueId outer, std::int64_t axis, const std::string& name) {
  const auto integer = [&](std::int64_t value, const char* what) {
    return site_.outer.add_constant(Tensor::of<std::int64_t>({1}, {value}), name + what);
  };
  const std::vector<ValueId> inputs{outer, integer(-1, "_last"),
                                    integer(std::numeric_limits<std::int64_t>::min(), "_before_first"),
                                    integer(axis, "_axis"), integer(-1, "_step")};
  TRY_ASSIGN(const std::vector<ValueId> made, site_.outer.call("Slice", {}, inputs, name + "_reversed"));
  return made[0];
}

Result<ValueId> OverTime::get(ValueId inner, bool reversed) {
  const std::string& name = site_.body[inner].name;
  auto found = stacked_.find(inner.index);
  if (found == stacked_.end()) {
    const auto element = element_of_.find(inner.index);
    CHECK(element != element_of_.end());
    const std::size_t i = element->second;
    ValueId scanned = site_.scanned(i);
    TRY_ASSIGN(const std::size_t axis, axis_of(site_.outer.fact(scanned).type, site_.scan.input_axes[i], 0));
    if (axis != 0) {
      const std::size_t rank = site_.outer.fact(scanned).type.shape->size();
      TRY_ASSIGN(const std::vector<ValueId> made,
                 site_.outer.call("Transpose", {{"perm", to_front(rank, axis)}}, {scanned}, name + "_time_first"));
      scanned = made[0];
    }
    found = stacked_.emplace(inner.index, Stacked{scanned, site_.scan.input_reversed[i]}).first;
  }
  if (found->second.reversed == reversed) return found->second.outer;
  return reverse(found->second.outer, 0, name);
}

Result<ValueId> OverTime::invariant(ValueId inner) {
  if (const auto found = captured_.find(inner.index); found != captured_.end()) return found->second;
  const Tensor* constant = site_.body[inner].fact.tensor();
  CHECK(constant != nullptr);
  return site_.outer.add_constant(*constant, site_.body[inner].name);
}

std::optional<ops::Batching> OverTime::find_program(const graph::Node& node, const std::vector<bool>& over_time) const {
  const auto* call = std::get_if<graph::OpCall>(&node.operation);
  if (call == nullptr || call->def->random || call->def->axes.batch == nullptr) return std::nullopt;
  if (std::none_of(over_time.begin(), over_time.end(), [](bool flag) { return flag; })) return std::nullopt;
  std::vector<ops::Fact> facts(node.inputs.size());
  std::vector<const ops::Fact*> pointers(node.inputs.size(), nullptr);
  const auto flags = std::make_unique<bool[]>(node.inputs.size());
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const ValueId id = node.inputs[i];
    if (!id.valid()) continue;
    const bool known_outside = captured_.contains(id.index) || site_.body[id].fact.tensor() != nullptr;
    // What is invariant and not outside yet stays in the loop, and with it what reads it.
    if (!over_time[i] && !known_outside) return std::nullopt;
    facts[i] = over_time[i] ? without_constant(site_.body[id].fact) : site_.body[id].fact;
    pointers[i] = &facts[i];
    flags[i] = over_time[i];
  }
  std::vector<Type> types;
  for (const ValueId id : node.outputs) types.push_back(id.valid() ? site_.body[id].fact.type : Type());
  if (!may_run_early(site_, node, pointers)) return std::nullopt;
  const ops::NodeFacts known{*call->schema, call->attributes, pointers, types};
  ops::Batching batching = ops::batch(*call->def, known, {flags.get(), node.inputs.size()});
  if (!batching.accepted()) return std::nullopt;
  if (site_.trips().value < 1 && !survives_no_steps(batching, facts, over_time)) return std::nullopt;
  return batching;
}

Result<void> OverTime::emit(const graph::Node& node, const ops::Batching& batching, bool reversed) {
  std::vector<std::vector<ValueId>> results;
  std::string name = node.name;
  for (const ValueId id : node.outputs)
    if (id.valid() && name.empty()) name = site_.body[id].name;
  const auto operand = [&](const ops::Operand& given) -> Result<ValueId> {
    switch (given.kind) {
      case ops::Operand::Kind::omitted: return ValueId();
      case ops::Operand::Kind::result: return results[given.index][given.output];
      case ops::Operand::Kind::constant: return site_.outer.add_constant(given.constant, name + "_constant");
      case ops::Operand::Kind::input: break;
    }
    const ValueId id = node.inputs[given.index];
    if (!id.valid()) return id;
    if (dependence_.invariant(id) || !has(id)) return invariant(id);
    return get(id, reversed);
  };
  for (const ops::Call& each : batching.calls) {
    graph::OpCall operation;
    operation.def = ops::find_op(each.schema->domain, each.schema->name);
    operation.schema = each.schema;
    operation.attributes = each.attributes;
    graph::Node made;
    made.name = node.name;
    made.label = node.label;
    made.operation = std::move(operation);
    for (const ops::Operand& given : each.operands) {
      TRY_ASSIGN(const ValueId id, operand(given));
      made.inputs.push_back(id);
    }
    std::vector<ValueInfo> values(each.outputs);
    for (ValueInfo& value : values) value.name = name + "_all";
    TRY_ASSIGN(std::vector<ValueId> ids, site_.outer.add(std::move(made), values));
    results.push_back(std::move(ids));
  }
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (!node.outputs[i].valid()) continue;
    TRY_ASSIGN(const ValueId id, operand(batching.outputs[i]));
    set(node.outputs[i], {id, reversed});
  }
  return {};
}

Result<ValueId> OverTime::as_output(Stacked stacked, std::size_t output, const std::string& name) {
  ValueId id = stacked.outer;
  if (stacked.reversed != site_.scan.output_reversed[output]) {
    TRY_ASSIGN(id, reverse(id, 0, name));
  }
  const Type& type = site_.outer.fact(id).type;
  TRY_ASSIGN(const std::size_t axis, axis_of(type, site_.scan.output_axes[output], 0));
  if (axis == 0) return id;
  TRY_ASSIGN(const std::vector<ValueId> made,
             site_.outer.call("Transpose", {{"perm", front_to(type.shape->size(), axis)}}, {id}, name + "_placed"));
  return made[0];
}

}  // namespace pawl::scan
