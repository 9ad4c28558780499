// What a delay line's taps add up to is a convolution of each channel: one Conv with as many groups as channels, or a
// product for each tap.
#include "scan/standard/convolution.h"

#include <algorithm>

#include "base/try.h"

namespace pawl::scan {
namespace {

using graph::ValueId;

/// Every tap from the first to the last: a 0 in between would make NaN of an infinity.
bool has_no_gap(const Taps& taps) { return taps.rbegin()->first - taps.begin()->first + 1 == taps.size(); }

class Convolving {
 public:
  Convolving(const Site& site, const Dims& extents) : site_(site), make_(site.outer), extents_(extents) {
    for (const std::int64_t extent : extents) channels_ *= extent;
  }

  /// [channels, 1, taps]
  Result<ValueId> weights(const Taps& taps, bool reversed) {
    std::vector<ValueId> rows;
    for (const auto& [tap, factor] : taps) {
      TRY_ASSIGN(const ValueId whole, make_.expand(factor, make_.integers({extents_.begin(), extents_.end()})));
      TRY_ASSIGN(const ValueId row, make_.call("Reshape", {whole, make_.integers({1, channels_})}));
      rows.push_back(row);
    }
    // The rows of a line that goes forward have the oldest first, which is the last tap.
    if (!reversed) std::reverse(rows.begin(), rows.end());
    TRY_ASSIGN(const ValueId all, make_.concat(std::move(rows)));
    TRY_ASSIGN(const ValueId turned, make_.call("Transpose", {all}, {{"perm", std::vector<std::int64_t>{1, 0}}}));
    return make_.with_axes(turned, 1, 1);
  }

  /// [rows, …] to [1, channels, rows]
  Result<ValueId> by_channel(ValueId rows) {
    TRY_ASSIGN(const ValueId flat, make_.call("Reshape", {rows, make_.integers({-1, channels_})}));
    TRY_ASSIGN(const ValueId turned, make_.call("Transpose", {flat}, {{"perm", std::vector<std::int64_t>{1, 0}}}));
    return make_.with_axes(turned, 0, 1);
  }

  /// And back, with as many rows as there are steps.
  ///   extra : one row more, which is cut off
  Result<ValueId> by_step(ValueId channels, bool extra) {
    TRY_ASSIGN(const ValueId flat, make_.call("Squeeze", {channels, make_.integers({0})}));
    TRY_ASSIGN(ValueId turned, make_.call("Transpose", {flat}, {{"perm", std::vector<std::int64_t>{1, 0}}}));
    if (extra) {
      TRY_ASSIGN(turned, make_.slice(turned, 0, -1));
    }
    TRY_ASSIGN(const ValueId steps, steps_of(site_));
    TRY_ASSIGN(const ValueId shape, make_.concat({steps, make_.integers({extents_.begin(), extents_.end()})}));
    return make_.call("Reshape", {turned, shape}, {{"allowzero", std::int64_t{1}}});
  }

  Result<ValueId> convolve(ValueId rows, const Taps& taps, bool reversed) {
    TRY_ASSIGN(const ValueId weight, weights(taps, reversed));
    TRY_ASSIGN(const ValueId data, by_channel(rows));
    // Without a step there are too few rows for the weights: there is one more then, of zeros.
    const bool extra = site_.trips().value < 1;
    std::vector<ops::Attribute> attributes{{"group", channels_}};
    if (extra) attributes.push_back({"pads", std::vector<std::int64_t>{0, 1}});
    TRY_ASSIGN(const ValueId made, make_.call("Conv", {data, weight}, std::move(attributes)));
    return by_step(made, extra);
  }

 private:
  const Site& site_;
  TimeAxis make_;
  const Dims& extents_;
  std::int64_t channels_ = 1;
};

/// The extents of the line's states where there is a Conv for them: their type is the one that runtimes have it for.
std::optional<Dims> channels_of(const Type& type) {
  std::optional<Dims> extents = type.static_shape();
  if (type.dtype != DType::f32 || !extents) return std::nullopt;
  if (std::any_of(extents->begin(), extents->end(), [](std::int64_t extent) { return extent == 0; }))
    return std::nullopt;
  return extents;
}

/// What came in at one tap, for all steps; or at all taps from `first` to `last`.
Result<ValueId> rows_at(const Site& site, const DelayRows& line, std::size_t first, std::size_t last) {
  const auto from_newest = static_cast<std::int64_t>(first);
  const auto from_oldest = static_cast<std::int64_t>(line.states.size() - last);
  const std::int64_t lead = line.reversed ? from_newest : from_oldest;
  const std::int64_t trail = line.reversed ? from_oldest : from_newest;
  if (lead == 0 && trail == 0) return line.all;
  return TimeAxis(site.outer).slice(line.all, lead, trail == 0 ? TimeAxis::kEnd : -trail);
}

/// The taps one by one: a product for each, and their sum.
Result<ValueId> add_up(const Site& site, const DelayRows& line, const Taps& taps, ValueId one) {
  TimeAxis make(site.outer);
  ValueId sum;
  for (const auto& [tap, factor] : taps) {
    TRY_ASSIGN(ValueId part, rows_at(site, line, tap, tap));
    if (factor != one) {
      TRY_ASSIGN(part, make.call("Mul", {part, factor}));
    }
    if (sum.valid()) {
      TRY_ASSIGN(part, make.call("Add", {sum, part}));
    }
    sum = part;
  }
  return sum;
}

}  // namespace

Result<std::vector<KnownValue>> convolve_line(const Site& site, const Dependence& dependence, const DelayRows& line) {
  std::vector<KnownValue> made;
  const Type type = site.outer.fact(site.initial(line.states[0])).type;
  const std::optional<Dims> channels = channels_of(type);
  TRY_ASSIGN(const TappedValues tapped, find_tapped(site, dependence, line.states));
  for (const TappedValue& each : tapped.list) {
    const auto& shape = site.body[each.inner].fact.type.shape;
    if (!shape || !same_extents(*shape, *type.shape)) continue;
    if (!channels || !has_no_gap(each.taps)) {
      TRY_ASSIGN(const ValueId outside, add_up(site, line, each.taps, tapped.one));
      made.push_back({each.inner, outside});
      continue;
    }
    TRY_ASSIGN(const ValueId rows, rows_at(site, line, each.taps.begin()->first, each.taps.rbegin()->first));
    TRY_ASSIGN(const ValueId outside, Convolving(site, *channels).convolve(rows, each.taps, line.reversed));
    made.push_back({each.inner, outside});
  }
  return made;
}

}  // namespace pawl::scan
