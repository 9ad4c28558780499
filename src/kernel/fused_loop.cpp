#include "kernel/fused_loop.h"

#include <algorithm>
#include <map>

#include "expr/types.h"
#include "graph/walk.h"
#include "kernel/builder.h"
#include "ops/lower.h"
#include "scan/selection.h"

namespace pawl::kernel {
namespace {

using expr::computed_type;
using expr::is_stored;
using graph::Graph;
using graph::Node;
using graph::OpCall;
using graph::ScanOp;
using graph::ValueId;

/// Where an axis of a value is read, in terms of one axis of lanes; axis -1: at `offset` alone.
struct Index {
  std::int64_t axis = -1;
  std::int64_t scale = 1;
  std::int64_t offset = 0;
  auto operator<=>(const Index&) const = default;
};
using Indices = std::vector<Index>;

/// Scalar operations into a kernel.
class KernelEmitter final : public expr::Emitter {
 public:
  explicit KernelEmitter(Builder& to) : to_(to) {}
  expr::Value constant(DType dtype, double value) override { return {to_.constant(dtype, value).index}; }
  expr::Value apply(expr::Op op, std::span<const expr::Value> operands, DType to) override {
    std::vector<Var> vars;
    for (const expr::Value each : operands) vars.push_back({each.index});
    return {to_.compute(op, vars, to).index};
  }
  [[nodiscard]] DType type_of(expr::Value value) const override { return to_.type({value.index}); }

 private:
  Builder& to_;
};

/// Types only: what would be emitted is asked first.
class TypeEmitter final : public expr::Emitter {
 public:
  expr::Value constant(DType dtype, double) override { return add(dtype); }
  expr::Value apply(expr::Op op, std::span<const expr::Value> operands, DType to) override {
    std::vector<DType> types;
    for (const expr::Value each : operands) types.push_back(type_of(each));
    return add(expr::result_type(op, types, to));
  }
  [[nodiscard]] DType type_of(expr::Value value) const override { return types_[value.index]; }
  expr::Value add(DType dtype) {
    types_.push_back(dtype);
    return {static_cast<std::uint32_t>(types_.size() - 1)};
  }

 private:
  std::vector<DType> types_;
};

/// Where lanes read or write a tensor.
struct Place {
  std::size_t binding = 0;
  std::int64_t offset = 0;               ///< in elements, of what is fixed
  std::vector<Binding::Stride> strides;  ///< by axis of the lanes' shape, before axes are joined
};

class FusedLoopLowering {
 public:
  FusedLoopLowering(const ScanOp& scan, const std::vector<Type>& types, const std::vector<bool>& wanted,
                    const FusedLoopPolicy& policy)
      : scan_(scan), body_(*scan.body.graph), types_(types), wanted_(wanted), policy_(policy), builder_("fused_loop") {}

  Result<Lowering> run() {
    if (!find_roots() || !find_lanes() || !trace()) return Lowering{std::nullopt, std::move(refusal_)};
    join_axes();
    return emit();
  }

 private:
  bool refuse(std::string why) {
    if (refusal_.empty()) refusal_ = std::move(why);
    return false;
  }
  [[nodiscard]] ValueId state(std::size_t i) const { return body_.inputs[i]; }
  [[nodiscard]] const Dims shape(ValueId id) const { return *types_[id.index].static_shape(); }

  // --- what is computed

  /// Outputs that are wanted, and next states that they, or each other, are made of.
  bool find_roots() {
    needed_state_.assign(wanted_.begin(), wanted_.begin() + static_cast<std::ptrdiff_t>(scan_.states));
    for (bool changed = true; changed;) {
      changed = false;
      roots_.clear();
      for (std::size_t i = 0; i < scan_.states; ++i)
        if (needed_state_[i]) roots_.push_back(i);
      for (std::size_t k = scan_.states; k < body_.outputs.size(); ++k)
        if (wanted_[k]) roots_.push_back(k);
      std::vector<ValueId> values;
      for (const std::size_t root : roots_) values.push_back(body_.outputs[root]);
      const std::vector<bool> needed = graph::values_behind(body_, values);
      for (std::size_t i = 0; i < scan_.states; ++i) {
        if (needed_state_[i] || !needed[state(i).index]) continue;
        needed_state_[i] = true;
        changed = true;
      }
    }
    return !roots_.empty() || refuse("nothing is computed");
  }

  /// The shape that lanes go over: the one that all states and outputs have.
  bool find_lanes() {
    for (std::size_t i = 0; i < body_.values.size(); ++i)
      if (!types_[i].is_tensor() || !types_[i].static_shape())
        return refuse(fmt::format("the shape of {} is not known", body_.values[i].name));
    lanes_ = shape(body_.outputs[roots_[0]]);
    for (const std::size_t root : roots_) {
      const ValueId id = body_.outputs[root];
      if (!expr::is_computed(computed_type(types_[id.index].dtype)))
        return refuse(fmt::format("{} is {}", body_[id].name, name(types_[id.index].dtype)));
      if (!(shape(id) == lanes_))
        return refuse(fmt::format("{} has shape {}, {} has {}", body_[id].name, to_string(shape(id)),
                                  body_[body_.outputs[roots_[0]]].name, to_string(lanes_)));
      if (root >= scan_.states) continue;
      const ValueId before = state(root);
      if (types_[id.index].dtype != types_[before.index].dtype || !(shape(before) == lanes_))
        return refuse(fmt::format("the state {} changes its type", body_[before].name));
    }
    return true;
  }

  // --- bindings and accesses

  static kernel::Access access_of(Binding::Kind kind) {
    if (kind == Binding::Kind::state) return kernel::Access::inout;
    return kind == Binding::Kind::output ? kernel::Access::out : kernel::Access::in;
  }

  std::size_t bind(Binding::Kind kind, std::size_t index, ValueId id) {
    for (std::size_t i = 0; i < bindings_.size(); ++i)
      if (bindings_[i].kind == kind && bindings_[i].index == index &&
          (kind != Binding::Kind::constant || bindings_[i].constant == id))
        return i;
    Binding made;
    made.kind = kind;
    made.index = index;
    made.constant = id;
    static constexpr std::string_view kLetters = "sxcky";
    const std::string own = fmt::format("{}{}", kLetters[static_cast<std::size_t>(kind)], bindings_.size());
    made.buffer = builder_.buffer(own, types_[id.index].dtype, access_of(kind)).index;
    made.origin = builder_.param(own + "_origin");
    if (kind == Binding::Kind::element || kind == Binding::Kind::output) {
      made.time = builder_.param(own + "_step");
      made.rest = builder_.param(own + "_rest");
      std::int64_t axis = kind == Binding::Kind::element ? scan_.input_axes[index] : scan_.output_axes[index];
      if (axis < 0) axis += static_cast<std::int64_t>(shape(id).size()) + 1;
      // The extent of time is inside of the strides of the axes before it.
      for (std::size_t before = 0; before < static_cast<std::size_t>(axis); ++before)
        made.strides.push_back({before, builder_.param(fmt::format("{}_stride{}", own, before))});
    }
    bindings_.push_back(std::move(made));
    return bindings_.size() - 1;
  }

  Place place(std::size_t binding, ValueId id, const Indices& indices) {
    // A scalar has one lane.
    Place made{binding, 0, std::vector<Binding::Stride>(std::max<std::size_t>(lanes_.size(), 1))};
    const Dims extents = shape(id);
    std::int64_t dense = 1;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      const Index& index = indices[axis];
      const std::vector<Binding::TensorStride>& own = bindings_[binding].strides;
      const auto found = std::find_if(own.begin(), own.end(), [&](const auto& each) { return each.axis == axis; });
      Binding::Stride stride{dense * index.scale, {}};
      if (found == own.end()) {
        made.offset += dense * index.offset;
      } else {
        stride = {0, found->param};
        if (index.offset != 0 || index.scale != 1) refuse(fmt::format("a part of {} is read", body_[id].name));
      }
      if (index.axis >= 0 && extents[axis] != 1) made.strides[static_cast<std::size_t>(index.axis)] = stride;
      dense *= extents[axis];
    }
    return made;
  }

  /// The tensor that a value without a node is read from.
  std::optional<Place> leaf(ValueId id, const Indices& indices) {
    for (std::size_t i = 0; i < scan_.states; ++i)
      if (state(i) == id) return place(bind(Binding::Kind::state, i, id), id, indices);
    for (std::size_t i = 0; i < scan_.elements; ++i)
      if (body_.inputs[scan_.states + i] == id) return place(bind(Binding::Kind::element, i, id), id, indices);
    for (std::size_t i = 0; i < body_.captured.size(); ++i)
      if (body_.captured[i] == id) return place(bind(Binding::Kind::captured, i, id), id, indices);
    if (body_[id].fact.tensor() != nullptr) return place(bind(Binding::Kind::constant, 0, id), id, indices);
    return std::nullopt;
  }

  // --- following values back, lane by lane

  [[nodiscard]] Indices identity() const {
    Indices indices;
    for (std::size_t axis = 0; axis < lanes_.size(); ++axis)
      indices.push_back({lanes_[axis] == 1 ? -1 : static_cast<std::int64_t>(axis), 1, 0});
    return indices;
  }

  /// The indices of an operand that is broadcast to a result.
  [[nodiscard]] Indices stretched(ValueId operand, const Indices& indices) const {
    const Dims extents = shape(operand);
    Indices made(indices.end() - static_cast<std::ptrdiff_t>(extents.size()), indices.end());
    for (std::size_t axis = 0; axis < extents.size(); ++axis)
      if (extents[axis] == 1) made[axis] = {};
    return made;
  }

  struct Scope {
    expr::Emitter& emit;
    /// Makes a value of an access.
    std::function<std::optional<expr::Value>(ValueId id, const Indices& indices)> read;
    std::map<std::pair<std::uint32_t, Indices>, expr::Value> known;
  };

  /// The value of one lane, in the type that it is computed with.
  std::optional<expr::Value> pull(Scope& scope, ValueId id, const Indices& indices) {
    const auto key = std::pair{id.index, indices};
    if (const auto found = scope.known.find(key); found != scope.known.end()) return found->second;
    std::optional<expr::Value> made = scope.read(id, indices);
    if (!made) {
      const Node* node = graph::producer_of(body_, id);
      const auto* call = node == nullptr ? nullptr : std::get_if<OpCall>(&node->operation);
      if (call == nullptr || !call->def->domain.empty()) {
        refuse(node == nullptr ? body_[id].name + " has no value" : node->label + " is no operator of the standard");
        return std::nullopt;
      }
      made = node_value(scope, *node, *call, id, indices);
      if (!made) {
        refuse(node->label + " is not computed lane by lane");
        return std::nullopt;
      }
    }
    scope.known.emplace(key, *made);
    return made;
  }

  std::optional<expr::Value> node_value(Scope& scope, const Node& node, const OpCall& call, ValueId id,
                                        const Indices& indices) {
    if (const std::optional<Indices> moved = through(node, call, indices)) return pull(scope, node.inputs[0], *moved);
    const ops::LowerFn lower = ops::find_lowering(*call.def);
    if (lower == nullptr) return std::nullopt;
    std::vector<ops::Fact> facts(node.inputs.size());
    std::vector<const ops::Fact*> inputs(node.inputs.size(), nullptr);
    std::vector<expr::Value> values(node.inputs.size());
    for (std::size_t i = 0; i < node.inputs.size(); ++i) {
      const ValueId input = node.inputs[i];
      if (!input.valid()) continue;
      if (shape(input).size() > indices.size()) return std::nullopt;
      facts[i] = body_[input].fact;
      facts[i].type = types_[input.index];
      inputs[i] = &facts[i];
      // CastLike asks for the type alone.
      if (call.def->name == "CastLike" && i == 1) continue;
      const std::optional<expr::Value> value = pull(scope, input, stretched(input, indices));
      if (!value) return std::nullopt;
      values[i] = *value;
    }
    const std::optional<expr::Value> made = lower({*call.schema, call.attributes, inputs, scope.emit, values});
    if (!made || !is_stored(types_[id.index].dtype)) return made;
    return scope.emit.cast(scope.emit.cast(*made, types_[id.index].dtype), DType::f32);
  }

  /// Operators that only say where an element is: the indices of their input.
  std::optional<Indices> through(const Node& node, const OpCall& call, const Indices& indices) const {
    const std::string_view op = call.def->name;
    const ValueId input = node.inputs.empty() ? ValueId() : node.inputs[0];
    if (op == "Identity") return indices;
    if (op == "Transpose") {
      const auto order = scan::order_of_transpose(node, types_[input.index]);
      if (!order) return std::nullopt;
      Indices made(indices.size());
      for (std::size_t i = 0; i < indices.size(); ++i) made[static_cast<std::size_t>((*order)[i])] = indices[i];
      return made;
    }
    if (op == "Expand") return stretched(input, indices);
    if (op == "Unsqueeze" || op == "Squeeze" || op == "Reshape" || op == "Flatten")
      return without_units(shape(node.outputs[0]), shape(input), indices);
    return std::nullopt;
  }

  /// Axes of extent 1 come and go; the others stay in their order.
  static std::optional<Indices> without_units(const Dims& from, const Dims& to, const Indices& indices) {
    Indices made(to.size());
    std::size_t at = 0;
    for (std::size_t axis = 0; axis < to.size(); ++axis) {
      if (to[axis] == 1) continue;
      while (at < from.size() && from[at] == 1) ++at;
      if (at == from.size() || from[at] != to[axis]) return std::nullopt;
      made[axis] = indices[at++];
    }
    while (at < from.size() && from[at] == 1) ++at;
    return at == from.size() ? std::optional(made) : std::nullopt;
  }

  // --- first without emitting: what is read, and whether all of it can be computed

  bool trace() {
    TypeEmitter types;
    Scope scope{types,
                [&](ValueId id, const Indices& indices) -> std::optional<expr::Value> {
                  if (!expr::is_computed(computed_type(types_[id.index].dtype))) {
                    refuse(fmt::format("{} is {}", body_[id].name, name(types_[id.index].dtype)));
                    return std::nullopt;
                  }
                  std::optional<Place> found = leaf(id, indices);
                  if (!found) return std::nullopt;
                  if (bindings_[found->binding].kind == Binding::Kind::state && indices != identity())
                    refuse(fmt::format("lanes read other lanes of the state {}", body_[id].name));
                  places_.push_back(std::move(*found));
                  return types.add(computed_type(types_[id.index].dtype));
                },
                {}};
    for (std::size_t i = 0; i < scan_.states; ++i)
      if (needed_state_[i]) places_.push_back(place(bind(Binding::Kind::state, i, state(i)), state(i), identity()));
    for (const std::size_t root : roots_) {
      const ValueId id = body_.outputs[root];
      if (!pull(scope, id, identity())) return false;
      if (root >= scan_.states)
        places_.push_back(place(bind(Binding::Kind::output, root - scan_.states, id), id, identity()));
    }
    return refusal_.empty();
  }

  /// Neighbouring axes along which every access goes on as if they were one become one.
  void join_axes() {
    for (std::size_t axis = 0; axis < lanes_.size(); ++axis) {
      if (lanes_[axis] == 1) continue;
      const bool joins = !axes_.empty() && std::all_of(places_.begin(), places_.end(), [&](const Place& each) {
        const Binding::Stride& outer = each.strides[axes_.back()];
        const Binding::Stride& inner = each.strides[axis];
        return !outer.param.valid() && !inner.param.valid() && outer.fixed == inner.fixed * lanes_[axis];
      });
      if (joins) {
        axes_.back() = axis;
        extents_.back() *= lanes_[axis];
      } else {
        axes_.push_back(axis);
        extents_.push_back(lanes_[axis]);
      }
    }
    if (axes_.empty()) {
      axes_.push_back(0);
      extents_.push_back(1);
    }
  }

  // --- emitting

  [[nodiscard]] Affine offset(const Place& place) const {
    Affine at{{1, bindings_[place.binding].origin, {}}};
    if (place.offset != 0) at.push_back({place.offset, {}, {}});
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const Binding::Stride& stride = place.strides[axes_[i]];
      if (stride.fixed == 0 && !stride.param.valid()) continue;
      at.push_back({stride.param.valid() ? 1 : stride.fixed, stride.param, counters_[i]});
    }
    return at;
  }

  /// Where in time a visit is: terms that are added to each place of an element or output.
  struct Moment {
    std::int64_t steps = 0;  ///< per visit
    Counter visit;           ///< invalid: the rest
    Counter step;
  };
  [[nodiscard]] Affine offset(const Place& place, const Moment& moment) const {
    Affine at = offset(place);
    const Binding& binding = bindings_[place.binding];
    if (!binding.time.valid()) return at;
    if (moment.visit.valid())
      at.push_back({moment.steps, binding.time, moment.visit});
    else
      at.push_back({1, binding.rest, {}});
    at.push_back({1, binding.time, moment.step});
    return at;
  }

  Var read(const Place& place, const Moment& moment) {
    const Var loaded = builder_.load({bindings_[place.binding].buffer}, offset(place, moment));
    const DType dtype = builder_.type(loaded);
    return is_stored(dtype) ? builder_.cast(loaded, DType::f32) : loaded;
  }

  void write(const Place& place, const Moment& moment, Var value, DType dtype) {
    const Var stored = is_stored(dtype) ? builder_.cast(value, dtype) : value;
    builder_.store({bindings_[place.binding].buffer}, offset(place, moment), stored);
  }

  /// All steps of a visit for one vector of lanes: states in registers.
  void emit_lane(const Form& steps, std::int64_t per_visit, Counter visit) {
    std::vector<std::size_t> carried;
    std::vector<Var> initial;
    for (std::size_t i = 0; i < scan_.states; ++i) {
      if (!needed_state_[i]) continue;
      carried.push_back(i);
      initial.push_back(read(state_place(i), {}));
    }
    const auto one_step = [&](Counter step, std::span<const Var> inside) {
      const Moment moment{per_visit, visit, step};
      KernelEmitter emitter(builder_);
      Scope scope{emitter,
                  [&](ValueId id, const Indices& indices) -> std::optional<expr::Value> {
                    for (std::size_t i = 0; i < carried.size(); ++i)
                      if (state(carried[i]) == id) return expr::Value{inside[i].index};
                    const std::optional<Place> found = leaf(id, indices);
                    if (!found) return std::nullopt;
                    return expr::Value{read(*found, moment).index};
                  },
                  {}};
      for (const std::size_t root : roots_) {
        if (root < scan_.states) continue;
        const ValueId id = body_.outputs[root];
        const Var value{pull(scope, id, identity())->index};
        write(place(bind(Binding::Kind::output, root - scan_.states, id), id, identity()), moment, value,
              types_[id.index].dtype);
      }
      std::vector<Var> next;
      for (const std::size_t i : carried) next.push_back({pull(scope, body_.outputs[i], identity())->index});
      return next;
    };
    const std::vector<Var> finals = builder_.steps(steps, initial, one_step);
    for (std::size_t i = 0; i < carried.size(); ++i)
      write(state_place(carried[i]), {}, finals[i], types_[state(carried[i]).index].dtype);
  }

  Place state_place(std::size_t i) { return place(bind(Binding::Kind::state, i, state(i)), state(i), identity()); }

  /// Loops over the axes of lanes, the last one as vectors.
  template <class F>
  void over_lanes(std::size_t axis, F&& inside) {
    const Form extent(extent_params_[axis]);
    const bool last = axis + 1 == axes_.size();
    builder_.lanes(
        extent,
        [&](Counter counter) {
          counters_.push_back(counter);
          if (last)
            inside();
          else
            over_lanes(axis + 1, inside);
          counters_.pop_back();
        },
        last ? policy_.unroll : 1);
  }

  Result<Lowering> emit() {
    FusedLoop loop;
    loop.visits = builder_.param("visits");
    loop.rest = builder_.param("rest");
    for (std::size_t i = 0; i < axes_.size(); ++i) extent_params_.push_back(builder_.param(fmt::format("lanes{}", i)));
    std::int64_t lanes = 1;
    for (const std::int64_t extent : extents_) lanes *= extent;
    const bool in_registers = lanes <= policy_.register_lanes || scan_.states == 0;
    loop.steps_per_visit = in_registers ? 0 : policy_.steps_per_visit;
    if (!in_registers) {
      builder_.steps(loop.visits, {}, [&](Counter visit, std::span<const Var>) {
        over_lanes(0, [&] { emit_lane(loop.steps_per_visit, loop.steps_per_visit, visit); });
        return std::vector<Var>();
      });
    }
    over_lanes(0, [&] { emit_lane(loop.rest, 0, {}); });
    loop.program = std::move(builder_).finish();
    loop.can_split.assign(axes_.size(), true);
    for (const Place& each : places_) add_lanes(each, loop.can_split);
    loop.bindings = std::move(bindings_);
    loop.extents = extents_;
    loop.extent_params = extent_params_;
    return Lowering{std::move(loop), {}};
  }

  /// How a call for a part of the lanes moves the pointer of a buffer: it must be the same for all places in it.
  void add_lanes(const Place& place, std::vector<bool>& can_split) {
    std::vector<Binding::Stride>& lanes = bindings_[place.binding].lanes;
    const bool first = lanes.empty();
    for (std::size_t i = 0; i < axes_.size(); ++i) {
      const Binding::Stride& stride = place.strides[axes_[i]];
      if (first)
        lanes.push_back(stride);
      else if (lanes[i].fixed != stride.fixed || !(lanes[i].param == stride.param))
        can_split[i] = false;
    }
  }

  const ScanOp& scan_;
  const Graph& body_;
  const std::vector<Type>& types_;
  const std::vector<bool>& wanted_;
  FusedLoopPolicy policy_;
  Builder builder_;
  std::string refusal_;
  std::vector<std::size_t> roots_;  ///< of the body's outputs
  std::vector<bool> needed_state_;
  Dims lanes_;
  std::vector<Binding> bindings_;
  std::vector<Place> places_;
  std::vector<std::size_t> axes_;  ///< of lanes_: the last one of each group that is one
  std::vector<std::int64_t> extents_;
  std::vector<Param> extent_params_;
  std::vector<Counter> counters_;
};

}  // namespace

Result<Lowering> lower_fused_loop(const ScanOp& scan, const std::vector<Type>& types, const std::vector<bool>& wanted,
                                  const FusedLoopPolicy& policy) {
  return FusedLoopLowering(scan, types, wanted, policy).run();
}

}  // namespace pawl::kernel
