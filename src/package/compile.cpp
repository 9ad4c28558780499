#include "package/compile.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/try.h"
#include "graph/annotate.h"
#include "graph/import.h"
#include "graph/rebuild.h"
#include "graph/specialise.h"
#include "graph/walk.h"
#include "package/assemble.h"
#include "package/draft_builder.h"
#include "package/lower_graph.h"
#include "runtime/model.h"
#include "scan/pass.h"

namespace pawl::package {
namespace {

using graph::Graph;
using graph::ValueId;

/// A grid of more is too many drafts.
constexpr std::size_t kMostExtents = 6;
/// Storage buffers that every device binds (WebGPU's default limit).
constexpr std::size_t kEveryDevice = 8;

/// Names that expressions have already.
constexpr std::string_view kReserved[] = {"and",        "args",   "attrs",    "ceil",     "ceilDiv",  "device", "dim",
                                          "dtypeBytes", "dtypes", "else",     "env",      "false",    "floor",  "has",
                                          "if",         "in",     "is",       "max",      "min",      "none",   "not",
                                          "numel",      "or",     "params",   "pow",      "pow2ceil", "rank",   "ranks",
                                          "shapes",     "true",   "tunables", "undefined"};

std::string free_name(std::string_view wish, std::set<std::string>& taken) {
  const auto is_reserved = [](const std::string& name) {
    return std::find(std::begin(kReserved), std::end(kReserved), name) != std::end(kReserved);
  };
  const std::string name = identifier(wish);
  std::string made = name;
  for (int i = 2; is_reserved(made) || !taken.insert(made).second; ++i) made = fmt::format("{}_{}", name, i);
  return made;
}

bool has_control_flow(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const graph::Node& node) {
    return std::holds_alternative<graph::LoopOp>(node.operation) || std::holds_alternative<graph::IfOp>(node.operation);
  });
}

/// Which constants are read by what runs.
std::vector<ValueId> read_constants(const Graph& graph) {
  std::set<std::uint32_t> read;
  for (const graph::Node& node : graph.nodes)
    graph::for_each_read(node, [&](ValueId id) {
      const Tensor* tensor = graph[id].fact.tensor();
      if (tensor != nullptr && !only_value(*tensor)) read.insert(id.index);
    });
  std::vector<ValueId> made;
  for (const std::uint32_t index : read) made.push_back({index});
  return made;
}

/// Makes inputs of large constants, if all of them are too many; which they are.
std::vector<std::pair<ValueId, Tensor>> lift_weights(Graph& graph, const CompileRequest& request) {
  std::int64_t total = 0;
  std::vector<std::pair<ValueId, Tensor>> lifted;
  for (const ValueId id : read_constants(graph)) {
    const Tensor& tensor = *graph[id].fact.tensor();
    total += tensor.size();
    const graph::Node* producer = graph::producer_of(graph, id);
    const bool is_plain = producer == nullptr || (producer->inputs.empty() && producer->outputs.size() == 1);
    if (tensor.size() > request.small_constant && is_plain) lifted.emplace_back(id, tensor);
  }
  if (total <= request.most_constants) return {};
  for (const auto& [id, tensor] : lifted) {
    std::erase_if(graph.nodes, [&, made = id](const graph::Node& node) {
      return node.inputs.empty() && node.outputs.size() == 1 && node.outputs[0] == made;
    });
    graph[id].fact = {Type::tensor(tensor.dtype(), tensor.shape()), std::nullopt};
    graph.inputs.push_back(id);
  }
  return lifted;
}

/// The symbols of the inputs, in their order.
Result<std::vector<std::string>> symbols_of(const Graph& graph) {
  std::vector<std::string> symbols;
  for (const ValueId id : graph.inputs) {
    const Type& type = graph[id].fact.type;
    if (!type.is_tensor() || !type.shape)
      return fail(Code::unsupported, "input \"{}\": {} is no tensor of a known rank", graph[id].name, to_string(type));
    for (std::size_t axis = 0; axis < type.shape->size(); ++axis) {
      const Dim& dim = (*type.shape)[axis];
      if (dim.known()) continue;
      const std::string symbol = dim.symbol.empty() ? fmt::format("{}.{}", graph[id].name, axis) : dim.symbol;
      if (std::find(symbols.begin(), symbols.end(), symbol) == symbols.end()) symbols.push_back(symbol);
    }
  }
  return symbols;
}

/// Symbols along which Scans of the graph go.
std::set<std::string> step_symbols(const Graph& graph) {
  std::set<std::string> found;
  for (const graph::Node& node : graph.nodes) {
    const auto* scan = std::get_if<graph::ScanOp>(&node.operation);
    if (scan == nullptr || scan->batched) continue;
    for (std::size_t i = 0; i < scan->elements; ++i) {
      const auto& shape = graph[node.inputs[scan->states + i]].fact.type.shape;
      if (!shape) continue;
      const std::int64_t axis = scan->input_axes[i];
      const auto at = static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(shape->size()) : axis);
      if (at < shape->size()) found.insert((*shape)[at].symbol);
    }
  }
  return found;
}

/// Whether there are calls that chunks pay for.
bool can_hold(const Assembled& assembled) {
  using Op = wgsl::Count::Op;
  return !assembled.conditions.empty() &&
         std::all_of(assembled.conditions.begin(), assembled.conditions.end(), [](const auto& each) {
           return each.first.op() != Op::number || each.second.op() != Op::number ||
                  each.first.number() >= each.second.number();
         });
}

bool same_conditions(const Assembled& a, const Assembled& b) {
  const auto text = [](const Assembled& assembled) {
    std::string all;
    for (const auto& [at_least, least] : assembled.conditions)
      all += wgsl::expression(at_least) + ">=" + wgsl::expression(least) + ";";
    return all;
  };
  return text(a) == text(b);
}

class Compilation {
 public:
  Compilation(const Model& model, const CompileRequest& request) : model_(model), request_(request) {}

  Result<Compiled> run(Expansion expansion) {
    TRY(read(expansion));
    TRY_ASSIGN(const std::vector<std::string> symbols, symbols_of(graph_));
    if (symbols.size() > kMostExtents)
      return fail(Code::unsupported, "{} extents are open, which is too many: give some of them, as in --dim {}=8",
                  symbols.size(), symbols[0]);
    name_ports(symbols);
    TRY_ASSIGN(Assembled plain, assembled(symbols, Chunks::none));
    fill(plain);
    TRY_ASSIGN(std::optional<Assembled> rows, in_chunks(symbols, Chunks::rows));
    TRY_ASSIGN(std::optional<Assembled> columns, in_chunks(symbols, Chunks::columns));
    if (rows && columns && same_conditions(*rows, *columns)) rows.reset();
    if (rows) add_variant("rows", 2, std::move(*rows));
    if (columns) add_variant("columns", 1, std::move(*columns));
    add_variant("steps", 0, std::move(plain));
    return std::move(made_);
  }

 private:
  Result<void> read(Expansion expansion) {
    TRY_ASSIGN(const graph::Imported imported, graph::import(model_.state().onnx, nullptr, {.expansion = expansion}));
    TRY_ASSIGN(Graph given, graph::specialise(*imported.graph, request_.dims));
    TRY_ASSIGN(graph_, scan::run_passes(given, scan::Runner::kernel));
    weights_ = lift_weights(graph_, request_);
    if (!weights_.empty()) TRY(graph::infer_all(graph_));
    return {};
  }

  void name_ports(const std::vector<std::string>& symbols) {
    std::set<std::string> taken = {"constants"}, extents;
    const std::set<std::string> steps = step_symbols(graph_);
    const auto add = [&](std::vector<PackagePort>& to, ValueId id, std::string name) {
      PackagePort port;
      port.key = free_name(name, taken);
      port.name = std::move(name);
      port.dtype = graph_[id].fact.type.dtype;
      to.push_back(std::move(port));
    };
    const std::size_t given = graph_.inputs.size() - weights_.size();
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) {
      add(made_.inputs, graph_.inputs[i], i < given ? model_.inputs()[i].name : graph_[graph_.inputs[i]].name);
      if (i >= given) made_.inputs.back().weight = weights_[i - given].second;
    }
    for (std::size_t k = 0; k < graph_.outputs.size(); ++k)
      add(made_.outputs, graph_.outputs[k], model_.outputs()[k].name);
    for (const std::string& symbol : symbols)
      made_.extents.push_back({symbol, free_name(symbol, extents), steps.contains(symbol)});
    for (std::size_t i = 0; i < graph_.inputs.size(); ++i) made_.inputs[i].places = places_of(graph_.inputs[i]);
  }

  /// Of integers that say places along an axis: its extent, or 0.
  [[nodiscard]] wgsl::Count places_of(ValueId id) const {
    for (const graph::Node& node : graph_.nodes) {
      const auto* call = std::get_if<graph::OpCall>(&node.operation);
      if (call == nullptr || call->def->name != "Gather" || node.inputs[1] != id) continue;
      const auto& shape = graph_[node.inputs[0]].fact.type.shape;
      const std::int64_t axis = call->attributes.integer("axis", 0);
      if (!shape || shape->empty()) continue;
      const Dim& extent =
          (*shape)[static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(shape->size()) : axis)];
      if (extent.known()) return extent.value;
      for (const Extent& each : made_.extents)
        if (each.symbol == extent.symbol) return wgsl::Count::named(each.name);
    }
    return 0;
  }

  Result<Assembled> assembled(const std::vector<std::string>& symbols, Chunks chunks) {
    const Points points(symbols.size());
    std::vector<Draft> drafts;
    for (const std::vector<std::int64_t>& point : points.all()) {
      std::vector<std::pair<std::string, std::int64_t>> extents;
      for (std::size_t i = 0; i < symbols.size(); ++i) extents.emplace_back(symbols[i], point[i]);
      Result<Draft> draft = draft_at(extents, drafts.empty(), chunks);
      if (!draft.ok()) return tried(std::move(draft).error(), extents);
      drafts.push_back(std::move(draft).value());
    }
    std::vector<std::string> names;
    for (const Extent& extent : made_.extents) names.push_back(extent.name);
    return assemble(points, std::move(drafts), names);
  }

  /// A model whose open extents must fit each other in a way that its types do not say.
  static Error tried(Error error, const std::vector<std::pair<std::string, std::int64_t>>& extents) {
    if (extents.empty() || error.code == Code::unsupported || error.code == Code::internal) return error;
    std::string all, asked;
    for (const auto& [symbol, extent] : extents) {
      all += fmt::format("{}{} = {}", all.empty() ? "" : ", ", symbol, extent);
      asked += fmt::format(" {}=…", symbol);
    }
    return fail(Code::unsupported,
                "not all extents can be left open: with {} made up, {}; give those that depend on others, of --dim{}",
                all, error.to_string(), asked);
  }

  /// Nothing where chunks pay for no call, or their shaders are others for other extents.
  Result<std::optional<Assembled>> in_chunks(const std::vector<std::string>& symbols, Chunks chunks) {
    Result<Assembled> made = assembled(symbols, chunks);
    if (!made.ok() && made.error().code != Code::unsupported) return made.error();
    if (!made.ok() || !can_hold(*made)) return std::optional<Assembled>();
    return std::optional<Assembled>(std::move(made).value());
  }

  Result<Draft> draft_at(const std::vector<std::pair<std::string, std::int64_t>>& extents, bool is_first,
                         Chunks chunks) {
    TRY_ASSIGN(Graph graph, graph::specialise(graph_, extents));
    if (has_control_flow(graph)) {
      TRY_ASSIGN(graph, scan::run_passes(graph, scan::Runner::kernel));
    }
    if (is_first) TRY(check_integers(graph));
    Keys keys;
    for (const PackagePort& port : made_.inputs) keys.inputs.push_back(port.key);
    for (const PackagePort& port : made_.outputs) keys.outputs.push_back(port.key);
    return lower(graph, keys, chunks);
  }

  void fill(const Assembled& assembled) {
    const auto shapes = [&](std::vector<PackagePort>& ports, std::vector<TensorEntry>& entries) {
      for (PackagePort& port : ports) {
        const auto buffer = std::find_if(assembled.passes.buffers.begin(), assembled.passes.buffers.end(),
                                         [&](const wgsl::PassBuffer& each) { return each.name == port.key; });
        port.shape = buffer->shape;
        TensorEntry entry{port.key, port.key == port.name ? "" : port.name, std::string(manifest_type(port.dtype)),
                          static_cast<int>(port.shape.size()), "["};
        for (const wgsl::Count& extent : port.shape)
          entry.shape += (entry.shape.size() == 1 ? "" : ", ") + wgsl::expression(extent);
        entry.shape += "]";
        entries.push_back(std::move(entry));
      }
    };
    Contents& contents = made_.contents;
    contents.domain = "pawl";
    contents.name = request_.name;
    contents.conformance = "exported-model";
    shapes(made_.inputs, contents.inputs);
    shapes(made_.outputs, contents.outputs);
    for (const Extent& extent : made_.extents) contents.derive.emplace_back(extent.name, place_of(extent));
  }

  void add_variant(std::string id, int priority, Assembled assembled) {
    VariantEntry variant;
    variant.id = std::move(id);
    variant.priority = priority;
    for (const auto& [at_least, least] : assembled.conditions) {
      if (at_least.op() == wgsl::Count::Op::number && least.op() == wgsl::Count::Op::number) continue;
      std::string condition = at_least.op() == wgsl::Count::Op::number
                                  ? fmt::format("{} <= {}", wgsl::expression(least), wgsl::expression(at_least))
                                  : fmt::format("{} >= {}", wgsl::expression(at_least), wgsl::expression(least));
      if (std::find(variant.when.begin(), variant.when.end(), condition) == variant.when.end())
        variant.when.push_back(std::move(condition));
    }
    if (assembled.f16) variant.features.emplace_back("shader-f16");
    if (assembled.most_buffers > kEveryDevice)
      variant.limits.emplace_back("maxStorageBuffersPerShaderStage", fmt::format("{}", assembled.most_buffers));
    variant.passes = std::move(assembled.passes);
    made_.contents.variants.push_back(std::move(variant));
  }

  /// The first input's axis that has the extent.
  [[nodiscard]] std::string place_of(const Extent& extent) const {
    for (const PackagePort& port : made_.inputs)
      for (std::size_t axis = 0; axis < port.shape.size(); ++axis)
        if (port.shape[axis].op() == wgsl::Count::Op::name && port.shape[axis].name() == extent.name)
          return fmt::format("dim(shapes.{}, {})", port.key, axis);
    CHECK(false);
    return {};
  }

  const Model& model_;
  const CompileRequest& request_;
  Graph graph_;
  std::vector<std::pair<ValueId, Tensor>> weights_;
  Compiled made_;
};

}  // namespace

std::string_view manifest_type(DType dtype) {
  switch (device_type(dtype)) {
    case DType::f32: return "float32";
    case DType::f16: return "float16";
    case DType::i32: return "int32";
    case DType::u32: return "uint32";
    case DType::boolean: return "bool";
    default: return "";
  }
}

Result<Compiled> compile(const Model& model, const CompileRequest& request) {
  // Recurrent operators are Scans; others give way to what they are made of where they have no form themselves.
  Result<Compiled> made = Compilation(model, request).run(Expansion::loops);
  if (made.ok() || made.error().code != Code::unsupported) return made;
  Result<Compiled> expanded = Compilation(model, request).run(Expansion::all);
  return expanded.ok() ? std::move(expanded) : std::move(made);
}

}  // namespace pawl::package
