#include "backend/reference/turned_groups.h"

#include <algorithm>

#include "base/try.h"
#include "tensor/order.h"

namespace pawl::reference {

Result<const TurnedGroup*> TurnedGroups::find(const graph::ScanOp& group, std::size_t rank,
                                              std::span<const Value* const> captured) {
  const auto* largest = *std::max_element(captured.begin(), captured.end(), [](const Value* a, const Value* b) {
    return a->tensor().size() < b->tensor().size();
  });
  if (largest->tensor().shape().size() != rank) return nullptr;
  const std::vector<std::size_t> order = order_in_memory(largest->tensor());
  if (order.empty()) return nullptr;
  std::vector<bool> turned;
  for (const Value* each : captured)
    turned.push_back(each->tensor().shape().size() == rank && order_in_memory(each->tensor()) == order);
  const std::lock_guard lock(mutex_);
  for (const auto& each : made_)
    if (each->order == order && each->turned == turned) return each.get();
  TRY_ASSIGN(graph::ScanOp scan, kernel::turned_group(group, order, turned));
  made_.push_back(std::make_unique<const TurnedGroup>(TurnedGroup{order, std::move(turned), std::move(scan)}));
  return made_.back().get();
}

}  // namespace pawl::reference
