#include "scan/piece_needs.h"

#include <algorithm>

namespace pawl::scan {

using graph::Node;
using graph::ValueId;

bool PieceNeeds::fits(const Selection& taken) const {
  const Packed* source = packed(taken.source);
  if (source == nullptr || source->axis != taken.axis || !is_apart(taken.source)) return false;
  return std::all_of(taken.runs.begin(), taken.runs.end(), [&](const Run& run) {
    return source->cuts.contains(run.first) && source->cuts.contains(run.end);
  });
}

PieceNeeds::PieceNeeds(const PackedBody& body, const Packing& packing)
    : body_(body), packing_(packing), in_pieces_(packing.size(), false), whole_(in_pieces_), by_selection_(in_pieces_) {
  const Site& site = body.site;
  for (std::size_t i = 0; i < site.scan.states; ++i)
    (is_apart(site.state(i)) ? in_pieces_ : whole_)[site.next(i).index] = true;
  for (std::size_t k = 0; k < site.scan.outputs; ++k) whole_[site.output(k).index] = true;
  for (std::size_t n = site.body.nodes.size(); n-- > 0;) {
    const Node& node = site.body.nodes[n];
    bool copies = false;
    for (const ValueId id : node.outputs) {
      if (!id.valid()) continue;
      if (in_pieces_[id.index]) need_for_pieces(node, id);
      if (!whole_[id.index] || in_pieces_[id.index]) continue;
      const Selection* taken = body_.selection(id);
      const bool is_there = taken != nullptr && fits(*taken) &&
                            (body_.state(taken->source).has_value() || in_pieces_[taken->source.index]);
      by_selection_[id.index] = is_there;
      if (is_there)
        in_pieces_[taken->source.index] = true;
      else
        copies = true;
    }
    if (copies) for_each_read(node, [&](ValueId read) { whole_[read.index] = true; });
  }
}

void PieceNeeds::need_for_pieces(const Node& node, ValueId id) {
  const Packed& own = *packed(id);
  if (const Selection* taken = body_.selection(id)) {
    in_pieces_[taken->source.index] = true;
  } else if (call_of(&node, "Concat") != nullptr) {
    std::int64_t first = 0;
    for (const ValueId input : node.inputs) {
      const auto plain = without_added_axis(input, own);
      if (joins_pieces(input, first, own))
        in_pieces_[input.index] = true;
      else
        whole_[(plain ? *plain : input).index] = true;
      first += *extent_of(body_.site.body[input].fact.type, own.axis);
    }
  } else {
    const std::vector<int> ties = *body_.tied_axes(node, own.axis);
    for (std::size_t i = 0; i < ties.size(); ++i)
      if (node.inputs[i].valid())
        (has_pieces(node.inputs[i], ties[i], own) ? in_pieces_ : whole_)[node.inputs[i].index] = true;
  }
}

std::optional<ValueId> PieceNeeds::without_added_axis(ValueId id, const Packed& own) const {
  const Node* node = body_.producer(id);
  if (!own.drops || call_of(node, "Unsqueeze") == nullptr || only_axis(body_.site.body, *node) != own.axis)
    return std::nullopt;
  return node->inputs[0];
}

bool PieceNeeds::has_pieces(ValueId input, int along, const Packed& own) const {
  const Packed* packs = packed(input);
  return packs != nullptr && along >= 0 && packs->axis == static_cast<std::size_t>(along) &&
         packs->drops == own.drops && packs->cuts == own.cuts;
}

bool PieceNeeds::joins_pieces(ValueId input, std::int64_t first, const Packed& own) const {
  const Packed* packs = packed(input);
  if (packs == nullptr || packs->axis != own.axis || packs->drops != own.drops) return false;
  auto at = own.cuts.find(first);
  return std::all_of(packs->cuts.begin(), packs->cuts.end(),
                     [&](std::int64_t cut) { return at != own.cuts.end() && *at++ == first + cut; });
}

int PieceNeeds::more_nodes() const {
  int more = 0;
  for (const Node& node : body_.site.body.nodes)
    for (const ValueId id : node.outputs) {
      if (!id.valid()) continue;
      if (by_selection_[id.index]) --more;
      if (!in_pieces_[id.index]) continue;
      if (body_.selection(id) != nullptr || call_of(&node, "Concat") != nullptr) {
        if (!whole_[id.index]) --more;
        for (const ValueId input : node.inputs)
          if (input.valid() && without_added_axis(input, *packed(id))) --more;
      } else {
        more += static_cast<int>(packed(id)->cuts.size()) - 2;
      }
    }
  return more;
}

}  // namespace pawl::scan
