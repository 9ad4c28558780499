#include "graph/infer.h"

#include <map>

#include "base/try.h"
#include "graph/elements.h"
#include "graph/infer_walk.h"
#include "tensor/walk.h"

namespace pawl::graph {
namespace {

using ops::Fact;

/// Constants beyond this size are not worth computing before the run: only shapes, axes and the like are.
constexpr std::int64_t kMaxFolded = 1024;

bool is_single_bit(std::uint32_t mask) { return mask != 0 && (mask & (mask - 1)) == 0; }

DType only_dtype(std::uint32_t mask) {
  return is_single_bit(mask) ? static_cast<DType>(__builtin_ctz(mask)) : DType::undefined;
}

/// What the schema alone says of an output: its kind where there is one only, its element type where there is one only.
Type type_from_set(const ops::TypeSet& types) {
  const int kinds = (types.tensor != 0) + (types.sequence != 0) +
                    ((types.optional_tensor | types.optional_sequence) != 0) + types.map;
  if (kinds != 1) return {};
  if (types.tensor != 0) return Type::tensor(only_dtype(types.tensor));
  if (types.sequence != 0) {
    const DType dtype = only_dtype(types.sequence);
    return Type::sequence(dtype == DType::undefined ? Type{} : Type::tensor(dtype));
  }
  return {};
}

Type without_shape(Type type) {
  type.shape.reset();
  return type;
}

bool same_kind(const Type& a, const Type& b) {
  if (!a.known() || !b.known()) return true;
  if (a.kind != b.kind) return a.is_optional() || b.is_optional();
  if (a.element && b.element) return same_kind(*a.element, *b.element);
  return a.dtype == b.dtype || a.dtype == DType::undefined || b.dtype == DType::undefined;
}

/// Checks the inputs' types against the schema and binds its type variables.
///   actual : the types are those of real values, where an optional that has its element looks like the element
Result<std::map<std::string_view, Type>> bind_types(const ops::Schema& schema, std::span<const Fact* const> inputs,
                                                    bool actual = false) {
  std::map<std::string_view, Type> bound;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    const ops::Parameter* parameter = schema.input(i);
    CHECK(parameter != nullptr);
    const Type& type = inputs[i]->type;
    if (!parameter->types.admits(type) && !(actual && parameter->types.admits(Type::optional(type)))) {
      return fail(Code::bad_type, "input {} (\"{}\"): {}-{} does not take {}", i, parameter->name, schema.name,
                  schema.since, to_string(without_shape(type)));
    }
    if (parameter->variable.empty() || parameter->heterogeneous) continue;
    auto [entry, fresh] = bound.emplace(parameter->variable, without_shape(type));
    if (fresh) continue;
    if (!same_kind(entry->second, type)) {
      return fail(Code::bad_type, "input {} (\"{}\") is {}, another input of type {} is {}", i, parameter->name,
                  to_string(without_shape(type)), parameter->variable, to_string(entry->second));
    }
    if (!entry->second.known() || (entry->second.is_tensor() && entry->second.dtype == DType::undefined))
      entry->second = without_shape(type);
  }
  return bound;
}

std::vector<Type> preset_outputs(const ops::Schema& schema, const std::map<std::string_view, Type>& bound,
                                 std::size_t count) {
  std::vector<Type> outputs(count);
  for (std::size_t i = 0; i < count; ++i) {
    const ops::Parameter* parameter = schema.output(i);
    CHECK(parameter != nullptr);
    const auto found = bound.find(parameter->variable);
    outputs[i] = found != bound.end() && !parameter->heterogeneous ? found->second : type_from_set(parameter->types);
  }
  return outputs;
}

/// Evaluates a node whose inputs are all constants, when that is cheap. A node that fails keeps its failure for the
/// run.
void fold(const OpCall& call, std::span<const Fact* const> inputs, std::span<Fact> outputs) {
  if (call.def->random) return;
  std::vector<Value> values(inputs.size());
  std::vector<Value*> pointers(inputs.size(), nullptr);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i] == nullptr) continue;
    const Tensor* tensor = inputs[i]->tensor();
    if (tensor == nullptr || tensor->size() > kMaxFolded) return;
    values[i] = *tensor;
    pointers[i] = &values[i];
  }
  for (const Fact& output : outputs) {
    if (output.constant || !output.type.is_tensor()) return;
    const std::optional<Dims> shape = output.type.static_shape();
    // A node without inputs is a constant, whose value exists already.
    if (!inputs.empty() && (!shape || checked_size(*shape).value_or(kMaxFolded + 1) > kMaxFolded)) return;
  }
  const auto last_use = std::make_unique<bool[]>(inputs.size());
  const auto wanted = std::make_unique<bool[]>(outputs.size());
  std::fill_n(wanted.get(), outputs.size(), true);
  std::vector<Value> results(outputs.size());
  ops::EvalContext context{
      *call.schema, call.attributes, pointers, {last_use.get(), inputs.size()}, results, {wanted.get(), outputs.size()},
      nullptr};
  if (!call.def->eval(context).ok()) return;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (results[i].is_tensor()) outputs[i].constant = std::move(results[i]);
}

}  // namespace

Result<std::vector<Fact>> infer_call(const OpCall& call, std::span<const Fact* const> inputs,
                                     std::size_t output_count) {
  TRY_ASSIGN(const auto bound, bind_types(*call.schema, inputs));
  std::vector<Type> types = preset_outputs(*call.schema, bound, output_count);
  std::vector<std::optional<Value>> constants(output_count);
  ops::InferContext context{*call.schema, call.attributes, inputs, types, constants};
  if (call.def->infer != nullptr) TRY(call.def->infer(context));
  std::vector<Fact> outputs(output_count);
  for (std::size_t i = 0; i < output_count; ++i) {
    const ops::Parameter* parameter = call.schema->output(i);
    // Exporters of the time wrote integers into Constant before opset 9 allowed them, and everybody takes them.
    if (!parameter->types.admits(types[i]) && call.schema->name != "Constant") {
      return fail(Code::bad_type, "output {} (\"{}\"): {}-{} does not give {}", i, parameter->name, call.schema->name,
                  call.schema->since, to_string(without_shape(types[i])));
    }
    outputs[i] = {std::move(types[i]), std::move(constants[i])};
  }
  fold(call, inputs, outputs);
  infer_elements(call, inputs, outputs);
  return outputs;
}

Result<void> check_call(const OpCall& call, std::span<const Fact* const> inputs) {
  TRY(bind_types(*call.schema, inputs, true));
  return {};
}

namespace {

const ops::Schema& schema_of(const Operation& operation) {
  return std::visit([](const auto& made) -> const ops::Schema& { return *made.schema; }, operation);
}

/// A value that a body gives must be of a type that the node may give.
Result<void> check_results(const ops::Schema& schema, const std::vector<Fact>& results) {
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!schema.output(i)->types.admits(results[i].type)) {
      return fail(Code::bad_type, "output {}: {}-{} does not give {}", i, schema.name, schema.since,
                  to_string(without_shape(results[i].type)));
    }
  }
  return {};
}

}  // namespace

Result<std::vector<Fact>> InferWalk::node(const Node& node, std::size_t outputs, const std::vector<Fact>& facts) {
  std::vector<const Fact*> inputs;
  for (const ValueId id : node.inputs) inputs.push_back(id.valid() ? &facts[id.index] : nullptr);
  if (const auto* call = std::get_if<OpCall>(&node.operation)) return infer_call(*call, inputs, outputs);
  TRY(bind_types(schema_of(node.operation), inputs));
  TRY_ASSIGN(std::vector<Fact> results, bodies(node, outputs, inputs, facts));
  TRY(check_results(schema_of(node.operation), results));
  return results;
}

Result<std::vector<Fact>> InferWalk::bodies(const Node& node, std::size_t outputs, std::span<const Fact* const> inputs,
                                            const std::vector<Fact>& facts) {
  std::vector<Fact> given;
  for (const Fact* input : inputs) given.push_back(input == nullptr ? Fact{} : *input);
  if (const auto* scan = std::get_if<ScanOp>(&node.operation)) return this->scan(*scan, given, facts);
  if (const auto* loop = std::get_if<LoopOp>(&node.operation)) return this->loop(*loop, given, facts, outputs);
  return branch(std::get<IfOp>(node.operation), given, facts);
}

Result<std::vector<Fact>> InferWalk::graph(const Graph& graph, std::vector<Fact> inputs, std::vector<Fact> captured) {
  CHECK(inputs.size() == graph.inputs.size() && captured.size() == graph.captured.size());
  std::vector<Fact> facts(graph.values.size());
  for (std::size_t i = 0; i < facts.size(); ++i)
    if (graph.values[i].fact.constant) facts[i] = graph.values[i].fact;
  for (std::size_t i = 0; i < inputs.size(); ++i) facts[graph.inputs[i].index] = std::move(inputs[i]);
  for (std::size_t i = 0; i < captured.size(); ++i) facts[graph.captured[i].index] = std::move(captured[i]);
  for (const Node& node : graph.nodes) {
    if (depth_ > 0 && ++visits_ > kMaxVisits) return fail(Code::limit, "loops in loops make type inference too long");
    Result<std::vector<Fact>> outputs = this->node(node, node.outputs.size(), facts);
    if (!outputs.ok()) {
      Error error = std::move(outputs).error().in(node.label);
      // Inside a branch that may never be taken only wrong types are wrong for sure.
      const bool certain = branch_depth_ == 0 || error.code == Code::bad_type;
      if (certain && !sinks_.problem) return error;
      if (certain) sinks_.problem(std::move(error));
      continue;
    }
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i].valid()) facts[node.outputs[i].index] = std::move((*outputs)[i]);
  }
  if (sinks_.facts) sinks_.facts(graph, facts);
  return facts;
}

Result<std::vector<Fact>> infer_node(const Node& node, std::size_t outputs, const std::vector<Fact>& facts) {
  const InferSinks sinks;
  return InferWalk(sinks).node(node, outputs, facts);
}

Result<std::vector<Fact>> infer_graph(const Graph& graph, std::vector<Fact> inputs, std::vector<Fact> captured,
                                      const InferSinks& sinks) {
  return InferWalk(sinks).graph(graph, std::move(inputs), std::move(captured));
}

}  // namespace pawl::graph
