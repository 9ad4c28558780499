// Loop: a trip count, a condition, both or neither.
#include "backend/reference/evaluator.h"
#include "backend/reference/stack.h"
#include "base/try.h"

namespace pawl::reference {
namespace {

using graph::LoopOp;
using graph::ValueId;

/// The trip count, nullopt when it is left out. Errors: bad_type.
Result<std::optional<std::int64_t>> read_trip_count(const Value& value) {
  if (value.is_none()) return std::optional<std::int64_t>();
  if (!value.is_tensor() || value.tensor().dtype() != DType::i64 || value.tensor().size() != 1)
    return fail(Code::bad_type, "expected one int64, found {}", describe(value));
  TRY_ASSIGN(const Tensor count, value.tensor().to_dense());
  return std::optional<std::int64_t>(*count.data<std::int64_t>());
}

/// The iteration number or the condition, in the rank that the body declares: a scalar, or a vector of one.
template <class T>
Tensor one(T value, const graph::ValueInfo& input) {
  const Type& declared = input.declared;
  const bool vector = declared.is_tensor() && declared.shape && declared.shape->size() == 1;
  return Tensor::of<T>(vector ? Dims{1} : Dims{}, {value});
}

/// What a carried value keeps through every step. Its shape may change.
struct Kind {
  bool tensor = false;
  bool sequence = false;
  DType dtype = DType::undefined;
  explicit Kind(const Value& value)
      : tensor(value.is_tensor()),
        sequence(value.is_sequence()),
        dtype(tensor ? value.tensor().dtype() : DType::undefined) {}
  friend bool operator==(const Kind&, const Kind&) = default;
};

}  // namespace

Result<void> Evaluator::loop(const NodePlan& plan, const LoopOp& loop, Frame& outer) {
  const graph::Node& node = *plan.node;
  const Prepared& prepared = *plan.bodies[0];
  const graph::Graph& body = *loop.body.graph;
  TRY_ASSIGN_IN("trip count", const std::optional<std::int64_t> count,
                read_trip_count(node.inputs.empty() ? Value() : take_input(plan, outer, 0)));
  const bool has_condition = node.inputs.size() > 1 && node.inputs[1].valid();
  bool go_on = true;
  if (has_condition) {
    TRY_ASSIGN_IN("condition", go_on, read_condition(at(outer, node.inputs[1])));
  }
  // With a trip count alone the standard ignores the body's condition. With neither, the body's condition is the only
  // way out, and is obeyed.
  const bool obeys_condition = has_condition || !count;

  if (count && !obeys_condition && *count > options_.max_steps)
    return fail(Code::limit, "{} steps, which no data stands behind; the limit is {}", *count, options_.max_steps);

  Values carried;
  for (std::size_t i = 0; i < loop.carried; ++i) carried.push_back(take_input(plan, outer, 2 + i));
  std::vector<Kind> kinds(carried.begin(), carried.end());
  std::vector<Stack> stacks;
  for (std::size_t k = 0; k < loop.outputs; ++k) stacks.emplace_back(0, std::nullopt);
  Frame frame = enter(prepared, &loop.body, &outer);
  std::int64_t t = 0;
  {
    const DepthGuard guard(depth_);
    for (; go_on && (!count || t < *count); ++t) {
      const auto place = [&] { return fmt::format("step {}", t); };
      if (t >= options_.max_steps) return fail(Code::limit, "the loop has not ended after {} steps, the limit", t);
      TRY(step(node, t, count.value_or(0)));
      at(frame, body.inputs[0]) = one<std::int64_t>(t, body[body.inputs[0]]);
      at(frame, body.inputs[1]) = one<bool>(go_on, body[body.inputs[1]]);
      for (std::size_t i = 0; i < loop.carried; ++i)
        at(frame, body.inputs[2 + i]) = prepared.needed_outputs[1 + i] ? std::move(carried[i]) : carried[i];
      if (Result<void> done = run(frame); !done.ok()) return std::move(done).error().in(place());
      Values results = take_outputs(frame);
      Result<bool> condition = read_condition(results[0]);
      if (!condition.ok()) return std::move(condition).error().in("body output 0, the condition").in(place());
      if (obeys_condition) go_on = *condition;
      for (std::size_t i = 0; i < loop.carried; ++i) {
        if (!prepared.needed_outputs[1 + i]) continue;
        const Value& after = results[1 + i];
        if (kinds[i] != Kind(after) && kinds[i] != Kind(Value()) && !after.is_none())
          return fail(Code::bad_type, "carried value {} changes its type to {}", i, describe(after)).in(place());
        carried[i] = std::move(results[1 + i]);
      }
      for (std::size_t k = 0; k < loop.outputs; ++k) {
        const std::size_t output = 1 + loop.carried + k;
        if (!prepared.needed_outputs[output]) continue;
        Result<void> put = results[output].is_tensor()
                               ? stacks[k].put(results[output].tensor(), t)
                               : fail(Code::bad_type, "Loop stacks tensors, found {}", describe(results[output]));
        if (!put.ok()) return std::move(put).error().in(fmt::format("scan output {}", k)).in(place());
      }
    }
  }
  Values results = std::move(carried);
  std::vector<Type> types;
  for (std::size_t k = 0; k < loop.outputs; ++k) {
    const std::size_t output = loop.carried + k;
    if (output >= node.outputs.size() || !plan.wanted[output]) {
      results.emplace_back();
      continue;
    }
    if (t > 0) {
      results.emplace_back(std::move(stacks[k]).take());
      continue;
    }
    if (types.empty()) {
      // What the first step would have had: the carried values are known.
      std::vector<ops::Fact> facts = {{type_of(one<std::int64_t>(0, body[body.inputs[0]])), std::nullopt},
                                      {type_of(one<bool>(true, body[body.inputs[1]])), std::nullopt}};
      for (std::size_t i = 0; i < loop.carried; ++i) facts.push_back({type_of(results[i]), results[i]});
      TRY_ASSIGN_IN("body", types, body_output_types(loop.body, std::move(facts), outer));
    }
    const Type type = graph::meet(types[1 + output], declared_element(outer, node.outputs[output], 0));
    TRY_ASSIGN(Dims shape, shape_of_nothing(type, fmt::format("scan output {}", k)));
    TRY_ASSIGN(Tensor empty, empty_stack(type.dtype, std::move(shape), 0));
    results.emplace_back(std::move(empty));
  }
  results.resize(node.outputs.size());
  store_outputs(plan, outer, results);
  return {};
}

}  // namespace pawl::reference
