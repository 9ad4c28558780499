// Writing programs for rows, in standard operators.
#include "base/try.h"
#include "scan/node_program.h"
#include "scan/scan_builder.h"

namespace pawl::scan {

using graph::Graph;
using graph::Node;
using graph::OpCall;
using graph::ScanOp;

namespace {

/// Any condition with rows and `rank` more axes of 1: of each row the first element.
Result<ValueId> condition_like(Builder& to, ValueId like, std::size_t rank, const std::string& name) {
  const std::size_t given = to.fact(like).type.shape->size() - 1;
  const auto call = [&](std::string_view op, std::vector<ops::Attribute> attributes, std::vector<ValueId> inputs,
                        const char* what) -> Result<ValueId> {
    TRY_ASSIGN(const std::vector<ValueId> made, to.call(op, std::move(attributes), std::move(inputs), name + what));
    return made[0];
  };
  std::vector<std::int64_t> axes;
  for (std::size_t i = 1; i <= given; ++i) axes.push_back(static_cast<std::int64_t>(i));
  ValueId first = like;
  if (given > 0) {
    const ValueId begin = to.add_integers(std::vector<std::int64_t>(given, 0), "places");
    const ValueId end = to.add_integers(std::vector<std::int64_t>(given, 1), "places");
    TRY_ASSIGN(first, call("Slice", {}, {like, begin, end, to.add_integers(axes, "places")}, "_first"));
    TRY_ASSIGN(first, call("Squeeze", {}, {first, to.add_integers(axes, "places")}, "_first"));
  }
  axes.clear();
  for (std::size_t i = 1; i <= rank; ++i) axes.push_back(static_cast<std::int64_t>(i));
  if (rank > 0) {
    TRY_ASSIGN(first, call("Unsqueeze", {}, {first, to.add_integers(axes, "places")}, "_first"));
  }
  return call("Cast", {{"to", std::int64_t{9}}}, {first}, "_any");
}

}  // namespace

Result<ValueId> repeated(Builder& to, ValueId value, ValueId like, const Dim& rows, const std::string& name) {
  CHECK(to.fact(value).type.shape.has_value() && to.fact(like).type.shape.has_value());
  const std::size_t rank = to.fact(value).type.shape->size();
  std::vector<ValueId> made;
  if (rows.known()) {
    std::vector<std::int64_t> extents(rank + 1, 1);
    extents[0] = rows.value;
    TRY_ASSIGN(made, to.call("Expand", {}, {value, to.add_integers(extents, "places")}, name + "_repeated"));
  } else {
    // An Expand would need the number of rows as a value, and forget the extents that are known.
    TRY_ASSIGN(const ValueId any, condition_like(to, like, rank, name));
    TRY_ASSIGN(made, to.call("Where", {}, {any, value, value}, name + "_repeated"));
  }
  return made[0];
}

Result<void> emit_body(const ScanOp& scan, const ScanProgram& program, graph::Mapping& values, Builder& to) {
  const Graph& body = *scan.body.graph;
  const std::vector<bool> needed = graph::values_behind(body, body.outputs);
  std::vector<bool> made(body.values.size(), false);
  for (const Node& node : body.nodes)
    for (const ValueId id : node.outputs)
      if (id.valid()) made[id.index] = true;
  for (std::uint32_t i = 0; i < body.values.size(); ++i) {
    const ValueInfo& value = body.values[i];
    if (needed[i] && !made[i] && value.fact.tensor() != nullptr && !values(ValueId{i}).valid())
      values[ValueId{i}] = to.add_constant(*value.fact.tensor(), value.name);
  }
  const Rows rows{to, body, program.count, [&](ValueId id) { return program.has_rows[id.index]; },
                  [&](ValueId id) -> Result<ValueId> { return values(id); }};
  for (std::size_t n = 0; n < body.nodes.size(); ++n) {
    const Node& node = body.nodes[n];
    if (!graph::any_of(node.outputs, needed)) continue;
    std::vector<ValueId> ids;
    if (program.nodes[n]) {
      TRY_ASSIGN(ids, emit_program(rows, node, *program.nodes[n]));
    } else {
      TRY_ASSIGN(Node copy, graph::carry_over(node, values, to));
      TRY_ASSIGN(ids, to.add(std::move(copy), graph::outputs_of(body, node)));
    }
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (node.outputs[i].valid()) values[node.outputs[i]] = ids[i];
  }
  return {};
}

namespace {

std::string name_of(const Rows& rows, const Node& node) {
  std::string name = node.name;
  for (const ValueId id : node.outputs)
    if (id.valid() && name.empty()) name = rows.from[id].name;
  return name;
}

Result<std::vector<ValueId>> emit_calls(const Rows& rows, const Node& node, const ops::Batching& batching) {
  const std::string name = name_of(rows, node);
  std::vector<std::vector<ValueId>> results;
  const auto operand = [&](const ops::Operand& given) -> Result<ValueId> {
    switch (given.kind) {
      case ops::Operand::Kind::omitted: return ValueId();
      case ops::Operand::Kind::result: return results[given.index][given.output];
      case ops::Operand::Kind::constant: return rows.to.add_constant(given.constant, name + "_constant");
      case ops::Operand::Kind::input: break;
    }
    const ValueId id = node.inputs[given.index];
    return id.valid() ? rows.value(id) : Result<ValueId>(id);
  };
  for (const ops::Call& each : batching.calls) {
    Node made;
    made.name = node.name;
    made.label = node.label;
    made.operation = OpCall{ops::find_op(each.schema->domain, each.schema->name), each.schema, each.attributes};
    for (const ops::Operand& given : each.operands) {
      TRY_ASSIGN(const ValueId id, operand(given));
      made.inputs.push_back(id);
    }
    std::vector<ValueInfo> values(each.outputs);
    for (ValueInfo& value : values) value.name = name + "_all";
    TRY_ASSIGN(std::vector<ValueId> ids, rows.to.add(std::move(made), values));
    results.push_back(std::move(ids));
  }
  std::vector<ValueId> made(node.outputs.size());
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (!node.outputs[i].valid()) continue;
    TRY_ASSIGN(made[i], operand(batching.outputs[i]));
  }
  return made;
}

/// One Scan with rows, from one Scan for each row.
class ScanWithRows {
 public:
  ScanWithRows(const Rows& rows, const Node& node, const ScanProgram& program)
      : rows_(rows),
        node_(node),
        scan_(std::get<ScanOp>(node.operation)),
        body_(*scan_.body.graph),
        program_(program),
        name_(name_of(rows, node)),
        made_(rows.to, body_.name),
        inside_(body_) {}

  Result<std::vector<ValueId>> emit() {
    TRY(add_inputs());
    TRY(emit_body(scan_, program_, inside_, made_.body()));
    TRY(set_results());
    TRY_ASSIGN(std::vector<ValueId> results, made_.finish(node_.name, node_.label));
    // What is the same for all rows is repeated.
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (!results[i].valid() || program_.has_rows[body_.outputs[i].index]) continue;
      if (i < scan_.states && program_.has_rows[body_.inputs[i].index]) continue;
      TRY_ASSIGN(results[i], repeated(rows_.to, results[i], like_, rows_.count, name_));
    }
    return results;
  }

 private:
  [[nodiscard]] ValueInfo described(ValueId inner, ValueId outer) const {
    ValueInfo value;
    value.name = body_[inner].name;
    value.fact.type = rows_.to.fact(outer).type;
    return value;
  }

  Result<void> add_inputs() {
    const ValueId rows = some_rows(rows_.from, node_, rows_.has_rows, rows_.count);
    CHECK(rows.valid());
    TRY_ASSIGN(like_, rows_.value(rows));
    for (std::size_t i = 0; i < scan_.states; ++i) {
      const ValueId state = body_.inputs[i];
      TRY_ASSIGN(ValueId initial, rows_.value(node_.inputs[i]));
      if (program_.has_rows[state.index] && !rows_.has_rows(node_.inputs[i])) {
        TRY_ASSIGN(initial, repeated(rows_.to, initial, like_, rows_.count, name_));
      }
      inside_[state] = made_.add_state(described(state, initial), initial);
    }
    for (std::size_t i = 0; i < scan_.elements; ++i) {
      const ValueId scanned = node_.inputs[scan_.states + i];
      TRY_ASSIGN(const ValueId outer, rows_.value(scanned));
      const std::int64_t shift = rows_.has_rows(scanned) && scan_.input_axes[i] >= 0 ? 1 : 0;
      const Cut cut{scan_.input_axes[i] + shift, scan_.input_reversed[i]};
      const ValueId element = body_.inputs[scan_.states + i];
      TRY_ASSIGN(inside_[element], made_.add_element(described(element, outer), outer, cut));
    }
    for (const graph::Capture& capture : scan_.body.captures) {
      TRY_ASSIGN(const ValueId outer, rows_.value(capture.outer));
      inside_[capture.inner] = made_.capture(outer);
    }
    return {};
  }

  Result<void> set_results() {
    std::vector<ValueInfo> outputs = graph::outputs_of(rows_.from, node_);
    for (ValueInfo& output : outputs) {
      output.declared = Type();
      if (!output.name.empty()) output.name += "_all";
    }
    for (std::size_t i = 0; i < scan_.states; ++i) {
      ValueId next = inside_(body_.outputs[i]);
      if (program_.has_rows[body_.inputs[i].index] && !program_.has_rows[body_.outputs[i].index]) {
        TRY_ASSIGN(next, repeated(made_.body(), next, inside_(body_.inputs[i]), rows_.count, name_));
      }
      made_.set_next(i, next);
      made_.set_final(i, outputs[i]);
    }
    for (std::size_t k = 0; k < scan_.outputs; ++k) {
      const ValueId output = body_.outputs[scan_.states + k];
      const std::int64_t shift = program_.has_rows[output.index] && scan_.output_axes[k] >= 0 ? 1 : 0;
      made_.add_output(inside_(output), outputs[scan_.states + k],
                       {scan_.output_axes[k] + shift, scan_.output_reversed[k]});
    }
    return {};
  }

  const Rows& rows_;
  const Node& node_;
  const ScanOp& scan_;
  const Graph& body_;
  const ScanProgram& program_;
  std::string name_;
  ScanBuilder made_;
  graph::Mapping inside_;
  ValueId like_;
};

}  // namespace

Result<std::vector<ValueId>> emit_program(const Rows& rows, const Node& node, const NodeProgram& program) {
  if (program.scan != nullptr) return ScanWithRows(rows, node, *program.scan).emit();
  return emit_calls(rows, node, program.calls);
}

}  // namespace pawl::scan
