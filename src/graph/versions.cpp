#include "graph/versions.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pawl::graph {
namespace {

/// A version that an operator's calls are written or meant differently from. Versions that only take more types, or
/// only add attributes and inputs that may be left out, are not here.
struct Break {
  std::string_view op;
  int since;
  std::string_view moved = {};  ///< an attribute of lists that became an input, which is all that changed; "": more did
  std::size_t place = 0;
};

constexpr std::array kBreaks = {
    Break{"Add", 7},
    Break{"Sub", 7},
    Break{"Mul", 7},
    Break{"Div", 7},
    Break{"Pow", 7},
    Break{"And", 7},
    Break{"Or", 7},
    Break{"Xor", 7},
    Break{"Equal", 7},
    Break{"Less", 7},
    Break{"Greater", 7},
    Break{"PRelu", 7},
    Break{"Gemm", 7},
    Break{"BatchNormalization", 7},
    Break{"BatchNormalization", 9},
    Break{"BatchNormalization", 14},
    Break{"Dropout", 7},
    Break{"Dropout", 12},
    Break{"Reshape", 5},
    Break{"Tile", 6},
    Break{"Cast", 6},
    Break{"Concat", 4},
    Break{"Scan", 9},
    Break{"Slice", 10},
    Break{"TopK", 10},
    Break{"Clip", 11},
    Break{"Pad", 11},
    Break{"Resize", 11},
    Break{"Resize", 13},
    Break{"Resize", 18},
    Break{"Upsample", 9},
    Break{"OneHot", 11},
    Break{"Softmax", 13},
    Break{"LogSoftmax", 13},
    Break{"Hardmax", 13},
    Break{"RNN", 7},
    Break{"GRU", 7},
    Break{"LSTM", 7},
    Break{"Squeeze", 13, "axes", 1},
    Break{"Unsqueeze", 13, "axes", 1},
    Break{"ReduceSum", 13, "axes", 1},
    Break{"Split", 13, "split", 1},
    Break{"Split", 18},
    Break{"ReduceMax", 18, "axes", 1},
    Break{"ReduceMin", 18, "axes", 1},
    Break{"ReduceMean", 18, "axes", 1},
    Break{"ReduceProd", 18, "axes", 1},
    Break{"ReduceL1", 18, "axes", 1},
    Break{"ReduceL2", 18, "axes", 1},
    Break{"ReduceLogSum", 18, "axes", 1},
    Break{"ReduceLogSumExp", 18, "axes", 1},
    Break{"ReduceSumSquare", 18, "axes", 1},
    Break{"GroupNormalization", 21},
    Break{"AveragePool", 10},
    Break{"MaxPool", 8},
    Break{"Gelu", 20},
    Break{"Attention", 23},
    Break{"Mod", 10},
};

}  // namespace

namespace {

/// An attribute that became an input.
void move_to_input(const Break& each, const ops::Attributes& attributes, Reworded& reworded) {
  const auto list = attributes.integers(each.moved);
  std::vector<ops::Attribute> rest;
  for (const ops::Attribute& attribute : reworded.attributes.list())
    if (attribute.name != each.moved) rest.push_back(attribute);
  if (attributes.has(each.moved))
    reworded.inputs.emplace_back(each.place, std::vector<std::int64_t>(list.begin(), list.end()));
  reworded.attributes = ops::Attributes(std::move(rest));
}

/// An input that was an attribute, if it is the last one and constant.
bool move_to_attribute(const Break& each, std::size_t inputs, const ConstantInput& constant, Reworded& reworded) {
  if (inputs <= each.place) return true;
  if (inputs != each.place + 1 || reworded.kept_inputs <= each.place) return false;
  std::optional<std::vector<std::int64_t>> list = constant(each.place);
  // An empty list means all axes to one version and none to another.
  if (!list || list->empty()) return false;
  std::vector<ops::Attribute> all = reworded.attributes.list();
  all.push_back({std::string(each.moved), std::move(*list)});
  reworded.attributes = ops::Attributes(std::move(all));
  reworded.kept_inputs = each.place;
  return true;
}

}  // namespace

std::optional<Reworded> reword(const ops::Schema& from, const ops::Attributes& attributes, const ops::Schema& to,
                               std::size_t inputs, const ConstantInput& constant) {
  Reworded reworded{attributes, {}};
  const int low = std::min(from.since, to.since);
  const int high = std::max(from.since, to.since);
  for (const Break& each : kBreaks) {
    if (each.op != to.name || !to.domain.empty() || each.since <= low || each.since > high) continue;
    const bool forward = to.since > from.since;
    if (each.op == "Split" && each.since == 18 && !forward) continue;  // an explicit or even split was always there
    if (each.op == "Split" && each.since == 18 && (attributes.has("split") || !reworded.inputs.empty())) continue;
    if (each.moved.empty()) return std::nullopt;
    if (forward)
      move_to_input(each, attributes, reworded);
    else if (!move_to_attribute(each, inputs, constant, reworded))
      return std::nullopt;
  }
  for (const ops::Attribute& attribute : reworded.attributes.list())
    if (to.attribute(attribute.name) == nullptr) return std::nullopt;
  return reworded;
}

}  // namespace pawl::graph
