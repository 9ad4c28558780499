#include "scan/packing.h"

#include <algorithm>

namespace pawl::scan {

using graph::Node;
using graph::ValueId;

namespace {

/// A state in more pieces than this is better left to vector instructions.
constexpr std::size_t kMaxPieces = 16;
/// Values on the way may be wider: a Concat of a state and what is pushed into it.
constexpr std::size_t kMaxCuts = 4 * kMaxPieces;
/// States that stand in the way are left whole, one after the other, so many times.
constexpr int kMaxTries = 8;

const Type& type_of(const Site& site, ValueId id) { return site.body[id].fact.type; }

/// From one state on: the cuts that its pieces, those of its next value, and all between them agree on.
class Search {
 public:
  Search(const PackedBody& body, const Packing& taken)
      : body_(body), taken_(taken), packed_(taken.size()), whole_(taken.size(), false), links_(taken.size()) {}

  /// Whether the state can be taken apart.
  bool run(std::size_t state, std::size_t axis) {
    demand(body_.site.state(state), axis);
    while (!failed_ && !open_.empty()) {
      const ValueId id = open_.back();
      open_.pop_back();
      if (packed_[id.index]) take_apart(id);
      if (!packed_[id.index] && whole_[id.index]) use_whole(id);
    }
    for (const std::size_t each : states_) {
      const ValueId id = body_.site.state(each);
      if (failed_ || !packed_[id.index]->is_apart()) continue;
      if (packed_[id.index]->pieces().size() > kMaxPieces) fail(each);
      // Where a step needs the whole, its pieces would be put together again in each.
      if (whole_[id.index]) fail(each);
    }
    return !failed_ && packed_[body_.site.state(state).index]->is_apart() && feeds_itself(state);
  }
  /// The state that stood in the way.
  [[nodiscard]] std::optional<std::size_t> culprit() const { return culprit_; }

  void add_to(Packing& packing) {
    const bool drops = pieces_lack_axis();
    for (std::size_t i = 0; i < packed_.size(); ++i) {
      if (!packed_[i]) continue;
      packing[i] = std::move(packed_[i]);
      packing[i]->drops = drops;
    }
  }

 private:
  void fail(std::optional<std::size_t> state) {
    if (!failed_) culprit_ = state;
    failed_ = true;
  }

  /// What comes from elsewhere only is a delay, in one piece or in many.
  [[nodiscard]] bool feeds_itself(std::size_t state) const {
    const ValueId next = body_.site.next(state);
    return std::any_of(states_.begin(), states_.end(),
                       [&](std::size_t each) { return body_.dependence.on_state(next, each); });
  }

  void push(ValueId id) { open_.push_back(id); }

  void need(ValueId id) {
    if (!id.valid() || whole_[id.index]) return;
    whole_[id.index] = true;
    push(id);
  }

  bool demand(ValueId id, std::size_t axis) {
    if (packed_[id.index]) {
      if (packed_[id.index]->axis != axis) fail(body_.state(id));
      return !failed_;
    }
    const auto extent = extent_of(type_of(body_.site, id), axis);
    if (!extent || taken_[id.index]) {
      fail(body_.state(id));
      return false;
    }
    packed_[id.index] = Packed{axis, {0, *extent}, false};
    push(id);
    return true;
  }

  void cut(ValueId id, std::int64_t place) {
    if (failed_ || !packed_[id.index]->cuts.insert(place).second) return;
    if (packed_[id.index]->cuts.size() > kMaxCuts) fail(body_.state(id));
    push(id);
    for (const ValueId link : links_[id.index]) push(link);
  }

  /// Places [a_first, a_first + width) of a are those from b_first on of b.
  void agree(ValueId a, std::int64_t a_first, ValueId b, std::int64_t b_first, std::int64_t width) {
    const auto copy = [&](ValueId from, std::int64_t from_first, ValueId to, std::int64_t to_first) {
      const std::set<std::int64_t> cuts = packed_[from.index]->cuts;
      for (auto at = cuts.lower_bound(from_first); at != cuts.end() && *at <= from_first + width; ++at)
        cut(to, to_first + *at - from_first);
    };
    copy(a, a_first, b, b_first);
    copy(b, b_first, a, a_first);
  }

  /// `reader` is looked at again when the cuts of `id` change.
  void link(ValueId id, ValueId reader) {
    std::vector<ValueId>& links = links_[id.index];
    if (std::find(links.begin(), links.end(), reader) == links.end()) links.push_back(reader);
  }

  void take_apart(ValueId id) {
    const std::size_t axis = packed_[id.index]->axis;
    if (const auto state = body_.state(id)) return go_on_with_next(id, *state, axis);
    const Node* node = body_.producer(id);
    if (const Selection* taken = body_.selection(id)) return take_selection(id, *taken);
    if (call_of(node, "Concat") != nullptr) return take_concat(id, *node, axis);
    const std::vector<int> ties = *body_.tied_axes(*node, axis);
    const std::int64_t extent = *packed_[id.index]->cuts.rbegin();
    for (std::size_t i = 0; i < node->inputs.size(); ++i) {
      const ValueId input = node->inputs[i];
      if (!input.valid()) continue;
      const auto along = static_cast<std::size_t>(std::max(ties[i], 0));
      const bool moves = ties[i] >= 0 && extent_of(type_of(body_.site, input), along) == extent;
      if (!moves || !body_.packable(input, along)) {
        need(input);
      } else if (demand(input, along)) {
        link(input, id);
        agree(id, 0, input, 0, extent);
      }
    }
  }

  void go_on_with_next(ValueId id, std::size_t state, std::size_t axis) {
    if (std::find(states_.begin(), states_.end(), state) == states_.end()) states_.push_back(state);
    const ValueId next = body_.site.next(state);
    const std::int64_t extent = *packed_[id.index]->cuts.rbegin();
    if (!body_.packable(next, axis) || extent_of(type_of(body_.site, next), axis) != extent) {
      if (packed_[id.index]->is_apart()) fail(state);
      return;
    }
    if (!demand(next, axis)) return;
    link(next, id);
    agree(id, 0, next, 0, extent);
  }

  void take_selection(ValueId id, const Selection& taken) {
    if (!demand(taken.source, taken.axis)) return;
    link(taken.source, id);
    std::int64_t place = 0;
    for (const Run& run : taken.runs) {
      cut(taken.source, run.first);
      cut(taken.source, run.end);
      cut(id, place);
      cut(id, place + run.width());
      if (failed_) return;
      agree(id, place, taken.source, run.first, run.width());
      place += run.width();
    }
  }

  void take_concat(ValueId id, const Node& node, std::size_t axis) {
    std::int64_t first = 0;
    for (const ValueId input : node.inputs) {
      const std::int64_t width = *extent_of(type_of(body_.site, input), axis);
      cut(id, first);
      cut(id, first + width);
      if (failed_) return;
      const auto inside = packed_[id.index]->cuts.upper_bound(first);
      const bool is_cut = *inside < first + width;
      if (body_.packable(input, axis) && (is_cut || !body_.state(input))) {
        if (!demand(input, axis)) return;
        link(input, id);
        agree(id, first, input, 0, width);
      } else if (is_cut && body_.dependence.on_state(input)) {
        return fail(std::nullopt);
      } else {
        need(input);
      }
      first += width;
    }
  }

  void use_whole(ValueId id) {
    if (body_.state(id)) return;
    const Selection* taken = body_.selection(id);
    if (taken != nullptr && body_.packable(taken->source, taken->axis)) {
      if (!demand(taken->source, taken->axis)) return;
      for (const Run& run : taken->runs) {
        cut(taken->source, run.first);
        cut(taken->source, run.end);
        if (failed_) return;
      }
      return;
    }
    if (const Node* node = body_.producer(id)) for_each_read(*node, [&](ValueId read) { need(read); });
  }

  /// Whether most pieces of one place are taken, and put back, without the axis.
  [[nodiscard]] bool pieces_lack_axis() const {
    int votes = 0;
    for (std::uint32_t i = 0; i < packed_.size(); ++i) {
      const ValueId id{i};
      const Node* node = body_.producer(id);
      if (const Selection* taken = body_.selection(id); taken != nullptr && packed_[taken->source.index])
        for (const Run& run : taken->runs)
          if (run.width() == 1) votes += taken->drops ? 1 : -1;
      if (!packed_[i] || call_of(node, "Concat") == nullptr) continue;
      for (const ValueId input : node->inputs) {
        if (extent_of(type_of(body_.site, input), packed_[i]->axis) != 1 || packed_[input.index]) continue;
        const Node* from = body_.producer(input);
        const bool adds =
            call_of(from, "Unsqueeze") != nullptr && only_axis(body_.site.body, *from) == packed_[i]->axis;
        votes += adds ? 1 : -1;
      }
    }
    return votes > 0;
  }

  const PackedBody& body_;
  const Packing& taken_;
  Packing packed_;
  std::vector<bool> whole_;                  ///< by value: read as a whole on the way to a next state
  std::vector<std::vector<ValueId>> links_;  ///< by value
  std::vector<std::size_t> states_;
  std::vector<ValueId> open_;
  bool failed_ = false;
  std::optional<std::size_t> culprit_;
};

/// Whether anything in the body could take a state apart.
bool takes_anything(const PackedBody& body) {
  for (const Node& node : body.site.body.nodes)
    for (const ValueId id : node.outputs)
      if (id.valid() && (body.selection(id) != nullptr || call_of(&node, "Concat") != nullptr)) return true;
  return false;
}

/// Tries one state along one axis; states in the way stay whole.
void search_from(PackedBody& body, std::size_t state, std::size_t axis, Packing& packing) {
  for (int i = 0; i < kMaxTries && body.packable(body.site.next(state), axis); ++i) {
    Search search(body, packing);
    if (search.run(state, axis)) {
      search.add_to(packing);
      break;
    }
    if (!search.culprit() || *search.culprit() == state) break;
    body.block(*search.culprit());
  }
  body.unblock_all();
}

}  // namespace

Packing find_packing(PackedBody& body) {
  Packing packing(body.site.body.values.size());
  if (!takes_anything(body)) return packing;
  for (std::size_t i = 0; i < body.site.scan.states; ++i) {
    const Type& type = type_of(body.site, body.site.state(i));
    for (std::size_t axis = 0; type.shape && axis < type.shape->size(); ++axis)
      if (extent_of(type, axis).value_or(0) > 1 && !packing[body.site.state(i).index])
        search_from(body, i, axis, packing);
  }
  return packing;
}

}  // namespace pawl::scan
