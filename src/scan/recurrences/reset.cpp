// s' = where(f, v, s): a state that is kept or replaced. Exact for every type.
#include "scan/recurrences/reset.h"

#include <array>

namespace pawl::scan {
namespace {

Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  return make.done({make.call("Or", {earlier[0], later[0]}), make.where(later[0], later[1], earlier[1])});
}

Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  return make.done({make.where(element[0], element[1], states[0])});
}

Result<Tuple> unchanged(graph::Builder& to, const Tuple& beside) {
  Arithmetic make(to);
  return make.done({make.constant(DType::boolean, 0), beside[1]});
}

template <const Recurrence& Base>
Recurrence segmented() {
  using Law = Segmented<Base>;
  Recurrence made = Base;
  made.commutative = false;
  made.combine = Law::combine;
  made.act = Law::act;
  made.identity = nullptr;
  made.unchanged = Law::unchanged;
  made.width = Law::width;
  made.between = &Base;
  return made;
}

}  // namespace

const Recurrence kReset{.name = "reset",
                        .law = "s' = v where f, else s",
                        .commutative = false,
                        .float_exact = true,
                        .combine = combine,
                        .act = act,
                        .identity = nullptr,
                        .unchanged = unchanged,
                        .width = [](std::size_t) { return std::size_t{2}; },
                        .types = {},
                        .source = "Blelloch 1990, segmented scans"};

std::span<const Recurrence> with_resets() {
  static const std::array kRows = {
      segmented<kSum>(),           segmented<kProduct>(),       segmented<kAffine>(),
      segmented<kMatrix>(),        segmented<kTransition>(),    segmented<kDelta>(),
      segmented<kMaxPlusMatrix>(), segmented<kMinPlusMatrix>(), segmented<kLogSumExpMatrix>(),
      segmented<kMax>(),           segmented<kMin>(),           segmented<kMaxPlus>(),
      segmented<kMinPlus>(),       segmented<kClamp>(),         segmented<kClampAdd>(),
      segmented<kLogical>(),       segmented<kBitwise>(),       segmented<kLogSumExp>(),
  };
  return kRows;
}

const Recurrence* with_reset(const Recurrence& recurrence) {
  for (const Recurrence& each : with_resets())
    if (each.between == &recurrence) return &each;
  return nullptr;
}

}  // namespace pawl::scan
