#include "scan/packing.h"

#include <algorithm>

#include "ops/axis_rules.h"

namespace pawl::scan {

using graph::Node;
using graph::OpCall;
using graph::ValueId;

namespace {

/// A state in more pieces than this is better left to vector instructions.
constexpr std::size_t kMaxPieces = 16;
/// Values on the way may be wider: a Concat of a state and what is pushed into it.
constexpr std::size_t kMaxCuts = 4 * kMaxPieces;
/// States that stand in the way are left whole, one after the other, so many times.
constexpr int kMaxTries = 8;

const Type& type_of(const Site& site, ValueId id) { return site.body[id].fact.type; }

}  // namespace

std::vector<Run> Packed::pieces() const {
  std::vector<Run> runs;
  std::optional<std::int64_t> before;
  for (const std::int64_t cut : cuts) {
    if (before) runs.push_back({*before, cut});
    before = cut;
  }
  return runs;
}

PackedBody::PackedBody(const Site& at, const Dependence& depends)
    : site(at),
      dependence(depends),
      producers_(at.body.values.size(), nullptr),
      selections_(at.body.values.size()),
      states_(at.body.values.size()),
      blocked_(at.scan.states, false),
      axes_(at.body.values.size(), 0) {
  for (std::size_t i = 0; i < site.scan.states; ++i) states_[site.state(i).index] = i;
  for (const Node& node : site.body.nodes)
    for (std::size_t i = 0; i < node.outputs.size(); ++i) {
      if (!node.outputs[i].valid()) continue;
      producers_[node.outputs[i].index] = &node;
      std::optional<Selection>& made = selections_[node.outputs[i].index];
      made = selection_of(site.body, node, i);
      // The only place of what was taken, without its axis.
      if (call_of(&node, "Squeeze") == nullptr) continue;
      const Selection* taken = selection(node.inputs[0]);
      if (taken == nullptr || taken->drops || only_axis(site.body, node) != taken->axis || taken->runs.size() != 1 ||
          taken->runs[0].width() != 1)
        continue;
      made = *taken;
      made->drops = true;
    }
  find_axes();
}

std::optional<std::vector<int>> PackedBody::tied_axes(const Node& node, std::size_t axis) const {
  const auto* call = std::get_if<OpCall>(&node.operation);
  if (call == nullptr || call->def->random || node.outputs.size() != 1 || !call->def->domain.empty())
    return std::nullopt;
  const auto& relate = call->def->axes.relate;
  // Until version 6 an attribute placed one input along the axes of the other.
  if ((relate != ops::relate_pointwise && relate != ops::relate_first) ||
      call->schema->attribute("broadcast") != nullptr)
    return std::nullopt;
  std::vector<const ops::Fact*> inputs;
  for (const ValueId id : node.inputs) inputs.push_back(id.valid() ? &site.body[id].fact : nullptr);
  const std::vector<Type> outputs{type_of(site, node.outputs[0])};
  const ops::Ties ties = ops::relate(*call->def, {*call->schema, call->attributes, inputs, outputs});
  const ops::Tie* tie = ties.find(0, axis);
  if (tie == nullptr || ties.by_elements) return std::nullopt;
  return tie->inputs;
}

void PackedBody::block(std::size_t state) {
  blocked_[state] = true;
  find_axes();
}

void PackedBody::unblock_all() {
  if (std::find(blocked_.begin(), blocked_.end(), true) == blocked_.end()) return;
  std::fill(blocked_.begin(), blocked_.end(), false);
  find_axes();
}

std::uint32_t PackedBody::axes_made_by(const Node& node, std::size_t output) const {
  const ValueId id = node.outputs[output];
  if (const Selection* taken = selection(id)) {
    const bool keeps = !taken->drops && packable(taken->source, taken->axis);
    return keeps ? std::uint32_t{1} << taken->axis : 0;
  }
  if (const auto axis = concat_axis(site.body, node)) {
    const auto has_extent = [&](ValueId input) { return extent_of(type_of(site, input), *axis).value_or(0) > 0; };
    const bool measured = std::all_of(node.inputs.begin(), node.inputs.end(), has_extent);
    return measured && *axis < kMaxRank ? std::uint32_t{1} << *axis : 0;
  }
  const Type& type = type_of(site, id);
  std::uint32_t found = 0;
  for (std::size_t axis = 0; type.shape && axis < type.shape->size() && axis < kMaxRank; ++axis) {
    const auto extent = extent_of(type, axis);
    const auto ties = extent && *extent > 0 ? tied_axes(node, axis) : std::nullopt;
    if (!ties) continue;
    bool any = false;
    bool all = true;
    for (std::size_t i = 0; i < ties->size(); ++i) {
      if (!node.inputs[i].valid() || (*ties)[i] < 0) continue;
      const auto along = static_cast<std::size_t>((*ties)[i]);
      const auto has = extent_of(type_of(site, node.inputs[i]), along);
      const bool packs = has == extent && packable(node.inputs[i], along);
      any = any || packs;
      all = all && has && (*has == 1 || *has == *extent) &&
            (packs || *has != *extent || !dependence.on_state(node.inputs[i]));
    }
    if (any && all) found |= std::uint32_t{1} << axis;
  }
  return found;
}

void PackedBody::find_axes() {
  std::fill(axes_.begin(), axes_.end(), 0);
  for (std::size_t i = 0; i < site.scan.states; ++i) {
    const Type& type = type_of(site, site.state(i));
    for (std::size_t axis = 0; !blocked_[i] && type.shape && axis < type.shape->size() && axis < kMaxRank; ++axis)
      if (extent_of(type, axis).value_or(0) > 0) axes_[site.state(i).index] |= std::uint32_t{1} << axis;
  }
  for (const Node& node : site.body.nodes)
    for (std::size_t i = 0; i < node.outputs.size(); ++i)
      if (node.outputs[i].valid() && dependence.on_state(node.outputs[i]))
        axes_[node.outputs[i].index] = axes_made_by(node, i);
}

namespace {

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
