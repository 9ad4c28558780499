#include "runtime/profile.h"

#include <chrono>

namespace pawl {
namespace {

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

}  // namespace

ProfileRecorder::ProfileRecorder(Profile& profile) : profile_(profile) {
  if (profile_.rows_.empty()) profile_.rows_.push_back({"run", ""});
  open_.push_back({0, now(), 0});
}

ProfileRecorder::~ProfileRecorder() { end(true); }

void ProfileRecorder::begin(const graph::Node& node, bool is_kernel) {
  const auto [known, is_first] = profile_.known_.try_emplace({&node, is_kernel}, profile_.rows_.size());
  if (is_first) {
    std::string operation(std::visit([](const auto& each) { return each.schema->name; }, node.operation));
    profile_.rows_.push_back({is_kernel ? "kernel" : std::move(operation), node.label, open_.back().row});
  }
  open_.push_back({known->second, now(), 0});
}

void ProfileRecorder::end(bool counts) {
  const Open ended = open_.back();
  open_.pop_back();
  if (!counts) return;
  const std::int64_t at = now();
  Profile::Row& row = profile_.rows_[ended.row];
  ++row.calls;
  row.nanoseconds += at - ended.begin;
  row.own_nanoseconds += at - ended.begin - ended.inside;
  if (!open_.empty()) open_.back().inside += at - ended.begin;
  if (profile_.events_.size() < Profile::kMostEvents) profile_.events_.push_back({ended.row, ended.begin, at});
}

}  // namespace pawl
