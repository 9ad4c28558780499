// What a lane of a stage does: sums first, those that others are made of before them, then what is stored.
#pragma once

#include <map>
#include <set>

#include "kernel/products.h"
#include "kernel/step_memory.h"
#include "kernel/step_plan.h"

namespace pawl::kernel {

bool is_most(Fold fold);
/// Below (above) everything else.
Var least_value(Builder& builder, DType dtype, bool greatest);

/// Writes the statements of one lane. States in registers are given and taken; all others are memory.
class StepEmitter {
 public:
  StepEmitter(const StepGraph& graph, const StepPlan& plan, StepMemory& memory, Builder& builder, std::size_t states,
              const FusedLoopPolicy& policy)
      : graph_(graph),
        plan_(plan),
        memory_(memory),
        builder_(builder),
        states_(states),
        exact_(policy.exact),
        streaming_(policy.streaming),
        has_sides_(policy.sides) {}

  /// One step of one lane. `registers` are states by index; those that the stage stores get their next values.
  void step(const Stage& stage, const Lane& lane, const Moment& moment, std::map<std::size_t, Var>& registers);
  /// Values that later stages may read from where they are kept.
  void done(const Stage& stage);

  Var load_state(std::size_t state, const Indices& indices, const Lane& lane);
  void store_state(std::size_t state, const Indices& indices, const Lane& lane, Var value);

  /// The largest number of places that a loop of the stage goes through in a lane.
  [[nodiscard]] std::int64_t places_of(const Stage& stage) const;
  /// The largest number of sums that are added up in one loop of the stage.
  [[nodiscard]] int sums_of(const Stage& stage) const;

 private:
  using Key = std::pair<StepId, Indices>;
  struct Sum {
    StepId id;
    Indices indices;
    std::vector<std::int64_t> extents;
    int round = 0;
  };
  struct Group {
    int round = 0;
    std::vector<std::int64_t> extents;
    std::vector<const Sum*> sums;
    std::vector<const StepStore*> stores;
  };

  [[nodiscard]] std::vector<std::int64_t> extents_of(const StepValue& value) const;
  int collect(StepId id, const Indices& indices, std::map<Key, int>& rounds, std::vector<Sum>& sums) const;
  void find_reads(StepId id, const Indices& indices, std::set<std::size_t>& states, bool through_sums) const;
  /// The loops of a stage, in their order; `sums` are what they point to.
  std::vector<Group> groups_of(const Stage& stage, std::vector<Sum>& sums) const;

  Var pull(StepId id, const Indices& indices);
  Var pull_source(const StepValue& value, const Indices& indices);
  Var load(std::size_t binding, const Indices& indices, const Dims* shape = nullptr);
  void store(const StepStore& store, Var value);
  std::size_t bind(const Keep& keep, StepId value);
  std::size_t bind(const StepValue& source);
  [[nodiscard]] const Keep* kept(StepId id) const;
  const Var* known(const Key& key) const;

  void run(const Group& group);
  std::vector<Var> loop(const Group& group, std::size_t level, const std::vector<Var>& carried);
  [[nodiscard]] std::vector<Var> initial(const Group& group);
  std::vector<Var> next(const Group& group, std::span<const Var> inside);
  void store_all(const Group& group);
  Var add_to(const Sum& sum, Var inside);

  // step_extremes.cpp
  [[nodiscard]] bool is_twin_of(const Sum& sum, const Sum& other) const;
  [[nodiscard]] bool is_twin(const Group& group, const Sum& sum) const;
  Var takes(Fold fold, Var x, Var best);
  /// Appends what is best, and where, once `x` at `place` was seen too; before, that is `inside` behind what was made.
  void see(Fold fold, Var x, Var place, std::span<const Var> inside, std::vector<Var>& made);
  [[nodiscard]] int sides_of(const Group& group) const;
  std::vector<Var> side_by_side(const Group& group, int sides);
  std::vector<Var> see_place(const Group& group, const AxisIndex& at, Var place, std::span<const Var> inside);
  std::vector<Var> better_of(const Group& group, std::span<const Var> first, std::span<const Var> second);

  const StepGraph& graph_;
  const StepPlan& plan_;
  StepMemory& memory_;
  Builder& builder_;
  std::size_t states_;
  bool exact_;
  bool streaming_;
  bool has_sides_;

  Lane lane_;
  Moment moment_;
  const std::map<std::size_t, Var>* registers_ = nullptr;
  Products products_;
  std::set<StepId> done_;
  std::vector<std::map<Key, Var>> known_;
};

}  // namespace pawl::kernel
