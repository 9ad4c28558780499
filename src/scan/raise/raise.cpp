// A Loop whose number of steps is known before it starts is a Scan.
//   elements : what is read at places that follow from the number of the step; that number itself
//   outputs  : scan outputs, and what is carried only to be written into
//   states   : everything else that is carried and changes
#include <algorithm>
#include <map>

#include "base/try.h"
#include "graph/infer.h"
#include "graph/rebuild.h"
#include "scan/pass.h"
#include "scan/raise/write_outputs.h"

namespace pawl::scan {
namespace {

using graph::Mapping;
using graph::Node;
using graph::OpCall;

class Raise {
 public:
  Raise(LoopSite& site, std::vector<Note>* notes)
      : site_(site), notes_(notes), forms_(site), reads_(site, forms_), writes_(site, forms_), mapping_(site.body) {}

  Rewritten run() {
    writes_.find();
    if (!site_.infer(writes_.grown_types()).ok()) return {std::nullopt};
    for (std::size_t i = 0; i < site_.loop.carried; ++i)
      if (!site_.stays(i) && !writes_.get<Grown>(i)) site_.set_shape_like(site_.carried(i), site_.initial(i));
    TRY(find_counters());
    std::string refusal;
    TRY_ASSIGN(auto steps, find_steps(site_, forms_, refusal));
    if (!steps || graph::integer_in(site_.outer.fact(steps->count).tensor()).value_or(0) > kMostSteps)
      return {std::nullopt};
    steps_ = std::move(*steps);
    if (steps_.inside) forms_.set_steps(*steps_.inside);
    if (!refine_types().ok()) return {std::nullopt};
    TRY(writes_.settle(steps_));
    TRY(find_roles());
    if (!carries_steady_tensors()) return {std::nullopt};
    return rewrite();
  }

 private:
  /// Carried integers that grow by a constant.
  Result<void> find_counters() {
    // One may be made of another one.
    for (int round = 0; round < 2; ++round)
      for (std::size_t i = 0; i < site_.loop.carried; ++i) TRY(find_counter(i));
    return {};
  }

  Result<void> find_counter(std::size_t i) {
    const DType dtype = site_.type(site_.carried(i)).dtype;
    if (site_.stays(i) || (dtype != DType::i64 && dtype != DType::i32)) return {};
    TRY_ASSIGN(const auto known, forms_.of(site_.carried(i)));
    const auto start = site_.integers.of(site_.initial(i));
    if (known || !start) return {};
    // What a step makes of its number alone, as it would have been before the first step.
    TRY_ASSIGN(const auto next, forms_.of(site_.next(i)));
    if (next) {
      const auto before = plus(next->rest, Linear(next->scale), -1);
      if (before && same(*before, *start)) forms_.add_counter(site_.carried(i), *start, next->scale);
      return {};
    }
    const Node* node = site_.producer(site_.behind(site_.next(i)));
    const bool adds = call_of(node, "Add") != nullptr;
    if (!adds && call_of(node, "Sub") == nullptr) return {};
    for (const std::size_t side : {std::size_t{0}, std::size_t{1}}) {
      if (site_.behind(node->inputs[side]) != site_.carried(i) || (!adds && side == 1)) continue;
      TRY_ASSIGN(const auto step, forms_.of(node->inputs[1 - side]));
      if (!step || step->scale != 0 || !step->rest.constant()) continue;
      forms_.add_counter(site_.carried(i), *start, adds ? step->rest.offset : -step->rest.offset);
      return {};
    }
    return {};
  }

  /// A Slice may give fewer entries than one, as far as its own type says.
  Result<void> refine_types() {
    std::unordered_map<std::uint32_t, Type> types;
    for (const Node& node : site_.body.nodes) {
      if (call_of(&node, "Slice") == nullptr) continue;
      TRY_ASSIGN(const auto read, find_read(node));
      if (!read) continue;
      Type type = site_.integers.type(read->tensor);
      type.shape->erase(type.shape->begin() + static_cast<std::ptrdiff_t>(read->axis));
      for (const std::int64_t axis : read->kept) type.shape->insert(type.shape->begin() + axis, Dim(1));
      types.emplace(node.outputs[0].index, std::move(type));
    }
    if (types.empty()) return {};
    return site_.refine(types);
  }

  // --- what is read, what is written, what is a state

  Result<void> find_roles() {
    for (bool changed = true; changed;) {
      TRY(find_known());
      TRY(find_needed());
      changed = false;
      for (std::size_t i = 0; i < site_.loop.carried; ++i) {
        if (!writes_.is_written(i) || !needed_[site_.carried(i).index]) continue;
        writes_.make_state(i);
        changed = true;
      }
    }
    return {};
  }

  /// Values that the Scan's body has otherwise than by computing them.
  Result<void> find_known() {
    read_.clear();
    known_.assign(site_.body.values.size(), false);
    for (const ValueId id : site_.body.inputs) known_[id.index] = site_.fact(id).tensor() != nullptr;
    for (const Node& node : site_.body.nodes) {
      const auto* call = std::get_if<OpCall>(&node.operation);
      for (const ValueId id : node.outputs)
        if (id.valid() && site_.fact(id).tensor() != nullptr) known_[id.index] = true;
      if (call == nullptr || call->def->random || node.inputs.empty() || node.outputs.empty()) continue;
      if (!node.outputs[0].valid() || known_[node.outputs[0].index]) continue;
      if (call->def->name == "Shape" || call->def->name == "Size") {
        TRY_ASSIGN(const ValueId outside, site_.outside(node.outputs[0]));
        known_[node.outputs[0].index] = outside.valid();
      }
      TRY_ASSIGN(auto read, find_read(node));
      if (!read) continue;
      read_.emplace(node.outputs[0].index, std::move(*read));
      known_[node.outputs[0].index] = true;
    }
    return {};
  }

  Result<std::optional<Read>> find_read(const Node& node) {
    if (!Reads::may_read(node)) return std::optional<Read>();
    TRY_ASSIGN(const ValueId outside, site_.outside(node.inputs[0]));
    if (outside.valid()) return reads_.find(node, outside);
    for (std::size_t i = 0; i < site_.loop.carried; ++i) {
      if (writes_.get<Scattered>(i) == nullptr || site_.behind(node.inputs[0]) != site_.carried(i)) continue;
      TRY_ASSIGN(auto read, reads_.find(node, site_.initial(i)));
      if (read && writes_.reads_initial(i, *read)) return read;
    }
    return std::optional<Read>();
  }

  /// By value: what the outputs, the writes and the states that matter are made of, as far as it is not known.
  Result<void> find_needed() {
    live_.assign(site_.loop.carried, false);
    for (std::size_t i = 0; i < site_.loop.carried; ++i) live_[i] = site_.wants(i) && !site_.stays(i);
    for (bool changed = true; changed;) {
      mark_needed();
      changed = false;
      for (std::size_t i = 0; i < site_.loop.carried; ++i) {
        if (live_[i] || site_.stays(i) || writes_.is_written(i) || !needed_[site_.carried(i).index]) continue;
        live_[i] = true;
        changed = true;
      }
    }
    return {};
  }

  void mark_needed() {
    needed_.assign(site_.body.values.size(), false);
    used_.assign(site_.body.values.size(), false);
    const auto mark = [&](ValueId id) { (known_[id.index] ? used_ : needed_)[id.index] = true; };
    for (std::size_t i = 0; i < site_.loop.carried; ++i) {
      if (!live_[i]) continue;
      if (!writes_.is_written(i)) mark(site_.next(i));
      for (const ValueId id : writes_.sources(i)) mark(id);
    }
    for (std::size_t k = 0; k < site_.loop.outputs; ++k)
      if (site_.wants(site_.loop.carried + k)) mark(site_.output(k));
    for (std::size_t n = site_.body.nodes.size(); n-- > 0;)
      if (graph::any_of(site_.body.nodes[n].outputs, needed_)) for_each_read(site_.body.nodes[n], mark);
  }

  [[nodiscard]] bool is_state(std::size_t i) const { return live_[i] && !writes_.is_written(i); }

  /// A Loop's tensors may change their shape from step to step, a Scan's may not.
  bool carries_steady_tensors() {
    for (std::size_t i = 0; i < site_.loop.carried; ++i) {
      const Type before = site_.initial_type(i);
      if (is_state(i) && (!is_fixed(before) || !same_type(site_.type(site_.next(i)), before))) return false;
    }
    // Of what no step has made, the shape has to be known. What the steps make is compared by a Scan, too.
    const bool surely_runs = graph::integer_in(site_.outer.fact(steps_.count).tensor()).value_or(0) > 0;
    for (std::size_t k = 0; k < site_.loop.outputs && !surely_runs; ++k)
      if (site_.wants(site_.loop.carried + k) && !is_fixed(site_.type(site_.output(k)))) return false;
    return true;
  }

  // --- the Scan

  Rewritten rewrite() {
    if (needs_nothing()) return unchanged();
    ScanBuilder made(site_.outer, site_.body.name);
    made.drop_declarations();
    std::vector<std::size_t> state(site_.loop.carried, 0);
    for (std::size_t i = 0; i < site_.loop.carried; ++i) {
      if (!is_state(i)) continue;
      state[i] = made.states();
      mapping_[site_.carried(i)] = made.add_state(described(site_.carried(i)), site_.initial(i));
    }
    TRY(add_elements(made));
    TRY(add_known(made));
    TRY(graph::copy_nodes(site_.body, needed_, mapping_, made.body()));
    return finish(made, state);
  }

  Result<void> add_elements(ScanBuilder& made) {
    bool exact = false;
    std::vector<std::pair<std::uint32_t, ValueId>> wide;
    for (const auto& [index, read] : read_) {
      if (!used_[index]) continue;
      TRY_ASSIGN(const Entries entries, reads_.entries(read, steps_));
      exact = exact || entries.exact;
      TRY_ASSIGN(mapping_[ValueId{index}], made.add_element(described(ValueId{index}), entries.tensor, entries.cut));
      if (!read.kept.empty()) wide.emplace_back(index, mapping_(ValueId{index}));
    }
    if (!exact || needed_[site_.number().index]) TRY(add_number(made));
    for (const auto& [index, element] : wide) {
      const std::vector<std::int64_t>& axes = read_.at(index).kept;
      const auto count = static_cast<std::int64_t>(axes.size());
      const ValueId list =
          made.body().add_constant(Tensor::of<std::int64_t>({count}, std::span<const std::int64_t>(axes)), "axes");
      TRY_ASSIGN(const auto kept, made.body().call("Unsqueeze", {}, {element, list}, site_.body[ValueId{index}].name));
      mapping_[ValueId{index}] = kept[0];
    }
    return {};
  }

  /// The number of the step, as an element of 0, 1, 2, …
  Result<void> add_number(ScanBuilder& made) {
    const auto integer = [&](std::int64_t value) {
      return site_.outer.add_constant(Tensor::scalar<std::int64_t>(value), "number");
    };
    TRY_ASSIGN(const auto numbers,
               site_.outer.call("Range", {}, {integer(0), steps_.count, integer(1)}, site_.node.name + "_numbers"));
    graph::ValueInfo number = described(site_.number());
    number.fact.type = Type::tensor(DType::i64, Dims{});
    TRY_ASSIGN(ValueId at, made.add_element(number, numbers[0], {0, false}));
    if (site_.type(site_.number()).shape->size() == 1) {
      const ValueId axes = made.body().add_constant(Tensor::of<std::int64_t>({1}, {0}), "axes");
      TRY_ASSIGN(const auto vector, made.body().call("Unsqueeze", {}, {at, axes}, "number"));
      at = vector[0];
    }
    mapping_[site_.number()] = at;
    return {};
  }

  /// Constants, what is carried unchanged, captured values and shapes.
  Result<void> add_known(ScanBuilder& made) {
    mapping_[site_.going()] =
        made.body().add_constant(Tensor::of<bool>(*site_.type(site_.going()).static_shape(), {true}), "condition");
    for (std::uint32_t i = 0; i < used_.size(); ++i) {
      const ValueId id{i};
      if (!used_[i] || mapping_(id).valid()) continue;
      if (const Tensor* constant = site_.fact(id).tensor()) {
        mapping_[id] = made.body().add_constant(*constant, site_.body[id].name);
      } else {
        TRY_ASSIGN(const ValueId outside, site_.outside(id));
        mapping_[id] = made.capture(outside);
      }
    }
    for (std::size_t i = 0; i < site_.loop.carried; ++i)
      if (site_.stays(i) && needed_[site_.carried(i).index])
        mapping_[site_.carried(i)] = made.capture(site_.initial(i));
    for (const graph::Capture& capture : site_.loop.body.captures)
      if (needed_[capture.inner.index]) mapping_[capture.inner] = made.capture(capture.outer);
    return {};
  }

  [[nodiscard]] graph::ValueInfo described(ValueId id) const {
    graph::ValueInfo value;
    value.name = site_.body[id].name;
    value.fact.type = site_.integers.without_names(site_.type(id));
    return value;
  }

  /// All that is wanted is carried unchanged.
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

  Rewritten finish(ScanBuilder& made, const std::vector<std::size_t>& state) {
    const std::size_t carried = site_.loop.carried;
    WriteOutputs written(site_, writes_, steps_);
    for (std::size_t i = 0; i < carried; ++i) {
      if (!is_state(i)) continue;
      made.set_next(state[i], mapping_(site_.next(i)));
      if (site_.wants(i)) made.set_final(state[i], site_.outputs[i]);
    }
    for (std::size_t k = 0; k < site_.loop.outputs; ++k)
      if (site_.wants(carried + k)) made.add_output(mapping_(site_.output(k)), site_.outputs[carried + k], {0, false});
    for (std::size_t i = 0; i < carried; ++i)
      if (live_[i] && writes_.is_written(i)) TRY(written.add(i, mapping_, made));
    const std::size_t states = made.states();
    TRY_ASSIGN(const std::vector<ValueId> results, made.finish(site_.node.name, site_.node.label));
    std::vector<ValueId> replaced(site_.outputs.size());
    std::size_t at = states;
    for (std::size_t k = 0; k < site_.loop.outputs; ++k)
      if (site_.wants(carried + k)) replaced[carried + k] = results[at++];
    for (std::size_t i = 0; i < carried; ++i) {
      if (!site_.wants(i)) continue;
      if (site_.stays(i)) replaced[i] = site_.initial(i);
      if (is_state(i)) replaced[i] = results[state[i]];
      if (writes_.is_written(i)) {
        TRY_ASSIGN(replaced[i], written.finish(i, std::span(results).subspan(states)));
      }
    }
    if (notes_ != nullptr)
      notes_->push_back({site_.node.label, "raised", "Loop", "the number of steps is known before it starts"});
    return {std::move(replaced)};
  }

  /// The numbers of the steps are a tensor: a loop of more steps stays a Loop.
  static constexpr std::int64_t kMostSteps = std::int64_t{1} << 27;

  LoopSite& site_;
  std::vector<Note>* notes_;
  IndexForms forms_;
  Reads reads_;
  Writes writes_;
  Mapping mapping_;
  Steps steps_;
  std::map<std::uint32_t, Read> read_;  ///< by inner value
  std::vector<bool> known_;             ///< by inner value: read, constant, or the shape of something outside
  std::vector<bool> needed_;            ///< by inner value: to be computed in the body
  std::vector<bool> used_;              ///< by inner value: known, and read by what is needed
  std::vector<bool> live_;              ///< by carried value: changes, and matters
};

}  // namespace

Rewritten raise_loop(graph::Builder& outer, const Node& node, const graph::LoopOp& loop,
                     std::span<const graph::ValueInfo> outputs, std::vector<Note>* notes) {
  LoopSite site(outer, node, loop, outputs);
  return Raise(site, notes).run();
}

}  // namespace pawl::scan
