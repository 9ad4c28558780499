// bytes → graph → (scan passes) → onnx::Model → bytes.
#include "pawl/optimize.h"

#include "base/guard.h"
#include "base/try.h"
#include "graph/export.h"
#include "onnx/write.h"
#include "runtime/model.h"
#include "scan/pass.h"

namespace pawl {

Result<std::string> optimize(const Model& model, const OptimizeOptions& options) {
  return guard([&]() -> Result<std::string> {
    const Model::State& state = model.state();
    TRY_ASSIGN(const graph::Graph rewritten, scan::run_passes(*state.imported.graph, scan::Runner::interpreter));
    TRY_ASSIGN(const onnx::Model made, graph::to_model(rewritten, state.onnx, {options.opset}));
    return onnx::encode(made);
  });
}

}  // namespace pawl
