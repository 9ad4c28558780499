// The order of the passes.
#include <algorithm>
#include <array>

#include "base/try.h"
#include "graph/annotate.h"
#include "graph/infer.h"
#include "scan/motion.h"
#include "scan/pass.h"

namespace pawl::scan {
namespace {

using graph::Graph;

constexpr std::array kPasses = {
    Pass{"states", unify_states},    Pass{"dead", remove_dead},
    Pass{"unpack", unpack_states},   Pass{"invariant", move_invariants},
    Pass{"elements", move_elements}, Pass{"sink", sink_outputs},
    Pass{"flatten", flatten_loops},  Pass{"transposes", absorb_transposes},
};

/// Every round takes something out of a loop or ends; a chain of more rounds than this is a pass that undoes another.
constexpr int kMaxRounds = 32;

/// States keep their type from step to step: known before the loop, it is known in all steps. Where it is not, a step
/// may fail, and what moved would not know.
bool has_steady_states(const Site& site) {
  for (std::size_t i = 0; i < site.scan.states; ++i)
    if (!graph::implies(site.body[site.next(i)].fact.type, site.outer.fact(site.initial(i)).type)) return false;
  return true;
}

/// What the passes share, and whether any of them did something in this round.
struct Round {
  Runner runner;
  std::vector<Note>* notes;
  bool changed = false;
};

/// Emits a graph anew with a pass over it, and checks what the pass made.
Result<Graph> apply(std::string_view name, const Graph& graph, bool& changed, const graph::RewriteNode& rewrite) {
  bool acted = false;
  Result<Graph> made =
      graph::rebuild(graph,
                     [&](graph::Builder& builder, graph::Node& node, std::span<const graph::ValueInfo> outputs,
                         const graph::Original& original) -> Rewritten {
                       Rewritten done = rewrite(builder, node, outputs, original);
                       acted = acted || (done.ok() && done->has_value());
                       return done;
                     });
  const auto in_pass = [&](Error error) { return std::move(error).in(fmt::format("pass \"{}\"", name)); };
  if (!made.ok()) return in_pass(made.error());
  if (!acted) return made;
  changed = true;
  if (Result<void> inferred = graph::infer_all(*made); !inferred.ok()) return in_pass(inferred.error());
  if (Result<void> verified = graph::verify(*made); !verified.ok()) return in_pass(verified.error());
  return made;
}

Result<Graph> raise_all(const Graph& graph, Round& round) {
  return apply("raise", graph, round.changed,
               [&](graph::Builder& builder, graph::Node& node, std::span<const graph::ValueInfo> outputs,
                   const graph::Original&) -> Rewritten {
                 const auto* loop = std::get_if<graph::LoopOp>(&node.operation);
                 if (loop == nullptr) return {std::nullopt};
                 return raise_loop(builder, node, *loop, outputs, round.notes);
               });
}

Result<Graph> unbatch_all(const Graph& graph, Round& round) {
  return apply("unbatch", graph, round.changed,
               [&](graph::Builder& builder, graph::Node& node, std::span<const graph::ValueInfo> outputs,
                   const graph::Original&) -> Rewritten {
                 const auto* scan = std::get_if<graph::ScanOp>(&node.operation);
                 if (scan == nullptr || !scan->batched) return {std::nullopt};
                 return unbatch_scan(builder, node, *scan, outputs, round.notes);
               });
}

bool has_bodies(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const graph::Node& node) { return !std::holds_alternative<graph::OpCall>(node.operation); });
}

}  // namespace

Result<Graph> rewrite_scans(std::string_view name, const Graph& graph, Runner runner, std::vector<Note>* notes,
                            bool& changed, const RewriteScan& rewrite) {
  return apply(name, graph, changed,
               [&](graph::Builder& builder, graph::Node& node, std::span<const graph::ValueInfo> outputs,
                   const graph::Original& original) -> Rewritten {
                 const auto* scan = std::get_if<graph::ScanOp>(&node.operation);
                 if (scan == nullptr || scan->batched) return {std::nullopt};
                 const Site site{builder, node, *scan, *scan->body.graph, runner, notes, outputs, &original};
                 if (!is_settled(site.body) || !has_steady_states(site)) return {std::nullopt};
                 return rewrite(site);
               });
}

std::vector<std::string_view> pass_names() {
  std::vector<std::string_view> names{"simplify", "unbatch", "raise"};
  for (const Pass& pass : kPasses) names.push_back(pass.name);
  return names;
}

Result<Graph> run_passes(const Graph& original, Runner runner, std::vector<Note>* notes, std::string_view last) {
  TRY_ASSIGN(Graph graph, graph::rebuild(original));
  for (int i = 0; i < kMaxRounds; ++i) {
    Round round{runner, notes};
    // What it finds alone is nothing for the other passes to go on with.
    bool simplified = false;
    TRY_ASSIGN(graph, apply("simplify", graph, simplified,
                            [](graph::Builder& builder, graph::Node& node, std::span<const graph::ValueInfo> outputs,
                               const graph::Original&) { return simplify(builder, node, outputs); }));
    if (!has_bodies(graph) || last == "simplify") break;
    TRY_ASSIGN(graph, unbatch_all(graph, round));
    if (last == "unbatch") break;
    TRY_ASSIGN(graph, raise_all(graph, round));
    for (const Pass& pass : kPasses) {
      if (last == "raise") break;
      TRY_ASSIGN(graph, rewrite_scans(pass.name, graph, runner, notes, round.changed, pass.apply));
      if (pass.name == last) break;
    }
    if (!round.changed) break;
  }
  return graph;
}

}  // namespace pawl::scan
