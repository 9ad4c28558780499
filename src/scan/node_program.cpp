#include "scan/node_program.h"

#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/dependence.h"
#include "scan/motion.h"
#include "scan/pass.h"
#include "scan/scan_builder.h"
#include "scan/trips.h"

namespace pawl::scan {

using graph::Graph;
using graph::Node;
using graph::OpCall;
using graph::ScanOp;

namespace {

/// Whether a program, made for one row at least, can also be run for none.
bool survives_no_rows(const ops::Batching& batching, std::vector<ops::Fact> inputs, const std::vector<bool>& has_rows) {
  for (std::size_t i = 0; i < inputs.size(); ++i)
    if (has_rows[i]) inputs[i].type.shape->insert(inputs[i].type.shape->begin(), Dim(0));
  std::vector<std::vector<ops::Fact>> results;
  for (const ops::Call& each : batching.calls) {
    std::vector<ops::Fact> constants(each.operands.size());
    std::vector<const ops::Fact*> facts(each.operands.size(), nullptr);
    for (std::size_t i = 0; i < facts.size(); ++i) {
      const ops::Operand& given = each.operands[i];
      if (given.kind == ops::Operand::Kind::input) facts[i] = &inputs[given.index];
      if (given.kind == ops::Operand::Kind::result) facts[i] = &results[given.index][given.output];
      if (given.kind != ops::Operand::Kind::constant) continue;
      constants[i] = {Type::tensor(given.constant.dtype(), given.constant.shape()), Value(given.constant)};
      facts[i] = &constants[i];
    }
    const OpCall call{ops::find_op(each.schema->domain, each.schema->name), each.schema, each.attributes};
    Result<std::vector<ops::Fact>> made = graph::infer_call(call, facts, each.outputs);
    if (!made.ok()) return false;
    results.push_back(std::move(made).value());
  }
  return true;
}

/// Facts of a node's inputs, without the values of those that have rows.
struct Inputs {
  std::vector<ops::Fact> facts;
  std::vector<const ops::Fact*> pointers;  ///< null where omitted
  std::vector<bool> has_rows;

  Inputs(const Graph& graph, const Node& node, const HasRows& rows)
      : facts(node.inputs.size()), pointers(node.inputs.size(), nullptr), has_rows(node.inputs.size(), false) {
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId id = node.inputs[i];
      if (!id.valid()) continue;
      has_rows[i] = rows(id);
      facts[i] = graph[id].fact;
      if (has_rows[i]) facts[i].constant.reset();
      pointers[i] = &facts[i];
    }
  }
};

std::optional<NodeProgram> operator_program(const Graph& graph, const Node& node, const OpCall& call,
                                            const HasRows& has_rows, const Dim& rows) {
  if (call.def->axes.batch == nullptr) return std::nullopt;
  const Inputs inputs(graph, node, has_rows);
  const bool is_sure = rows.value > 0;
  if (!is_sure && !cannot_fail(call, inputs.pointers, node.outputs.size())) return std::nullopt;
  std::vector<Type> types;
  for (const ValueId id : node.outputs) types.push_back(id.valid() ? graph[id].fact.type : Type());
  const auto flags = std::make_unique<bool[]>(node.inputs.size());
  std::copy(inputs.has_rows.begin(), inputs.has_rows.end(), flags.get());
  const ops::NodeFacts known{*call.schema, call.attributes, inputs.pointers, types};
  NodeProgram program;
  program.calls = ops::batch(*call.def, known, {flags.get(), node.inputs.size()});
  if (!program.calls.accepted()) return std::nullopt;
  if (!is_sure && !survives_no_rows(program.calls, inputs.facts, inputs.has_rows)) return std::nullopt;
  return program;
}

bool have_one_length(const Graph& graph, const Node& node, const ScanOp& scan) {
  const Dim first = length_of(graph, node, scan, 0);
  for (std::size_t i = 1; i < scan.elements; ++i)
    if (!length_of(graph, node, scan, i).same(first)) return false;
  return true;
}

/// A Scan with rows; the axes that it cuts and stacks along come one later.
std::optional<NodeProgram> program_of_scan(const Graph& graph, const Node& node, const ScanOp& scan,
                                           const HasRows& has_rows, const Dim& rows) {
  const Graph& body = *scan.body.graph;
  if (scan.batched || !is_settled(body) || (rows.value < 1 && !have_one_length(graph, node, scan))) return std::nullopt;
  std::vector<bool> inputs;
  for (std::size_t i = 0; i < node.inputs.size(); ++i) {
    const Type& type = graph[node.inputs[i]].fact.type;
    inputs.push_back(has_rows(node.inputs[i]));
    if (!type.is_tensor() || !type.shape) return std::nullopt;
    if (i < scan.states && !graph::implies(body[body.outputs[i]].fact.type, type)) return std::nullopt;
  }
  auto made = scan_program(
      scan, inputs,
      [&](ValueId inner) {
        for (const graph::Capture& capture : scan.body.captures)
          if (capture.inner == inner) return has_rows(capture.outer);
        return false;
      },
      rows);
  const ValueId like = some_rows(graph, node, has_rows, rows);
  if (!made || !like.valid()) return std::nullopt;
  const auto repeats = [&](ValueId id) { return can_be_repeated(graph[id].fact.type, graph[like].fact.type, rows); };
  for (std::size_t i = 0; i < scan.states; ++i)
    if (made->has_rows[body.inputs[i].index] && !inputs[i] && !repeats(node.inputs[i])) return std::nullopt;
  for (std::size_t i = 0; i < node.outputs.size(); ++i) {
    if (!node.outputs[i].valid()) continue;
    const Type& type = graph[node.outputs[i]].fact.type;
    if (!type.shape || (!made->has_rows[body.outputs[i].index] && !repeats(node.outputs[i]))) return std::nullopt;
  }
  NodeProgram program;
  program.scan = std::make_shared<const ScanProgram>(std::move(*made));
  return program;
}

bool reads_rows(const Node& node, const std::vector<bool>& has_rows) {
  bool any = false;
  for_each_read(node, [&](ValueId id) { any = any || has_rows[id.index]; });
  return any;
}

/// Whether nothing that was known of a type is lost.
bool is_as_known(const Type& made, const Type& was) {
  if (made.dtype != was.dtype || made.shape.has_value() < was.shape.has_value()) return false;
  if (!was.shape) return true;
  if (made.shape->size() != was.shape->size()) return false;
  for (std::size_t i = 0; i < was.shape->size(); ++i) {
    const Dim& dim = (*was.shape)[i];
    const Dim& now = (*made.shape)[i];
    if ((dim.known() || !dim.symbol.empty()) && !now.known() && !now.same(dim)) return false;
  }
  return true;
}

/// Whether a program's outputs are as well known as those of the body: a Scan may run no step, and then there is
/// nothing else to go by.
bool keeps_types(const ScanOp& scan, const ScanProgram& program, const Dim& rows) {
  const Graph& body = *scan.body.graph;
  const Dim extent = rows.known() || !rows.symbol.empty() ? rows : Dim::named("rows");
  const auto with_rows = [&](ValueId id) {
    ValueInfo value{body[id].name, body[id].fact, {}};
    if (!program.has_rows[id.index]) return value;
    value.fact.constant.reset();
    if (value.fact.type.shape) value.fact.type.shape->insert(value.fact.type.shape->begin(), extent);
    return value;
  };
  Builder trial(body.name);
  graph::Mapping values(body);
  for (const ValueId id : body.inputs) values[id] = trial.add_input(with_rows(id));
  for (const ValueId id : body.captured) values[id] = trial.add_captured(with_rows(id));
  if (!emit_body(scan, program, values, trial).ok()) return false;
  return std::all_of(body.outputs.begin(), body.outputs.end(),
                     [&](ValueId id) { return is_as_known(trial.fact(values(id)).type, with_rows(id).fact.type); });
}

/// By value: what has rows when these states and elements have.
std::vector<bool> rows_in(const Graph& body, const std::vector<bool>& inputs, const HasRows& captured) {
  std::vector<bool> has_rows(body.values.size(), false);
  for (std::size_t i = 0; i < inputs.size(); ++i) has_rows[body.inputs[i].index] = inputs[i];
  for (const ValueId id : body.captured) has_rows[id.index] = captured(id);
  for (const Node& node : body.nodes)
    if (reads_rows(node, has_rows))
      for (const ValueId id : node.outputs)
        if (id.valid()) has_rows[id.index] = true;
  return has_rows;
}

}  // namespace

ValueId some_rows(const Graph& graph, const Node& node, const HasRows& has_rows, const Dim& rows) {
  ValueId found;
  ValueId fitting;
  for_each_read(node, [&](ValueId id) {
    if (!has_rows(id)) return;
    if (!found.valid()) found = id;
    if (!fitting.valid() && can_be_repeated(Type::tensor(DType::f32, Dims{}), graph[id].fact.type, rows)) fitting = id;
  });
  return fitting.valid() ? fitting : found;
}

bool can_be_repeated(const Type& type, const Type& like, const Dim& rows) {
  if (!type.is_tensor() || !type.shape || type.dtype == DType::undefined || !like.shape) return false;
  const auto takes = [](const char* op, std::size_t input, const Type& given) {
    return ops::find_schema("", op, ops::kNewestOpset)->inputs[input].types.admits(given);
  };
  if (rows.known()) return takes("Expand", 0, type);
  return takes("Where", 1, type) && takes("Slice", 0, like) && takes("Cast", 0, like) && like.dtype != DType::string &&
         std::all_of(like.shape->begin(), like.shape->end(), [](const Dim& dim) { return dim.value > 0; });
}

std::optional<NodeProgram> program_for(const Graph& graph, const Node& node, const HasRows& has_rows, const Dim& rows) {
  if (draws(node)) return std::nullopt;
  if (const auto* call = std::get_if<OpCall>(&node.operation))
    return operator_program(graph, node, *call, has_rows, rows);
  if (const auto* scan = std::get_if<ScanOp>(&node.operation))
    return program_of_scan(graph, node, *scan, has_rows, rows);
  return std::nullopt;
}

std::optional<ScanProgram> scan_program(const ScanOp& scan, const std::vector<bool>& given, const HasRows& captured,
                                        const Dim& rows) {
  const Graph& body = *scan.body.graph;
  std::vector<bool> inputs = given;
  ScanProgram program;
  program.count = rows;
  // A state has rows when its next value has.
  for (bool changed = true; changed;) {
    changed = false;
    program.has_rows = rows_in(body, inputs, captured);
    for (std::size_t i = 0; i < scan.states; ++i) {
      if (inputs[i] || !program.has_rows[body.outputs[i].index]) continue;
      inputs[i] = changed = true;
    }
  }
  for (std::size_t i = 0; i < scan.states; ++i)
    if (inputs[i] && !program.has_rows[body.outputs[i].index] &&
        !can_be_repeated(body[body.outputs[i]].fact.type, body[body.inputs[i]].fact.type, rows))
      return std::nullopt;
  const HasRows has_rows = [&](ValueId id) { return program.has_rows[id.index]; };
  const std::vector<bool> needed = graph::values_behind(body, body.outputs);
  program.nodes.resize(body.nodes.size());
  for (std::size_t n = 0; n < body.nodes.size(); ++n) {
    const Node& node = body.nodes[n];
    if (!graph::any_of(node.outputs, needed)) continue;
    if (draws(node)) return std::nullopt;
    if (reads_rows(node, program.has_rows)) {
      program.nodes[n] = program_for(body, node, has_rows, rows);
      if (!program.nodes[n]) return std::nullopt;
    } else if (rows.value < 1) {
      const auto* call = std::get_if<OpCall>(&node.operation);
      if (call == nullptr || !cannot_fail(*call, Inputs(body, node, has_rows).pointers, node.outputs.size()))
        return std::nullopt;
    }
  }
  if (!keeps_types(scan, program, rows)) return std::nullopt;
  return program;
}

}  // namespace pawl::scan
