#include "scan/standard/time_axis.h"

#include "base/try.h"
#include "ops/batcher.h"

namespace pawl::scan {

using graph::ValueId;

TimeAxis::Made TimeAxis::call(std::string_view op, std::vector<ValueId> inputs,
                              std::vector<ops::Attribute> attributes) {
  // Named after what it is made of, so that a written model tells what belongs together.
  const std::string name = fmt::format("{}_{}", to_.graph()[inputs[0]].name, op);
  TRY_ASSIGN(const std::vector<ValueId> made, to_.call(op, std::move(attributes), std::move(inputs), name));
  return made[0];
}

ValueId TimeAxis::integers(std::vector<std::int64_t> list) { return to_.add_integers(list, "list"); }

ValueId TimeAxis::integer(std::int64_t value) {
  return to_.add_constant(Tensor::scalar<std::int64_t>(value), "number");
}

TimeAxis::Made TimeAxis::slice(ValueId x, std::int64_t start, std::int64_t end) {
  return call("Slice", {x, integers({start}), integers({end}), integers({0})});
}

TimeAxis::Made TimeAxis::row(ValueId x, std::int64_t index) {
  return call("Gather", {x, integer(index)}, {{"axis", std::int64_t{0}}});
}

TimeAxis::Made TimeAxis::concat(std::vector<ValueId> parts) {
  return call("Concat", std::move(parts), {{"axis", std::int64_t{0}}});
}

TimeAxis::Made TimeAxis::with_axes(ValueId x, std::int64_t first, std::size_t count) {
  if (count == 0) return x;
  return call("Unsqueeze", {x, integers(ops::consecutive(count, first))});
}

TimeAxis::Made TimeAxis::expand(ValueId x, ValueId shape) { return call("Expand", {x, shape}); }

}  // namespace pawl::scan
