#include "backend/cpu/turned_scans.h"

#include <algorithm>

#include "backend/cpu/threads.h"
#include "backend/reference/stack.h"
#include "base/try.h"
#include "graph/rebuild.h"
#include "scan/chunk_scans.h"
#include "tensor/reuse.h"
#include "tensor/walk.h"

namespace pawl::cpu {
namespace {

/// Places outside of the axis of time, and neighbours inside of it, from which and up to which a tensor is turned.
constexpr std::int64_t kOutside = 16, kInside = 16;
constexpr std::int64_t kFewestSteps = 16;
/// Elements from which threads share a copy.
constexpr std::int64_t kShared = 1 << 14;

bool is_inside(const Dims& shape, std::size_t axis) {
  std::int64_t outside = 1, inside = 1;
  for (std::size_t i = 0; i < shape.size(); ++i) (i < axis ? outside : inside) *= shape[i];
  return outside >= kOutside && inside < kInside;
}

/// Both [steps, …].
Result<void> copy_in_parts(const Tensor& from, Tensor& to, int threads) {
  const std::int64_t steps = to.shape()[0];
  const int parts = to.size() < kShared ? 1 : static_cast<int>(std::min<std::int64_t>(threads, steps));
  return run_parts(parts, [&](int part) -> Result<void> {
    const std::int64_t begin = steps * part / parts, end = steps * (part + 1) / parts;
    Dims shape = to.shape();
    shape[0] = end - begin;
    Tensor place = to.view(shape, to.strides(), begin * to.strides()[0]);
    copy_elements(from.view(shape, from.strides(), begin * from.strides()[0]), place);
    return {};
  });
}

Result<Tensor> dense_in_parts(const Tensor& tensor, int threads) {
  if (tensor.dense() && tensor.aligned()) return tensor;
  TRY_ASSIGN(Tensor made, Tensor::allocate(tensor.dtype(), tensor.shape()));
  TRY(copy_in_parts(tensor, made, threads));
  return made;
}

/// Of a copy that is as the Scan is, but for its axes.
Result<graph::ScanOp> along_first_axes(const graph::ScanOp& scan) {
  const graph::Graph& body = *scan.body.graph;
  graph::Builder to(body.name);
  graph::Mapping values(body);
  for (const graph::ValueId id : body.inputs) values[id] = to.add_input(body[id]);
  for (const graph::ValueId id : body.captured) values[id] = to.add_captured(body[id]);
  TRY(graph::copy_nodes(body, std::vector<bool>(body.values.size(), true), values, to));
  graph::ScanOp made = scan::time_first(to.finish(values(body.outputs)), scan.states, scan.elements);
  made.input_reversed = scan.input_reversed;
  made.output_reversed = scan.output_reversed;
  return made;
}

}  // namespace

bool is_turned(const reference::ScanCall& call) {
  if (call.stretch != nullptr || call.trips < kFewestSteps) return false;
  for (std::size_t i = 0; i < call.elements.size(); ++i) {
    const Tensor& element = call.elements[i];
    Dims shape = element.shape();
    shape.erase(0);
    const auto axis = reference::resolve_new_axis(call.scan.input_axes[i], shape.size());
    if (axis.ok() && !element.dense() && is_inside(shape, *axis)) return true;
  }
  return false;
}

Result<const graph::ScanOp*> TurnedScans::find(const graph::ScanOp& scan) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<const graph::ScanOp>& made = made_[&scan];
  if (made == nullptr) {
    TRY_ASSIGN(graph::ScanOp turned, along_first_axes(scan));
    made = std::make_unique<const graph::ScanOp>(std::move(turned));
  }
  return made.get();
}

Result<bool> run_turned(const reference::ScanCall& call, const graph::ScanOp& turned, int threads,
                        FunctionRef<Result<bool>(const reference::ScanCall&, std::vector<Value>&)> run,
                        std::vector<Value>& results) {
  std::vector<Tensor> elements;
  for (const Tensor& each : call.elements) {
    TRY_ASSIGN(Tensor element, dense_in_parts(each, threads));
    elements.push_back(std::move(element));
  }
  const reference::ScanCall inner{.scan = turned,
                                  .states = call.states,
                                  .elements = elements,
                                  .captured = call.captured,
                                  .wanted = call.wanted,
                                  .trips = call.trips,
                                  .reuse = nullptr,
                                  .stretch = nullptr,
                                  .progress = call.progress};
  TRY_ASSIGN(const bool done, run(inner, results));
  if (!done) return false;
  for (std::size_t k = 0; k < call.scan.outputs; ++k) {
    Value& result = results[call.scan.states + k];
    if (!result.is_tensor() || !result.tensor().defined()) continue;
    Dims shape = result.tensor().shape();
    shape.erase(0);
    TRY_ASSIGN(const std::size_t axis, reference::resolve_new_axis(call.scan.output_axes[k], shape.size()));
    if (axis == 0) continue;
    shape.insert(axis, call.trips);
    TRY_ASSIGN(Tensor back, take_or_allocate(call.reuse, result.tensor().dtype(), shape));
    Tensor first = reference::time_first(back, axis);
    TRY(copy_in_parts(result.tensor(), first, threads));
    result = std::move(back);
  }
  return true;
}

}  // namespace pawl::cpu
