// Tensors that come from a Transpose lie in memory in another order: going through them in theirs, a kernel would jump.
#include "base/try.h"
#include "graph/rebuild.h"
#include "kernel/node_groups.h"
#include "scan/selection.h"

namespace pawl::kernel {
namespace {

Type in_order(const Type& type, const std::vector<std::size_t>& order) {
  if (!type.shape || type.shape->size() != order.size()) return Type::tensor(type.dtype);
  SymbolicShape shape;
  for (const std::size_t axis : order) shape.push_back((*type.shape)[axis]);
  return Type::tensor(type.dtype, std::move(shape));
}

}  // namespace

Result<graph::ScanOp> turned_group(const graph::ScanOp& group, const std::vector<std::size_t>& order,
                                   const std::vector<bool>& turned) {
  const std::vector<std::int64_t> there(order.begin(), order.end()), back = scan::inverse_order(there);
  const graph::Graph& body = *group.body.graph;
  graph::Builder to(body.name);
  graph::Mapping values(body);
  graph::ScanOp made;
  for (std::size_t i = 0; i < body.captured.size(); ++i) {
    graph::ValueInfo captured = body[body.captured[i]];
    if (turned[i]) captured.fact.type = in_order(captured.fact.type, order);
    const std::string name = captured.name;
    graph::ValueId inner = to.add_captured(std::move(captured));
    made.body.captures.push_back({group.body.captures[i].outer, inner});
    if (turned[i]) {
      TRY_ASSIGN(const std::vector<graph::ValueId> as_it_was, to.call("Transpose", {{"perm", back}}, {inner}, name));
      inner = as_it_was[0];
    }
    values[body.captured[i]] = inner;
  }
  TRY(graph::copy_nodes(body, std::vector<bool>(body.values.size(), true), values, to));
  std::vector<graph::ValueId> outputs;
  for (const graph::ValueId id : body.outputs) {
    TRY_ASSIGN(const std::vector<graph::ValueId> result,
               to.call("Transpose", {{"perm", there}}, {values(id)}, body[id].name));
    outputs.push_back(result[0]);
  }
  made.outputs = group.outputs;
  made.output_axes = group.output_axes;
  made.output_reversed = group.output_reversed;
  made.body.graph = std::make_unique<graph::Graph>(to.finish(std::move(outputs)));
  return made;
}

}  // namespace pawl::kernel
