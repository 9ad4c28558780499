// Scans along an axis that lies inside of others: vectors of lanes would gather their elements one by one. Their
// tensors are turned over before the first step, and those that come out are turned back.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "backend/reference/evaluate.h"

namespace pawl::cpu {

/// Whether that is sooner done than to gather and scatter.
bool is_turned(const reference::ScanCall& call);

/// The same Scans, cutting and stacking along first axes, made when they are first asked for.
class TurnedScans {
 public:
  Result<const graph::ScanOp*> find(const graph::ScanOp& scan);

 private:
  std::mutex mutex_;
  std::map<const graph::ScanOp*, std::unique_ptr<const graph::ScanOp>> made_;
};

/// Runs the Scan as `turned`, which cuts and stacks along first axes, by `run`; false where that does nothing, and then
/// the call is as it was.
///   Errors: limit; those of `run`
Result<bool> run_turned(const reference::ScanCall& call, const graph::ScanOp& turned, int threads,
                        FunctionRef<Result<bool>(const reference::ScanCall&, std::vector<Value>&)> run,
                        std::vector<Value>& results);

}  // namespace pawl::cpu
