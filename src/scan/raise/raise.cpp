// A Loop whose number of steps is known before it starts is a Scan.
//   elements : what is read at places that follow from the number of the step; that number itself
//   outputs  : scan outputs, and what is carried only to be written into
//   states   : everything else that is carried and changes
#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "graph/rebuild.h"
#include "scan/pass.h"
#include "scan/raise/counters.h"
#include "scan/raise/roles.h"
#include "scan/raise/write_outputs.h"

namespace pawl::scan {
namespace {

using graph::Mapping;
using graph::Node;

class Raise {
 public:
  Raise(LoopSite& site, std::vector<Note>* notes)
      : site_(site),
        notes_(notes),
        forms_(site),
        reads_(site, forms_),
        writes_(site, forms_),
        roles_(site, forms_, reads_, writes_),
        made_(site.outer, site.body.name),
        mapping_(site.body),
        written_(site, writes_, steps_) {}

  Rewritten run() {
    std::string refusal;
    TRY_ASSIGN(const bool is_scan, understand(refusal));
    if (notes_ != nullptr) tell(is_scan, refusal);
    if (!is_scan) return {std::nullopt};
    return needs_nothing() ? unchanged() : rewrite();
  }

 private:
  /// Each round has another look at what is still a Loop.
  void tell(bool is_scan, const std::string& refusal) {
    std::erase_if(*notes_, [&](const Note& note) { return note.scan == site_.node.label && note.what == "stays"; });
    if (is_scan)
      notes_->push_back({site_.node.label, "raised", "Loop", "the number of steps is known before it starts"});
    else
      notes_->push_back({site_.node.label, "stays", "Loop", refusal});
  }

  /// Errors: what emitting into the outer graph says.
  Result<bool> understand(std::string& refusal) {
    writes_.find();
    // What is carried may change its shape, and a step that fits the first time need not fit later.
    refusal = "its steps do not fit what it starts with";
    if (!site_.infer(writes_.grown_types()).ok()) return false;
    for (std::size_t i = 0; i < site_.loop.carried; ++i)
      if (!site_.stays(i) && !writes_.get<Grown>(i)) site_.set_shape_like(site_.carried(i), site_.initial(i));
    TRY(find_counters(site_, forms_));
    TRY_ASSIGN(auto steps, find_steps(site_, forms_, refusal));
    if (!steps) return false;
    steps_ = std::move(*steps);
    if (graph::integer_in(site_.outer.fact(steps_.count).tensor()).value_or(0) > kMostSteps) {
      refusal = "the numbers of so many steps are too large a tensor";
      return false;
    }
    if (steps_.inside) forms_.set_steps(*steps_.inside);
    refusal = "its steps do not fit what it starts with";
    if (!roles_.refine_types().ok()) return false;
    TRY(writes_.settle(steps_));
    TRY(roles_.find());
    return roles_.is_steady(steps_, refusal);
  }

  /// Whether all that is wanted is carried unchanged.
  [[nodiscard]] bool needs_nothing() const {
    for (std::size_t i = 0; i < site_.outputs.size(); ++i)
      if (site_.wants(i) && (i >= site_.loop.carried || !site_.stays(i))) return false;
    return true;
  }

  Rewritten unchanged() {
    std::vector<ValueId> replaced(site_.outputs.size());
    for (std::size_t i = 0; i < std::min(replaced.size(), site_.loop.carried); ++i) replaced[i] = site_.initial(i);
    return {std::move(replaced)};
  }

  Rewritten rewrite() {
    made_.drop_declarations();
    state_.assign(site_.loop.carried, 0);
    last_.assign(site_.loop.carried, {});
    for (std::size_t i = 0; i < site_.loop.carried; ++i) {
      if (!roles_.is_state(i)) continue;
      state_[i] = made_.states();
      mapping_[site_.carried(i)] = made_.add_state(described(site_.carried(i)), site_.initial(i));
    }
    TRY(add_last_entries());
    TRY(add_elements());
    TRY(add_known());
    TRY(copy_body());
    return finish();
  }

  // --- inputs of the body

  /// States that hold what the step before has written.
  Result<void> add_last_entries() {
    for (const auto& [index, seen] : roles_.seen()) {
      const std::size_t i = seen.carried;
      if (!roles_.uses(ValueId{index}) || last_[i].valid()) continue;
      ValueId first = seen.first_item;
      if (seen.first) {
        TRY_ASSIGN(first, first_entry(site_, *seen.first, steps_));
      }
      const Entry& entry = *writes_.entry(i);
      graph::ValueInfo value = described(entry.value);
      value.name = site_.body[site_.carried(i)].name + "_last";
      for (std::size_t k = entry.ones.size(); k-- > 0;)
        value.fact.type.shape->erase(value.fact.type.shape->begin() + entry.ones[k]);
      state_[i] = made_.states();
      last_[i] = made_.add_state(value, first);
    }
    return {};
  }

  Result<void> add_elements() {
    bool exact = false;
    std::vector<std::uint32_t> used;
    for (const auto& [index, read] : roles_.reads())
      if (roles_.uses(ValueId{index})) used.push_back(index);
    for (const std::uint32_t index : used) {
      TRY_ASSIGN(const Entries entries, reads_.entries(roles_.reads().at(index), steps_));
      exact = exact || entries.exact;
      TRY_ASSIGN(mapping_[ValueId{index}], made_.add_element(described(ValueId{index}), entries.tensor, entries.cut));
    }
    if (!exact || roles_.needed()[site_.number().index]) TRY(add_number());
    // All inputs are there: what is seen with more axes is made of them.
    for (const std::uint32_t index : used)
      TRY(keep(ValueId{index}, mapping_(ValueId{index}), roles_.reads().at(index).kept));
    for (const auto& [index, seen] : roles_.seen())
      if (roles_.uses(ValueId{index})) TRY(keep(ValueId{index}, last_[seen.carried], seen.kept));
    return {};
  }

  Result<void> keep(ValueId inner, ValueId entry, const std::vector<std::int64_t>& axes) {
    mapping_[inner] = entry;
    if (axes.empty()) return {};
    TRY_ASSIGN(const auto kept, made_.body().call("Unsqueeze", {}, {entry, made_.body().add_integers(axes, "axes")},
                                                  site_.body[inner].name));
    mapping_[inner] = kept[0];
    return {};
  }

  /// The number of the step, as an element of 0, 1, 2, …
  Result<void> add_number() {
    const auto integer = [&](std::int64_t value) {
      return site_.outer.add_constant(Tensor::scalar<std::int64_t>(value), "number");
    };
    TRY_ASSIGN(const auto numbers,
               site_.outer.call("Range", {}, {integer(0), steps_.count, integer(1)}, site_.node.name + "_numbers"));
    graph::ValueInfo number = described(site_.number());
    number.fact.type = Type::tensor(DType::i64, Dims{});
    TRY_ASSIGN(const ValueId at, made_.add_element(number, numbers[0], {0, false}));
    const bool vector = site_.type(site_.number()).shape->size() == 1;
    return keep(site_.number(), at, vector ? std::vector<std::int64_t>{0} : std::vector<std::int64_t>());
  }

  /// Constants, what is carried unchanged, captured values and shapes.
  Result<void> add_known() {
    mapping_[site_.going()] =
        made_.body().add_constant(Tensor::of<bool>(*site_.type(site_.going()).static_shape(), {true}), "condition");
    for (std::uint32_t i = 0; i < site_.body.values.size(); ++i) {
      const ValueId id{i};
      if (!roles_.uses(id) || mapping_(id).valid()) continue;
      if (const Tensor* constant = site_.fact(id).tensor()) {
        mapping_[id] = made_.body().add_constant(*constant, site_.body[id].name);
      } else {
        TRY_ASSIGN(const ValueId outside, site_.outside(id));
        mapping_[id] = made_.capture(outside);
      }
    }
    for (std::size_t i = 0; i < site_.loop.carried; ++i)
      if (site_.stays(i) && roles_.needed()[site_.carried(i).index])
        mapping_[site_.carried(i)] = made_.capture(site_.initial(i));
    for (const graph::Capture& capture : site_.loop.body.captures)
      if (roles_.needed()[capture.inner.index]) mapping_[capture.inner] = made_.capture(capture.outer);
    return {};
  }

  [[nodiscard]] graph::ValueInfo described(ValueId id) const {
    graph::ValueInfo value;
    value.name = site_.body[id].name;
    value.fact.type = site_.integers.without_names(site_.type(id));
    return value;
  }

  // --- nodes and outputs

  /// The nodes that are needed; what this step has written is read where it comes from.
  Result<void> copy_body() {
    for (std::uint32_t i = 0; i < site_.body.values.size(); ++i) {
      const ValueId id{i};
      const Tensor* constant = site_.body[id].fact.tensor();
      if (roles_.needed()[i] && constant != nullptr && site_.producer(id) == nullptr && !mapping_(id).valid())
        mapping_[id] = made_.body().add_constant(*constant, site_.body[id].name);
    }
    for (const Node& node : site_.body.nodes) {
      if (!graph::any_of(node.outputs, roles_.needed())) continue;
      const auto seen = roles_.seen().find(node.outputs[0].index);
      if (seen != roles_.seen().end() && seen->second.now) {
        TRY_ASSIGN(const ValueId entry, written_.entry(seen->second.carried, mapping_, made_));
        TRY(keep(node.outputs[0], entry, seen->second.kept));
        continue;
      }
      if (const auto length = roles_.lengths().find(node.outputs[0].index); length != roles_.lengths().end()) {
        TRY(add_length(node.outputs[0], length->second));
        continue;
      }
      TRY_ASSIGN(Node copy, graph::carry_over(node, mapping_, made_.body()));
      TRY_ASSIGN(const auto ids, made_.body().add(std::move(copy), graph::outputs_of(site_.body, node)));
      for (std::size_t k = 0; k < node.outputs.size(); ++k)
        if (node.outputs[k].valid()) mapping_[node.outputs[k]] = ids[k];
    }
    return {};
  }

  Result<void> add_length(ValueId length, std::int64_t before) {
    ValueId number = mapping_(site_.number());
    graph::Builder& body = made_.body();
    if (site_.type(site_.number()).shape->size() == 1) {
      TRY_ASSIGN(const auto scalar, body.call("Squeeze", {}, {number, body.add_integers({0}, "axes")}, "number"));
      number = scalar[0];
    }
    const ValueId first = body.add_constant(Tensor::scalar<std::int64_t>(before), "before");
    TRY_ASSIGN(const auto sum, body.call("Add", {}, {number, first}, site_.body[length].name));
    mapping_[length] = sum[0];
    return {};
  }

  Rewritten finish() {
    const std::size_t carried = site_.loop.carried;
    for (std::size_t i = 0; i < carried; ++i) {
      if (roles_.is_state(i)) {
        made_.set_next(state_[i], mapping_(site_.next(i)));
        if (site_.wants(i)) made_.set_final(state_[i], site_.outputs[i]);
      }
      if (!last_[i].valid()) continue;
      TRY_ASSIGN(const ValueId entry, written_.entry(i, mapping_, made_));
      made_.set_next(state_[i], entry);
    }
    for (std::size_t k = 0; k < site_.loop.outputs; ++k)
      if (site_.wants(carried + k)) made_.add_output(mapping_(site_.output(k)), site_.outputs[carried + k], {0, false});
    for (std::size_t i = 0; i < carried; ++i)
      if (roles_.is_live(i) && writes_.is_written(i)) TRY(written_.add(i, mapping_, made_));
    const std::size_t states = made_.states();
    TRY_ASSIGN(const std::vector<ValueId> results, made_.finish(site_.node.name, site_.node.label));
    return outputs(results, states);
  }

  /// What stands for the Loop's outputs.
  Rewritten outputs(const std::vector<ValueId>& results, std::size_t states) {
    std::vector<ValueId> replaced(site_.outputs.size());
    std::size_t at = states;
    for (std::size_t k = 0; k < site_.loop.outputs; ++k)
      if (site_.wants(site_.loop.carried + k)) replaced[site_.loop.carried + k] = results[at++];
    for (std::size_t i = 0; i < site_.loop.carried; ++i) {
      if (!site_.wants(i)) continue;
      if (site_.stays(i)) replaced[i] = site_.initial(i);
      if (roles_.is_state(i)) replaced[i] = results[state_[i]];
      if (writes_.is_written(i)) {
        TRY_ASSIGN(replaced[i], written_.finish(i, std::span(results).subspan(states)));
      }
    }
    return {std::move(replaced)};
  }

  /// The numbers of the steps are a tensor: a loop of more steps stays a Loop.
  static constexpr std::int64_t kMostSteps = std::int64_t{1} << 27;

  LoopSite& site_;
  std::vector<Note>* notes_;
  IndexForms forms_;
  Reads reads_;
  Writes writes_;
  Roles roles_;
  Steps steps_;
  ScanBuilder made_;
  Mapping mapping_;
  WriteOutputs written_;
  std::vector<std::size_t> state_;  ///< by carried value: its place among the states, or that of its last entry
  std::vector<ValueId> last_;       ///< by carried value: the state of the Scan's body that has its last entry
};

}  // namespace

Rewritten raise_loop(graph::Builder& outer, const Node& node, const graph::LoopOp& loop,
                     std::span<const graph::ValueInfo> outputs, std::vector<Note>* notes) {
  LoopSite site(outer, node, loop, outputs);
  return Raise(site, notes).run();
}

}  // namespace pawl::scan
