#include "kernel/step_emitter.h"

#include <algorithm>

#include "expr/types.h"

namespace pawl::kernel {

using expr::computed_type;
using expr::Op;
using Kind = StepValue::Kind;

namespace {

/// Scalar operations into a kernel.
class KernelEmitter final : public expr::Emitter {
 public:
  KernelEmitter(Builder& to, Products* products) : to_(to), products_(products) {}
  expr::Value constant(DType dtype, double value) override { return {to_.constant(dtype, value).index}; }
  expr::Value apply(expr::Op op, std::span<const expr::Value> operands, DType to) override {
    std::vector<Var> vars;
    for (const expr::Value each : operands) vars.push_back({each.index});
    const Var fused = products_ == nullptr ? Var{} : products_->fused(to_, op, vars);
    const Var made = fused.valid() ? fused : to_.compute(op, vars, to);
    if (products_ != nullptr) products_->note(to_, op, vars, made);
    return {made.index};
  }
  [[nodiscard]] DType type_of(expr::Value value) const override { return to_.type({value.index}); }

 private:
  Builder& to_;
  Products* products_;
};

}  // namespace

// --- what is summed, and when

std::vector<std::int64_t> StepEmitter::extents_of(const StepValue& value) const {
  std::vector<std::int64_t> extents;
  extents.reserve(value.axes.size());
  for (const std::size_t axis : value.axes) extents.push_back(graph_[value.operands[0]].shape[axis]);
  return extents;
}

/// The round after which a value can be computed: that of the last sum in it.
int StepEmitter::collect(StepId id, const Indices& indices, std::map<Key, int>& rounds, std::vector<Sum>& sums) const {
  const Key key{id, indices};
  if (const auto found = rounds.find(key); found != rounds.end()) return found->second;
  const StepValue& value = graph_[id];
  int round = 0;
  const bool reads_memory = value.kind == Kind::source || kept(id) != nullptr || value.is_reshape;
  if (!reads_memory) {
    for (const StepId operand : value.operands)
      round = std::max(round, collect(operand, operand_indices(graph_, value, operand, indices), rounds, sums));
    if (value.kind == Kind::reduce) sums.push_back({id, indices, extents_of(value), ++round});
  }
  rounds.emplace(key, round);
  return round;
}

void StepEmitter::find_reads(StepId id, const Indices& indices, std::set<std::size_t>& states,
                             bool through_sums) const {
  const StepValue& value = graph_[id];
  if (kept(id) != nullptr || value.is_reshape) return;
  if (value.kind == Kind::source && value.source == StepValue::Source::state) states.insert(value.index);
  if (value.kind == Kind::reduce && !through_sums) return;
  for (const StepId operand : value.operands)
    find_reads(operand, operand_indices(graph_, value, operand, indices), states, false);
}

std::vector<StepEmitter::Group> StepEmitter::groups_of(const Stage& stage, std::vector<Sum>& sums) const {
  std::map<Key, int> rounds;
  for (const StepStore& store : stage.stores)
    if (store.copies == SIZE_MAX) collect(store.value, store.from, rounds, sums);
  std::vector<Group> groups;
  const auto group = [&](int round, const std::vector<std::int64_t>& extents) -> Group& {
    for (Group& each : groups)
      if (each.round == round && each.extents == extents) return each;
    Group made;
    made.round = round;
    made.extents = extents;
    groups.push_back(std::move(made));
    return groups.back();
  };
  for (const Sum& sum : sums) group(sum.round, sum.extents).sums.push_back(&sum);
  // A state is written in the last loop that reads it, or after that.
  for (const StepStore& store : stage.stores) {
    if (store.loops.empty()) continue;
    int round = rounds.at({store.value, store.from}) + 1;
    if (store.to.kind == Keep::Kind::state) {
      for (const Sum& sum : sums) {
        std::set<std::size_t> states;
        find_reads(sum.id, sum.indices, states, true);
        if (states.contains(store.to.index))
          round = std::max(round, sum.extents == store.loops ? sum.round : sum.round + 1);
      }
      for (const StepStore& other : stage.stores) {
        std::set<std::size_t> states;
        if (!other.loops.empty()) find_reads(other.value, other.from, states, false);
        if (states.contains(store.to.index)) round = std::max(round, rounds.at({other.value, other.from}) + 1);
      }
    }
    group(round, store.loops).stores.push_back(&store);
  }
  std::sort(groups.begin(), groups.end(), [](const Group& a, const Group& b) {
    return std::pair(a.round, !a.stores.empty()) < std::pair(b.round, !b.stores.empty());
  });
  return groups;
}

std::int64_t StepEmitter::places_of(const Stage& stage) const {
  std::vector<Sum> sums;
  std::int64_t most = 1;
  for (const Group& group : groups_of(stage, sums)) {
    std::int64_t places = 1;
    for (const std::int64_t extent : group.extents) places *= extent;
    most = std::max(most, places);
  }
  return most;
}

int StepEmitter::sums_of(const Stage& stage) const {
  std::vector<Sum> sums;
  std::size_t most = 0;
  for (const Group& group : groups_of(stage, sums)) {
    std::size_t carried = 0;
    for (const Sum* sum : group.sums)
      if (!is_twin(group, *sum)) carried += gives_index(graph_[sum->id].fold) ? 2 : 1;
    most = std::max(most, carried);
  }
  return static_cast<int>(most);
}

// --- a step

void StepEmitter::step(const Stage& stage, const Lane& lane, const Moment& moment,
                       std::map<std::size_t, Var>& registers) {
  lane_ = lane;
  moment_ = moment;
  registers_ = &registers;
  for (const auto& [state, var] : registers) products_.add_late(var);
  known_.assign(1, {});
  std::vector<Sum> sums;
  for (const Group& group : groups_of(stage, sums)) run(group);
  std::vector<std::pair<const StepStore*, Var>> values;
  for (const StepStore& store : stage.stores) {
    if (!store.loops.empty()) continue;
    if (store.copies == SIZE_MAX)
      values.emplace_back(&store, pull(store.value, store.from));
    else
      values.emplace_back(&store, load(bind({Keep::Kind::scratch, store.copies}, store.value), store.from));
  }
  std::map<std::size_t, Var> next = registers;
  for (const auto& [to, value] : values) {
    if (to->to.kind == Keep::Kind::state && registers.contains(to->to.index))
      next[to->to.index] = value;
    else
      store(*to, value);
  }
  registers = std::move(next);
}

void StepEmitter::done(const Stage& stage) {
  for (const StepStore& store : stage.stores) done_.insert(store.value);
  // What was joined is there with its last part.
  for (const auto& [value, keep] : plan_.kept) {
    const StepValue& facts = graph_[value];
    if (facts.kind == Kind::join &&
        std::all_of(facts.operands.begin(), facts.operands.end(), [&](StepId part) { return done_.contains(part); }))
      done_.insert(value);
  }
}

const Keep* StepEmitter::kept(StepId id) const {
  if (!done_.contains(id)) return nullptr;
  const auto found =
      std::find_if(plan_.kept.begin(), plan_.kept.end(), [&](const auto& each) { return each.first == id; });
  return found == plan_.kept.end() ? nullptr : &found->second;
}

const Var* StepEmitter::known(const Key& key) const {
  for (const auto& scope : known_)
    if (const auto found = scope.find(key); found != scope.end()) return &found->second;
  return nullptr;
}

Var StepEmitter::pull(StepId id, const Indices& indices) {
  const Key key{id, indices};
  if (const Var* found = known(key)) return *found;
  const StepValue& value = graph_[id];
  Var made;
  if (const Keep* keep = kept(id)) {
    made = load(bind(*keep, id), indices);
  } else if (value.kind == Kind::source) {
    made = pull_source(value, indices);
  } else if (value.is_reshape) {
    const Keep* from = kept(value.operands[0]);
    CHECK(from != nullptr);
    made = load(bind(*from, value.operands[0]), indices, &value.shape);
  } else if (value.kind == Kind::view) {
    made = pull(value.operands[0], operand_indices(graph_, value, value.operands[0], indices));
  } else {
    // Sums were computed in their round, and what is joined is kept.
    CHECK(value.kind == Kind::lane);
    std::vector<expr::Value> operands;
    operands.reserve(value.operands.size());
    for (const StepId operand : value.operands)
      operands.push_back({pull(operand, operand_indices(graph_, value, operand, indices)).index});
    KernelEmitter emitter(builder_, exact_ ? nullptr : &products_);
    made = {value.lane(emitter, operands)->index};
  }
  known_.back().emplace(key, made);
  return made;
}

Var StepEmitter::pull_source(const StepValue& value, const Indices& indices) {
  if (value.source == StepValue::Source::state)
    if (const auto found = registers_->find(value.index); found != registers_->end()) return found->second;
  if (value.number) return builder_.constant(value.dtype, *value.number);
  return load(bind(value), indices);
}

std::size_t StepEmitter::bind(const StepValue& source) {
  static constexpr Binding::Kind kKinds[] = {Binding::Kind::state, Binding::Kind::element, Binding::Kind::captured,
                                             Binding::Kind::constant};
  return memory_.bind(kKinds[static_cast<std::size_t>(source.source)], source.index, source.constant, source.dtype,
                      source.shape);
}

std::size_t StepEmitter::bind(const Keep& keep, StepId value) {
  if (keep.kind == Keep::Kind::scratch) {
    const Scratch& scratch = plan_.scratch[keep.index];
    return memory_.bind(Binding::Kind::scratch, keep.index, {}, scratch.dtype, scratch.shape);
  }
  const StepValue& facts = graph_[value];
  Dims shape = facts.shape;
  if (keep.kind == Keep::Kind::output) return memory_.bind(Binding::Kind::output, keep.index, {}, facts.dtype, shape);
  return memory_.bind(Binding::Kind::state, keep.index, {}, facts.dtype, shape);
}

Var StepEmitter::load(std::size_t binding, const Indices& indices, const Dims* shape) {
  const Form at = memory_.place(binding, indices, moment_, lane_, shape);
  const Var loaded = builder_.load(memory_.buffer(binding), at);
  const Binding::Kind kind = memory_[binding].kind;
  if (kind == Binding::Kind::state || kind == Binding::Kind::scratch) products_.add_late(loaded);
  return expr::is_stored(builder_.type(loaded)) ? builder_.cast(loaded, DType::f32) : loaded;
}

void StepEmitter::store(const StepStore& store, Var value) {
  const DType dtype = graph_[store.value].dtype;
  // The parts of what is joined go to the whole.
  std::size_t binding = 0;
  if (store.to.kind == Keep::Kind::output || store.to.kind == Keep::Kind::state) {
    const StepId root = graph_.outputs[store.to.kind == Keep::Kind::state ? store.to.index : states_ + store.to.index];
    binding = bind(store.to, root);
  } else {
    binding = bind(store.to, store.value);
  }
  const Form at = memory_.place(binding, store.at, moment_, lane_);
  builder_.store(memory_.buffer(binding), at, expr::is_stored(dtype) ? builder_.cast(value, dtype) : value,
                 streaming_ && store.to.kind == Keep::Kind::output);
}

Var StepEmitter::load_state(std::size_t state, const Indices& indices, const Lane& lane) {
  lane_ = lane;
  moment_ = {};
  return load(bind({Keep::Kind::state, state}, graph_.outputs[state]), indices);
}

void StepEmitter::store_state(std::size_t state, const Indices& indices, const Lane& lane, Var value) {
  lane_ = lane;
  moment_ = {};
  store({graph_.outputs[state], {Keep::Kind::state, state}, indices, indices, {}}, value);
}

// --- loops inside of a lane

/// What is carried: of an index the extreme element and then the index, of all others but twins one value.
std::vector<Var> StepEmitter::initial(const Group& group) {
  std::vector<Var> vars;
  for (const Sum* sum : group.sums) {
    const StepValue& value = graph_[sum->id];
    if (is_twin(group, *sum)) continue;
    const DType dtype = computed_type(graph_[value.operands[0]].dtype);
    if (value.fold == Fold::sum || value.fold == Fold::product) {
      vars.push_back(expr::is_float(dtype) ? builder_.constant(dtype, value.start)
                                           : builder_.integer(dtype, value.start == 1 ? 1 : 0));
      continue;
    }
    vars.push_back(least_value(builder_, dtype, !is_most(value.fold)));
    if (gives_index(value.fold)) vars.push_back(builder_.integer(DType::i32, 0));
  }
  return vars;
}

/// What a place adds to a sum, or makes of what there is so far.
Var StepEmitter::add_to(const Sum& sum, Var inside) {
  const StepValue& value = graph_[sum.id];
  const StepId operand = value.operands[0];
  const Indices indices = operand_indices(graph_, value, operand, sum.indices);
  const StepValue& of = graph_[operand];
  const bool is_float = expr::is_float(computed_type(of.dtype));
  if (value.fold == Fold::sum && of.is_product && is_float && !exact_ && kept(operand) == nullptr) {
    const Var a = pull(of.operands[0], operand_indices(graph_, of, of.operands[0], indices));
    const Var b = pull(of.operands[1], operand_indices(graph_, of, of.operands[1], indices));
    return builder_.compute(Op::fma, {a, b, inside});
  }
  const Var x = pull(operand, indices);
  switch (value.fold) {
    case Fold::sum: return builder_.compute(Op::add, {inside, x});
    case Fold::product: return builder_.compute(Op::multiply, {inside, x});
    case Fold::most: return builder_.compute(Op::maximum, {inside, x});
    default: return builder_.compute(Op::minimum, {inside, x});
  }
}

std::vector<Var> StepEmitter::next(const Group& group, std::span<const Var> inside) {
  std::vector<Var> made;
  for (const Sum* sum : group.sums) {
    const StepValue& value = graph_[sum->id];
    if (is_twin(group, *sum)) continue;
    const Var best = inside[made.size()];
    if (!gives_index(value.fold)) {
      made.push_back(add_to(*sum, best));
      continue;
    }
    const Var x = pull(value.operands[0], operand_indices(graph_, value, value.operands[0], sum->indices));
    const Var place = builder_.cast(builder_.number(lane_.places.at(kLoopAxis)), DType::i32);
    see(value.fold, x, place, inside, made);
  }
  return made;
}

void StepEmitter::store_all(const Group& group) {
  std::vector<Var> values;
  values.reserve(group.stores.size());
  for (const StepStore* each : group.stores) values.push_back(pull(each->value, each->from));
  for (std::size_t i = 0; i < values.size(); ++i) store(*group.stores[i], values[i]);
}

std::vector<Var> StepEmitter::loop(const Group& group, std::size_t level, const std::vector<Var>& carried) {
  const auto inside = [&](Counter counter, const auto& body) {
    lane_.places[kLoopAxis + level] = counter;
    known_.emplace_back();
    std::vector<Var> made = body();
    known_.pop_back();
    return made;
  };
  const std::size_t levels = group.extents.size();
  if (level == levels) {
    std::vector<Var> made = next(group, carried);
    store_all(group);
    return made;
  }
  const Form extent(group.extents[level]);
  const bool in_order = exact_ || level + 1 < levels || carried.empty() ||
                        std::any_of(group.sums.begin(), group.sums.end(),
                                    [&](const Sum* sum) { return gives_index(graph_[sum->id].fold); });
  if (in_order)
    return builder_.steps(
        extent, carried,
        [&](Counter counter, std::span<const Var> vars) {
          const std::vector<Var> now(vars.begin(), vars.end());
          return inside(counter, [&] { return loop(group, level + 1, now); });
        },
        "k");
  return builder_.reduced_with(
      extent, carried,
      [&](Counter counter, std::span<const Var> vars) {
        return inside(counter, [&] {
          std::vector<Var> made = next(group, vars);
          store_all(group);
          return made;
        });
      },
      [&] {
        std::vector<Op> ops;
        for (const Sum* sum : group.sums) {
          const Fold fold = graph_[sum->id].fold;
          ops.push_back(fold == Fold::sum       ? Op::add
                        : fold == Fold::product ? Op::multiply
                        : fold == Fold::most    ? Op::maximum
                                                : Op::minimum);
        }
        return ops;
      }());
}

void StepEmitter::run(const Group& group) {
  const int sides = sides_of(group);
  const std::vector<Var> results = sides > 1 ? side_by_side(group, sides) : loop(group, 0, initial(group));
  for (std::size_t level = 0; level < group.extents.size(); ++level) lane_.places.erase(kLoopAxis + level);
  std::size_t at = 0;
  for (const Sum* sum : group.sums) {
    if (is_twin(group, *sum)) continue;
    const StepValue& value = graph_[sum->id];
    products_.add_late(results[at]);
    if (gives_index(value.fold)) {
      for (const Sum* twin : group.sums)
        if (is_twin_of(*twin, *sum)) known_.back().emplace(Key{twin->id, twin->indices}, results[at]);
      ++at;
    }
    known_.back().emplace(Key{sum->id, sum->indices}, results[at++]);
  }
}

}  // namespace pawl::kernel
