// A state that is several things side by side (a pair of registers, the two halves of a complex number, a delay line)
// becomes one state for each of them. Only where a step takes it apart and puts it together again: then that is what
// is saved, and each piece is understood by itself.
#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/piece_needs.h"
#include "scan/remake.h"

namespace pawl::scan {
namespace {

using graph::Node;

/// Operators that cut and join, in terms of one graph.
class Joinery {
 public:
  explicit Joinery(Builder& builder) : builder_(builder) {}

  Result<ValueId> call(std::string_view op, std::vector<ops::Attribute> attributes, std::vector<ValueId> inputs,
                       const std::string& name) {
    TRY_ASSIGN(const std::vector<ValueId> made, builder_.call(op, std::move(attributes), std::move(inputs), name));
    return made[0];
  }
  Result<ValueId> without_axis(ValueId x, std::size_t axis, const std::string& name) {
    return call("Squeeze", {}, {x, integers(axis)}, name);
  }
  Result<ValueId> with_axis(ValueId x, std::size_t axis, const std::string& name) {
    return call("Unsqueeze", {}, {x, integers(axis)}, name);
  }
  Result<ValueId> cut(ValueId x, std::size_t axis, const Run& run, bool drops, const std::string& name) {
    if (drops) {
      const ValueId place = builder_.add_constant(Tensor::scalar<std::int64_t>(run.first), "place");
      return call("Gather", {{"axis", static_cast<std::int64_t>(axis)}}, {x, place}, name);
    }
    return call("Slice", {}, {x, integers(run.first), integers(run.end), integers(axis)}, name);
  }
  Result<ValueId> join(const std::vector<ValueId>& parts, std::size_t axis, const std::string& name) {
    if (parts.size() == 1) return parts[0];
    return call("Concat", {{"axis", static_cast<std::int64_t>(axis)}}, parts, name);
  }

 private:
  template <class T>
  ValueId integers(T value) {
    return builder_.add_integers({static_cast<std::int64_t>(value)}, "place");
  }

  Builder& builder_;
};

class Unpack {
 public:
  explicit Unpack(const Site& site)
      : site_(site),
        dependence_(site.scan),
        body_(site, dependence_),
        packing_(find_packing(body_)),
        needs_(body_, packing_),
        pieces_(site.body.values.size()) {}

  Rewritten run() {
    bool any = false;
    for (std::size_t i = 0; i < site_.scan.states; ++i) any = any || needs_.is_apart(site_.state(i));
    if (!any || (site_.runner == Runner::interpreter && needs_.more_nodes() > 0)) return {std::nullopt};
    return rewrite();
  }

 private:
  static bool drops(const Packed& own, const Run& run) { return own.drops && run.width() == 1; }

  Rewritten rewrite() {
    std::vector<bool> keeps;
    for (std::size_t i = 0; i < site_.scan.states; ++i) keeps.push_back(!needs_.is_apart(site_.state(i)));
    Remake made(site_, keeps, std::vector<bool>(site_.scan.outputs, true));
    made_ = &made;
    Joinery outside(site_.outer);
    for (std::size_t i = 0; i < site_.scan.states; ++i)
      if (!keeps[i]) TRY(add_states(i, outside));
    TRY(made.add_inputs(needs_.whole()));
    TRY(emit_body());
    if (!set_next(keeps)) return {std::nullopt};
    TRY_ASSIGN(std::vector<ValueId> results, made.close());
    TRY(join_finals(keeps, outside, results));
    return {std::move(results)};
  }

  Result<void> add_states(std::size_t i, Joinery& outside) {
    const ValueId state = site_.state(i);
    const Packed& own = *needs_.packed(state);
    const ValueInfo& whole = site_.body[state];
    const std::vector<Run> runs = own.pieces();
    for (std::size_t k = 0; k < runs.size(); ++k) {
      ValueInfo piece;
      piece.name = fmt::format("{}_{}", whole.name, k);
      piece.fact.type = type_of(whole.fact.type, own, runs[k]);
      TRY_ASSIGN(const ValueId initial,
                 outside.cut(site_.initial(i), own.axis, runs[k], drops(own, runs[k]), piece.name + "_initial"));
      pieces_[state.index].push_back(made_->scan().add_state(piece, initial));
    }
    return {};
  }

  static Type type_of(Type type, const Packed& own, const Run& run) {
    (*type.shape)[own.axis] = Dim(run.width());
    if (drops(own, run)) type.shape->erase(type.shape->begin() + static_cast<std::ptrdiff_t>(own.axis));
    return type;
  }

  Result<void> emit_body() {
    const graph::Graph& body = site_.body;
    graph::Mapping& mapping = made_->mapping();
    for (std::uint32_t i = 0; i < body.values.size(); ++i) {
      const ValueId id{i};
      if (needs_.whole(id) && body_.producer(id) == nullptr && body[id].fact.tensor() != nullptr &&
          !mapping(id).valid())
        mapping[id] = made_->scan().body().add_constant(*body[id].fact.tensor(), body[id].name);
    }
    for (std::size_t i = 0; i < site_.scan.states; ++i) {
      const ValueId state = site_.state(i);
      if (needs_.is_apart(state) && needs_.whole(state)) {
        TRY_ASSIGN(mapping[state], joined(state, 0, pieces_[state.index].size()));
      }
      if (!needs_.is_apart(state)) pieces_[state.index] = {mapping(state)};
    }
    for (const Node& node : body.nodes) TRY(emit(node));
    return {};
  }

  Result<void> emit(const Node& node) {
    graph::Mapping& mapping = made_->mapping();
    bool copies = false;
    for (const ValueId id : node.outputs) {
      if (!id.valid()) continue;
      if (needs_.in_pieces(id)) {
        TRY_ASSIGN(pieces_[id.index], pieces_of(node, id));
        if (!needs_.whole(id)) continue;
        TRY_ASSIGN(mapping[id], joined(id, 0, pieces_[id.index].size()));
      } else if (needs_.by_selection(id)) {
        TRY_ASSIGN(mapping[id], selected(*body_.selection(id), site_.body[id].name));
      } else {
        copies = copies || needs_.whole(id);
      }
    }
    if (!copies) return {};
    TRY_ASSIGN(Node copy, graph::carry_over(node, mapping, made_->scan().body()));
    TRY_ASSIGN(const std::vector<ValueId> ids,
               made_->scan().body().add(std::move(copy), graph::outputs_of(site_.body, node)));
    for (std::size_t i = 0; i < ids.size(); ++i)
      if (node.outputs[i].valid() && !mapping(node.outputs[i]).valid()) mapping[node.outputs[i]] = ids[i];
    return {};
  }

  /// Pieces [first, end) of a value as one, with the axis.
  Result<ValueId> joined(ValueId id, std::size_t first, std::size_t end) {
    const Packed& own = *needs_.packed(id);
    const std::vector<Run> runs = own.pieces();
    Joinery inside(made_->scan().body());
    std::vector<ValueId> parts;
    for (std::size_t k = first; k < end; ++k) {
      ValueId part = pieces_[id.index][k];
      if (drops(own, runs[k])) {
        TRY_ASSIGN(part, inside.with_axis(part, own.axis, site_.body[id].name + "_part"));
      }
      parts.push_back(part);
    }
    return inside.join(parts, own.axis, site_.body[id].name);
  }

  /// The pieces of the source that a run is made of: [first, end).
  std::pair<std::size_t, std::size_t> pieces_in(const Packed& source, const Run& run) const {
    const auto place = [&](std::int64_t cut) {
      return static_cast<std::size_t>(std::distance(source.cuts.begin(), source.cuts.find(cut)));
    };
    return {place(run.first), place(run.end)};
  }

  Result<ValueId> selected(const Selection& taken, const std::string& name) {
    const Packed& source = *needs_.packed(taken.source);
    Joinery inside(made_->scan().body());
    std::vector<ValueId> parts;
    for (const Run& run : taken.runs) {
      const auto [first, end] = pieces_in(source, run);
      const ValueId piece = pieces_[taken.source.index][first];
      if (taken.drops && drops(source, run)) return piece;
      TRY_ASSIGN(const ValueId part, joined(taken.source, first, end));
      if (taken.drops) return inside.without_axis(part, source.axis, name);
      parts.push_back(part);
    }
    return inside.join(parts, source.axis, name);
  }

  Result<std::vector<ValueId>> pieces_of(const Node& node, ValueId id) {
    if (const Selection* taken = body_.selection(id)) {
      std::vector<ValueId> made;
      for (const Run& run : taken->runs) {
        const auto [first, end] = pieces_in(*needs_.packed(taken->source), run);
        for (std::size_t k = first; k < end; ++k) made.push_back(pieces_[taken->source.index][k]);
      }
      return made;
    }
    if (call_of(&node, "Concat") != nullptr) return pieces_of_concat(node, *needs_.packed(id));
    return pieces_of_pointwise(node, id);
  }

  Result<std::vector<ValueId>> pieces_of_concat(const Node& node, const Packed& own) {
    Joinery inside(made_->scan().body());
    std::vector<ValueId> made;
    std::int64_t first = 0;
    for (const ValueId input : node.inputs) {
      const std::int64_t width = *extent_of(site_.body[input].fact.type, own.axis);
      if (needs_.joins_pieces(input, first, own)) {
        const std::vector<ValueId>& parts = pieces_[input.index];
        made.insert(made.end(), parts.begin(), parts.end());
      } else if (const auto plain = needs_.without_added_axis(input, own)) {
        made.push_back(made_->mapping()(*plain));
      } else {
        for (const Run& run : own.pieces()) {
          if (run.first < first || run.end > first + width) continue;
          TRY_ASSIGN(const ValueId part,
                     cut(made_->mapping()(input), own, {run.first - first, run.end - first}, width));
          made.push_back(part);
        }
      }
      first += width;
    }
    return made;
  }

  /// A run of a whole body value, which has `extent` places along the axis of `own`.
  Result<ValueId> cut(ValueId whole, const Packed& own, const Run& run, std::int64_t extent) {
    Joinery inside(made_->scan().body());
    const std::string name = made_->scan().body().graph()[whole].name + "_part";
    if (!drops(own, run)) return run.width() == extent ? whole : inside.cut(whole, own.axis, run, false, name);
    return extent == 1 ? inside.without_axis(whole, own.axis, name) : inside.cut(whole, own.axis, run, true, name);
  }

  Result<std::vector<ValueId>> pieces_of_pointwise(const Node& node, ValueId id) {
    const Packed& own = *needs_.packed(id);
    const std::vector<int> ties = *body_.tied_axes(node, own.axis);
    const std::vector<Run> runs = own.pieces();
    std::vector<ValueId> made;
    for (std::size_t k = 0; k < runs.size(); ++k) {
      Node piece;
      piece.name = node.name;
      piece.label = node.label;
      piece.operation = std::get<graph::OpCall>(node.operation);
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        TRY_ASSIGN(const ValueId part, piece_of_input(node.inputs[i], ties[i], own, runs[k], k));
        piece.inputs.push_back(part);
      }
      ValueInfo value;
      value.name = fmt::format("{}_{}", site_.body[id].name, k);
      TRY_ASSIGN(const std::vector<ValueId> ids, made_->scan().body().add(std::move(piece), {&value, 1}));
      made.push_back(ids[0]);
    }
    return made;
  }

  Result<ValueId> piece_of_input(ValueId input, int along, const Packed& own, const Run& run, std::size_t k) {
    if (!input.valid()) return input;
    if (needs_.has_pieces(input, along, own)) return pieces_[input.index][k];
    const ValueId whole = made_->mapping()(input);
    if (along < 0) return whole;
    Packed there = own;
    there.axis = static_cast<std::size_t>(along);
    const std::int64_t extent = *extent_of(site_.body[input].fact.type, there.axis);
    const bool is_stretched = extent == 1;
    if (is_stretched && !drops(own, run)) return whole;
    return cut(whole, there, run, extent);
  }

  /// False where less is known of a next value's type than of the state's: then all stays as it was.
  bool set_next(const std::vector<bool>& keeps) {
    std::size_t index = static_cast<std::size_t>(std::count(keeps.begin(), keeps.end(), true));
    const graph::Graph& body = made_->scan().body().graph();
    for (std::size_t i = 0; i < keeps.size(); ++i) {
      if (keeps[i]) continue;
      const std::vector<ValueId>& states = pieces_[site_.state(i).index];
      const std::vector<ValueId>& nexts = pieces_[site_.next(i).index];
      CHECK(states.size() == nexts.size());
      for (std::size_t k = 0; k < states.size(); ++k) {
        if (!graph::implies(body[nexts[k]].fact.type, body[states[k]].fact.type)) return false;
        made_->scan().set_next(index, nexts[k]);
        if (!site_.outputs[i].name.empty()) made_->scan().set_final(index, {body[states[k]].name + "_final", {}, {}});
        ++index;
      }
    }
    return true;
  }

  Result<void> join_finals(const std::vector<bool>& keeps, Joinery& outside, std::vector<ValueId>& results) {
    std::size_t added = 0;
    for (std::size_t i = 0; i < keeps.size(); ++i) {
      if (keeps[i]) continue;
      const Packed& own = *needs_.packed(site_.state(i));
      const std::string& name = site_.outputs[i].name;
      site_.note("unpacked", "state \"" + site_.body[site_.state(i)].name + "\"",
                 fmt::format("{} pieces along axis {}", own.pieces().size(), own.axis));
      std::vector<ValueId> parts;
      for (const Run& run : own.pieces()) {
        ValueId part = made_->final_of_added(added++);
        if (name.empty()) continue;
        if (drops(own, run)) {
          TRY_ASSIGN(part, outside.with_axis(part, own.axis, name + "_part"));
        }
        parts.push_back(part);
      }
      if (name.empty()) continue;
      TRY_ASSIGN(results[i], outside.join(parts, own.axis, name));
    }
    return {};
  }

  const Site& site_;
  const Dependence dependence_;
  PackedBody body_;
  const Packing packing_;
  const PieceNeeds needs_;
  std::vector<std::vector<ValueId>> pieces_;  ///< by value, of the new body
  Remake* made_ = nullptr;
};

}  // namespace

Rewritten unpack_states(const Site& site) { return Unpack(site).run(); }

}  // namespace pawl::scan
