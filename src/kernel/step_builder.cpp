#include "kernel/step_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "expr/types.h"
#include "graph/walk.h"
#include "kernel/type_emitter.h"
#include "ops/convert.h"
#include "ops/lower.h"
#include "tensor/walk.h"

namespace pawl::kernel {

using expr::computed_type;
using expr::Op;
using graph::ValueId;

Indices compose(const Indices& outer, const Indices& inner) {
  Indices made;
  made.reserve(outer.size());
  for (const AxisIndex& index : outer) {
    AxisIndex sum{index.offset, {}};
    for (const AxisTerm& term : index.terms) {
      const AxisIndex& of = inner[term.axis];
      sum.offset += term.factor * of.offset;
      for (const AxisTerm& each : of.terms) {
        const auto same = std::find_if(sum.terms.begin(), sum.terms.end(),
                                       [&](const AxisTerm& known) { return known.axis == each.axis; });
        if (same == sum.terms.end())
          sum.terms.push_back({term.factor * each.factor, each.axis});
        else
          same->factor += term.factor * each.factor;
      }
    }
    std::sort(sum.terms.begin(), sum.terms.end(), [](const AxisTerm& a, const AxisTerm& b) { return a.axis < b.axis; });
    made.push_back(std::move(sum));
  }
  return made;
}

StepId StepBuilder::refuse(std::string why) {
  if (refusal_.empty()) refusal_ = std::move(why);
  return {};
}

StepId StepBuilder::add(StepValue value) {
  graph_.values.push_back(std::move(value));
  return {static_cast<std::uint32_t>(graph_.values.size() - 1)};
}

StepId StepBuilder::value(ValueId id) {
  if (const auto found = made_.find(id.index); found != made_.end()) return found->second;
  const std::string& name = body_[id].name;
  if (!fact(id).type.is_tensor() || !fact(id).type.static_shape())
    return refuse(fmt::format("the shape of {} is not known", name));
  if (!expr::is_computed(computed_type(fact(id).type.dtype)))
    return refuse(fmt::format("{} is {}", name, pawl::name(fact(id).type.dtype)));
  StepId made = source(id);
  if (!made.valid()) {
    const Node* node = graph::producer_of(body_, id);
    const auto* called = node == nullptr ? nullptr : std::get_if<OpCall>(&node->operation);
    if (called == nullptr || !called->def->domain.empty())
      return refuse(node == nullptr ? name + " has no value" : node->label + " is no operator of the standard");
    const auto output = std::find(node->outputs.begin(), node->outputs.end(), id) - node->outputs.begin();
    made = call(*node, *called, static_cast<std::size_t>(output));
    if (!made.valid()) return refuse(node->label + " has no form in kernels");
  }
  made_.emplace(id.index, made);
  return made;
}

/// Whether a captured value is known, as weights are: then it is packed once.
bool StepBuilder::is_known(ValueId id, const Dims& shape) const {
  const Tensor* tensor = body_[id].fact.tensor();
  return tensor != nullptr && tensor->shape() == shape;
}

StepId StepBuilder::source(ValueId id) {
  StepValue made;
  made.name = body_[id].name;
  made.dtype = fact(id).type.dtype;
  made.shape = shape(id);
  const auto place = [&](const std::vector<ValueId>& ids) {
    return static_cast<std::size_t>(std::find(ids.begin(), ids.end(), id) - ids.begin());
  };
  if (const std::size_t input = place(body_.inputs); input < body_.inputs.size()) {
    const bool is_state = input < scan_.states;
    made.source = is_state ? StepValue::Source::state : StepValue::Source::element;
    made.index = is_state ? input : input - scan_.states;
  } else if (const std::size_t captured = place(body_.captured);
             captured < body_.captured.size() && !is_known(id, made.shape)) {
    made.source = StepValue::Source::captured;
    made.index = captured;
  } else if (body_[id].fact.tensor() != nullptr) {
    made.source = StepValue::Source::constant;
    made.constant = id;
    // 16-bit floats are loaded as they are stored.
    if (!expr::is_stored(made.dtype)) made.number = ops::only_number(body_[id].fact.tensor());
  } else {
    return {};
  }
  return add(std::move(made));
}

/// Without axes of extent 1 in front, which broadcasting needs none of.
StepId StepBuilder::trimmed(StepId operand) {
  if (!operand.valid() || at(operand).shape.empty() || at(operand).shape[0] != 1) return operand;
  const Dims from = at(operand).shape;
  std::size_t ahead = 0;
  while (ahead < from.size() && from[ahead] == 1) ++ahead;
  Dims shape;
  Indices indices(from.size());
  for (std::size_t axis = ahead; axis < from.size(); ++axis) {
    indices[axis] = {0, {{1, axis - ahead}}};
    shape.push_back(from[axis]);
  }
  return view(operand, std::move(shape), std::move(indices));
}

StepId StepBuilder::lane(std::string name, DType dtype, std::vector<StepId> operands, StepValue::Lane fn) {
  Dims shape;
  for (const StepId operand : operands) {
    if (!operand.valid()) return {};
    const Result<Dims> both = broadcast_shapes(shape, at(operand).shape);
    if (!both.ok()) return {};
    shape = *both;
  }
  // The shape of the result keeps them.
  for (StepId& operand : operands) operand = trimmed(operand);
  StepValue made;
  made.shape = std::move(shape);
  made.kind = StepValue::Kind::lane;
  made.name = std::move(name);
  made.dtype = dtype;
  TypeEmitter types;
  std::vector<expr::Value> values;
  for (const StepId operand : operands) {
    if (!operand.valid()) return {};
    values.push_back(types.add(computed_type(at(operand).dtype)));
  }
  if (!fn(types, values)) return {};
  made.is_function = types.has_function();
  made.operands = std::move(operands);
  made.lane = std::move(fn);
  return add(std::move(made));
}

StepId StepBuilder::op(Op op, const std::vector<StepId>& operands) {
  std::vector<DType> types;
  for (const StepId operand : operands) {
    if (!operand.valid()) return {};
    types.push_back(computed_type(at(operand).dtype));
  }
  return lane(std::string(expr::facts_of(op).name), expr::result_type(op, types), operands,
              [op](expr::Emitter& emit, std::span<const expr::Value> values) -> std::optional<expr::Value> {
                return emit.apply(op, values, DType::undefined);
              });
}

StepId StepBuilder::number(DType dtype, double value) {
  return lane("number", dtype, {}, [dtype, value](expr::Emitter& emit, std::span<const expr::Value>) {
    return std::optional(emit.constant(dtype, value));
  });
}

StepId StepBuilder::cast(StepId operand, DType to) {
  if (!operand.valid() || at(operand).dtype == to) return operand;
  return lane("cast", to, {operand}, [to](expr::Emitter& emit, std::span<const expr::Value> values) {
    const expr::Value rounded = emit.cast(values[0], to);
    return std::optional(expr::is_stored(to) ? emit.cast(rounded, DType::f32) : rounded);
  });
}

StepId StepBuilder::product(StepId a, StepId b) {
  const StepId made = op(Op::multiply, {a, b});
  if (made.valid()) graph_.values[made.index].is_product = true;
  return made;
}

StepId StepBuilder::view(StepId operand, Dims shape, Indices indices) {
  if (!operand.valid()) return {};
  const StepValue& of = at(operand);
  for (std::size_t axis = 0; axis < indices.size(); ++axis)
    if (of.shape[axis] == 1) indices[axis] = {};
  bool same = shape == of.shape;
  for (std::size_t axis = 0; axis < indices.size() && same; ++axis)
    same = of.shape[axis] == 1 || indices[axis] == AxisIndex{0, {{1, axis}}};
  if (same) return operand;
  StepValue made;
  made.kind = StepValue::Kind::view;
  made.name = of.name;
  made.dtype = of.dtype;
  made.shape = std::move(shape);
  if (of.kind == StepValue::Kind::view && !of.is_reshape) {
    made.operands = of.operands;
    made.indices = compose(of.indices, indices);
  } else {
    made.operands = {operand};
    made.indices = std::move(indices);
  }
  return add(std::move(made));
}

StepId StepBuilder::reshape(StepId operand, Dims shape) {
  if (!operand.valid() || at(operand).shape == shape) return operand;
  StepValue made;
  made.kind = StepValue::Kind::view;
  made.is_reshape = true;
  made.name = at(operand).name;
  made.dtype = at(operand).dtype;
  made.operands = {operand};
  made.shape = std::move(shape);
  return add(std::move(made));
}

StepId StepBuilder::reduce(StepId operand, std::vector<std::size_t> axes, Fold fold, double start) {
  if (!operand.valid()) return {};
  StepValue made;
  made.kind = StepValue::Kind::reduce;
  made.name = at(operand).name;
  made.dtype = gives_index(fold) ? DType::i32 : at(operand).dtype;
  for (std::size_t axis = 0; axis < at(operand).shape.size(); ++axis)
    if (std::find(axes.begin(), axes.end(), axis) == axes.end()) made.shape.push_back(at(operand).shape[axis]);
  made.operands = {operand};
  made.fold = fold;
  made.start = start;
  made.axes = std::move(axes);
  return add(std::move(made));
}

StepId StepBuilder::keep_axes(StepId reduced, const Dims& shape, const std::vector<std::size_t>& axes) {
  Dims kept = shape;
  Indices indices;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    if (std::find(axes.begin(), axes.end(), axis) != axes.end())
      kept[axis] = 1;
    else
      indices.push_back({0, {{1, axis}}});
  }
  return view(reduced, std::move(kept), std::move(indices));
}

DType StepBuilder::sum_type(DType dtype) const {
  if (!expr::is_float(dtype) && !expr::is_stored(dtype)) return dtype;
  return exact_ || dtype == DType::f64 ? DType::f64 : DType::f32;
}

StepId StepBuilder::pointwise(const Node& node, const OpCall& call) {
  const ops::LowerFn lower = ops::find_lowering(*call.def);
  if (lower == nullptr) return {};
  std::vector<StepId> operands;
  std::vector<std::size_t> places(node.inputs.size(), SIZE_MAX);
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    // CastLike asks for the type alone.
    if (!node.inputs[i].valid() || (call.def->name == "CastLike" && i == 1)) continue;
    places[i] = operands.size();
    operands.push_back(value(node.inputs[i]));
    if (!operands.back().valid()) return {};
  }
  const DType dtype = fact(node.outputs[0]).type.dtype;
  const StepId made = lane(node.label, dtype, operands,
                           [this_facts = &facts_, &node, &call, lower, places, dtype](
                               expr::Emitter& emit, std::span<const expr::Value> given) -> std::optional<expr::Value> {
                             std::vector<const ops::Fact*> inputs(node.inputs.size(), nullptr);
                             std::vector<expr::Value> values(node.inputs.size());
                             for (std::size_t i = 0; i < node.inputs.size(); ++i) {
                               if (node.inputs[i].valid()) inputs[i] = &(*this_facts)[node.inputs[i].index];
                               if (places[i] != SIZE_MAX) values[i] = given[places[i]];
                             }
                             const std::optional<expr::Value> lowered =
                                 lower({*call.schema, call.attributes, inputs, emit, values});
                             if (!lowered || !expr::is_stored(dtype)) return lowered;
                             return emit.cast(emit.cast(*lowered, dtype), DType::f32);
                           });
  if (made.valid() && call.def->name == "Mul") graph_.values[made.index].is_product = !expr::is_stored(dtype);
  return made;
}

struct StepBuilder::Row {
  std::string_view name;
  StepId (StepBuilder::*translate)(const Node&, const OpCall&, std::size_t output);
  Role outside;
};

const StepBuilder::Row* StepBuilder::find_row(std::string_view name) {
  static constexpr std::array kRows = {
      Row{"ArgMax", &StepBuilder::extreme_index, Role::none},
      Row{"ArgMin", &StepBuilder::extreme_index, Role::none},
      Row{"Concat", &StepBuilder::joined, Role::none},
      Row{"Conv", &StepBuilder::conv, Role::works},
      Row{"Einsum", &StepBuilder::einsum, Role::none},
      Row{"Expand", &StepBuilder::moved, Role::moves},
      Row{"Flatten", &StepBuilder::moved, Role::moves},
      Row{"Gather", &StepBuilder::selected, Role::none},
      Row{"Gemm", &StepBuilder::gemm, Role::works},
      Row{"Identity", &StepBuilder::moved, Role::moves},
      Row{"LogSoftmax", &StepBuilder::softmax, Role::works},
      Row{"MatMul", &StepBuilder::matmul, Role::works},
      Row{"MatMulInteger", &StepBuilder::matmul_integer, Role::none},
      Row{"QLinearConv", &StepBuilder::qlinear_conv, Role::none},
      Row{"QLinearMatMul", &StepBuilder::qlinear_matmul, Role::none},
      Row{"ReduceL1", &StepBuilder::reduction, Role::works},
      Row{"ReduceL2", &StepBuilder::reduction, Role::works},
      Row{"ReduceLogSum", &StepBuilder::reduction, Role::works},
      Row{"ReduceLogSumExp", &StepBuilder::reduction, Role::works},
      Row{"ReduceMax", &StepBuilder::reduction, Role::works},
      Row{"ReduceMean", &StepBuilder::reduction, Role::works},
      Row{"ReduceMin", &StepBuilder::reduction, Role::works},
      Row{"ReduceProd", &StepBuilder::reduction, Role::works},
      Row{"ReduceSum", &StepBuilder::reduction, Role::works},
      Row{"ReduceSumSquare", &StepBuilder::reduction, Role::works},
      Row{"Reshape", &StepBuilder::moved, Role::moves},
      Row{"Slice", &StepBuilder::selected, Role::moves},
      Row{"Softmax", &StepBuilder::softmax, Role::works},
      Row{"Split", &StepBuilder::selected, Role::moves},
      Row{"Squeeze", &StepBuilder::moved, Role::moves},
      Row{"Transpose", &StepBuilder::moved, Role::moves},
      Row{"Unsqueeze", &StepBuilder::moved, Role::moves},
  };
  static_assert(std::is_sorted(kRows.begin(), kRows.end(), [](const Row& a, const Row& b) { return a.name < b.name; }));
  const auto found = std::lower_bound(kRows.begin(), kRows.end(), name,
                                      [](const Row& row, std::string_view each) { return row.name < each; });
  return found != kRows.end() && found->name == name ? &*found : nullptr;
}

Role StepBuilder::role_outside(const OpCall& call) {
  if (const Row* row = find_row(call.def->name)) return row->outside;
  return ops::find_lowering(*call.def) != nullptr ? Role::works : Role::none;
}

StepId StepBuilder::call(const Node& node, const OpCall& call, std::size_t output) {
  const Row* row = find_row(call.def->name);
  return row == nullptr ? pointwise(node, call) : (this->*row->translate)(node, call, output);
}

StepGraphResult make_step_graph(const graph::ScanOp& scan, const std::vector<ops::Fact>& facts,
                                const std::vector<bool>& needed, bool exact) {
  StepBuilder builder(scan, facts, exact);
  std::vector<StepId> outputs(needed.size());
  for (std::size_t i = 0; i < needed.size(); ++i) {
    if (!needed[i]) continue;
    outputs[i] = builder.value(scan.body.graph->outputs[i]);
    if (!outputs[i].valid()) return {std::nullopt, builder.refusal()};
  }
  StepGraph graph = std::move(builder).finish();
  graph.outputs = std::move(outputs);
  for (const StepValue& value : graph.values)
    if (value.kind == StepValue::Kind::source && value.source == StepValue::Source::state)
      CHECK(graph.outputs[value.index].valid());
  return {std::move(graph), {}};
}

}  // namespace pawl::kernel
