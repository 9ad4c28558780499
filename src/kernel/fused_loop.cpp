#include "kernel/fused_loop.h"

#include <algorithm>

#include "kernel/step_emitter.h"
#include "kernel/step_graph.h"

namespace pawl::kernel {
namespace {

/// Lanes of a full vector, of the widest target and four bytes: how many vectors there are to go side by side.
constexpr std::int64_t kVector = 16;

class FusedLoopLowering {
 public:
  FusedLoopLowering(const graph::ScanOp& scan, const TimeAxes& times, const StepGraph& graph, const StepPlan& plan,
                    const FusedLoopPolicy& policy, Layouts layouts)
      : scan_(scan),
        graph_(graph),
        plan_(plan),
        policy_(policy),
        builder_("fused_loop"),
        memory_(times, builder_, std::move(layouts), policy.open),
        emitter_(graph, plan, memory_, builder_, scan.states, policy) {}

  FusedLoop run() {
    loop_.visits = builder_.param("visits");
    loop_.steps = builder_.param("steps");
    find_axes();
    if (plan_.lanes_outside)
      lanes_outside();
    else
      steps_outside();
    loop_.bindings = memory_.finish(loop_.axes);
    loop_.program = std::move(builder_).finish();
    return std::move(loop_);
  }
  [[nodiscard]] Layouts better_layouts() const { return memory_.better(); }

 private:
  void find_axes() {
    loop_.axes.resize(plan_.classes);
    for (std::size_t i = 0; i < plan_.classes; ++i) loop_.axes[i].param = builder_.param(fmt::format("lanes{}", i));
    for (const Stage& stage : plan_.stages) {
      std::int64_t lanes = 1;
      for (std::size_t axis = 0; axis < stage.lanes.size(); ++axis) {
        lanes *= stage.lanes[axis];
        if (stage.classes[axis] != SIZE_MAX) loop_.axes[stage.classes[axis]].extent = stage.lanes[axis];
      }
      loop_.work += lanes * work_of(stage);
    }
  }

  /// Operations of a lane, roughly.
  [[nodiscard]] std::int64_t work_of(const Stage& stage) const {
    std::int64_t most = 1;
    for (const StepStore& store : stage.stores) {
      std::int64_t inside = 1;
      for (const std::int64_t extent : store.loops) inside *= extent;
      most = std::max(most, inside);
    }
    for (const StepValue& value : graph_.values) {
      if (value.kind != StepValue::Kind::reduce) continue;
      std::int64_t inside = 1;
      for (const std::size_t axis : value.axes) inside *= graph_[value.operands[0]].shape[axis];
      most = std::max(most, inside);
    }
    return most;
  }

  /// The order in which a stage's axes are gone through: vectors along the last one, unless that is short.
  [[nodiscard]] static std::vector<std::size_t> order_of(const Stage& stage) {
    std::vector<std::size_t> order;
    for (std::size_t axis = 0; axis < stage.lanes.size(); ++axis)
      if (stage.lanes[axis] != 1) order.push_back(axis);
    constexpr std::int64_t kShort = 8;
    if (order.size() > 1 && stage.lanes[order.back()] < kShort) {
      const auto longest = std::max_element(
          order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return stage.lanes[a] < stage.lanes[b]; });
      std::rotate(longest, longest + 1, order.end());
    }
    return order;
  }

  struct Unroll {
    int rows = 1;     ///< lanes of the axis before the last one
    int vectors = 1;  ///< along the last one
  };
  /// Sums of several rows and vectors side by side share what they load; all of them stay in registers.
  [[nodiscard]] Unroll unroll_of(const Stage& stage, const std::vector<std::size_t>& order, std::int64_t rows) const {
    Unroll unroll{1, policy_.unroll};
    const std::int64_t lanes = order.empty() ? 1 : std::max<std::int64_t>(stage.lanes[order.back()], 1);
    const std::int64_t vectors = (lanes + kVector - 1) / kVector;
    const int sums = emitter_.sums_of(stage);
    if (sums > 0) {
      const int most = std::max(policy_.sums / sums, 1);
      // A few sums that do not fit cost less than to go through a matrix once more.
      constexpr int kSpilled = 8;
      const int most_rows = std::max((policy_.sums + kSpilled) / sums, 1);
      for (int i = 2; i <= most_rows && i <= rows && i <= 8; ++i)
        if (i < 5 || (rows % i == 0 && !policy_.open)) unroll.rows = i;
      unroll.vectors = std::min(std::max(most / unroll.rows, 1), 8);
    }
    if (policy_.open) unroll.vectors = std::min(unroll.vectors, policy_.unroll);
    // As many vectors as there are; in parts that leave none over, if that does not cost half of them.
    unroll.vectors = static_cast<int>(std::min<std::int64_t>(unroll.vectors, vectors));
    // Where many shapes share a kernel that is left to chance.
    for (int i = unroll.vectors; 2 * i > unroll.vectors && !policy_.open; --i)
      if (vectors % i == 0) {
        unroll.vectors = i;
        break;
      }
    return unroll;
  }

  /// Loops over the axes of a stage's lanes.
  template <class F>
  void over_lanes(const Stage& stage, const std::vector<std::size_t>& order, std::size_t level, const Unroll& unroll,
                  F&& inside) {
    if (level == order.size()) return inside();
    const std::size_t axis = order[level];
    const std::size_t of_class = stage.classes[axis];
    const Form extent = of_class == SIZE_MAX ? extent_of(stage.lanes[axis]) : Form(loop_.axes[of_class].param);
    const bool last = level + 1 == order.size(), before_last = level + 2 == order.size();
    builder_.lanes(
        extent,
        [&](Counter counter) {
          lane_.counters[axis] = counter;
          over_lanes(stage, order, level + 1, unroll, inside);
          lane_.counters.erase(axis);
        },
        last          ? unroll.vectors
        : before_last ? unroll.rows
                      : 1);
  }

  Form extent_of(std::int64_t lanes) {
    if (!policy_.open) return lanes;
    const Param param = builder_.param(fmt::format("extent{}", loop_.extents.size()));
    loop_.extents.emplace_back(param, lanes);
    return param;
  }

  void begin(const Stage& stage, const std::vector<std::size_t>& order) {
    lane_ = {};
    lane_.splits = stage.classes;
    lane_.vectors = order.empty() ? kLoopAxis : order.back();
    constexpr std::int64_t kFew = 8;
    // Vectors go along the sum where lanes do not fill them.
    if (!order.empty() && stage.lanes[order.back()] < kFew && emitter_.sums_of(stage) > 0) lane_.vectors = kLoopAxis;
  }

  /// The states that a lane has one place of.
  [[nodiscard]] std::vector<const StepStore*> in_registers(const Stage& stage) const {
    std::vector<const StepStore*> stores;
    for (const StepStore& store : stage.stores)
      if (store.to.kind == Keep::Kind::state && store.loops.empty()) stores.push_back(&store);
    return stores;
  }

  void lanes_outside() {
    const Stage& stage = plan_.stages[0];
    const std::vector<std::size_t> order = order_of(stage);
    begin(stage, order);
    if (scan_.states == 0 || std::none_of(stage.stores.begin(), stage.stores.end(),
                                          [](const StepStore& store) { return store.to.kind == Keep::Kind::state; }))
      return steps_as_lanes(stage, order);
    std::int64_t lanes = 1;
    for (const std::int64_t extent : stage.lanes) lanes *= extent;
    const bool stays = lanes <= policy_.register_lanes;
    loop_.steps_per_visit = stays ? 0 : policy_.steps_per_visit;
    const Unroll unroll = unroll_of(stage, order, 1);
    builder_.steps(
        loop_.visits, {},
        [&](Counter visit, std::span<const Var>) {
          over_lanes(stage, order, 0, unroll, [&] { all_steps(stage, visit); });
          return std::vector<Var>();
        },
        "v");
  }

  /// All steps of a visit for one lane.
  void all_steps(const Stage& stage, Counter visit) {
    const std::vector<const StepStore*> states = in_registers(stage);
    std::vector<Var> initial;
    for (const StepStore* each : states) initial.push_back(emitter_.load_state(each->to.index, each->at, lane_));
    const std::vector<Var> finals =
        builder_.steps(loop_.steps, initial, [&](Counter step, std::span<const Var> inside) {
          std::map<std::size_t, Var> registers;
          for (std::size_t i = 0; i < states.size(); ++i) registers.emplace(states[i]->to.index, inside[i]);
          emitter_.step(stage, lane_, {visit, step}, registers);
          std::vector<Var> next;
          for (const StepStore* each : states) next.push_back(registers.at(each->to.index));
          return next;
        });
    for (std::size_t i = 0; i < states.size(); ++i)
      emitter_.store_state(states[i]->to.index, states[i]->at, lane_, finals[i]);
  }

  /// Steps that have nothing to do with each other are lanes too.
  void steps_as_lanes(const Stage& stage, const std::vector<std::size_t>& order) {
    loop_.splits_time = true;
    constexpr std::int64_t kManySteps = 4;
    const Unroll unroll = unroll_of(stage, order, order.size() == 1 ? kManySteps : 1);
    builder_.lanes(
        loop_.steps,
        [&](Counter step) {
          over_lanes(stage, order, 0, unroll, [&] {
            std::map<std::size_t, Var> registers;
            emitter_.step(stage, lane_, {{}, step}, registers);
          });
        },
        order.size() == 1 ? unroll.rows
        : order.empty()   ? unroll.vectors
                          : 1,
        "t");
  }

  /// Lanes of an axis that one thread has.
  [[nodiscard]] std::int64_t rows_of(const Stage& stage, std::size_t axis) const {
    const bool is_shared = stage.classes[axis] != SIZE_MAX && stage.lanes[axis] >= policy_.threads;
    return is_shared ? stage.lanes[axis] / policy_.threads : stage.lanes[axis];
  }

  void steps_outside() {
    builder_.steps(loop_.steps, {}, [&](Counter step, std::span<const Var>) {
      for (const Stage& stage : plan_.stages) {
        const std::vector<std::size_t> order = order_of(stage);
        begin(stage, order);
        const std::int64_t rows = order.size() > 1 ? rows_of(stage, order[order.size() - 2]) : 1;
        over_lanes(stage, order, 0, unroll_of(stage, order, rows), [&] {
          std::map<std::size_t, Var> registers;
          emitter_.step(stage, lane_, {{}, step}, registers);
        });
        emitter_.done(stage);
      }
      return std::vector<Var>();
    });
  }

  const graph::ScanOp& scan_;
  const StepGraph& graph_;
  const StepPlan& plan_;
  const FusedLoopPolicy& policy_;
  Builder builder_;
  StepMemory memory_;
  StepEmitter emitter_;
  Lane lane_;
  FusedLoop loop_;
};

}  // namespace

Result<Lowering> lower_fused_loop(const graph::ScanOp& scan, const std::vector<ops::Fact>& facts,
                                  const std::vector<bool>& wanted, const FusedLoopPolicy& policy) {
  StepGraphResult made = make_step_graph(scan, facts, wanted, policy.exact);
  if (!made.graph) return Lowering{std::nullopt, std::move(made.refusal)};
  const graph::Graph& body = *scan.body.graph;
  for (std::size_t i = 0; i < scan.states; ++i) {
    const StepId next = made.graph->outputs[i];
    const Type& before = facts[body.inputs[i].index].type;
    if (!next.valid()) continue;
    if (before.dtype != (*made.graph)[next].dtype ||
        !(before.static_shape() == std::optional((*made.graph)[next].shape)))
      return Lowering{std::nullopt, fmt::format("the state {} changes its type", body[body.inputs[i]].name)};
  }
  if (std::none_of(made.graph->outputs.begin(), made.graph->outputs.end(), [](StepId id) { return id.valid(); }))
    return Lowering{std::nullopt, "nothing is computed"};
  const TimeAxes times = time_axes(scan, facts);
  made.graph = merge_axes(times, scan.states, std::move(*made.graph));
  const StepPlan plan = plan_step(*made.graph, scan.states);
  // Once to see how memory is walked through, and once with tensors laid out for that.
  FusedLoopLowering first(scan, times, *made.graph, plan, policy, {});
  FusedLoop loop = first.run();
  if (const Layouts better = first.better_layouts(); !better.empty())
    loop = FusedLoopLowering(scan, times, *made.graph, plan, policy, better).run();
  return Lowering{std::move(loop), {}};
}

}  // namespace pawl::kernel
