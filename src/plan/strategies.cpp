// The strategies, in the order in which they are asked.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "plan/plan.h"
#include "scan/chunks.h"

namespace pawl::plan {
namespace {

using scan::ComponentFacts;
using scan::ScanFacts;

/// Steps of a sequence that is long enough for anything.
constexpr std::int64_t kLong = std::int64_t{1} << 40;

/// Weights that do not stay in the first-level cache beside the state.
constexpr double kLargeWeights = 32 << 10;

double count_of(const SymbolicShape& shape, const std::vector<std::size_t>& axes) {
  double count = 1;
  for (const std::size_t axis : axes)
    if (shape[axis].known()) count *= static_cast<double>(shape[axis].value);
  return count;
}

/// Lanes that never need each other, over the state that has the fewest.
double channels(const ScanFacts& facts) {
  double fewest = -1;
  for (const scan::StateFacts& state : facts.states) {
    const double count = state.type.shape ? count_of(*state.type.shape, state.independent) : 1;
    if (fewest < 0 || count < fewest) fewest = count;
  }
  return fewest < 0 ? 1 : fewest;
}

bool closed_form(const ScanFacts& facts, const Target&, std::string& how, std::string& why) {
  if (facts.states.empty()) {
    why = "there is no state";
    return false;
  }
  for (const ComponentFacts& component : facts.components) {
    if (component.word == "counter") continue;
    why = fmt::format("state {} is no counter", names_of(facts, component));
    return false;
  }
  how = "every step's states follow from its number";
  return true;
}

bool map_over_time(const ScanFacts& facts, const Target& target, std::string& how, std::string& why) {
  if (!facts.states.empty()) {
    why = fmt::format("state {} goes from step to step", facts.states[0].name);
    return false;
  }
  how = "steps side by side on " + counted(target.threads, "thread");
  return true;
}

bool lookback_scan(const ScanFacts&, const Target& target, std::string&, std::string& why) {
  why = target.device == "cuda" ? "this version generates no CUDA code" : "no CUDA target";
  return false;
}

bool chunked_scan(const ScanFacts& facts, const Target& target, std::string& how, std::string& why) {
  why = scan::why_uncut(facts, target.exact);
  if (!why.empty()) return false;
  const std::optional<std::int64_t> lanes = scan::lanes_of_step(facts);
  if (!lanes || *lanes == 0) {
    why = lanes ? "a state has no elements" : "how large the states are is not known";
    return false;
  }
  const scan::StepTimes times =
      scan::times_of_step(std::get<graph::ScanOp>(facts.node->operation), scan::count_levels(facts));
  const std::string words = counted(static_cast<double>(*lanes), "lane");
  if (!target.chunks.pays(kLong, *lanes, times, target.threads)) {
    why = fmt::format("{} of a step, {:.1f} ns each side by side: a loop takes {:.1f} ns a step", words, times.chunks,
                      times.loop);
    return false;
  }
  if (facts.trips.known() && !target.chunks.pays(facts.trips.value, *lanes, times, target.threads)) {
    why = fmt::format("T = {} is too short", facts.trips.value);
    return false;
  }
  const std::int64_t steps = facts.trips.known() ? facts.trips.value : kLong;
  const std::int64_t chunks =
      target.chunks.rows_for(*lanes, target.threads) * target.chunks.groups_for(steps, *lanes, target.threads);
  how = fmt::format("in {} chunks side by side: {} would leave vectors idle", chunks, words);
  return true;
}

bool knows_ranks(const ScanFacts& facts, std::string& why) {
  for (const scan::StateFacts& state : facts.states) {
    if (state.type.shape) continue;
    why = fmt::format("the rank of state {} is not known", state.name);
    return false;
  }
  return true;
}

bool fused_loop(const ScanFacts& facts, const Target& target, std::string& how, std::string& why) {
  if (!knows_ranks(facts, why)) return false;
  if (facts.cost.bytes_weights > kLargeWeights) {
    why = fmt::format("{:.0f} kB of weights are multiplied with a state in each step", facts.cost.bytes_weights / 1e3);
    return false;
  }
  const double side_by_side = channels(facts);
  if (side_by_side > 1)
    how = fmt::format("step after step, {} side by side on {}", counted(side_by_side, "channel"),
                      counted(target.threads, "thread"));
  else
    how = "step after step, the body as one kernel";
  return true;
}

bool persistent_rnn(const ScanFacts& facts, const Target& target, std::string& how, std::string& why) {
  if (facts.cost.bytes_weights == 0) {
    why = "no state is multiplied with a weight";
    return false;
  }
  if (!knows_ranks(facts, why)) return false;
  how = fmt::format("step after step, {:.0f} kB of packed weights resident in the caches of {}",
                    facts.cost.bytes_weights / 1e3, counted(target.threads, "thread"));
  return true;
}

bool reference(const ScanFacts&, const Target&, std::string& how, std::string&) {
  how = "step after step, node after node";
  return true;
}

constexpr std::array kStrategies = {
    Strategy{"closed_form", closed_form},     Strategy{"map_over_time", map_over_time},
    Strategy{"lookback_scan", lookback_scan}, Strategy{"chunked_scan", chunked_scan},
    Strategy{"fused_loop", fused_loop},       Strategy{"persistent_rnn", persistent_rnn},
    Strategy{"reference", reference},
};

}  // namespace

std::string counted(double count, std::string_view what) {
  return fmt::format("{:.0f} {}{}", count, what, count == 1 ? "" : "s");
}

std::string names_of(const ScanFacts& facts, const ComponentFacts& component) {
  std::string names;
  for (const std::size_t state : component.states) names += (names.empty() ? "" : ", ") + facts.states[state].name;
  return names;
}

ScanPlan choose(const ScanFacts& facts, const Target& target) {
  ScanPlan plan;
  for (const Strategy& strategy : kStrategies) {
    std::string why;
    if (strategy.accepts(facts, target, plan.how, why)) {
      plan.strategy = strategy.name;
      break;
    }
    plan.passed_over.push_back({strategy.name, std::move(why)});
  }
  return plan;
}

}  // namespace pawl::plan
