// The passes over Scans: each takes one Scan, whose inputs and body are of the graph that is being built, and emits
// what does the same with less in the loop.
#pragma once

#include <functional>
#include <optional>
#include <span>

#include "graph/builder.h"
#include "graph/rebuild.h"
#include "scan/policy.h"

namespace pawl::scan {

/// What a pass did to a node or state of a Scan, for explanations.
struct Note {
  std::string scan;       ///< the Scan's label
  std::string_view what;  ///< "hoisted", "sunk", "unified", "flattened", "unpacked", "absorbed", "dropped", "kept",
                          ///< "replaced", "raised"; "stays": a Loop that is no Scan
  std::string node;
  std::string why;
  std::string product = {};  ///< rows, inner extent and columns of the matrix product that was hoisted: "512x160x640"
};

/// One Scan that a pass looks at.
struct Site {
  graph::Builder& outer;      ///< where the Scan and what moves out of it is emitted
  const graph::Node& node;    ///< its inputs are of `outer`
  const graph::ScanOp& scan;  ///< version 9 or later
  const graph::Graph& body;
  Runner runner;             ///< for whom the loop is made better
  std::vector<Note>* notes;  ///< what was done is told here; may be null
  std::span<const graph::ValueInfo>
      outputs;  ///< names and declarations of the node's outputs; omitted ones have no name
  const graph::Original* original = nullptr;  ///< the Scan where it was, with what reads it; may be null

  [[nodiscard]] graph::ValueId initial(std::size_t state) const { return node.inputs[state]; }
  [[nodiscard]] graph::ValueId scanned(std::size_t element) const { return node.inputs[scan.states + element]; }
  [[nodiscard]] graph::ValueId state(std::size_t i) const { return body.inputs[i]; }
  [[nodiscard]] graph::ValueId element(std::size_t i) const { return body.inputs[scan.states + i]; }
  [[nodiscard]] graph::ValueId next(std::size_t state) const { return body.outputs[state]; }
  [[nodiscard]] graph::ValueId output(std::size_t k) const { return body.outputs[scan.states + k]; }
  void note(std::string_view what, std::string subject, std::string why) const {
    if (notes != nullptr) notes->push_back({node.label, what, std::move(subject), std::move(why)});
  }
  void note_product(std::string subject, std::string why, std::string product) const {
    if (notes != nullptr)
      notes->push_back({node.label, "hoisted", std::move(subject), std::move(why), std::move(product)});
  }
  /// The number of steps, as far as it is known.
  [[nodiscard]] Dim trips() const;
};

/// The values that stand for the node's outputs now, invalid where omitted; nothing when the pass has nothing to do.
using Rewritten = Result<std::optional<std::vector<graph::ValueId>>>;

struct Pass {
  std::string_view name;  ///< as `pawl dump --after` and messages have it
  Rewritten (*apply)(const Site& site);
};

Rewritten unify_states(const Site& site);     // states.cpp: states that never change, states that are equal to others
Rewritten remove_dead(const Site& site);      // dead.cpp: states, elements and outputs that nothing needs
Rewritten unpack_states(const Site& site);    // unpack.cpp: a state that is several things, as one state for each
Rewritten move_invariants(const Site& site);  // invariant.cpp: what is the same in every step, before the loop
Rewritten move_elements(const Site& site);    // element.cpp: what no state reaches, for all steps at once
Rewritten flatten_loops(const Site& site);    // flatten.cpp: a loop around a loop that goes on where it stopped, as one
Rewritten absorb_transposes(const Site& site);  // transposes.cpp: those around a Scan, as the axes that it cuts along
Rewritten sink_outputs(const Site& site);  // sink.cpp: what no next state reads, after the loop, for all steps at once

/// raise/raise.cpp: a Loop whose number of steps is known before it starts, as a Scan. Arguments as those of a Site.
Rewritten raise_loop(graph::Builder& outer, const graph::Node& node, const graph::LoopOp& loop,
                     std::span<const graph::ValueInfo> outputs, std::vector<Note>* notes);
/// unbatch.cpp: a Scan of version 8 all of whose rows take all steps, as one of a later version.
Rewritten unbatch_scan(graph::Builder& outer, const graph::Node& node, const graph::ScanOp& scan,
                       std::span<const graph::ValueInfo> outputs, std::vector<Note>* notes);
/// simplify.cpp: shorter spellings of single operators.
Rewritten simplify(graph::Builder& outer, const graph::Node& node, std::span<const graph::ValueInfo> outputs);
/// simplify_sequences.cpp: what is done with sequences whose tensors are known, without a sequence.
Rewritten simplify_sequence(graph::Builder& outer, const graph::Node& node, std::span<const graph::ValueInfo> outputs);
/// simplify_views.cpp: views that give back what they were made of.
Rewritten simplify_view(graph::Builder& outer, const graph::Node& node, std::span<const graph::ValueInfo> outputs);

using RewriteScan = std::function<Rewritten(const Site& site)>;

/// Emits a graph anew with `rewrite` over every Scan of version 9 or later whose body declares nothing but what is
/// known to hold. What was changed is verified. Errors as run_passes.
///   name    : for messages
///   changed : set where something was rewritten, else left as it is
Result<graph::Graph> rewrite_scans(std::string_view name, const graph::Graph& graph, Runner runner,
                                   std::vector<Note>* notes, bool& changed, const RewriteScan& rewrite);

/// Runs all passes over every Scan of a graph, again and again until none changes anything. What a pass changed is
/// verified. Errors: internal, when a pass made a graph that is none; bad_shape and others, where something is sure to
/// fail that was not known before.
///   notes : what was done, in order; may be null
///   last  : passes behind this one are left out; empty: none
Result<graph::Graph> run_passes(const graph::Graph& graph, Runner runner, std::vector<Note>* notes = nullptr,
                                std::string_view last = {});

/// The names of the passes, in the order of a round.
std::vector<std::string_view> pass_names();

}  // namespace pawl::scan
