#include "ops/functions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "ops/schema.h"

namespace pawl::ops {

bool FunctionDef::has(int version) const {
  return version > 0 && std::find(since.begin(), since.end(), version) != since.end();
}

std::span<const std::span<const FunctionDef>> function_table() {
  static const std::array table = {activation_functions(), reduction_functions(), recurrence_functions(),
                                   graph_functions()};
  return table;
}

const FunctionDef* find_function(std::string_view domain, std::string_view name) {
  if (domain == "ai.onnx") domain = "";
  for (const std::span<const FunctionDef> rows : function_table())
    for (const FunctionDef& row : rows)
      if (row.name == name && row.domain == domain) return &row;
  return nullptr;
}

FunctionText& FunctionText::real(std::string_view name, float value) {
  body_ += fmt::format("{} = Constant <value = float {{{}}}> ()\n", name, std::isnan(value) ? std::fabs(value) : value);
  return *this;
}

FunctionText& FunctionText::real_like(std::string_view name, float value, std::string_view like) {
  real(fmt::format("{}_float", name), value);
  body_ += fmt::format("{0} = CastLike({0}_float, {1})\n", name, like);
  return *this;
}

FunctionText& FunctionText::integers(std::string_view name, std::span<const std::int64_t> values) {
  body_ += fmt::format("{} = Constant <value = int64[{}] {{{}}}> ()\n", name, values.size(), fmt::join(values, ", "));
  return *this;
}

FunctionText& FunctionText::nodes(std::string_view text) {
  body_ += text;
  body_ += '\n';
  return *this;
}

BodyText FunctionText::function(std::string_view name, std::string_view inputs, std::string_view outputs) const {
  // The newest operator set: its operators take every element type that an older version of the caller does.
  return std::optional(fmt::format("<domain: \"pawl\", opset_import: [\"\" : {}]>\n{} ({}) => ({}) {{\n{}}}\n",
                                   kNewestOpset, name, inputs, outputs, body_));
}

}  // namespace pawl::ops
