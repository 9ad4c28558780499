#include "graph/scope.h"

namespace pawl::graph {

ValueId Scope::define(const std::string& name, ValueInfo info) {
  const ValueId id{static_cast<std::uint32_t>(graph_->values.size())};
  graph_->values.push_back(std::move(info));
  names_[name] = id;
  return id;
}

std::optional<ValueId> Scope::resolve(const std::string& name) {
  if (const auto found = names_.find(name); found != names_.end()) return found->second;
  if (parent_ == nullptr) return std::nullopt;
  const std::optional<ValueId> outer = parent_->resolve(name);
  if (!outer || !outer->valid()) return outer;
  ValueInfo info;
  info.name = name;
  const ValueId inner = define(name, std::move(info));
  graph_->captured.push_back(inner);
  captures_.push_back({*outer, inner});
  return inner;
}

}  // namespace pawl::graph
