// Scan-8: a batch of sequences, each with a length of its own.
#include <algorithm>

#include "backend/reference/evaluator.h"
#include "backend/reference/stack.h"
#include "base/try.h"
#include "tensor/walk.h"

namespace pawl::reference {
namespace {

using graph::ScanOp;
using graph::ValueId;

void fill_zero(Tensor& tensor) {
  if (tensor.dtype() == DType::string) return;  // allocate() made them empty
  std::fill_n(tensor.mutable_bytes(), static_cast<std::size_t>(tensor.size()) * size_of(tensor.dtype()), std::byte{0});
}

}  // namespace

Result<std::vector<std::int64_t>> Evaluator::sequence_lengths(const NodePlan& plan, Frame& frame, std::int64_t batch,
                                                              std::int64_t longest) {
  const ValueId id = plan.node->inputs[0];
  if (!id.valid()) return std::vector<std::int64_t>(static_cast<std::size_t>(batch), longest);
  TRY_ASSIGN(const Tensor* given, as_tensor(at(frame, id), 0));
  TRY_ASSIGN(const Tensor lengths, given->to_dense());
  if (lengths.dtype() != DType::i64)
    return fail(Code::bad_type, "sequence_lens must be int64, found {}", name(lengths.dtype()));
  if (lengths.size() != batch)
    return fail(Code::bad_shape, "sequence_lens has {} entries, the batch has {}", lengths.size(), batch);
  const auto values = lengths.values<std::int64_t>();
  for (std::size_t b = 0; b < values.size(); ++b) {
    if (values[b] < 0 || values[b] > longest)
      return fail(Code::bad_value, "sequence_lens[{}] is {}, allowed are 0 to {}", b, values[b], longest);
  }
  return std::vector<std::int64_t>(values.begin(), values.end());
}

Result<void> Evaluator::batched_scan(const NodePlan& plan, const ScanOp& scan, Frame& frame) {
  const graph::Node& node = *plan.node;
  std::vector<ops::Fact> facts(1);
  Values inputs;
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    TRY_ASSIGN(const Tensor* tensor, as_tensor(at(frame, node.inputs[i]), i));
    const bool is_state = i <= scan.states;
    if (tensor->rank() < (is_state ? 1 : 2)) {
      return fail(Code::bad_shape, "input {} has shape {}; Scan-8 needs a batch axis{}", i,
                  pawl::to_string(tensor->shape()), is_state ? "" : " and a time axis");
    }
    facts.push_back({type_of(*tensor), std::nullopt});
    inputs.emplace_back(*tensor);
  }
  const std::int64_t batch = inputs[0].tensor().shape()[0];
  const std::int64_t longest = inputs[scan.states].tensor().shape()[1];
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const Dims& shape = inputs[i].tensor().shape();
    if (shape[0] != batch)
      return fail(Code::bad_shape, "input {} has {} batch rows, input 1 has {}", i + 1, shape[0], batch);
    if (i >= scan.states && shape[1] != longest)
      return fail(Code::bad_shape, "scan input {} has length {}, scan input 0 has {}", i - scan.states, shape[1],
                  longest);
  }
  TRY_ASSIGN(std::vector<ops::Fact> body_facts, graph::scan_body_inputs(scan, facts));
  TRY_ASSIGN(const std::vector<std::int64_t> lengths, sequence_lengths(plan, frame, batch, longest));

  // All rows together, each with what it costs to start: where no data stands behind them, they are bounded.
  constexpr std::int64_t kRowCost = 100;
  std::int64_t total = 0;
  if (__builtin_mul_overflow(batch, longest + kRowCost, &total)) total = std::numeric_limits<std::int64_t>::max();
  std::vector<Tensor> scanned;
  for (std::size_t i = scan.states; i < inputs.size(); ++i) scanned.push_back(inputs[i].tensor());
  TRY(check_trips(total, scanned));

  std::vector<Stack> finals;
  for (std::size_t i = 0; i < scan.states; ++i) finals.emplace_back(0, batch);
  std::vector<Values> rows;
  for (std::int64_t b = 0; b < batch; ++b) {
    const std::int64_t trips = lengths[static_cast<std::size_t>(b)];
    Values states;
    std::vector<Tensor> elements;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const Tensor row = inputs[i].tensor().select(0, b);
      if (i < scan.states)
        states.emplace_back(row);
      else
        elements.push_back(row);
    }
    TRY_ASSIGN_IN(fmt::format("batch row {}", b), Values row,
                  scan_steps(plan, scan, std::move(states), elements, trips, frame));
    for (std::size_t i = 0; i < scan.states; ++i)
      if (row[i].is_tensor()) TRY(finals[i].put(row[i].tensor(), b));
    rows.push_back(std::move(row));
  }
  Values results;
  for (std::size_t i = 0; i < scan.states; ++i)
    results.push_back(batch > 0 ? Value(std::move(finals[i]).take()) : inputs[i]);
  for (std::size_t k = 0; k < scan.outputs; ++k) {
    Value padded;
    if (plan.wanted[scan.states + k]) {
      TRY_ASSIGN(padded, pad_rows(scan, k, rows, lengths, longest, body_facts, frame));
    }
    results.push_back(std::move(padded));
  }
  store_outputs(plan, frame, results);
  return {};
}

Result<Value> Evaluator::pad_rows(const ScanOp& scan, std::size_t k, const std::vector<Values>& rows,
                                  const std::vector<std::int64_t>& lengths, std::int64_t longest,
                                  const std::vector<ops::Fact>& body_facts, const Frame& frame) {
  const std::size_t output = scan.states + k;
  const auto what = [&] {
    return fmt::format("scan output {} (body output \"{}\")", k,
                       (*scan.body.graph)[scan.body.graph->outputs[output]].name);
  };
  DType dtype = DType::undefined;
  Dims element;
  for (const Values& row : rows) {
    if (!row[output].is_tensor()) continue;
    dtype = row[output].tensor().dtype();
    element = row[output].tensor().shape();
    element.erase(0);
    break;
  }
  if (dtype == DType::undefined) {
    TRY_ASSIGN_IN("body", const std::vector<Type> types, body_output_types(scan.body, body_facts, frame));
    dtype = types[output].dtype;
    TRY_ASSIGN(element, shape_of_nothing(types[output], what()));
  }
  Dims shape = element;
  shape.insert(0, longest);
  shape.insert(0, static_cast<std::int64_t>(rows.size()));
  TRY_ASSIGN(Tensor padded, Tensor::allocate(dtype, std::move(shape)));
  fill_zero(padded);
  for (std::size_t b = 0; b < rows.size(); ++b) {
    if (!rows[b][output].is_tensor()) continue;
    const Tensor& from = rows[b][output].tensor();
    Dims used = element;
    used.insert(0, lengths[b]);
    if (!(from.shape() == used)) {
      used.erase(0);
      return fail(Code::bad_shape, "{} has shape {} in one batch row and {} in another", what(),
                  pawl::to_string(element), pawl::to_string(std::span(from.shape()).subspan(1)));
    }
    const Tensor row = padded.select(0, static_cast<std::int64_t>(b));
    Tensor to = row.view(std::move(used), row.strides());
    copy_elements(from, to);
  }
  return Value(std::move(padded));
}

}  // namespace pawl::reference
