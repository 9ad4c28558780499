// Products that are added.
#pragma once

#include <map>
#include <set>
#include <vector>

#include "kernel/builder.h"

namespace pawl::kernel {

/// Products of a kernel that need not be exact: where they are added they are fused with the sum.
class Products {
 public:
  /// A value that comes late: it waits for the step before, or for a sum.
  void add_late(Var var) { late_.insert(var.index); }
  void note(Builder& builder, expr::Op op, const std::vector<Var>& operands, Var made);
  /// The operation with one of its operands' products fused; invalid where there is none.
  Var fused(Builder& builder, expr::Op op, const std::vector<Var>& operands) const;

 private:
  std::map<std::uint32_t, std::vector<Var>> factors_;
  std::set<std::uint32_t> late_;
};

}  // namespace pawl::kernel
