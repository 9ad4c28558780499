#include "scan/chunk_scans.h"

#include <algorithm>

#include "base/try.h"
#include "graph/rebuild.h"
#include "ops/convert.h"
#include "scan/node_program.h"
#include "scan/recurrences/types.h"
#include "tensor/walk.h"

namespace pawl::scan {
namespace {

using graph::Builder;
using graph::Graph;
using graph::Mapping;
using graph::ScanOp;
using graph::ValueId;
using graph::ValueInfo;

ValueInfo plain(std::string name, ops::Fact fact) { return {std::move(name), std::move(fact), {}}; }

Tuple add_inputs(Builder& to, const std::vector<Type>& types, const std::string& name) {
  Tuple made;
  for (const Type& type : types) made.push_back(to.add_input(plain(name, {type, std::nullopt})));
  return made;
}

std::vector<Type> types_of(const Graph& graph, const Tuple& ids) {
  std::vector<Type> types;
  for (const ValueId id : ids) types.push_back(graph[id].fact.type);
  return types;
}

bool are_same(const std::vector<Type>& a, const std::vector<Type>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Type& x, const Type& y) {
    return x.dtype == y.dtype && x.static_shape() && y.static_shape() && *x.static_shape() == *y.static_shape();
  });
}

/// A node as it is, but for what its outputs are declared to be.
Result<std::optional<std::vector<ValueId>>> without_declarations(Builder& builder, graph::Node& node,
                                                                 std::span<const ValueInfo> outputs,
                                                                 const graph::Original&) {
  std::vector<ValueInfo> bare(outputs.begin(), outputs.end());
  for (ValueInfo& each : bare) each.declared = Type();
  TRY_ASSIGN(std::vector<ValueId> made, builder.add(std::move(node), bare));
  return std::optional(std::move(made));
}

/// Whether a captured value is one that each lane has its own of.
bool goes_with_lanes(const ScanOp& scan, const Type& type) {
  const auto size = [](const Type& each) {
    const std::optional<Dims> shape = each.static_shape();
    return shape ? checked_size(*shape).value_or(0) : 0;
  };
  const Graph& body = *scan.body.graph;
  std::int64_t lanes = 0;
  for (std::size_t i = 0; i < scan.states; ++i) lanes = std::max(lanes, size(body[body.inputs[i]].fact.type));
  return type.is_tensor() && (is_real(type.dtype) || type.dtype == DType::boolean) && size(type) > 1 &&
         size(type) <= lanes;
}

std::vector<ops::Fact> facts_of(const Graph& graph, const std::vector<ValueId>& ids) {
  std::vector<ops::Fact> facts;
  facts.reserve(ids.size());
  for (const ValueId id : ids) facts.push_back({graph[id].fact.type, std::nullopt});
  return facts;
}

}  // namespace

ScanOp time_first(Graph body, std::size_t states, std::size_t elements) {
  ScanOp made;
  made.schema = ops::find_schema("", "Scan", ops::kNewestOpset);
  made.states = states;
  made.elements = elements;
  made.outputs = body.outputs.size() - states;
  made.input_axes.assign(elements, 0);
  made.input_reversed.assign(elements, false);
  made.output_axes.assign(made.outputs, 0);
  made.output_reversed.assign(made.outputs, false);
  for (const ValueId id : body.captured) made.body.captures.push_back({id, id});
  made.body.graph = std::make_unique<Graph>(std::move(body));
  return made;
}

Result<Graph> specialised(const ScanOp& scan, const std::vector<ops::Fact>& inputs,
                          const std::vector<ops::Fact>& captured) {
  const Graph& body = *scan.body.graph;
  Builder outer("chunks");
  Builder inside(body.name);
  Mapping values(body);
  graph::Node node;
  node.label = body.name;
  for (std::size_t i = 0; i < body.inputs.size(); ++i) {
    const std::string& name = body[body.inputs[i]].name;
    ops::Fact fact{inputs[i].type, std::nullopt};
    values[body.inputs[i]] = inside.add_input(plain(name, fact));
    if (i >= scan.states && fact.type.shape) fact.type.shape->insert(fact.type.shape->begin(), Dim::named("steps"));
    node.inputs.push_back(outer.add_input(plain(name, std::move(fact))));
  }
  std::vector<graph::Capture> captures;
  for (std::size_t i = 0; i < body.captured.size(); ++i) {
    const ValueInfo& value = body[body.captured[i]];
    ops::Fact fact = captured[i];
    if (!fact.constant) fact.constant = value.fact.constant;
    values[body.captured[i]] = inside.add_captured(plain(value.name, fact));
    captures.push_back({outer.add_input(plain(value.name, {fact.type, std::nullopt})), values(body.captured[i])});
  }
  TRY(graph::copy_nodes(body, graph::values_behind(body, body.outputs), values, inside, without_declarations));
  ScanOp made = time_first(inside.finish(values(body.outputs)), scan.states, scan.elements);
  made.body.captures = std::move(captures);
  node.operation = std::move(made);
  std::vector<ValueInfo> outputs;
  outputs.reserve(body.outputs.size());
  for (const ValueId id : body.outputs) outputs.push_back(plain(body[id].name, {}));
  TRY_ASSIGN(std::vector<ValueId> results, outer.add(std::move(node), outputs));
  return outer.finish(std::move(results));
}

Result<std::optional<ChunkScan>> with_rows(const ScanOp& scan, std::int64_t rows) {
  const Graph& body = *scan.body.graph;
  std::vector<bool> is_repeated(body.values.size(), false);
  for (const ValueId id : body.captured) is_repeated[id.index] = goes_with_lanes(scan, body[id].fact.type);
  const auto has_rows = [&](ValueId id) { return is_repeated[id.index]; };
  const std::optional<ScanProgram> program =
      scan_program(scan, std::vector<bool>(body.inputs.size(), true), has_rows, Dim(rows));
  if (!program) return std::optional<ChunkScan>();
  Builder to(body.name);
  Mapping values(body);
  const auto in_rows = [&](ValueId id) {
    ops::Fact fact{body[id].fact.type, std::nullopt};
    fact.type.shape->insert(fact.type.shape->begin(), Dim(rows));
    return plain(body[id].name, std::move(fact));
  };
  for (const ValueId id : body.inputs) values[id] = to.add_input(in_rows(id));
  for (const ValueId id : body.captured)
    values[id] = to.add_captured(has_rows(id) ? in_rows(id) : plain(body[id].name, body[id].fact));
  TRY(emit_body(scan, *program, values, to));
  Tuple outputs;
  for (const ValueId id : body.outputs) {
    outputs.push_back(values(id));
    if (program->has_rows[id.index]) continue;
    TRY_ASSIGN(outputs.back(), repeated(to, values(id), values(body.inputs[0]), Dim(rows), body[id].name));
  }
  ChunkScan made;
  made.scan = time_first(to.finish(std::move(outputs)), scan.states, scan.elements);
  made.inputs = facts_of(*made.scan.body.graph, made.scan.body.graph->inputs);
  for (const ValueId id : body.captured) made.repeated.push_back(has_rows(id));
  return std::optional(std::move(made));
}

Result<std::optional<std::vector<Type>>> element_types(const Match& match) {
  const Graph& lift = *match.lift.graph;
  const std::vector<Type> lifted = types_of(lift, lift.outputs);
  std::vector<Type> types = lifted;
  // Parts of an element may have fewer axes than others until they are combined.
  for (int round = 0; round < 3; ++round) {
    Builder trial("combine");
    const Tuple earlier = add_inputs(trial, types, "p");
    const Tuple later = add_inputs(trial, lifted, "q");
    TRY_ASSIGN(const Tuple made, match.recurrence->combine(trial, earlier, later));
    std::vector<Type> next = types_of(trial.graph(), made);
    if (are_same(types, next)) return std::optional(std::move(types));
    types = std::move(next);
  }
  return std::optional<std::vector<Type>>();
}

Result<std::optional<std::vector<Tensor>>> unchanged_rows(const Match& match, const std::vector<Type>& elements,
                                                          const std::vector<DType>& states, std::int64_t rows) {
  using None = std::optional<std::vector<Tensor>>;
  Builder to("unchanged");
  Tuple beside;
  for (const Type& type : elements) {
    const Result<Tensor> zero = ops::convert(Tensor::scalar<double>(0), type.dtype);
    if (!zero.ok()) return None();
    TRY_ASSIGN(Tensor zeros, broadcast_view(*zero, *type.static_shape()).to_dense());
    beside.push_back(to.add_constant(std::move(zeros), "zeros"));
  }
  const Recurrence& law = *match.recurrence;
  Tuple made = beside;
  // After a delay nothing is left of what came before the step.
  if (law.identity != nullptr || law.unchanged != nullptr) {
    TRY_ASSIGN(made, unchanged(law, to, beside, states));
  } else if (&law != &kDelay) {
    return None();
  }
  std::vector<Tensor> tensors;
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Tensor* known = to.fact(made[i]).tensor();
    if (known == nullptr) return None();
    Dims shape = *elements[i].static_shape();
    shape.insert(0, rows);
    TRY_ASSIGN(Tensor all, broadcast_view(*known, shape).clone());
    tensors.push_back(std::move(all));
  }
  return None(std::move(tensors));
}

namespace {

/// Copies what `roots` of a graph are made of; the graph's inputs are those of a body.
Result<Tuple> copy_behind(const Graph& graph, const Tuple& roots, const Tuple& inputs, const Tuple& captured,
                          Builder& to) {
  Mapping values(graph);
  const std::vector<bool> needed = graph::values_behind(graph, roots);
  for (std::size_t i = 0; i < graph.inputs.size(); ++i) {
    values[graph.inputs[i]] = inputs[i];
    if (needed[graph.inputs[i].index] && !inputs[i].valid())
      return fail(Code::internal, "{} is read before it is there", graph[graph.inputs[i]].name);
  }
  for (std::size_t i = 0; i < graph.captured.size(); ++i) values[graph.captured[i]] = captured[i];
  TRY(graph::copy_nodes(graph, needed, values, to));
  return values(roots);
}

void mark_elements(const Graph& graph, const Tuple& roots, std::size_t states, std::vector<bool>& used) {
  const std::vector<bool> needed = graph::values_behind(graph, roots);
  for (std::size_t i = 0; i < used.size(); ++i) used[i] = used[i] || needed[graph.inputs[states + i].index];
}

}  // namespace

Result<ScanOp> summary_scan(const ScanOp& scan, const ScanFacts& facts, const std::vector<std::size_t>& components,
                            const std::vector<std::size_t>& before, std::vector<std::size_t>& used) {
  const Graph& body = *scan.body.graph;
  Tuple next_before;
  for (const std::size_t state : before) next_before.push_back(body.outputs[state]);
  std::vector<bool> reads(scan.elements, false);
  mark_elements(body, next_before, scan.states, reads);
  for (const std::size_t c : components) {
    const Graph& lift = *facts.components[c].match->lift.graph;
    mark_elements(lift, lift.outputs, scan.states, reads);
  }
  for (std::size_t i = 0; i < reads.size(); ++i)
    if (reads[i]) used.push_back(i);
  // A Scan has to cut something.
  if (used.empty()) used.push_back(0);

  Builder to("summary");
  Tuple inputs(body.inputs.size());
  for (const std::size_t state : before)
    inputs[state] = to.add_input(plain(body[body.inputs[state]].name, body[body.inputs[state]].fact));
  std::vector<Tuple> earlier;
  for (const std::size_t c : components) {
    TRY_ASSIGN(const std::optional<std::vector<Type>> types, element_types(*facts.components[c].match));
    CHECK(types.has_value());
    earlier.push_back(add_inputs(to, *types, "p"));
  }
  for (const std::size_t i : used) {
    const ValueInfo& element = body[body.inputs[scan.states + i]];
    inputs[scan.states + i] = to.add_input(plain(element.name, element.fact));
  }
  Tuple captured;
  for (const ValueId id : body.captured) captured.push_back(to.add_captured(plain(body[id].name, body[id].fact)));

  TRY_ASSIGN(Tuple next, copy_behind(body, next_before, inputs, captured, to));
  for (std::size_t i = 0; i < components.size(); ++i) {
    const Match& match = *facts.components[components[i]].match;
    TRY_ASSIGN(const Tuple later, copy_behind(*match.lift.graph, match.lift.graph->outputs, inputs, captured, to));
    TRY_ASSIGN(const Tuple both, match.recurrence->combine(to, earlier[i], later));
    next.insert(next.end(), both.begin(), both.end());
  }
  const std::size_t states = next.size();
  return time_first(to.finish(std::move(next)), states, used.size());
}

Result<ChunkScan> starts_scan(const ScanFacts& facts, const std::vector<std::size_t>& components,
                              const std::vector<Type>& elements) {
  Builder to("starts");
  Tuple states;
  std::vector<Type> types;
  for (const std::size_t c : components)
    for (const std::size_t state : facts.components[c].states) {
      types.push_back(facts.states[state].type);
      states.push_back(to.add_input(plain(facts.states[state].name, {types.back(), std::nullopt})));
    }
  const Tuple inputs = add_inputs(to, elements, "p");
  Tuple next;
  std::size_t state = 0, element = 0;
  for (const std::size_t c : components) {
    const Match& match = *facts.components[c].match;
    const auto take = [](const Tuple& from, std::size_t& at, std::size_t count) {
      const auto first = from.begin() + static_cast<std::ptrdiff_t>(at);
      at += count;
      return Tuple(first, first + static_cast<std::ptrdiff_t>(count));
    };
    const Tuple own = take(states, state, facts.components[c].states.size());
    const Tuple step = take(inputs, element, match.lift.graph->outputs.size());
    TRY_ASSIGN(const Tuple after, act_on_states(match, to, step, own));
    next.insert(next.end(), after.begin(), after.end());
  }
  if (!are_same(types_of(to.graph(), next), types)) return fail(Code::unsupported, "a state changes its type");
  // What is given out must be a value of its own.
  for (const ValueId id : states) {
    TRY_ASSIGN(const std::vector<ValueId> given, to.call("Identity", {}, {id}, "start"));
    next.push_back(given[0]);
  }
  ChunkScan made;
  made.scan = time_first(to.finish(std::move(next)), states.size(), inputs.size());
  made.inputs = facts_of(*made.scan.body.graph, made.scan.body.graph->inputs);
  return made;
}

}  // namespace pawl::scan
