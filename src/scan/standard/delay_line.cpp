// States that hold what came in the steps before: s0' = x, s1' = s0, … Rows of one tensor, the initial states in front.
#include <algorithm>

#include "base/try.h"
#include "scan/standard/convolution.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

/// The state, the one that it moves on to, and so on. A state that several ones follow goes on with the first of them.
std::vector<std::size_t> line_from(const Site& site, std::size_t state) {
  std::vector<std::size_t> line{state};
  for (bool grows = true; grows;) {
    grows = false;
    for (std::size_t i = 0; i < site.scan.states && !grows; ++i) {
      if (site.next(i) != site.state(line.back()) || std::find(line.begin(), line.end(), i) != line.end()) continue;
      const auto shape = site.outer.fact(site.initial(i)).type.shape;
      if (!shape || !same_extents(*shape, *site.outer.fact(site.initial(state)).type.shape)) continue;
      line.push_back(i);
      grows = true;
    }
  }
  return line;
}

}  // namespace

TakeOut as_delay_line(FormSite& at) {
  if (at.match().recurrence != &kDelay || at.component.states.size() != 1) return {std::nullopt};
  const ops::Schema* concat = ops::find_schema("", "Concat", ops::kNewestOpset);
  const Type type = at.site.outer.fact(at.site.initial(at.component.states[0])).type;
  if (!concat->input(0)->types.admits(type)) return {std::nullopt};
  TRY_ASSIGN(const LiftOverTime* lift, at.lift());
  if (lift == nullptr) return {std::nullopt};
  const Site& site = at.site;
  TimeAxis make(site.outer);
  TRY_ASSIGN(const ValueId rows, as_state_over_steps(site, lift->tuple[0], at.component.states[0]));
  TakenOut out{line_from(site, at.component.states[0]), {}, "a delay line: Concat"};
  // The last of the line holds the oldest: its initial state comes first.
  std::vector<ValueId> parts;
  for (std::size_t i = out.states.size(); i-- > 0;) {
    TRY_ASSIGN(const ValueId first, make.with_axes(site.initial(out.states[i]), 0, 1));
    parts.push_back(first);
  }
  parts.push_back(rows);
  if (lift->reversed) std::reverse(parts.begin(), parts.end());
  TRY_ASSIGN(const ValueId all, make.concat(std::move(parts)));
  const auto count = static_cast<std::int64_t>(out.states.size());
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t older = count - 1 - i;
    out.values.push_back({.all = all,
                          .lead = lift->reversed ? i : older,
                          .trail = lift->reversed ? older : i,
                          .after = i == 0 ? rows : ValueId(),
                          .reversed = lift->reversed});
  }
  return std::optional(std::move(out));
}

TakeOut as_convolution(FormSite& at) {
  TRY_ASSIGN(std::optional<TakenOut> out, as_delay_line(at));
  if (!out) return {std::nullopt};
  const StateOverTime& first = out->values[0];
  TRY_ASSIGN(out->others, convolve_line(at.site, at.component.dependence, {out->states, first.all, first.reversed}));
  if (out->others.empty()) return {std::nullopt};
  out->how = "a delay line whose taps are added up";
  return out;
}

}  // namespace pawl::scan
