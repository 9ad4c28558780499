#include "random_body.h"

#include <algorithm>

#include "maker.h"

namespace pawl::tests {
namespace {

struct Known {
  std::string name;
  DType dtype = DType::f32;
  Shape shape;
};

onnx::Attribute attribute(const char* name, auto payload) {
  onnx::Attribute made;
  made.name = name;
  made.payload = std::move(payload);
  return made;
}

Type type_of(const Known& value) { return Type::tensor(value.dtype, Dims(std::span<const std::int64_t>(value.shape))); }

std::int64_t size_of_shape(const Shape& shape) {
  std::int64_t size = 1;
  for (const std::int64_t extent : shape) size *= extent;
  return size;
}

std::optional<Shape> broadcast(const Shape& a, const Shape& b) {
  Shape result(std::max(a.size(), b.size()), 1);
  for (std::size_t i = 0; i < result.size(); ++i) {
    const std::int64_t x = i < a.size() ? a[a.size() - 1 - i] : 1;
    const std::int64_t y = i < b.size() ? b[b.size() - 1 - i] : 1;
    if (x != y && x != 1 && y != 1) return std::nullopt;
    result[result.size() - 1 - i] = x == 1 ? y : x;
  }
  return result;
}

class BodyMaker : private Maker {
 public:
  BodyMaker(std::uint32_t seed, bool with_floats) : Maker(seed), with_floats_(with_floats) {}

  RandomModel make() {
    RandomModel made;
    onnx::Graph& graph = made.model.graph;
    made.model.ir_version = 10;
    made.model.opset_imports.push_back({"", 21});
    graph.name = "random";
    std::vector<Known> outer;
    for (int i = pick(1, 3); i > 0; --i)
      outer.push_back(add_input(graph, made, "captured", pick_dtype(), pick_shape()));
    add_scan(graph, made, outer);
    return made;
  }

 private:
  DType pick_dtype() {
    const int which = pick(0, 9);
    if (which == 0) return DType::boolean;
    return with_floats_ && which < 7 ? DType::f32 : DType::i64;
  }
  Shape pick_shape() {
    Shape shape;
    for (int i = pick(0, 3); i > 0; --i) shape.push_back(pick(1, 3));
    return shape;
  }

  Tensor random_tensor(DType dtype, const Shape& shape) {
    const Dims dims{std::span<const std::int64_t>(shape)};
    const std::int64_t size = size_of_shape(shape);
    if (dtype == DType::boolean) {
      Tensor tensor = *Tensor::allocate(dtype, dims);
      for (std::int64_t i = 0; i < size; ++i) tensor.mutable_data<bool>()[i] = chance(50);
      return tensor;
    }
    if (dtype == DType::i64) {
      Tensor tensor = *Tensor::allocate(dtype, dims);
      for (std::int64_t i = 0; i < size; ++i) tensor.mutable_data<std::int64_t>()[i] = pick(-3, 3);
      return tensor;
    }
    Tensor tensor = *Tensor::allocate(DType::f32, dims);
    for (std::int64_t i = 0; i < size; ++i) tensor.mutable_data<float>()[i] = static_cast<float>(pick(-8, 8)) / 8;
    return tensor;
  }

  Known add_input(onnx::Graph& graph, RandomModel& made, const char* base, DType dtype, const Shape& shape) {
    Known value{fresh(base), dtype, shape};
    graph.inputs.push_back({value.name, type_of(value)});
    made.inputs.emplace_back(random_tensor(dtype, shape));
    return value;
  }

  std::string add_integers(onnx::Graph& graph, const Shape& values) {
    const std::string name = fresh("k");
    graph.initializers.push_back(
        {name,
         Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, std::span<const std::int64_t>(values)),
         ""});
    return name;
  }

  Known add_node(onnx::Graph& graph, const char* op, std::vector<std::string> inputs, DType dtype, Shape shape,
                 std::vector<onnx::Attribute> attributes = {}) {
    Known value{fresh("v"), dtype, std::move(shape)};
    onnx::Node node;
    node.op_type = op;
    node.inputs = std::move(inputs);
    node.outputs = {value.name};
    node.attributes = std::move(attributes);
    graph.nodes.push_back(std::move(node));
    return value;
  }

  // --- the Scan

  void add_scan(onnx::Graph& graph, RandomModel& made, std::vector<Known> outer) {
    const std::int64_t steps = std::vector<int>{0, 1, 2, 3, 5}[static_cast<std::size_t>(pick(0, 4))];
    std::vector<Known> initials;
    for (int i = pick(0, 3); i > 0; --i) {
      // Sometimes two states start as one value.
      if (!initials.empty() && chance(25))
        initials.push_back(initials[0]);
      else
        initials.push_back(add_input(graph, made, "s", pick_dtype(), pick_shape()));
    }
    if (chance(10))
      initials.push_back(add_input(graph, made, "s", pick_dtype(), chance(50) ? Shape{18} : Shape{2, 17}));
    std::vector<Known> scanned;
    std::vector<std::int64_t> axes;
    const bool with_symbol = chance(40);  // for the number of steps
    for (int i = pick(1, 3); i > 0; --i) {
      Shape shape = pick_shape();
      const auto rank = static_cast<int>(shape.size());
      const int axis = pick(0, rank);
      shape.insert(shape.begin() + axis, steps);
      scanned.push_back(add_input(graph, made, "x", pick_dtype(), shape));
      if (with_symbol) (*graph.inputs.back().type.shape)[static_cast<std::size_t>(axis)] = Dim::named("T");
      axes.push_back(chance(30) ? axis - rank - 1 : axis);
    }
    const std::vector<Known> results = scan_node(graph, outer, initials, scanned, axes, steps, pick(10, 40), 2);
    for (const Known& result : results) graph.outputs.push_back({result.name, type_of(result)});
  }

  Known element_of(const Known& scanned, std::int64_t axis) {
    Known element{fresh("e"), scanned.dtype, scanned.shape};
    element.shape.erase(element.shape.begin() +
                        (axis < 0 ? axis + static_cast<std::int64_t>(scanned.shape.size()) : axis));
    return element;
  }

  /// Emits a Scan and returns its outputs.
  std::vector<Known> scan_node(onnx::Graph& graph, const std::vector<Known>& outer, const std::vector<Known>& initials,
                               const std::vector<Known>& scanned, const std::vector<std::int64_t>& axes,
                               std::int64_t steps, int nodes, int depth) {
    auto body = std::make_shared<onnx::Graph>();
    body->name = fresh("body");
    std::vector<Known> pool = outer;
    std::vector<Known> states;
    for (const Known& initial : initials) states.push_back({fresh("p"), initial.dtype, initial.shape});
    std::vector<Known> inputs = states;
    for (std::size_t i = 0; i < scanned.size(); ++i) inputs.push_back(element_of(scanned[i], axes[i]));
    for (const Known& input : inputs) {
      body->inputs.push_back({input.name, chance(50) ? type_of(input) : Type::tensor(input.dtype)});
      pool.push_back(input);
    }
    for (int i = 0; i < nodes; ++i) add_random_node(*body, pool, depth);
    std::vector<Known> results;
    for (const Known& state : states) {
      const Known next = next_state(*body, pool, state);
      body->outputs.push_back({next.name, Type::tensor(next.dtype)});
      results.push_back({fresh("f"), state.dtype, state.shape});
    }
    onnx::Node node;
    node.op_type = "Scan";
    node.name = body->name;
    std::vector<std::int64_t> output_axes;
    std::vector<std::int64_t> output_directions;
    for (int k = pick(states.empty() ? 1 : 0, 3); k > 0; --k) {
      const Known& output = pool[static_cast<std::size_t>(pick(0, static_cast<int>(pool.size()) - 1))];
      body->outputs.push_back({output.name, Type::tensor(output.dtype)});
      const auto rank = static_cast<int>(output.shape.size());
      const int axis = pick(0, rank);
      Known stacked{fresh("y"), output.dtype, output.shape};
      stacked.shape.insert(stacked.shape.begin() + axis, steps);
      results.push_back(stacked);
      output_axes.push_back(chance(30) ? axis - rank - 1 : axis);
      output_directions.push_back(pick(0, 1));
    }
    std::vector<std::int64_t> directions;
    for (std::size_t i = 0; i < scanned.size(); ++i) directions.push_back(pick(0, 1));
    for (const Known& initial : initials) node.inputs.push_back(initial.name);
    for (const Known& each : scanned) node.inputs.push_back(each.name);
    for (const Known& result : results) node.outputs.push_back(result.name);
    node.attributes = {attribute("num_scan_inputs", static_cast<std::int64_t>(scanned.size())),
                       attribute("scan_input_axes", axes),
                       attribute("scan_input_directions", directions),
                       attribute("scan_output_axes", output_axes),
                       attribute("scan_output_directions", output_directions),
                       attribute("body", std::shared_ptr<const onnx::Graph>(body))};
    graph.nodes.push_back(std::move(node));
    return results;
  }

  /// Some places of a value along an axis; `keeps` says whether one place keeps the axis.
  Known places(onnx::Graph& body, const Known& from, std::size_t axis, std::int64_t first, std::int64_t width,
               bool keeps) {
    Shape shape = from.shape;
    const auto along = static_cast<std::int64_t>(axis);
    if (width == 1 && !keeps) {
      shape.erase(shape.begin() + along);
      return add_node(body, "Gather", {from.name, add_scalar(body, chance(30) ? first - from.shape[axis] : first)},
                      from.dtype, shape, {attribute("axis", along)});
    }
    shape[axis] = width;
    if (chance(25)) {
      Shape list;
      for (std::int64_t i = 0; i < width; ++i) list.push_back(first + i);
      return add_node(body, "Gather", {from.name, add_integers(body, list)}, from.dtype, shape,
                      {attribute("axis", along)});
    }
    return add_node(
        body, "Slice",
        {from.name, add_integers(body, {first}), add_integers(body, {first + width}), add_integers(body, {along})},
        from.dtype, shape);
  }

  /// Parts of the state, of other states and of other values, worked on and joined: packed registers, delay lines.
  Known packed_next(onnx::Graph& body, const std::vector<Known>& pool, const Known& state) {
    const auto axis = static_cast<std::size_t>(pick(0, static_cast<int>(state.shape.size()) - 1));
    std::vector<Known> sources;
    for (const Known& value : pool)
      if (value.dtype == state.dtype && value.shape == state.shape) sources.push_back(value);
    const bool keeps = chance(50);
    std::vector<Known> parts;
    std::vector<std::string> joined;
    for (std::int64_t room = state.shape[axis]; room > 0;) {
      const std::int64_t width = pick(1, static_cast<int>(room));
      const Known& from =
          chance(60) ? state : sources[static_cast<std::size_t>(pick(0, static_cast<int>(sources.size()) - 1))];
      Known part =
          places(body, from, axis, pick(0, static_cast<int>(state.shape[axis] - width)), width, keeps || chance(10));
      if (chance(40)) part = updated(body, parts, part);
      parts.push_back(part);
      if (part.shape.size() < state.shape.size()) {
        Shape wide = part.shape;
        wide.insert(wide.begin() + static_cast<std::ptrdiff_t>(axis), 1);
        part = add_node(body, "Unsqueeze", {part.name, add_integers(body, {static_cast<std::int64_t>(axis)})},
                        part.dtype, wide);
      }
      joined.push_back(part.name);
      room -= width;
    }
    Known next = add_node(body, "Concat", joined, state.dtype, state.shape,
                          {attribute("axis", static_cast<std::int64_t>(axis))});
    return chance(40) ? updated(body, pool, next) : next;
  }

  /// A long line that moves by a few places, and what comes in.
  Known line_next(onnx::Graph& body, const std::vector<Known>& pool, const Known& state) {
    const std::size_t axis = state.shape.size() - 1;
    const std::int64_t length = state.shape[axis];
    const std::int64_t by = pick(1, 3);
    Known fresh = places(body, state, axis, 0, by, true);
    const Known* other = any(pool, [&](const Known& each) {
      return each.dtype == state.dtype && broadcast(each.shape, fresh.shape) == fresh.shape;
    });
    if (other != nullptr && chance(85)) {
      const std::string shape = add_integers(body, fresh.shape);
      fresh = add_node(body, "Expand", {other->name, shape}, state.dtype, fresh.shape);
    }
    const bool at_end = chance(50);
    const Known kept = places(body, state, axis, at_end ? by : 0, length - by, true);
    return add_node(
        body, "Concat",
        at_end ? std::vector<std::string>{kept.name, fresh.name} : std::vector<std::string>{fresh.name, kept.name},
        state.dtype, state.shape, {attribute("axis", static_cast<std::int64_t>(axis))});
  }

  /// The value and another one that fits into it, or something of it alone.
  Known updated(onnx::Graph& body, const std::vector<Known>& pool, const Known& value) {
    const char* op = value.dtype == DType::boolean ? "Xor" : chance(50) ? "Add" : "Mul";
    const Known* other = any(pool, [&](const Known& each) {
      return each.dtype == value.dtype && broadcast(each.shape, value.shape) == value.shape;
    });
    if (other == nullptr) return add_node(body, "Identity", {value.name}, value.dtype, value.shape);
    return add_node(body, op, {value.name, other->name}, value.dtype, value.shape);
  }

  /// A value for the state: one of its type that there is, or an update of the state by something.
  Known next_state(onnx::Graph& body, const std::vector<Known>& pool, const Known& state) {
    std::vector<Known> same;
    std::vector<Known> fitting;
    for (const Known& value : pool) {
      if (value.dtype != state.dtype) continue;
      if (value.shape == state.shape) same.push_back(value);
      if (broadcast(value.shape, state.shape) == state.shape) fitting.push_back(value);
    }
    const auto one = [&](const std::vector<Known>& list) {
      return list[static_cast<std::size_t>(pick(0, static_cast<int>(list.size()) - 1))];
    };
    if (!state.shape.empty() && state.shape.back() > 16 && chance(60)) return line_next(body, pool, state);
    if (!state.shape.empty() && state.shape.size() < 4 && chance(35)) return packed_next(body, pool, state);
    if (chance(40)) return one(same);
    Known next = state;
    for (int i = pick(1, 3); i > 0; --i) {
      const char* op = "Or";
      if (state.dtype == DType::boolean)
        op = std::vector<const char*>{"And", "Or", "Xor"}[static_cast<std::size_t>(pick(0, 2))];
      else
        op = std::vector<const char*>{"Add", "Sub", "Mul", "Max", "Min"}[static_cast<std::size_t>(pick(0, 4))];
      std::vector<std::string> inputs{next.name, one(fitting).name};
      if (chance(30)) std::swap(inputs[0], inputs[1]);
      next = add_node(body, op, inputs, state.dtype, state.shape);
    }
    return next;
  }

  // --- nodes

  const Known* any(const std::vector<Known>& pool, auto wanted) {
    std::vector<const Known*> found;
    for (const Known& value : pool)
      if (wanted(value)) found.push_back(&value);
    // Later ones more often: bodies are deep rather than wide.
    if (found.empty()) return nullptr;
    const int last = static_cast<int>(found.size()) - 1;
    return found[static_cast<std::size_t>(std::max(pick(0, last), pick(0, last)))];
  }

  void add_random_node(onnx::Graph& graph, std::vector<Known>& pool, int depth) {
    const Known value = *any(pool, [](const Known&) { return true; });
    const bool number = value.dtype != DType::boolean;
    const bool real = value.dtype == DType::f32;
    const auto rank = static_cast<std::int64_t>(value.shape.size());
    const auto push = [&](Known made) {
      if (size_of_shape(made.shape) <= 256) pool.push_back(std::move(made));
    };
    switch (pick(0, 17)) {
      case 0: push(add_node(graph, "Identity", {value.name}, value.dtype, value.shape)); return;
      case 1:
        if (!number)
          push(add_node(graph, "Not", {value.name}, value.dtype, value.shape));
        else
          push(add_node(graph, chance(50) ? "Neg" : "Abs", {value.name}, value.dtype, value.shape));
        return;
      case 2:
        if (real)
          push(add_node(
              graph,
              std::vector<const char*>{"Tanh", "Sigmoid", "Relu", "Sin", "Floor"}[static_cast<std::size_t>(pick(0, 4))],
              {value.name}, value.dtype, value.shape));
        return;
      case 3:
      case 4:
      case 5: add_binary(graph, pool, value); return;
      case 6: add_comparison(graph, pool, value); return;
      case 7: add_choice(graph, pool, value); return;
      case 8:
        if (number && rank > 0) add_reduction(graph, pool, value);
        return;
      case 9: {
        if (rank < 2) return;
        std::vector<std::int64_t> perm;
        for (std::int64_t i = 0; i < rank; ++i) perm.push_back(i);
        shuffle(perm);
        Shape shape;
        for (const std::int64_t axis : perm) shape.push_back(value.shape[static_cast<std::size_t>(axis)]);
        push(add_node(graph, "Transpose", {value.name}, value.dtype, shape, {attribute("perm", perm)}));
        return;
      }
      case 10: {
        if (rank > 3) return;
        const int axis = pick(0, static_cast<int>(rank));
        Shape shape = value.shape;
        shape.insert(shape.begin() + axis, 1);
        push(add_node(graph, "Unsqueeze", {value.name, add_integers(graph, {axis})}, value.dtype, shape));
        return;
      }
      case 11:
        push(add_node(graph, "Reshape", {value.name, add_integers(graph, {-1})}, value.dtype,
                      {size_of_shape(value.shape)}));
        return;
      case 12: add_product(graph, pool); return;
      case 13: add_concat(graph, pool, value); return;
      case 14:
        if (rank > 0) add_slice(graph, pool, value);
        return;
      case 15:
        if (real && rank > 0)
          push(add_node(graph, "Softmax", {value.name}, value.dtype, value.shape,
                        {attribute("axis", static_cast<std::int64_t>(pick(0, static_cast<int>(rank) - 1)))}));
        else if (number)
          push(add_node(graph, "Cast", {value.name}, DType::i64, value.shape, {attribute("to", std::int64_t{7})}));
        return;
      case 16:
        if (number && rank > 0)
          push(add_node(graph, "CumSum", {value.name, add_scalar(graph, pick(0, static_cast<int>(rank) - 1))},
                        value.dtype, value.shape));
        return;
      default:
        if (depth > 0 && chance(40)) add_nested(graph, pool, value, depth);
    }
  }

  std::string add_scalar(onnx::Graph& graph, std::int64_t value) {
    const std::string name = fresh("k");
    graph.initializers.push_back({name, Tensor::scalar<std::int64_t>(value), ""});
    return name;
  }

  void add_binary(onnx::Graph& graph, std::vector<Known>& pool, const Known& a) {
    const Known* b = any(pool, [&](const Known& other) {
      return other.dtype == a.dtype && broadcast(a.shape, other.shape).has_value();
    });
    if (b == nullptr) return;
    const Shape shape = *broadcast(a.shape, b->shape);
    if (size_of_shape(shape) > 256) return;
    const char* op =
        a.dtype == DType::boolean
            ? std::vector<const char*>{"And", "Or", "Xor"}[static_cast<std::size_t>(pick(0, 2))]
            : std::vector<const char*>{"Add", "Sub", "Mul", "Max", "Min"}[static_cast<std::size_t>(pick(0, 4))];
    pool.push_back(add_node(graph, op, {a.name, b->name}, a.dtype, shape));
  }

  void add_comparison(onnx::Graph& graph, std::vector<Known>& pool, const Known& a) {
    if (a.dtype == DType::boolean) return;
    const Known* b = any(pool, [&](const Known& other) {
      return other.dtype == a.dtype && broadcast(a.shape, other.shape).has_value();
    });
    if (b == nullptr) return;
    const char* op =
        std::vector<const char*>{"Greater", "Less", "Equal", "GreaterOrEqual"}[static_cast<std::size_t>(pick(0, 3))];
    pool.push_back(add_node(graph, op, {a.name, b->name}, DType::boolean, *broadcast(a.shape, b->shape)));
  }

  void add_choice(onnx::Graph& graph, std::vector<Known>& pool, const Known& a) {
    const Known* condition = any(pool, [&](const Known& other) {
      return other.dtype == DType::boolean && broadcast(a.shape, other.shape).has_value();
    });
    if (condition == nullptr) return;
    const Shape both = *broadcast(a.shape, condition->shape);
    const Known* b = any(
        pool, [&](const Known& other) { return other.dtype == a.dtype && broadcast(both, other.shape).has_value(); });
    const Shape shape = *broadcast(both, b->shape.size() > 0 || true ? b->shape : both);
    if (size_of_shape(shape) <= 256)
      pool.push_back(add_node(graph, "Where", {condition->name, a.name, b->name}, a.dtype, shape));
  }

  void add_reduction(onnx::Graph& graph, std::vector<Known>& pool, const Known& value) {
    const auto rank = static_cast<int>(value.shape.size());
    const int axis = pick(0, rank - 1);
    const bool keeps = chance(50);
    Shape shape = value.shape;
    if (keeps)
      shape[static_cast<std::size_t>(axis)] = 1;
    else
      shape.erase(shape.begin() + axis);
    const char* op = std::vector<const char*>{"ReduceSum", "ReduceMax", "ReduceMin",
                                              "ReduceProd"}[static_cast<std::size_t>(pick(0, 3))];
    pool.push_back(add_node(graph, op, {value.name, add_integers(graph, {chance(50) ? axis : axis - rank})},
                            value.dtype, shape, {attribute("keepdims", static_cast<std::int64_t>(keeps))}));
  }

  void add_product(onnx::Graph& graph, std::vector<Known>& pool) {
    const DType dtype = with_floats_ ? DType::f32 : DType::i64;
    const Known* a = any(pool, [&](const Known& value) {
      return value.dtype == dtype && value.shape.size() <= 2 && !value.shape.empty();
    });
    if (a == nullptr) return;
    const std::int64_t inner = a->shape.back();
    const Known* b = any(pool, [&](const Known& value) {
      return value.dtype == dtype && value.shape.size() <= 2 && !value.shape.empty() && value.shape[0] == inner;
    });
    if (b == nullptr) return;
    if (dtype == DType::i64) return;  // MatMul takes no int64 of some versions; floats are enough
    Shape shape(a->shape.begin(), a->shape.end() - 1);
    shape.insert(shape.end(), b->shape.begin() + 1, b->shape.end());
    pool.push_back(add_node(graph, "MatMul", {a->name, b->name}, dtype, shape));
  }

  void add_concat(onnx::Graph& graph, std::vector<Known>& pool, const Known& a) {
    if (a.shape.empty()) return;
    const auto axis = static_cast<std::size_t>(pick(0, static_cast<int>(a.shape.size()) - 1));
    const Known* b = any(pool, [&](const Known& other) {
      if (other.dtype != a.dtype || other.shape.size() != a.shape.size()) return false;
      for (std::size_t i = 0; i < a.shape.size(); ++i)
        if (i != axis && other.shape[i] != a.shape[i]) return false;
      return true;
    });
    Shape shape = a.shape;
    shape[axis] += b->shape[axis];
    if (size_of_shape(shape) <= 256)
      pool.push_back(add_node(graph, "Concat", {a.name, b->name}, a.dtype, shape,
                              {attribute("axis", static_cast<std::int64_t>(axis))}));
  }

  void add_slice(onnx::Graph& graph, std::vector<Known>& pool, const Known& value) {
    const auto axis = static_cast<std::size_t>(pick(0, static_cast<int>(value.shape.size()) - 1));
    const auto extent = static_cast<int>(value.shape[axis]);
    const int start = pick(0, extent - 1);
    const int end = pick(start + 1, extent);
    Shape shape = value.shape;
    shape[axis] = end - start;
    pool.push_back(add_node(graph, "Slice",
                            {value.name, add_integers(graph, {start}), add_integers(graph, {end}),
                             add_integers(graph, {static_cast<std::int64_t>(axis)})},
                            value.dtype, shape));
  }

  void add_nested(onnx::Graph& graph, std::vector<Known>& pool, const Known& value, int depth) {
    if (chance(50) && !value.shape.empty()) {
      // A Scan over one of the value's axes.
      const auto axis = static_cast<std::size_t>(pick(0, static_cast<int>(value.shape.size()) - 1));
      std::vector<Known> initials;
      for (int i = pick(0, 2); i > 0; --i) initials.push_back(*any(pool, [](const Known&) { return true; }));
      for (Known& made : scan_node(graph, pool, initials, {value}, {static_cast<std::int64_t>(axis)}, value.shape[axis],
                                   pick(2, 8), depth - 1))
        pool.push_back(std::move(made));
      return;
    }
    const Known* condition =
        any(pool, [](const Known& other) { return other.dtype == DType::boolean && other.shape.empty(); });
    if (condition == nullptr) return;
    std::vector<onnx::Attribute> branches;
    for (const char* role : {"then_branch", "else_branch"}) {
      auto branch = std::make_shared<onnx::Graph>();
      branch->name = fresh("branch");
      std::vector<Known> inner = pool;
      for (int i = pick(1, 4); i > 0; --i) add_random_node(*branch, inner, depth - 1);
      const Known result = add_node(
          *branch, "Identity",
          {any(inner, [&](const Known& other) { return other.dtype == value.dtype && other.shape == value.shape; })
               ->name},
          value.dtype, value.shape);
      branch->outputs.push_back({result.name, type_of(result)});
      branches.push_back(attribute(role, std::shared_ptr<const onnx::Graph>(branch)));
    }
    pool.push_back(add_node(graph, "If", {condition->name}, value.dtype, value.shape, std::move(branches)));
  }

  bool with_floats_;
};

}  // namespace

RandomModel random_model(std::uint32_t seed, bool with_floats) { return BodyMaker(seed, with_floats).make(); }

}  // namespace pawl::tests
