#include "graph/sort.h"

#include <queue>
#include <unordered_map>
#include <unordered_set>

#include "base/try.h"

namespace pawl::graph {
namespace {

using Names = std::unordered_set<std::string_view>;

void add_outer_reads(const onnx::Graph& graph, Names& reads);

/// Every name that the node, or a graph inside it, reads from the scope that the node stands in.
void add_reads(const onnx::Node& node, Names& reads) {
  for (const std::string& input : node.inputs)
    if (!input.empty()) reads.insert(input);
  for (const onnx::Attribute& attribute : node.attributes) {
    if (const auto* body = std::get_if<std::shared_ptr<const onnx::Graph>>(&attribute.payload)) {
      if (*body) add_outer_reads(**body, reads);
    }
  }
}

void add_outer_reads(const onnx::Graph& graph, Names& reads) {
  Names inside;
  for (const onnx::Node& node : graph.nodes) add_reads(node, inside);
  for (const onnx::ValueInfo& output : graph.outputs) inside.insert(output.name);
  for (const onnx::ValueInfo& input : graph.inputs) inside.erase(input.name);
  for (const onnx::NamedTensor& initializer : graph.initializers) inside.erase(initializer.name);
  for (const onnx::Node& node : graph.nodes)
    for (const std::string& output : node.outputs) inside.erase(output);
  reads.insert(inside.begin(), inside.end());
}

std::string describe_circle(const std::vector<onnx::Node>& nodes, const std::vector<std::size_t>& missing) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    if (missing[i] == 0) continue;
    const std::string output = nodes[i].outputs.empty() ? "" : nodes[i].outputs[0];
    return fmt::format("the graph has a cycle: node {} \"{}\" (output \"{}\") needs its own result", nodes[i].op_type,
                       nodes[i].name, output);
  }
  return "the graph has a cycle";
}

}  // namespace

std::vector<std::string> outer_reads(const onnx::Graph& graph) {
  Names reads;
  add_outer_reads(graph, reads);
  return {reads.begin(), reads.end()};
}

Result<std::vector<std::size_t>> topological_order(const std::vector<onnx::Node>& nodes) {
  std::unordered_map<std::string_view, std::size_t> producer;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (const std::string& output : nodes[i].outputs)
      if (!output.empty()) producer.emplace(output, i);

  std::vector<std::vector<std::size_t>> consumers(nodes.size());
  std::vector<std::size_t> missing(nodes.size(), 0);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    Names reads;
    add_reads(nodes[i], reads);
    std::unordered_set<std::size_t> needs;
    for (const std::string_view name : reads)
      if (const auto found = producer.find(name); found != producer.end()) needs.insert(found->second);
    missing[i] = needs.size();
    for (const std::size_t before : needs) consumers[before].push_back(i);
  }

  std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
  for (std::size_t i = 0; i < nodes.size(); ++i)
    if (missing[i] == 0) ready.push(i);
  std::vector<std::size_t> order;
  order.reserve(nodes.size());
  while (!ready.empty()) {
    const std::size_t next = ready.top();
    ready.pop();
    order.push_back(next);
    for (const std::size_t after : consumers[next])
      if (--missing[after] == 0) ready.push(after);
  }
  if (order.size() != nodes.size()) return fail(Code::bad_model, "{}", describe_circle(nodes, missing));
  return order;
}

}  // namespace pawl::graph
