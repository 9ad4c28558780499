// Groups of nodes for tensors that lie in memory in another order than that of their axes.
#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "kernel/node_groups.h"
#include "pawl/tensor.h"

namespace pawl::reference {

/// How a group reads: its captures with their axes in another order, and its results likewise.
struct TurnedGroup {
  std::vector<std::size_t> order;
  std::vector<bool> turned;  ///< by capture
  graph::ScanOp scan;
};

/// The turned groups of one group, made when they are first asked for. Used by several threads at once.
class TurnedGroups {
 public:
  /// The group for these tensors; null where the largest of them lies as its axes do, or has not `rank` axes.
  ///   rank : of all results
  ///   Errors: internal
  Result<const TurnedGroup*> find(const graph::ScanOp& group, std::size_t rank, std::span<const Value* const> captured);

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<const TurnedGroup>> made_;
};

}  // namespace pawl::reference
