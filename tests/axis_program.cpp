#include "axis_program.h"

#include <cmath>
#include <cstring>

#include "graph/infer.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {

Result<std::vector<Value>> evaluate(const OpDef& row, const Schema& schema, const Attributes& attributes,
                                    const std::vector<Value>& inputs, std::size_t outputs) {
  std::vector<Value> own = inputs;
  std::vector<Value*> pointers;
  for (Value& input : own) pointers.push_back(input.is_none() ? nullptr : &input);
  const auto last_use = std::make_unique<bool[]>(own.size() + 1), wanted = std::make_unique<bool[]>(outputs);
  std::fill_n(wanted.get(), outputs, true);
  std::vector<Value> results(outputs);
  EvalContext context{schema, attributes, pointers, {last_use.get(), own.size()}, results, {wanted.get(), outputs},
                      nullptr};
  TRY(row.eval(context));
  return results;
}

namespace {

/// What is known of an operand, and its value.
struct Known {
  Fact fact;
  Value value;
};

bool agrees(const Fact& fact, const Value& value) {
  const Tensor& tensor = value.tensor();
  if (fact.type.dtype != DType::undefined && fact.type.dtype != tensor.dtype()) return false;
  if (const Tensor* constant = fact.tensor(); constant != nullptr && !same_bits(*constant, tensor)) return false;
  if (!fact.type.shape) return true;
  if (fact.type.shape->size() != tensor.shape().size()) return false;
  for (std::size_t i = 0; i < tensor.shape().size(); ++i)
    if ((*fact.type.shape)[i].known() && (*fact.type.shape)[i].value != tensor.shape()[i]) return false;
  return true;
}

Result<std::vector<Known>> run_call(const Call& call, const std::vector<Known>& operands) {
  const OpDef* row = find_op(call.schema->domain, call.schema->name);
  if (row == nullptr || std::find(row->since.begin(), row->since.end(), call.schema->since) == row->since.end())
    return fail(Code::internal, "{}-{} is no version in the table", call.schema->name, call.schema->since);
  for (const Attribute& attribute : call.attributes.list())
    if (call.schema->attribute(attribute.name) == nullptr)
      return fail(Code::internal, "{}-{} has no attribute {}", call.schema->name, call.schema->since, attribute.name);
  std::vector<const Fact*> facts;
  std::vector<Value> values;
  for (const Known& operand : operands) {
    facts.push_back(operand.value.is_none() ? nullptr : &operand.fact);
    values.push_back(operand.value);
  }
  const graph::OpCall node{row, call.schema, call.attributes};
  TRY_ASSIGN(const std::vector<Fact> inferred, graph::infer_call(node, facts, call.outputs));
  TRY_ASSIGN(const std::vector<Value> results, evaluate(*row, *call.schema, call.attributes, values, call.outputs));
  std::vector<Known> known;
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (!agrees(inferred[i], results[i]))
      return fail(Code::internal, "{} is inferred to give {} and gives {}", call.schema->name,
                  to_string(inferred[i].type), describe(results[i]));
    known.push_back({inferred[i], results[i]});
  }
  return known;
}

}  // namespace

Result<std::vector<Value>> run_program(const Batching& batching, const std::vector<Fact>& facts,
                                       const std::vector<Value>& values) {
  std::vector<std::vector<Known>> results;
  const auto read = [&](const Operand& operand) -> Known {
    switch (operand.kind) {
      case Operand::Kind::omitted: return {};
      case Operand::Kind::input: return {facts[operand.index], values[operand.index]};
      case Operand::Kind::result: return results[operand.index][operand.output];
      case Operand::Kind::constant: return {{type_of(operand.constant), operand.constant}, operand.constant};
    }
    return {};
  };
  for (const Call& call : batching.calls) {
    std::vector<Known> operands;
    for (const Operand& operand : call.operands) operands.push_back(read(operand));
    while (!operands.empty() && operands.back().value.is_none()) operands.pop_back();
    TRY_ASSIGN_IN(std::string(call.schema->name), std::vector<Known> made, run_call(call, operands));
    results.push_back(std::move(made));
  }
  std::vector<Value> outputs;
  for (const Operand& operand : batching.outputs) outputs.push_back(read(operand).value);
  return outputs;
}

std::vector<Fact> facts_of(const Sample& sample, const std::vector<Value>& inputs) {
  std::vector<Fact> facts(inputs.size());
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_none()) continue;
    facts[i].type = type_of(inputs[i]);
    if (sample.parameter[i]) facts[i].constant = inputs[i];
  }
  return facts;
}

std::vector<const Fact*> pointers_to(const std::vector<Fact>& facts, const std::vector<Value>& inputs) {
  std::vector<const Fact*> pointers;
  for (std::size_t i = 0; i < facts.size(); ++i) pointers.push_back(inputs[i].is_none() ? nullptr : &facts[i]);
  return pointers;
}

bool same_bits(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
  const Result<Tensor> left = a.to_dense(), right = b.to_dense();
  if (!left.ok() || !right.ok()) return false;
  return dispatch<Everything>(
             a.dtype(),
             [&](auto tag) -> Result<bool> {
               using T = typename decltype(tag)::type;
               const std::span<const T> x = left->template values<T>(), y = right->template values<T>();
               for (std::size_t i = 0; i < x.size(); ++i) {
                 if constexpr (std::is_same_v<T, std::string>) {
                   if (x[i] != y[i]) return false;
                 } else if (std::memcmp(&x[i], &y[i], sizeof(T)) != 0) {
                   if constexpr (!kIsFloat<T>)
                     return false;
                   else if (!std::isnan(static_cast<double>(x[i])) || !std::isnan(static_cast<double>(y[i])))
                     return false;
                 }
               }
               return true;
             })
      .value();
}

namespace {

/// A copy that may be written to.
Tensor fresh(const Tensor& tensor) {
  Result<Tensor> copy = tensor.clone();
  CHECK(copy.ok());
  return std::move(copy).value();
}

}  // namespace

Tensor stacked(const std::vector<Tensor>& slices) {
  Dims shape = slices[0].shape();
  shape.insert(0, static_cast<std::int64_t>(slices.size()));
  Result<Tensor> all = Tensor::allocate(slices[0].dtype(), shape);
  CHECK(all.ok());
  for (std::size_t t = 0; t < slices.size(); ++t) {
    Tensor place = all->select(0, static_cast<std::int64_t>(t));
    copy_elements(slices[t], place);
  }
  return *all;
}

Tensor part(const Tensor& tensor, std::size_t axis, std::int64_t index) {
  Dims shape = tensor.shape();
  shape[axis] = 1;
  return tensor.view(shape, tensor.strides(), index * tensor.strides()[axis]);
}

Tensor reversed(const Tensor& tensor, std::size_t axis) {
  Dims strides = tensor.strides();
  const std::int64_t last = std::max<std::int64_t>(tensor.shape()[axis] - 1, 0) * strides[axis];
  strides[axis] = -strides[axis];
  return tensor.view(tensor.shape(), strides, last);
}

Tensor spliced(const Tensor& tensor, const Tensor& other, std::size_t axis, std::int64_t index) {
  Tensor mixed = fresh(other);
  Tensor place = part(mixed, axis, index);
  copy_elements(part(tensor, axis, index), place);
  return mixed;
}

}  // namespace pawl::ops
