#include "package/lower_graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "backend/wgsl/operations.h"
#include "backend/wgsl/plain_shaders.h"
#include "backend/wgsl/target.h"
#include "base/try.h"
#include "graph/infer.h"
#include "kernel/node_groups.h"
#include "ops/axes.h"
#include "package/lower_chunks.h"
#include "package/products.h"

namespace pawl::package {
namespace {

using graph::Graph;
using graph::Node;
using graph::ValueId;
using BufferKind = wgsl::PassBuffer::Kind;

/// The same elements in another shape.
bool is_view(const Node& node) {
  static constexpr std::string_view kViews[] = {"Flatten", "Identity", "Reshape", "Squeeze", "Unsqueeze"};
  const auto* call = std::get_if<graph::OpCall>(&node.operation);
  return call != nullptr && call->def->domain.empty() &&
         std::find(std::begin(kViews), std::end(kViews), call->def->name) != std::end(kViews);
}

class GraphToDraft {
 public:
  GraphToDraft(const Graph& graph, const Keys& keys, Chunks chunks)
      : graph_(graph), keys_(keys), chunks_(chunks), draft_(keys.all()), buffers_(graph.values.size(), SIZE_MAX) {}

  Result<Draft> run() {
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      const ValueId id = graph_.inputs[i];
      TRY_ASSIGN_IN(fmt::format("input \"{}\"", graph_[id].name), const Type type, type_of(id));
      buffers_[id.index] = draft_.buffer(BufferKind::input, keys_.inputs[i], type.dtype, *type.static_shape());
    }
    find_output_buffers();
    std::vector<bool> is_constant;
    for (const Node& node : graph_.nodes) is_constant.push_back(has_constants(node));
    TRY(lower_all(kernel::group_nodes(graph_, is_constant)));
    for (std::size_t k = 0; k < graph_.outputs.size(); ++k) TRY(finish_output(k));
    return std::move(draft_).finish();
  }

 private:
  [[nodiscard]] bool has_constants(const Node& node) const {
    return std::all_of(node.outputs.begin(), node.outputs.end(),
                       [&](ValueId id) { return !id.valid() || graph_[id].fact.constant.has_value(); });
  }

  /// Errors: unsupported, of what is no tensor of a type that shaders have.
  [[nodiscard]] Result<Type> type_of(ValueId id) const {
    const Type& type = graph_[id].fact.type;
    if (!type.is_tensor()) return fail(Code::unsupported, "{} is no tensor", to_string(type));
    if (!type.static_shape()) return fail(Code::unsupported, "the shape of {} is not known", graph_[id].name);
    if (wgsl::element_word(device_type(type.dtype)).empty())
      return fail(Code::unsupported, "{}: WGSL has no type {}", graph_[id].name, name(type.dtype));
    return type;
  }

  /// Outputs lie where their elements are computed, views of these too.
  void find_output_buffers() {
    std::map<std::uint32_t, const Node*> views;
    for (const Node& node : graph_.nodes)
      if (is_view(node)) views.emplace(node.outputs[0].index, &node);
    for (std::size_t k = 0; k < graph_.outputs.size(); ++k) {
      ValueId id = graph_.outputs[k];
      while (views.contains(id.index)) id = views.at(id.index)->inputs[0];
      const bool is_input = std::find(graph_.inputs.begin(), graph_.inputs.end(), id) != graph_.inputs.end();
      if (!is_input && !graph_[id].fact.constant) output_of_.emplace(id.index, k);
    }
  }

  /// Where a value will be.
  Result<std::size_t> new_buffer(ValueId id) {
    TRY_ASSIGN(const Type type, type_of(id));
    const auto output = output_of_.find(id.index);
    const BufferKind kind = output == output_of_.end() ? BufferKind::scratch : BufferKind::output;
    const std::string name = output == output_of_.end() ? graph_[id].name : keys_.outputs[output->second];
    buffers_[id.index] = draft_.buffer(kind, name, type.dtype, *type.static_shape());
    return buffers_[id.index];
  }

  [[nodiscard]] Result<Operand> operand(ValueId id) const {
    const ops::Fact& fact = graph_[id].fact;
    if (const Tensor* constant = fact.tensor()) return Operand{SIZE_MAX, *constant, constant->shape()};
    TRY_ASSIGN(const Type type, type_of(id));
    if (buffers_[id.index] == SIZE_MAX) return fail(Code::internal, "{} is not there yet", graph_[id].name);
    return Operand{buffers_[id.index], {}, *type.static_shape()};
  }

  Result<void> lower_all(const kernel::GroupedNodes& grouped) {
    std::size_t next = 0;
    for (std::size_t n = 0; n < grouped.order.size(); ++n) {
      const Node& node = *grouped.order[n];
      if (next < grouped.groups.size() && grouped.groups[next].nodes[0] == &node) {
        const kernel::NodeGroup& group = grouped.groups[next++];
        TRY_ASSIGN(const bool is_done, lower_together(group));
        if (is_done) {
          n += group.nodes.size() - 1;
          continue;
        }
      }
      TRY(lower_node(node));
    }
    return {};
  }

  /// False where the nodes had better have passes of their own.
  Result<bool> lower_together(const kernel::NodeGroup& group) {
    const DraftBuilder::Mark mark = draft_.mark();
    const std::vector<std::size_t> before = buffers_;
    const Result<std::string> refusal = lower_group(group, false);
    if (!refusal.ok() && refusal.error().code != Code::unsupported) return refusal.error();
    if (refusal.ok() && refusal->empty() &&
        draft_.most_buffers(mark) <= static_cast<std::size_t>(wgsl::Target().buffers))
      return true;
    draft_.back_to(mark);
    buffers_ = before;
    return false;
  }

  ///   packs : as LoopCall's
  Result<std::string> lower_group(const kernel::NodeGroup& group, bool packs) {
    LoopCall call{group.scan, group.nodes.back()->label, {}, {}, {}, {}, {}, {}, 1, packs};
    std::vector<ops::Fact> captured;
    for (const ValueId id : group.reads) {
      TRY_ASSIGN(Operand each, operand(id));
      call.captured.push_back(std::move(each));
      captured.push_back(graph_[id].fact);
    }
    const Graph& body = *group.scan.body.graph;
    TRY_ASSIGN(call.facts, graph::infer_graph(body, {}, std::move(captured)));
    for (const ValueId id : group.gives) {
      TRY_ASSIGN(const std::size_t made, new_buffer(id));
      call.outputs.push_back(made);
    }
    return lower_loop(call, draft_);
  }

  Result<void> lower_node(const Node& node) {
    if (has_constants(node)) return {};
    if (std::holds_alternative<graph::ScanOp>(node.operation)) {
      TRY_IN(node.label, lower_scan(node));
      return {};
    }
    const auto* call = std::get_if<graph::OpCall>(&node.operation);
    if (call == nullptr)
      return fail(Code::unsupported, "{} has no form in shaders: only what is known before the run decides there",
                  node.label);
    if (is_view(node) && buffers_[node.inputs[0].index] != SIZE_MAX) {
      buffers_[node.outputs[0].index] = buffers_[node.inputs[0].index];
      return {};
    }
    if (call->def->domain.empty() && call->def->name == "Gather" && !graph_[node.inputs[1]].fact.constant) {
      TRY_IN(node.label, gather(node, *call));
      return {};
    }
    if (const std::optional<Product> product = product_of(graph_, node)) {
      TRY_IN(node.label, multiply(node, *product));
      return {};
    }
    const kernel::NodeGroup group = kernel::group_of(graph_, node);
    TRY_ASSIGN_IN(node.label, const std::string refusal, lower_group(group, true));
    if (!refusal.empty())
      return fail(Code::unsupported, "{} ({}) has no form in shaders: {}", node.label, call->def->name, refusal);
    return {};
  }

  Result<void> lower_scan(const Node& node) {
    const auto& scan = std::get<graph::ScanOp>(node.operation);
    if (scan.batched) return fail(Code::unsupported, "a Scan-8 whose rows take different numbers of steps");
    const Graph& body = *scan.body.graph;
    std::vector<ops::Fact> inputs, captured;
    LoopCall call{scan, node.label, {}, {}, {}, {}, {}, {}, 0};
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      inputs.push_back(graph_[node.inputs[i]].fact);
      TRY_ASSIGN(Operand each, operand(node.inputs[i]));
      (i < scan.states ? call.initial : call.elements).push_back(std::move(each));
    }
    for (const ValueId inner : body.captured)
      for (const graph::Capture& capture : scan.body.captures) {
        if (capture.inner != inner) continue;
        TRY_ASSIGN(Operand each, operand(capture.outer));
        call.captured.push_back(std::move(each));
        captured.push_back(graph_[capture.outer].fact);
      }
    TRY_ASSIGN(std::vector<ops::Fact> given, graph::scan_body_inputs(scan, inputs));
    TRY_ASSIGN(call.facts, graph::infer_graph(body, std::move(given), std::move(captured)));
    for (std::size_t i = 0; i < call.facts.size(); ++i)
      if (!graph::implies(call.facts[i].type, body.values[i].declared))
        return fail(Code::unsupported, "a step may fail, or does not give what is declared");
    TRY_ASSIGN(const std::size_t axis,
               graph::resolve_axis(scan.input_axes[0], call.elements[0].shape.size(), "scan_input_axes"));
    call.trips = call.elements[0].shape[axis];
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      std::size_t made = SIZE_MAX;
      if (node.outputs[i].valid()) {
        TRY_ASSIGN(made, new_buffer(node.outputs[i]));
      }
      (i < scan.states ? call.finals : call.outputs).push_back(made);
    }
    if (chunks_ != Chunks::none) {
      const DraftBuilder::Mark mark = draft_.mark();
      TRY_ASSIGN(const std::string whole, lower_in_chunks(call, chunks_, draft_));
      if (whole.empty()) return {};
      draft_.back_to(mark);
    }
    TRY_ASSIGN(const std::string refusal, lower_loop(call, draft_));
    if (!refusal.empty()) return fail(Code::unsupported, "the body has no form in shaders: {}", refusal);
    return {};
  }

  /// Places that are computed.
  Result<void> gather(const Node& node, const graph::OpCall& call) {
    TRY_ASSIGN(const Operand data, operand(node.inputs[0]));
    TRY_ASSIGN(const Operand places, operand(node.inputs[1]));
    TRY_ASSIGN(const std::size_t axis, ops::resolve_axis(call.attributes.integer("axis", 0), data.shape.size()));
    std::int64_t outer = 1, inner = 1, count = 1;
    for (std::size_t i = 0; i < axis; ++i) outer *= data.shape[i];
    for (std::size_t i = axis + 1; i < data.shape.size(); ++i) inner *= data.shape[i];
    for (const std::int64_t extent : places.shape) count *= extent;
    DraftPass pass;
    pass.id = node.label;
    TRY_ASSIGN(const std::size_t from, draft_.buffer_of(data, node.label + "_data"));
    TRY_ASSIGN(const std::size_t to, new_buffer(node.outputs[0]));
    pass.text = wgsl::gather_shader(draft_.at(to).dtype, draft_.at(places.buffer).dtype);
    pass.buffers = {from, places.buffer, to};
    pass.writes = {false, false, true};
    pass.numbers = {
        {"elements", outer * count * inner}, {"places", count}, {"inner", inner}, {"extent", data.shape[axis]}};
    pass.workgroups = ceil_div(wgsl::Count::named("elements"), wgsl::kPlainWorkgroup);
    for (const auto& [name, value] : pass.numbers) pass.params.emplace_back(name, wgsl::Count::named(name));
    draft_.add(std::move(pass));
    return {};
  }

  Result<void> multiply(const Node& node, const Product& product) {
    TRY_ASSIGN(const Operand a, operand(product.a));
    TRY_ASSIGN(const Operand b, operand(product.b));
    DraftPass pass;
    pass.id = node.label;
    TRY_ASSIGN(const std::size_t left, draft_.buffer_of(a, node.label + "_left"));
    DraftBuilder::Place right{b.buffer, 0};
    if (b.buffer == SIZE_MAX) {
      TRY_ASSIGN(right, draft_.constant(b.constant, node.label + "_right"));
    }
    TRY_ASSIGN(const std::size_t to, new_buffer(node.outputs[0]));
    pass.text = wgsl::product_shader(draft_.at(to).dtype, left == right.buffer);
    pass.buffers = {left, right.buffer, to};
    if (left == right.buffer) pass.buffers.erase(pass.buffers.begin());
    pass.writes.assign(pass.buffers.size(), false);
    pass.writes.back() = true;
    pass.numbers = {{"rows", product.rows},           {"inner", product.inner},
                    {"columns", product.columns},     {"batch", product.batch},
                    {"right", right.origin},          {"right_batch", product.right_batch},
                    {"right_row", product.right_row}, {"right_column", product.right_column}};
    using wgsl::Count;
    pass.workgroups = ceil_div(Count::named("rows"), wgsl::kProductTile) *
                      ceil_div(Count::named("columns"), wgsl::kProductTile) * Count::named("batch");
    for (const auto& [name, value] : pass.numbers) pass.params.emplace_back(name, wgsl::Count::named(name));
    draft_.add(std::move(pass));
    return {};
  }

  /// An output that is an input, a constant, or in memory as another output already.
  Result<void> finish_output(std::size_t k) {
    const ValueId id = graph_.outputs[k];
    const std::size_t at = buffers_[id.index];
    if (at != SIZE_MAX && draft_.at(at).kind == BufferKind::output && draft_.at(at).name == keys_.outputs[k]) return {};
    TRY_ASSIGN_IN(fmt::format("output \"{}\"", graph_[id].name), const Type type, type_of(id));
    TRY_ASSIGN(const Operand from, operand(id));
    const Dims shape = *type.static_shape();
    const std::size_t to = draft_.buffer(BufferKind::output, keys_.outputs[k], type.dtype, shape);
    return draft_.fill("copy_" + keys_.outputs[k], from, {shape, dense_strides(shape)}, to);
  }

  const Graph& graph_;
  const Keys& keys_;
  Chunks chunks_;
  DraftBuilder draft_;
  std::vector<std::size_t> buffers_;                ///< by value
  std::map<std::uint32_t, std::size_t> output_of_;  ///< by value
};

}  // namespace

Result<Draft> lower(const Graph& graph, const Keys& keys, Chunks chunks) {
  return GraphToDraft(graph, keys, chunks).run();
}

}  // namespace pawl::package
