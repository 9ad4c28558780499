#include "kernel/fused_loop.h"

#include <algorithm>
#include <cstdint>

#include "base/try.h"
#include "kernel/state_tiles.h"
#include "kernel/step_emitter.h"
#include "kernel/step_graph.h"

namespace pawl::kernel {
namespace {

/// Sums that do not fit into registers cost less than to go through a whole matrix once more, up to so many.
constexpr int kSpilled = 8;
/// Vectors of a block of a stage without sums.
constexpr std::int64_t kPlainVectors = 4;

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
    find_cut();
    return std::move(loop_);
  }
  [[nodiscard]] Layouts better_layouts() const { return memory_.better(policy_.tiles, tiles_.width > 0); }
  [[nodiscard]] bool has_gone_wrong() const { return memory_.has_gone_wrong(); }

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
    return emitter_.places_of(stage) + (policy_.open ? work_of_places() : 0);
  }
  /// Where nothing goes from step to step, memory and functions are what a lane waits for.
  [[nodiscard]] std::int64_t work_of_places() const {
    std::int64_t work = 0;
    for (const StepValue& value : graph_.values)
      work += value.kind == StepValue::Kind::source && !value.number ? 1 : value.is_function ? 4 : 0;
    return work;
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
  ///   spilled : sums that do not fit and are worth it
  [[nodiscard]] Unroll unroll_of(const Stage& stage, const std::vector<std::size_t>& order, std::int64_t rows,
                                 int spilled) const {
    Unroll unroll{1, policy_.unroll};
    const std::int64_t lanes = tiles_.width > 0 ? tiles_.width : lanes_along(stage, order);
    const std::int64_t vectors = (lanes + policy_.vector - 1) / policy_.vector;
    const int sums = emitter_.sums_of(stage);
    if (sums > 0) {
      const int most = std::max(policy_.sums / sums, 1);
      const int most_rows = std::max((policy_.sums + spilled) / sums, 1);
      for (int i = 2; i <= most_rows && i <= rows && i <= 8; ++i)
        if (i < 5 || (rows % i == 0 && !policy_.open)) unroll.rows = i;
      unroll.vectors = std::min(std::max(most / unroll.rows, 1), 8);
    }
    if (policy_.open) unroll.vectors = std::min(unroll.vectors, policy_.unroll);
    // As many vectors as there are; in parts that leave none over, if that does not cost half of them.
    unroll.vectors = static_cast<int>(std::min<std::int64_t>({unroll.vectors, vectors, tiles_.vectors}));
    // Where many shapes share a kernel that is left to chance.
    for (int i = unroll.vectors; 2 * i > unroll.vectors && !policy_.open; --i)
      if (vectors % i == 0) {
        unroll.vectors = i;
        break;
      }
    return unroll;
  }

  /// Lanes of the axis that vectors go along.
  [[nodiscard]] static std::int64_t lanes_along(const Stage& stage, const std::vector<std::size_t>& order) {
    return order.empty() ? 1 : std::max<std::int64_t>(stage.lanes[order.back()], 1);
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
    if (last && tiles_.width > 0) {
      loop_.axes[of_class].tile = tiles_.width;
      return builder_.lanes(
          extent, [&](Counter tile) { over_block(axis, tile, tiles_.width, tiles_.width, unroll.vectors, inside); });
    }
    builder_.lanes(
        extent,
        [&](Counter counter) {
          lane_.places[axis] = counter;
          over_lanes(stage, order, level + 1, unroll, inside);
          lane_.places.erase(axis);
        },
        last          ? unroll.vectors
        : before_last ? unroll.rows
                      : 1);
  }

  /// Lanes of a block of an axis, of which there are `extent`.
  template <class F>
  void over_block(std::size_t axis, const Form& block, std::int64_t width, const Form& extent, int vectors,
                  F&& inside) {
    builder_.lanes(
        extent,
        [&](Counter lane) {
          lane_.places[axis] = block * Form(width) + lane;
          lane_.block = {axis, width, block, lane};
          inside();
          lane_.block = {};
          lane_.places.erase(axis);
        },
        vectors);
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
    tiles_ = state_tiles(graph_, stage, lanes_along(stage, order), policy_);
    loop_.steps_per_visit = stays ? 0 : tiles_.width > 0 ? policy_.steps_per_tile : policy_.steps_per_visit;
    const Unroll unroll = unroll_of(stage, order, 1, kSpilled);
    lane_.beside = unroll.rows * unroll.vectors;
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
    initial.reserve(states.size());
    for (const StepStore* each : states) initial.push_back(emitter_.load_state(each->to.index, each->at, lane_));
    const std::vector<Var> finals =
        builder_.steps(loop_.steps, initial, [&](Counter step, std::span<const Var> inside) {
          std::map<std::size_t, Var> registers;
          for (std::size_t i = 0; i < states.size(); ++i) registers.emplace(states[i]->to.index, inside[i]);
          emitter_.step(stage, lane_, {visit, step}, registers);
          std::vector<Var> next;
          next.reserve(states.size());
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
    const Unroll unroll = unroll_of(stage, order, order.size() == 1 ? kManySteps : 1, kSpilled);
    lane_.beside = unroll.rows * unroll.vectors;
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

  void find_cut() {
    for (std::size_t axis = 0; axis < loop_.axes.size() && loop_.splits_time; ++axis) {
      const FusedLoop::Axis& own = loop_.axes[axis];
      std::int64_t bytes = 0;
      for (const Binding& binding : loop_.bindings) {
        if (binding.along[axis] == Binding::Stride{} || binding.time.valid()) continue;
        std::int64_t size = static_cast<std::int64_t>(size_of(loop_.program.buffers[binding.buffer].dtype));
        for (const std::int64_t extent : binding.shape) size *= extent;
        bytes += size;
      }
      if (!own.innermost || !own.can_split || bytes <= 2 * policy_.stays) continue;
      const std::int64_t whole = 4 * std::int64_t{policy_.vector};
      loop_.cut = {axis, std::max(policy_.stays * own.extent / bytes / whole * whole, whole)};
    }
  }

  /// Lanes of an axis that one thread has.
  [[nodiscard]] std::int64_t rows_of(const Stage& stage, std::size_t axis) const {
    const bool is_shared =
        !loop_.shares_steps && stage.classes[axis] != SIZE_MAX && stage.lanes[axis] >= policy_.threads;
    return is_shared ? stage.lanes[axis] / policy_.threads : stage.lanes[axis];
  }

  void steps_outside() {
    loop_.shares_steps = shares_steps();
    loop_.share = std::max<std::int64_t>(policy_.shared_work / 2, 1);
    if (loop_.shares_steps) loop_.alone = builder_.param("alone");
    builder_.steps(loop_.steps, {}, [&](Counter step, std::span<const Var>) {
      for (const Stage& stage : plan_.stages) {
        over_stage(stage, [&] {
          std::map<std::size_t, Var> registers;
          emitter_.step(stage, lane_, {{}, step}, registers);
        });
        emitter_.done(stage);
        if (loop_.shares_steps || policy_.barriers) builder_.barrier();
      }
      return std::vector<Var>();
    });
  }

  /// Whether there is so much to do in a step that threads had better share it than rows.
  [[nodiscard]] bool shares_steps() const {
    if (policy_.threads < 2 || policy_.open || loop_.work < policy_.shared_work) return false;
    return std::any_of(plan_.stages.begin(), plan_.stages.end(), [&](const Stage& stage) {
      const std::vector<std::size_t> order = order_of(stage);
      return has_blocks(stage, order, kPlainVectors * policy_.vector);
    });
  }

  /// Whether the last axis is long enough to be gone through in blocks.
  [[nodiscard]] static bool has_blocks(const Stage& stage, const std::vector<std::size_t>& order, std::int64_t width) {
    return !order.empty() && stage.classes[order.back()] == SIZE_MAX && stage.lanes[order.back()] > width;
  }

  template <class F>
  void over_stage(const Stage& stage, F&& inside) {
    const std::vector<std::size_t> order = order_of(stage);
    begin(stage, order);
    const bool has_sums = emitter_.sums_of(stage) > 0;
    const std::int64_t rows = order.size() > 1 ? rows_of(stage, order[order.size() - 2]) : 1;
    // With blocks outside of rows, what a block needs of a matrix is near when the next rows come.
    const Unroll blocked = unroll_of(stage, order, rows, 0);
    const std::int64_t width = policy_.vector * (has_sums ? blocked.vectors : kPlainVectors);
    const bool is_far = has_sums && !order.empty() &&
                        work_of(stage) * emitter_.sums_of(stage) * stage.lanes[order.back()] > policy_.near;
    if (lane_.vectors != kLoopAxis && has_blocks(stage, order, width) && (is_far || loop_.shares_steps))
      return in_blocks(stage, order, blocked, width, inside);
    const Unroll unroll = unroll_of(stage, order, rows, kSpilled);
    lane_.beside = unroll.rows * unroll.vectors;
    const auto all = [&] { over_lanes(stage, order, 0, unroll, inside); };
    if (!loop_.shares_steps) return all();
    builder_.lanes(loop_.alone, [&](Counter) { all(); });
  }

  /// Whole blocks of the last axis, and what is left.
  template <class F>
  void in_blocks(const Stage& stage, std::vector<std::size_t> order, const Unroll& unroll, std::int64_t width,
                 F&& inside) {
    lane_.beside = unroll.rows * unroll.vectors;
    const std::size_t axis = order.back();
    order.pop_back();
    FusedLoop::Blocks blocks;
    blocks.count = stage.lanes[axis] / width;
    blocks.rest = stage.lanes[axis] % width;
    Form first, count = blocks.count, rest = blocks.rest;
    if (loop_.shares_steps) {
      const std::size_t number = loop_.blocks.size();
      const auto param = [&](std::string_view name) { return builder_.param(fmt::format("{}{}", name, number)); };
      first = blocks.first_param = param("first");
      count = blocks.count_param = param("blocks");
      if (blocks.rest > 0) rest = blocks.rest_param = param("rest");
      loop_.blocks.push_back(blocks);
    }
    const auto lanes = [&](const Form& block, const Form& extent, int vectors) {
      over_lanes(stage, order, 0, {1, unroll.rows}, [&] { over_block(axis, block, width, extent, vectors, inside); });
    };
    builder_.lanes(count, [&](Counter block) { lanes(first + block, width, unroll.vectors); }, 1, "b");
    if (blocks.rest > 0)
      lanes(blocks.count, rest, static_cast<int>(std::max<std::int64_t>(blocks.rest / policy_.vector, 1)));
  }

  const graph::ScanOp& scan_;
  const StepGraph& graph_;
  const StepPlan& plan_;
  const FusedLoopPolicy& policy_;
  Builder builder_;
  StepMemory memory_;
  StepEmitter emitter_;
  Lane lane_;
  StateTiles tiles_;
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
  const auto lower = [&](const FusedLoopPolicy& how) -> std::optional<FusedLoop> {
    FusedLoopLowering first(scan, times, *made.graph, plan, how, {});
    std::optional<FusedLoop> loop = first.run();
    if (first.has_gone_wrong()) return std::nullopt;
    if (const Layouts better = first.better_layouts(); how.moves && !better.empty())
      loop = FusedLoopLowering(scan, times, *made.graph, plan, how, better).run();
    return loop;
  };
  std::optional<FusedLoop> loop = lower(policy);
  if (!loop) {
    FusedLoopPolicy alone = policy;
    alone.shared_work = INT64_MAX;
    loop = lower(alone);
  }
  CHECK(loop.has_value());
  return Lowering{std::move(loop), {}};
}

}  // namespace pawl::kernel
