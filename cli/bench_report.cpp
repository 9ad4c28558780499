#include "bench_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "terminal.h"

namespace pawl::cli {
namespace {

using Json = nlohmann::ordered_json;

/// A figure for a person: three digits.
std::string with_unit(double value, const char* unit) {
  constexpr const char* kPrefixes[] = {"", "k", "M", "G", "T"};
  std::size_t prefix = 0;
  for (; value >= 1000 && prefix + 1 < std::size(kPrefixes); ++prefix) value /= 1000;
  return fmt::format("{:.3g} {}{}", value, kPrefixes[prefix], unit);
}

/// ", 85 % of the 12 GB/s of a copy", where the limit is known.
std::string of_limit(double value, double limit, const char* unit, const char* what) {
  if (limit <= 0) return "";
  return fmt::format(", {:.0f} % of {} ({})", 100 * value / limit, what, with_unit(limit, unit));
}

/// Rows by the time of their own, those with none left out.
std::vector<std::size_t> by_time(const Profile& profile) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < profile.rows().size(); ++i)
    if (profile.rows()[i].calls > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return profile.rows()[a].own_nanoseconds > profile.rows()[b].own_nanoseconds;
  });
  return order;
}

double share_of(const Profile& profile, const Profile::Row& row) {
  const double whole = static_cast<double>(profile.rows()[0].nanoseconds);
  return whole > 0 ? static_cast<double>(row.own_nanoseconds) / whole : 0;
}

/// Milliseconds of one run.
double ms_of(const Profile& profile, std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e6 /
         static_cast<double>(std::max<std::int64_t>(profile.rows()[0].calls, 1));
}

std::string profile_text(const Profile& profile) {
  if (profile.rows().empty()) return "";
  std::string text = fmt::format("\n{:>9} {:>11} {:>11} {:>7}  {}\n", "calls", "own ms", "ms", "share", "node");
  const auto runs = static_cast<double>(std::max<std::int64_t>(profile.rows()[0].calls, 1));
  for (const std::size_t i : by_time(profile)) {
    const Profile::Row& row = profile.rows()[i];
    std::string place = i == 0 ? "what lies around the nodes" : row.place;
    if (row.operation == "kernel") place = "kernel of " + place;
    text += printable(fmt::format("{:>9.4g} {:>11.4f} {:>11.4f} {:>6.1f}%  {}", static_cast<double>(row.calls) / runs,
                                  ms_of(profile, row.own_nanoseconds), ms_of(profile, row.nanoseconds),
                                  100 * share_of(profile, row), place)) +
            "\n";
  }
  return text;
}

Json profile_rows(const Profile& profile) {
  Json rows = Json::array();
  for (const std::size_t i : by_time(profile)) {
    const Profile::Row& row = profile.rows()[i];
    rows.push_back(
        {{"operation", row.operation},
         {"node", row.place},
         {"inside", row.inside == Profile::kNone || row.inside == 0 ? Json() : Json(profile.rows()[row.inside].place)},
         {"calls", row.calls},
         {"own_ms", ms_of(profile, row.own_nanoseconds)},
         {"ms", ms_of(profile, row.nanoseconds)},
         {"share", share_of(profile, row)}});
  }
  return rows;
}

/// Bytes that are not UTF-8, as names in files may be, become U+FFFD.
std::string dump(const Json& json, int indent) { return json.dump(indent, ' ', false, Json::error_handler_t::replace); }

}  // namespace

double BenchResult::at(double share) const {
  if (run_ms.empty()) return 0;
  const double place = share * static_cast<double>(run_ms.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, run_ms.size() - 1);
  return run_ms[below] + (run_ms[above] - run_ms[below]) * (place - static_cast<double>(below));
}

double BenchResult::spread() const { return median_ms() > 0 ? (at(0.9) - at(0.1)) / median_ms() : 0; }

std::string bench_text(const BenchResult& result) {
  const double seconds = result.median_ms() / 1e3;
  const double bytes = result.io_bytes + result.work.constant_bytes;
  std::string text = printable(fmt::format("{}: {}, {} thread{}, kernels {}", result.model, result.device,
                                           result.threads, result.threads == 1 ? "" : "s", result.kernels)) +
                     "\n";
  text += fmt::format("  load {:.3g} ms, compile {:.3g} ms, first run {:.3g} ms; {:.0f} MB of memory at most\n",
                      result.load_ms, result.compile_ms, result.first_run_ms, result.peak_mb);
  text += fmt::format("  median {:.4g} ms, least {:.4g} ms, spread {:.0f} % ({} runs after {})\n", result.median_ms(),
                      result.at(0), 100 * result.spread(), result.run_ms.size(), result.warmup + 1);
  if (result.work.steps > 0)
    text += fmt::format("  {:.4g} ns per step, {} steps\n", 1e9 * seconds / static_cast<double>(result.work.steps),
                        result.work.steps);
  text += fmt::format("  {} of inputs, outputs and weights: {}{}\n", with_unit(bytes, "B"),
                      with_unit(bytes / seconds, "B/s"),
                      of_limit(bytes / seconds, result.limits.copy_bytes_per_second, "B/s", "a copy"));
  if (result.work.operations)
    text += fmt::format("  {}: {}{}\n", with_unit(*result.work.operations, "flop"),
                        with_unit(*result.work.operations / seconds, "flop/s"),
                        of_limit(*result.work.operations / seconds, result.limits.flops, "flop/s", "the peak"));
  for (const std::string& scan : result.scans) text += "  " + printable(scan) + "\n";
  return text + profile_text(result.profile);
}

std::string bench_json(const BenchResult& result) {
  const double seconds = result.median_ms() / 1e3;
  const double bytes = result.io_bytes + result.work.constant_bytes;
  const auto known = [](double value, bool is_known) { return is_known ? Json(value) : Json(); };
  Json json = {
      {"model", result.model},           {"device", result.device},         {"kernels", result.kernels},
      {"threads", result.threads},       {"warmup", result.warmup},         {"runs", result.run_ms.size()},
      {"load_ms", result.load_ms},       {"compile_ms", result.compile_ms}, {"first_run_ms", result.first_run_ms},
      {"median_ms", result.median_ms()}, {"min_ms", result.at(0)},          {"max_ms", result.at(1)},
      {"p10_ms", result.at(0.1)},        {"p90_ms", result.at(0.9)},        {"spread", result.spread()}};
  const auto steps = static_cast<double>(result.work.steps);
  json["steps"] = result.work.steps > 0 ? Json(result.work.steps) : Json();
  json["per_step_ns"] = known(1e9 * seconds / std::max(steps, 1.0), steps > 0);
  json["bytes"] = bytes;
  json["bytes_per_second"] = bytes / seconds;
  json["copy_bytes_per_second"] = known(result.limits.copy_bytes_per_second, result.limits.copy_bytes_per_second > 0);
  json["flop"] = known(result.work.operations.value_or(0), result.work.operations.has_value());
  json["flop_per_second"] = known(result.work.operations.value_or(0) / seconds, result.work.operations.has_value());
  json["peak_flop_per_second"] = known(result.limits.flops, result.limits.flops > 0);
  json["peak_mb"] = result.peak_mb;
  json["scans"] = result.scans;
  if (!result.profile.rows().empty()) json["profile"] = profile_rows(result.profile);
  return dump(json, 2) + "\n";
}

std::string trace_json(const Profile& profile) {
  Json events = Json::array();
  events.push_back({{"name", "process_name"}, {"ph", "M"}, {"pid", 1}, {"tid", 1}, {"args", {{"name", "pawl"}}}});
  std::int64_t start = 0;
  for (const Profile::Event& event : profile.events()) start = start == 0 ? event.begin : std::min(start, event.begin);
  for (const Profile::Event& event : profile.events()) {
    const Profile::Row& row = profile.rows()[event.row];
    const std::string name = row.operation == "kernel" ? "kernel of " + row.place : row.place;
    events.push_back({{"name", event.row == 0 ? "run" : name},
                      {"cat", row.operation},
                      {"ph", "X"},
                      {"ts", static_cast<double>(event.begin - start) / 1e3},
                      {"dur", static_cast<double>(event.end - event.begin) / 1e3},
                      {"pid", 1},
                      {"tid", 1}});
  }
  return dump({{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}}, -1) + "\n";
}

}  // namespace pawl::cli
