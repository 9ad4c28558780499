#include "scan/scan_builder.h"

#include "base/try.h"
#include "graph/infer.h"

namespace pawl::scan {
namespace {

/// Constants up to this size are cheaper to have twice than to pass in.
constexpr std::int64_t kMaxCopied = 64;

}  // namespace

ValueId ScanBuilder::add_state(const ValueInfo& input, ValueId initial) {
  CHECK(scanned_.empty());
  ValueInfo value = input;
  value.fact = {value.fact.type, std::nullopt};
  initials_.push_back(initial);
  nexts_.emplace_back();
  finals_.emplace_back();
  return body_.add_input(std::move(value));
}

Result<ValueId> ScanBuilder::add_element(const ValueInfo& input, ValueId scanned, Cut cut) {
  const Type whole = outer_.fact(scanned).type;
  // One way to write an axis, so that equal cuts are seen to be equal.
  if (whole.shape) {
    TRY_ASSIGN(const std::size_t axis, graph::resolve_axis(cut.axis, whole.shape->size(), "scan input axis"));
    cut.axis = static_cast<std::int64_t>(axis);
  }
  for (std::size_t i = 0; i < scanned_.size(); ++i)
    if (scanned_[i] == scanned && cuts_[i].axis == cut.axis && cuts_[i].reversed == cut.reversed)
      return element_inputs_[i];
  ValueInfo value = input;
  value.fact = {value.fact.type, std::nullopt};
  if (whole.shape) {
    value.fact.type = whole;
    value.fact.type.shape->erase(value.fact.type.shape->begin() + cut.axis);
  }
  scanned_.push_back(scanned);
  cuts_.push_back(cut);
  element_inputs_.push_back(body_.add_input(std::move(value)));
  return element_inputs_.back();
}

ValueId ScanBuilder::capture(ValueId outer) {
  const auto known = captured_.find(outer.index);
  if (known != captured_.end()) return known->second;
  const ValueInfo& value = outer_.graph()[outer];
  const Tensor* constant = value.fact.tensor();
  ValueId inner;
  if (constant != nullptr && constant->size() <= kMaxCopied) {
    inner = body_.add_constant(*constant, value.name);
  } else {
    inner = body_.add_captured({value.name, value.fact, {}});
    captures_.push_back({outer, inner});
  }
  captured_.emplace(outer.index, inner);
  return inner;
}

void ScanBuilder::set_next(std::size_t state, ValueId next) { nexts_[state] = next; }
void ScanBuilder::set_final(std::size_t state, const ValueInfo& value) { finals_[state] = value; }
void ScanBuilder::add_output(ValueId inner, const ValueInfo& value, Cut cut) {
  outputs_.push_back({inner, value, cut});
}

Result<std::vector<ValueId>> ScanBuilder::finish(const std::string& name, const std::string& label) {
  graph::ScanOp scan;
  scan.schema = ops::find_schema("", "Scan", ops::kNewestOpset);
  scan.states = initials_.size();
  scan.elements = scanned_.size();
  scan.outputs = outputs_.size();
  CHECK(scan.schema != nullptr && scan.elements > 0);
  std::vector<ValueId> results = nexts_;
  std::vector<ValueInfo> values = finals_;
  for (const Cut& cut : cuts_) {
    scan.input_axes.push_back(cut.axis);
    scan.input_reversed.push_back(cut.reversed);
  }
  for (const Output& output : outputs_) {
    scan.output_axes.push_back(output.cut.axis);
    scan.output_reversed.push_back(output.cut.reversed);
    results.push_back(output.inner);
    values.push_back(output.value);
  }
  for (const ValueId result : results) CHECK(result.valid());
  scan.body.graph = std::make_unique<graph::Graph>(body_.finish(std::move(results)));
  if (!keeps_declarations_)
    for (ValueInfo& value : scan.body.graph->values) value.declared = Type();
  scan.body.captures = std::move(captures_);
  graph::Node node;
  node.name = name;
  node.label = label;
  node.inputs = std::move(initials_);
  node.inputs.insert(node.inputs.end(), scanned_.begin(), scanned_.end());
  node.operation = std::move(scan);
  return outer_.add(std::move(node), values);
}

}  // namespace pawl::scan
