// Inference of Scan, Loop and If through their bodies.
#include "base/try.h"
#include "graph/infer_walk.h"

namespace pawl::graph {
namespace {

using ops::Fact;

/// The only shape dim that all scan inputs may have along their axis.
Result<Dim> scan_length(const ScanOp& scan, const std::vector<Fact>& inputs, std::size_t first) {
  Dim length;
  for (std::size_t i = 0; i < scan.elements; ++i) {
    const Type& type = inputs[first + i].type;
    if (!type.is_tensor() || !type.shape) continue;
    TRY_ASSIGN(const std::size_t axis, resolve_axis(scan.input_axes[i] + (scan.batched ? 1 : 0), type.shape->size(),
                                                    fmt::format("scan_input_axes[{}]", i)));
    const Dim& dim = (*type.shape)[axis];
    if (dim.known() && length.known() && dim.value != length.value) {
      return fail(Code::bad_shape, "scan input {} has length {} along axis {}, an earlier one has {}", i, dim.value,
                  axis, length.value);
    }
    if (dim.known() || (!length.known() && length.symbol.empty())) length = dim;
  }
  return length;
}

Dim batch_of(const std::vector<Fact>& inputs) {
  for (std::size_t i = 1; i < inputs.size(); ++i)
    if (inputs[i].type.is_tensor() && inputs[i].type.shape && !inputs[i].type.shape->empty())
      return inputs[i].type.shape->front();
  return {};
}

Result<void> check_body_type(const Body& body, std::size_t i, const Type& type) {
  const ValueInfo& input = (*body.graph)[body.graph->inputs[i]];
  TRY_IN(fmt::format("body input {}", i), check_declared(input.declared, type, input.name));
  return {};
}

/// A tensor type without one axis. Errors: bad_shape, when the rank has no such axis.
Result<Type> drop_axis(const Type& type, std::int64_t axis, std::string_view what) {
  Type dropped = type;
  if (!type.is_tensor()) return fail(Code::bad_type, "{}: Scan takes tensors, found {}", what, to_string(type));
  if (!type.shape) return dropped;
  TRY_ASSIGN(const std::size_t at, resolve_axis(axis, type.shape->size(), what));
  dropped.shape->erase(dropped.shape->begin() + static_cast<std::ptrdiff_t>(at));
  return dropped;
}

Result<Type> insert_axis(const Type& type, std::int64_t axis, const Dim& length, std::string_view what) {
  Type stacked = type;
  if (!type.known() || !type.shape) return stacked;
  TRY_ASSIGN(const std::size_t at, resolve_axis(axis, type.shape->size() + 1, what));
  stacked.shape->insert(stacked.shape->begin() + static_cast<std::ptrdiff_t>(at), length);
  return stacked;
}

/// A symbol of the file stands for one number at the top level only; inside bodies it promises nothing.
Type without_symbols(Type type) {
  if (type.shape)
    for (Dim& dim : *type.shape)
      if (!dim.known()) dim = Dim();
  return type;
}

}  // namespace

Result<std::vector<Fact>> scan_body_inputs(const ScanOp& scan, const std::vector<Fact>& inputs) {
  const std::size_t first = scan.batched ? 1 : 0;
  std::vector<Fact> given;
  for (std::size_t i = 0; i < scan.states + scan.elements; ++i) {
    Type type = inputs[first + i].type;
    if (type.known() && !type.is_tensor())
      return fail(Code::bad_type, "input {}: Scan takes tensors, found {}", first + i, to_string(type));
    if (scan.batched && type.known()) {
      TRY_ASSIGN(type, drop_axis(type, 0, fmt::format("the batch axis of input {}", first + i)));
    }
    if (i >= scan.states && type.known()) {
      const std::size_t element = i - scan.states;
      if (type.shape && type.shape->empty())
        return fail(Code::bad_shape, "scan input {} is a scalar; it needs an axis to be scanned along", element);
      TRY_ASSIGN(type, drop_axis(type, scan.input_axes[element], fmt::format("scan_input_axes[{}]", element)));
    }
    TRY(check_body_type(scan.body, i, type));
    const ValueInfo& input = (*scan.body.graph)[scan.body.graph->inputs[i]];
    given.push_back({meet(type, without_symbols(input.declared)), std::nullopt});
  }
  return given;
}

Result<std::vector<Fact>> InferWalk::body(const Body& body, Facts inputs, const Facts& outer) {
  Facts captured;
  for (const Capture& capture : body.captures) captured.push_back(outer[capture.outer.index]);
  ++depth_;
  Result<Facts> inferred = graph(*body.graph, std::move(inputs), std::move(captured));
  --depth_;
  TRY_ASSIGN(const Facts facts, std::move(inferred));
  Facts outputs;
  for (const ValueId id : body.graph->outputs) outputs.push_back(facts[id.index]);
  return outputs;
}

Result<std::vector<Fact>> InferWalk::scan(const ScanOp& scan, const Facts& inputs, const Facts& outer) {
  TRY_ASSIGN(Facts given, scan_body_inputs(scan, inputs));
  const std::size_t first = scan.batched ? 1 : 0;
  TRY_ASSIGN(const Dim length, scan_length(scan, inputs, first + scan.states));
  const Facts initial(given.begin(), given.begin() + static_cast<std::ptrdiff_t>(scan.states));
  TRY_ASSIGN_IN("body", const Facts results, body(scan.body, std::move(given), outer));
  Facts outputs;
  for (std::size_t i = 0; i < scan.states + scan.outputs; ++i) {
    Type type = results[i].type;
    if (type.known() && !type.is_tensor()) {
      return fail(Code::bad_type, "body output {}: Scan gives tensors, found {}", i, to_string(type));
    }
    if (i < scan.states) {
      const DType before = initial[i].type.dtype;
      if (before != DType::undefined && type.dtype != DType::undefined && before != type.dtype) {
        return fail(Code::bad_type, "state {} is {} before a step and {} after it (body output \"{}\")", i,
                    name(before), name(type.dtype), (*scan.body.graph)[scan.body.graph->outputs[i]].name);
      }
      type = initial[i].type;
      if (type.dtype == DType::undefined) type = results[i].type;
    } else {
      TRY_ASSIGN(type, insert_axis(type, scan.output_axes[i - scan.states], length,
                                   fmt::format("scan_output_axes[{}]", i - scan.states)));
    }
    if (scan.batched) {
      TRY_ASSIGN(type, insert_axis(type, 0, batch_of(inputs), "batch"));
    }
    outputs.push_back({std::move(type), std::nullopt});
  }
  return outputs;
}

Result<std::vector<Fact>> InferWalk::loop(const LoopOp& loop, const Facts& inputs, const Facts& outer,
                                          std::size_t output_count) {
  const Graph& body_graph = *loop.body.graph;
  // The iteration number and the condition take the form that the body declares: a scalar, or one element.
  const auto scalar = [&](std::size_t i, DType dtype) {
    const Type& declared = body_graph[body_graph.inputs[i]].declared;
    const bool vector = declared.is_tensor() && declared.shape && declared.shape->size() == 1;
    return Fact{Type::tensor(dtype, vector ? Dims{1} : Dims{}), std::nullopt};
  };
  Facts carried;
  for (std::size_t i = 0; i < loop.carried; ++i) {
    carried.push_back({inputs[2 + i].type, std::nullopt});
    const ValueInfo& input = body_graph[body_graph.inputs[2 + i]];
    if (!carried.back().type.known()) carried.back().type = without_symbols(input.declared);
  }
  // What a carried value is, is what holds before the first step and after every one: widened until nothing changes.
  constexpr int kRounds = 4;
  Facts results;
  for (int round = 0; round < kRounds; ++round) {
    Facts given = {scalar(0, DType::i64), scalar(1, DType::boolean)};
    given.insert(given.end(), carried.begin(), carried.end());
    TRY_ASSIGN_IN("body", results, body(loop.body, std::move(given), outer));
    bool stable = true;
    for (std::size_t i = 0; i < loop.carried; ++i) {
      const Type& after = results[1 + i].type;
      Type both = join(carried[i].type, after);
      if (carried[i].type.is_tensor() && after.is_tensor() && both.dtype == DType::undefined &&
          after.dtype != DType::undefined && carried[i].type.dtype != DType::undefined) {
        return fail(Code::bad_type, "carried value {} is {} before a step and {} after it", i,
                    name(carried[i].type.dtype), name(after.dtype));
      }
      // An empty sequence of unknown elements becomes what is put into it.
      if (both.is_sequence() && !both.element) both = after.is_sequence() && after.element ? after : carried[i].type;
      if (!both.known()) both = carried[i].type.known() ? Type{} : after;
      if (round + 2 >= kRounds) both.shape.reset();
      stable = stable && same_type(both, carried[i].type);
      carried[i].type = std::move(both);
    }
    if (stable) break;
  }
  // Without a condition the trip count is the number of steps.
  Dim length;
  const bool counts = inputs.size() > 1 && !inputs[1].type.known();
  if (const auto count = integer_in(inputs.empty() ? nullptr : inputs[0].tensor()); counts && count)
    length = Dim(std::max<std::int64_t>(0, *count));
  Facts outputs;
  for (std::size_t i = 0; i < loop.carried; ++i) outputs.push_back({carried[i].type, std::nullopt});
  for (std::size_t i = 0; i < loop.outputs; ++i) {
    const Type& element = results[1 + loop.carried + i].type;
    if (element.known() && !element.is_tensor())
      return fail(Code::bad_type, "scan output {}: Loop stacks tensors, found {}", i, to_string(element));
    TRY_ASSIGN(Type type, insert_axis(element, 0, length, "scan output"));
    outputs.push_back({std::move(type), std::nullopt});
  }
  outputs.resize(output_count);
  return outputs;
}

Result<std::vector<Fact>> InferWalk::branch(const IfOp& branch, const Facts& inputs, const Facts& outer) {
  const Tensor* condition = inputs[0].tensor();
  ++branch_depth_;
  Result<Facts> taken = body(branch.then_branch, {}, outer);
  Result<Facts> otherwise = body(branch.else_branch, {}, outer);
  --branch_depth_;
  if (!taken.ok()) return std::move(taken).error().in("then_branch");
  if (!otherwise.ok()) return std::move(otherwise).error().in("else_branch");
  for (std::size_t i = 0; i < taken->size(); ++i) {
    const Type& a = (*taken)[i].type;
    const Type& b = (*otherwise)[i].type;
    const bool both_tensors =
        a.is_tensor() && b.is_tensor() && a.dtype != DType::undefined && b.dtype != DType::undefined;
    if (both_tensors && a.dtype != b.dtype)
      return fail(Code::bad_type, "output {} is {} in then_branch and {} in else_branch", i, name(a.dtype),
                  name(b.dtype));
  }
  if (condition != nullptr && condition->dtype() == DType::boolean && condition->size() == 1)
    return *condition->data<bool>() ? std::move(taken) : std::move(otherwise);
  Facts outputs;
  for (std::size_t i = 0; i < taken->size(); ++i)
    outputs.push_back({join((*taken)[i].type, (*otherwise)[i].type), std::nullopt});
  return outputs;
}

}  // namespace pawl::graph
