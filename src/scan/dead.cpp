// States, elements and scan outputs that nothing needs.
#include "base/try.h"
#include "scan/dependence.h"
#include "scan/pass.h"
#include "scan/remake.h"

namespace pawl::scan {

Rewritten remove_dead(const Site& site) {
  const graph::ScanOp& scan = site.scan;
  std::vector<bool> wanted(scan.states, false);
  std::vector<bool> keeps_output(scan.outputs);
  const Dependence dependence(scan);
  std::vector<ValueId> open;
  for (std::size_t i = 0; i < scan.states; ++i) {
    wanted[i] = !site.outputs[i].name.empty();
    if (wanted[i]) open.push_back(site.next(i));
  }
  for (std::size_t k = 0; k < scan.outputs; ++k) {
    keeps_output[k] = !site.outputs[scan.states + k].name.empty();
    if (keeps_output[k]) open.push_back(site.output(k));
  }
  // A state that something needed reads is needed, with all that its next value is made of.
  while (!open.empty()) {
    const ValueId id = open.back();
    open.pop_back();
    for (std::size_t i = 0; i < scan.states; ++i) {
      if (wanted[i] || !dependence.on_state(id, i)) continue;
      wanted[i] = true;
      open.push_back(site.next(i));
    }
  }
  bool any = false;
  for (const bool keep : wanted) any = any || !keep;
  for (const bool keep : keeps_output) any = any || !keep;
  Remake made(site, wanted, keeps_output);
  if (!any) {
    // Elements that nothing reads, unless their length may be wrong.
    const std::vector<bool> needed = graph::values_behind(site.body, site.body.outputs);
    std::size_t unread = 0;
    for (std::size_t i = 0; i < scan.elements; ++i) unread += needed[site.element(i).index] ? 0 : 1;
    const std::size_t spare = unread == scan.elements ? unread - 1 : unread;
    if (spare == 0 || !agree_on_length(site)) return {std::nullopt};
  }
  TRY_ASSIGN(std::vector<ValueId> results, made.finish());
  return {std::move(results)};
}

}  // namespace pawl::scan
