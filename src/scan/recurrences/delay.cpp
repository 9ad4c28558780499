// s' = b: what came in the step before. Any element type. And delay lines: the last n things that came, where n is the
// extent of the state's leading axis and an element is (things that came, n).
//   combine((b, n), (c, n)) = (the last n of b and then c, n)        the first argument is earlier in time
#include <limits>

#include "scan/arithmetic.h"
#include "scan/recurrence.h"

namespace pawl::scan {
namespace {

Result<Tuple> combine(graph::Builder&, const Tuple&, const Tuple& later) { return later; }
Result<Tuple> act(graph::Builder&, const Tuple& element, const Tuple&) { return element; }

/// The n entries of x that are nearest to the end at which things come in.
template <bool AtEnd>
graph::ValueId newest(Arithmetic& make, graph::ValueId x, graph::ValueId n) {
  if constexpr (AtEnd)
    return make.call("Slice",
                     {x, make.neg(n), make.integers({std::numeric_limits<std::int64_t>::max()}), make.integers({0})});
  else
    return make.call("Slice", {x, make.integers({0}), n, make.integers({0})});
}

template <bool AtEnd>
graph::ValueId pushed(Arithmetic& make, graph::ValueId earlier, graph::ValueId later, graph::ValueId n) {
  const graph::ValueId first = AtEnd ? earlier : later;
  const graph::ValueId second = AtEnd ? later : earlier;
  return newest<AtEnd>(make, make.call("Concat", {first, second}, {{"axis", std::int64_t{0}}}), n);
}

template <bool AtEnd>
Result<Tuple> combine_lines(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
  Arithmetic make(to);
  return make.done({pushed<AtEnd>(make, earlier[0], later[0], later[1]), later[1]});
}

template <bool AtEnd>
Result<Tuple> act_on_line(graph::Builder& to, const Tuple& element, const Tuple& states) {
  Arithmetic make(to);
  return make.done({pushed<AtEnd>(make, states[0], element[0], element[1])});
}

template <bool AtEnd>
constexpr Recurrence line() {
  return {.name = "delay",
          .law = AtEnd ? "s' = the last n of (s, b)" : "s' = the first n of (b, s)",
          .commutative = false,
          .float_exact = true,
          .combine = combine_lines<AtEnd>,
          .act = act_on_line<AtEnd>,
          .identity = nullptr,
          .width = [](std::size_t) { return std::size_t{2}; },
          .types = {},
          .source = "the free monoid, as far as a window reaches"};
}

}  // namespace

/// No element leaves a state as it is: an empty sequence of steps is a case of its own.
const Recurrence kDelay{.name = "delay",
                        .law = "s' = b",
                        .commutative = false,
                        .float_exact = true,
                        .combine = combine,
                        .act = act,
                        .identity = nullptr,
                        .width = [](std::size_t states) { return states; },
                        .types = {},
                        .source = "a shift register"};
const Recurrence kDelayLine = line<true>();
const Recurrence kDelayLineFromFront = line<false>();

}  // namespace pawl::scan
