// Calling one row of the operator table without a graph around it.
#pragma once

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "ops/draws.h"
#include "ops/op.h"
#include "ops/schema.h"

namespace pawl::ops {

/// Runs the operator in the version that `opset` has. `last_use` holds for all inputs: their memory may be taken.
inline Result<Value> call(std::string_view name, std::int64_t opset, std::vector<Value> inputs,
                          std::vector<Attribute> attributes = {}, std::uint64_t seed = 0) {
  const OpDef* row = find_op("", name);
  const Schema* schema = find_schema("", name, opset);
  CHECK(row != nullptr && schema != nullptr);
  CHECK(std::find(row->since.begin(), row->since.end(), schema->since) != row->since.end());
  const Attributes list(std::move(attributes));
  std::vector<Value*> pointers;
  for (Value& input : inputs) pointers.push_back(&input);
  const auto flags = std::make_unique<bool[]>(inputs.size() + 8);
  std::fill_n(flags.get(), inputs.size() + 8, true);
  std::vector<Value> outputs(8);
  ops::RandomStreams random(seed);
  EvalContext context{*schema, list, pointers, {flags.get(), inputs.size()}, outputs, {flags.get(), outputs.size()},
                      &random};
  TRY(row->eval(context));
  return outputs[0];
}

}  // namespace pawl::ops
