#include "graph/builder.h"

#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"

namespace pawl::graph {
namespace {

/// Constants up to this size are compared by contents.
constexpr std::int64_t kMaxShared = 64;

std::string constant_key(const Tensor& tensor) {
  ops::Attribute value{"value", tensor};
  return key_of({nullptr, nullptr, ops::Attributes({std::move(value)})});
}

}  // namespace

ValueId Builder::add_value(ValueInfo value) {
  facts_.push_back(value.fact);
  makers_.push_back(static_cast<std::size_t>(-1));
  graph_.values.push_back(std::move(value));
  return {static_cast<std::uint32_t>(graph_.values.size() - 1)};
}

ValueId Builder::add_input(ValueInfo value) {
  const ValueId id = add_value(std::move(value));
  graph_.inputs.push_back(id);
  return id;
}

ValueId Builder::add_captured(ValueInfo value) {
  const ValueId id = add_value(std::move(value));
  graph_.captured.push_back(id);
  return id;
}

ValueId Builder::add_constant(Tensor tensor, std::string name) {
  const bool shared = tensor.size() <= kMaxShared && tensor.dtype() != DType::string;
  std::string key = shared ? constant_key(tensor) : std::string();
  if (const auto found = constants_.find(key); shared && found != constants_.end()) return found->second;
  ValueInfo value;
  value.name = std::move(name);
  value.fact.type = Type::tensor(tensor.dtype(), tensor.shape());
  value.fact.constant = Value(std::move(tensor));
  const ValueId id = add_value(std::move(value));
  if (shared) constants_.emplace(std::move(key), id);
  return id;
}

ValueId Builder::add_integers(std::span<const std::int64_t> list, std::string name) {
  return add_constant(Tensor::of<std::int64_t>({static_cast<std::int64_t>(list.size())}, list), std::move(name));
}

Result<std::vector<ops::Fact>> Builder::infer(const Node& node, std::size_t outputs) const {
  Result<std::vector<ops::Fact>> facts = infer_node(node, outputs, facts_);
  if (facts.ok()) return facts;
  // It fails when it runs, if it ever does: nothing is known of its outputs.
  if (facts.error().code != Code::internal) return std::vector<ops::Fact>(outputs);
  return std::move(facts).error().in(node.label);
}

Result<std::vector<ValueId>> Builder::add(Node node, std::span<const ValueInfo> outputs) {
  const auto* call = std::get_if<OpCall>(&node.operation);
  const bool pure = call != nullptr && !call->def->random;
  std::string key;
  if (pure) {
    key = key_of(*call);
    for (const ValueId id : node.inputs) key.append(reinterpret_cast<const char*>(&id.index), sizeof id.index);
    if (const auto found = known_.find(key); found != known_.end() && found->second.size() >= outputs.size()) {
      const bool enough =
          std::equal(outputs.begin(), outputs.end(), found->second.begin(),
                     [](const ValueInfo& output, ValueId id) { return output.name.empty() || id.valid(); });
      if (enough)
        return std::vector<ValueId>(found->second.begin(),
                                    found->second.begin() + static_cast<std::ptrdiff_t>(outputs.size()));
    }
  }
  TRY_ASSIGN(std::vector<ops::Fact> facts, infer(node, outputs.size()));
  const bool is_known =
      pure && std::all_of(facts.begin(), facts.end(), [](const ops::Fact& fact) { return fact.tensor() != nullptr; });
  std::vector<ValueId> ids(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (outputs[i].name.empty()) continue;
    if (is_known) {
      ids[i] = add_constant(*facts[i].tensor(), outputs[i].name);
      continue;
    }
    ValueInfo value = outputs[i];
    value.fact = std::move(facts[i]);
    ids[i] = add_value(std::move(value));
  }
  if (pure) known_.insert_or_assign(std::move(key), ids);
  if (is_known) return ids;
  for (const ValueId id : ids)
    if (id.valid()) makers_[id.index] = graph_.nodes.size();
  node.outputs = ids;
  graph_.nodes.push_back(std::move(node));
  return ids;
}

Result<std::vector<ValueId>> Builder::call(std::string_view op, std::vector<ops::Attribute> attributes,
                                           std::vector<ValueId> inputs, const std::string& name, std::size_t outputs) {
  OpCall operation;
  operation.def = ops::find_op("", op);
  operation.schema = ops::find_schema("", op, ops::kNewestOpset);
  CHECK(operation.def != nullptr && operation.schema != nullptr);
  operation.attributes = ops::Attributes(std::move(attributes));
  Node node;
  node.name = name;
  node.label = fmt::format("{} \"{}\"", op, name);
  node.operation = std::move(operation);
  node.inputs = std::move(inputs);
  std::vector<ValueInfo> values(outputs);
  for (std::size_t i = 0; i < outputs; ++i) values[i].name = outputs == 1 ? name : fmt::format("{}_{}", name, i);
  return add(std::move(node), values);
}

Graph Builder::finish(std::vector<ValueId> outputs) {
  graph_.outputs = std::move(outputs);
  Graph finished = std::move(graph_);
  *this = Builder("");
  return finished;
}

}  // namespace pawl::graph
