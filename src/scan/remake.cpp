#include "scan/remake.h"

#include <algorithm>

#include "base/try.h"
#include "scan/dependence.h"
#include "scan/trips.h"

namespace pawl::scan {

Dim Site::trips() const { return trips_of(outer.graph(), node, scan); }

bool agree_on_length(const Site& site) {
  const graph::Graph& outer = site.outer.graph();
  const Dim first = length_of(outer, site.node, site.scan, 0);
  for (std::size_t i = 1; i < site.scan.elements; ++i)
    if (!length_of(outer, site.node, site.scan, i).same(first)) return false;
  return true;
}

Remake::Remake(const Site& site, std::vector<bool> keeps_state, std::vector<bool> keeps_output)
    : site_(site),
      keeps_state_(std::move(keeps_state)),
      keeps_output_(std::move(keeps_output)),
      wants_final_(site.scan.states, false),
      index_(site.scan.states, 0),
      finals_(site.scan.states),
      scan_(site.outer, site.body.name),
      mapping_(site.body) {
  for (std::size_t i = 0; i < site.scan.states; ++i) {
    if (!keeps_state_[i]) continue;
    index_[i] = scan_.states();
    mapping_[site.state(i)] = scan_.add_state(site.body[site.state(i)], site.initial(i));
  }
}

Result<void> Remake::add_inputs(const std::vector<bool>& needed) {
  const graph::ScanOp& scan = site_.scan;
  const auto keep = [&](std::size_t i) -> Result<void> {
    TRY_ASSIGN(mapping_[site_.element(i)], scan_.add_element(site_.body[site_.element(i)], site_.scanned(i),
                                                             {scan.input_axes[i], scan.input_reversed[i]}));
    return {};
  };
  // Where lengths may differ, all stay: then it fails as it should.
  const bool lengths_agree = agree_on_length(site_);
  for (std::size_t i = 0; i < scan.elements; ++i)
    if ((needed[site_.element(i).index] || !lengths_agree) && !mapping_(site_.element(i)).valid()) TRY(keep(i));
  // Without any element nothing would say how many steps there are.
  if (scan_.elements() == 0) TRY(keep(0));
  for (const graph::Capture& capture : scan.body.captures)
    if (needed[capture.inner.index]) mapping_[capture.inner] = scan_.capture(capture.outer);
  return {};
}

Result<std::vector<ValueId>> Remake::finish() {
  const graph::ScanOp& scan = site_.scan;
  std::vector<ValueId> roots;
  for (std::size_t i = 0; i < scan.states; ++i)
    if (keeps_state_[i]) roots.push_back(site_.next(i));
  for (std::size_t k = 0; k < scan.outputs; ++k)
    if (keeps_output_[k]) roots.push_back(site_.output(k));
  for (const Given& given : given_) roots.push_back(given.inner);
  const std::vector<bool> needed =
      graph::values_behind(site_.body, roots, [&](ValueId id) { return mapping_(id).valid(); });
  TRY(add_inputs(needed));
  TRY(graph::copy_nodes(site_.body, needed, mapping_, scan_.body()));
  return close();
}

Result<std::vector<ValueId>> Remake::close() {
  const graph::ScanOp& scan = site_.scan;
  for (std::size_t i = 0; i < scan.states; ++i) {
    if (!keeps_state_[i]) continue;
    scan_.set_next(index_[i], mapping_(site_.next(i)));
    ValueInfo value = site_.outputs[i];
    if (wants_final_[i] && value.name.empty()) value.name = site_.body[site_.state(i)].name + "_final";
    scan_.set_final(index_[i], value);
  }
  for (std::size_t k = 0; k < scan.outputs; ++k)
    if (keeps_output_[k])
      scan_.add_output(mapping_(site_.output(k)), site_.outputs[scan.states + k],
                       {scan.output_axes[k], scan.output_reversed[k]});
  for (const Given& given : given_) {
    ValueInfo value;
    value.name = site_.body[given.inner].name + "_all";
    scan_.add_output(mapping_(given.inner), value, given.cut);
  }
  TRY_ASSIGN(const std::vector<ValueId> made, scan_.finish(site_.node.name, site_.node.label));
  std::vector<ValueId> results(site_.outputs.size());
  for (std::size_t i = 0; i < scan.states; ++i) {
    if (!keeps_state_[i]) continue;
    finals_[i] = made[index_[i]];
    if (!site_.outputs[i].name.empty()) results[i] = finals_[i];
  }
  const std::size_t kept = static_cast<std::size_t>(std::count(keeps_state_.begin(), keeps_state_.end(), true));
  std::size_t next = made.size() - scan_.outputs();
  added_.assign(made.begin() + static_cast<std::ptrdiff_t>(kept), made.begin() + static_cast<std::ptrdiff_t>(next));
  for (std::size_t k = 0; k < scan.outputs; ++k)
    if (keeps_output_[k]) results[scan.states + k] = made[next++];
  for (Given& given : given_) given.outside = made[next++];
  return results;
}

}  // namespace pawl::scan
