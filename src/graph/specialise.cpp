#include "graph/specialise.h"

#include "base/try.h"
#include "graph/annotate.h"
#include "graph/rebuild.h"

namespace pawl::graph {

Result<Graph> specialise(const Graph& graph, const std::vector<std::pair<std::string, std::int64_t>>& extents) {
  TRY_ASSIGN(Graph made, rebuild(graph));
  for (const auto& [symbol, extent] : extents) {
    if (extent < 0) return fail(Code::bad_argument, "the extent {} of \"{}\" is negative", extent, symbol);
    bool found = false;
    for (const ValueId id : made.inputs) {
      auto& shape = made[id].fact.type.shape;
      if (!shape) continue;
      for (std::size_t axis = 0; axis < shape->size(); ++axis) {
        Dim& dim = (*shape)[axis];
        if (dim.known() || (dim.symbol != symbol && fmt::format("{}.{}", made[id].name, axis) != symbol)) continue;
        dim = Dim(extent);
        found = true;
      }
    }
    if (!found) return fail(Code::bad_argument, "no input of the model has an extent \"{}\"", symbol);
  }
  TRY(infer_all(made));
  return rebuild(made);
}

}  // namespace pawl::graph
