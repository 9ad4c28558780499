#include "ops/lower.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "expr/types.h"
#include "ops/convert.h"

namespace pawl::ops {
namespace {

using expr::Op;
using expr::Value;
using Lowered = std::optional<Value>;

using expr::is_float;

bool is_number(DType dtype) { return is_float(dtype) || expr::is_integer(dtype); }

/// Short names for the operations of one node, all of one type.
class Lane {
 public:
  explicit Lane(const LaneNode& node, std::size_t of = 0) : node_(node), type_(node.computed(of)) {}

  [[nodiscard]] DType type() const { return type_; }
  [[nodiscard]] Value in(std::size_t i) const { return node_.values[i]; }
  /// A number as the evaluation has it: attributes are floats.
  [[nodiscard]] Value number(double value) const { return node_.emit.constant(type_, value); }
  [[nodiscard]] Value attribute(std::string_view name, float otherwise) const {
    return number(static_cast<double>(node_.attributes.real(name, otherwise)));
  }
  [[nodiscard]] Value op(Op op, std::initializer_list<Value> operands) const { return node_.emit.apply(op, operands); }
  [[nodiscard]] Value add(Value a, Value b) const { return op(Op::add, {a, b}); }
  [[nodiscard]] Value mul(Value a, Value b) const { return op(Op::multiply, {a, b}); }
  [[nodiscard]] Value max(Value a, Value b) const { return op(Op::maximum, {a, b}); }
  [[nodiscard]] Value min(Value a, Value b) const { return op(Op::minimum, {a, b}); }
  [[nodiscard]] Value less(Value a, Value b) const { return op(Op::less, {a, b}); }
  [[nodiscard]] Value select(Value c, Value a, Value b) const { return op(Op::select, {c, a, b}); }
  [[nodiscard]] Value sigmoid(Value x) const { return op(Op::sigmoid, {x}); }
  /// log(1 + e^x), without overflow.
  [[nodiscard]] Value softplus(Value x) const {
    const Value small = op(Op::exp, {op(Op::negate, {op(Op::absolute, {x})})});
    return add(select(less(number(0), x), x, number(0)), op(Op::log_1_plus, {small}));
  }

 private:
  const LaneNode& node_;
  DType type_;
};

bool all_have(const LaneNode& node, DType dtype) {
  for (std::size_t i = 0; i < node.inputs.size(); ++i)
    if (!node.has(i) || node.computed(i) != dtype) return false;
  return true;
}
bool are_numbers(const LaneNode& node) { return is_number(node.computed(0)) && all_have(node, node.computed(0)); }
bool are_real(const LaneNode& node) { return is_float(node.computed(0)) && all_have(node, node.computed(0)); }

/// What a function makes of a node whose inputs all have one type of numbers, or of floats.
template <Value (*F)(const Lane& lane)>
Lowered of_numbers(const LaneNode& node) {
  return are_numbers(node) ? Lowered(F(Lane(node))) : std::nullopt;
}
template <Value (*F)(const Lane& lane)>
Lowered of_real(const LaneNode& node) {
  return are_real(node) ? Lowered(F(Lane(node))) : std::nullopt;
}

template <Op O>
Lowered numbers(const LaneNode& node) {
  // The first versions broadcast in a way of their own.
  if (!are_numbers(node) || node.since() < 6) return std::nullopt;
  return node.emit.apply(O, {node.values.begin(), node.values.end()});
}

template <Op O>
Lowered binary(const LaneNode& node) {
  if (node.since() < 7) return std::nullopt;
  return numbers<O>(node);
}

template <Op O>
Lowered real(const LaneNode& node) {
  if (!are_real(node)) return std::nullopt;
  return node.emit.apply(O, {node.values.begin(), node.values.end()});
}

Lowered identity(const LaneNode& node) { return node.values[0]; }

/// Integers divide by a constant other than 0 only: by 0 there is an error.
Lowered divide(const LaneNode& node) {
  if (!are_numbers(node) || node.since() < 7) return std::nullopt;
  if (is_float(node.computed(0))) return node.emit.apply(Op::divide, {node.values[0], node.values[1]});
  const std::optional<double> by = only_number(node.inputs[1]->tensor());
  if (!by || *by == 0) return std::nullopt;
  return node.emit.apply(Op::divide, {node.values[0], node.emit.constant(node.computed(0), *by)});
}

Value reciprocal(const Lane& lane) { return lane.op(Op::divide, {lane.number(1), lane.in(0)}); }

Value sign(const Lane& lane) {
  const bool is_signed = is_float(lane.type()) || expr::is_signed(lane.type());
  const Value zero = lane.number(0);
  const Value below = is_signed ? lane.select(lane.less(lane.in(0), zero), lane.number(-1), lane.in(0)) : lane.in(0);
  return lane.select(lane.less(zero, lane.in(0)), lane.number(1), below);
}

/// Floats of one type; other powers are computed in double or exactly. A square is a product in both.
Lowered power(const LaneNode& node) {
  const bool is_square = node.has(1) && only_number(node.inputs[1]->tensor()) == 2.0;
  if (is_square && is_float(node.computed(0)) && node.since() >= 7)
    return node.emit.apply(Op::multiply, {node.values[0], node.values[0]});
  if (!are_real(node) || node.since() < 7) return std::nullopt;
  return node.emit.apply(Op::pow, {node.values[0], node.values[1]});
}

template <Op O>
Lowered folded(const LaneNode& node) {
  if (!are_numbers(node) || node.since() < 8) return std::nullopt;
  Value result = node.values[0];
  for (std::size_t i = 1; i < node.values.size(); ++i) result = node.emit.apply(O, {result, node.values[i]});
  return result;
}

Lowered sum(const LaneNode& node) { return are_real(node) ? folded<Op::add>(node) : std::nullopt; }
Lowered mean(const LaneNode& node) {
  const Lowered total = sum(node);
  if (!total) return std::nullopt;
  const Lane lane(node);
  return lane.op(Op::divide, {*total, lane.number(static_cast<double>(node.values.size()))});
}

Lowered clip(const LaneNode& node) {
  if (node.since() < 11 || !is_number(node.computed(0))) return std::nullopt;
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (!node.has(i)) continue;
    // A bound of more than one element is an error.
    const std::optional<Dims> shape = node.inputs[i]->type.static_shape();
    const bool is_one =
        shape && std::all_of(shape->begin(), shape->end(), [](std::int64_t extent) { return extent == 1; });
    if (node.computed(i) != node.computed(0) || !is_one) return std::nullopt;
  }
  const Lane lane(node);
  Value x = lane.in(0);
  if (node.has(1)) x = lane.max(x, lane.in(1));
  if (node.has(2)) x = lane.min(x, lane.in(2));
  return x;
}

// --- activations

Value relu(const Lane& lane) { return lane.select(lane.less(lane.in(0), lane.number(0)), lane.number(0), lane.in(0)); }

Value leaky_relu(const Lane& lane) {
  return lane.select(lane.less(lane.in(0), lane.number(0)), lane.mul(lane.attribute("alpha", 0.01F), lane.in(0)),
                     lane.in(0));
}

Value thresholded_relu(const Lane& lane) {
  return lane.select(lane.less(lane.attribute("alpha", 1.0F), lane.in(0)), lane.in(0), lane.number(0));
}

Value elu(const Lane& lane) {
  const Value below = lane.mul(lane.attribute("alpha", 1.0F), lane.op(Op::exp_minus_1, {lane.in(0)}));
  return lane.select(lane.less(lane.in(0), lane.number(0)), below, lane.in(0));
}

Value hard_sigmoid_of(const Lane& lane, Value alpha, Value beta) {
  return lane.max(lane.number(0), lane.min(lane.number(1), lane.add(lane.mul(alpha, lane.in(0)), beta)));
}

Value hard_sigmoid(const Lane& lane) {
  return hard_sigmoid_of(lane, lane.attribute("alpha", 0.2F), lane.attribute("beta", 0.5F));
}

Value hard_swish(const Lane& lane) {
  const Value sixth = lane.op(Op::divide, {lane.number(1), lane.number(6)});
  return lane.mul(lane.in(0), hard_sigmoid_of(lane, sixth, lane.number(0.5)));
}

Value swish(const Lane& lane) {
  return lane.mul(lane.in(0), lane.sigmoid(lane.mul(lane.attribute("alpha", 1.0F), lane.in(0))));
}

Value softplus(const Lane& lane) { return lane.softplus(lane.in(0)); }

Value mish(const Lane& lane) { return lane.mul(lane.in(0), lane.op(Op::tanh, {lane.softplus(lane.in(0))})); }

Value softsign(const Lane& lane) {
  return lane.op(Op::divide, {lane.in(0), lane.add(lane.number(1), lane.op(Op::absolute, {lane.in(0)}))});
}

// --- comparison, logic, choice

/// a < b, or b < a; equality too where asked.
template <Op O, bool Swapped>
Lowered compare(const LaneNode& node) {
  if (!is_number(node.computed(0)) || !all_have(node, node.computed(0)) || node.since() < 7) return std::nullopt;
  const Value a = node.values[Swapped ? 1 : 0];
  const Value b = node.values[Swapped ? 0 : 1];
  return node.emit.apply(O, {a, b});
}

Lowered equal(const LaneNode& node) {
  const DType dtype = node.computed(0);
  if (node.since() < 7 || !(is_number(dtype) || dtype == DType::boolean) || !all_have(node, dtype)) return std::nullopt;
  return node.emit.apply(Op::equal, {node.values[0], node.values[1]});
}

template <Op O>
Lowered logic(const LaneNode& node) {
  if (!all_have(node, DType::boolean) || (node.values.size() > 1 && node.since() < 7)) return std::nullopt;
  return node.emit.apply(O, {node.values.begin(), node.values.end()});
}

template <Op O>
Lowered bitwise(const LaneNode& node) {
  const DType dtype = node.computed(0);
  if (is_float(dtype) || !are_numbers(node)) return std::nullopt;
  return node.emit.apply(O, {node.values.begin(), node.values.end()});
}

Lowered is_nan(const LaneNode& node) {
  if (!are_real(node)) return std::nullopt;
  return node.emit.apply(Op::bit_not, {node.emit.apply(Op::equal, {node.values[0], node.values[0]})});
}

Lowered is_inf(const LaneNode& node) {
  if (!are_real(node)) return std::nullopt;
  const Lane lane(node);
  const double infinity = std::numeric_limits<double>::infinity();
  Lowered found;
  for (const auto& [name, value] : {std::pair{"detect_positive", infinity}, std::pair{"detect_negative", -infinity}}) {
    if (node.attributes.integer(name, 1) == 0) continue;
    const Value one = lane.op(Op::equal, {lane.in(0), lane.number(value)});
    found = found ? lane.op(Op::bit_or, {*found, one}) : one;
  }
  return found ? *found : node.emit.constant(DType::boolean, 0);
}

Lowered where(const LaneNode& node) {
  const DType dtype = node.computed(1);
  if (!(is_number(dtype) || dtype == DType::boolean) || node.computed(2) != dtype) return std::nullopt;
  return node.emit.apply(Op::select, {node.values[0], node.values[1], node.values[2]});
}

/// From a version on that takes types as numbers; to what is computed with, 16-bit floats rounded by whoever stores.
Lowered cast_to(const LaneNode& node, DType to) {
  const DType from = node.computed(0);
  const DType computed = expr::computed_type(to);
  const auto is_known = [](DType dtype) { return is_number(dtype) || dtype == DType::boolean; };
  if (!is_known(from) || !is_known(computed)) return std::nullopt;
  // Rounded once, and not to f32 first.
  if (computed != to && from != DType::f32 && from != DType::boolean) return std::nullopt;
  return node.emit.cast(node.values[0], computed);
}

Lowered cast(const LaneNode& node) {
  if (node.since() < 6) return std::nullopt;
  return cast_to(node, static_cast<DType>(node.attributes.integer("to", 0)));
}

Lowered cast_like(const LaneNode& node) { return cast_to(node, node.inputs[1]->type.dtype); }

// --- small integers for real numbers, with one scale and one zero point

bool is_small(DType dtype) {
  return dtype == DType::i8 || dtype == DType::u8 || dtype == DType::i16 || dtype == DType::u16;
}

/// Inputs 1 and 2, if they hold for the whole of input 0.
bool are_single(const LaneNode& node) {
  const std::optional<Dims> x = node.inputs[0]->type.static_shape();
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    if (!node.has(i)) continue;
    const std::optional<Dims> shape = node.inputs[i]->type.static_shape();
    if (!x || !shape || shape->size() > x->size() || !(shape->empty() || *shape == Dims{1})) return false;
  }
  return node.attributes.integer("block_size", 0) == 0;
}

/// round(x / scale) + zero, halves to even, cut to the range; NaN gives its low end.
Lowered quantize(const LaneNode& node) {
  const DType to = node.has(2) ? node.inputs[2]->type.dtype : DType::u8;
  if (node.computed(0) != DType::f32 || node.inputs[0]->type.dtype != DType::f32 ||
      node.inputs[1]->type.dtype != DType::f32 || !is_small(to) || !are_single(node) ||
      node.attributes.integer("precision", 0) != 0 || (!node.has(2) && node.attributes.integer("output_dtype", 0) != 0))
    return std::nullopt;
  const Lane lane(node);
  Value x = lane.op(Op::round_even, {lane.op(Op::divide, {lane.in(0), lane.in(1)})});
  if (node.has(2)) x = lane.add(x, node.emit.cast(lane.in(2), DType::f32));
  const bool is_signed = expr::is_signed(to);
  const double count = to == DType::i8 || to == DType::u8 ? 256 : 65536;
  const Value low = lane.number(is_signed ? -count / 2 : 0), high = lane.number((is_signed ? count / 2 : count) - 1);
  x = lane.select(lane.less(low, x), x, low);
  return node.emit.cast(lane.select(lane.less(x, high), x, high), to);
}

/// (x - zero) * scale, the difference rounded once.
Lowered dequantize(const LaneNode& node) {
  if (!(is_small(node.computed(0)) || node.computed(0) == DType::i32) || node.inputs[1]->type.dtype != DType::f32 ||
      !are_single(node) || node.attributes.integer("output_dtype", 0) != 0)
    return std::nullopt;
  const Lane lane(node, 1);
  const DType wide = is_small(node.computed(0)) ? DType::f32 : DType::f64;
  Value x = node.emit.cast(lane.in(0), wide);
  if (node.has(2)) x = lane.op(Op::subtract, {x, node.emit.cast(lane.in(2), wide)});
  return lane.mul(wide == DType::f32 ? x : node.emit.cast(x, DType::f32), lane.in(1));
}

struct Row {
  std::string_view name;
  LowerFn lower;
};

constexpr std::array kRows = {
    Row{"Abs", numbers<Op::absolute>},
    Row{"Add", binary<Op::add>},
    Row{"And", logic<Op::bit_and>},
    Row{"BitwiseAnd", bitwise<Op::bit_and>},
    Row{"BitwiseNot", bitwise<Op::bit_not>},
    Row{"BitwiseOr", bitwise<Op::bit_or>},
    Row{"BitwiseXor", bitwise<Op::bit_xor>},
    Row{"Cast", cast},
    Row{"CastLike", cast_like},
    Row{"Ceil", real<Op::ceil>},
    Row{"Clip", clip},
    Row{"Cos", real<Op::cos>},
    Row{"DequantizeLinear", dequantize},
    Row{"Div", divide},
    Row{"Elu", of_real<elu>},
    Row{"Equal", equal},
    Row{"Erf", real<Op::erf>},
    Row{"Exp", real<Op::exp>},
    Row{"Floor", real<Op::floor>},
    Row{"Greater", compare<Op::less, true>},
    Row{"GreaterOrEqual", compare<Op::less_equal, true>},
    Row{"HardSigmoid", of_real<hard_sigmoid>},
    Row{"HardSwish", of_real<hard_swish>},
    Row{"Identity", identity},
    Row{"IsInf", is_inf},
    Row{"IsNaN", is_nan},
    Row{"LeakyRelu", of_real<leaky_relu>},
    Row{"Less", compare<Op::less, false>},
    Row{"LessOrEqual", compare<Op::less_equal, false>},
    Row{"Log", real<Op::log>},
    Row{"Max", folded<Op::maximum>},
    Row{"Mean", mean},
    Row{"Min", folded<Op::minimum>},
    Row{"Mish", of_real<mish>},
    Row{"Mul", binary<Op::multiply>},
    Row{"Neg", numbers<Op::negate>},
    Row{"Not", logic<Op::bit_not>},
    Row{"Or", logic<Op::bit_or>},
    Row{"Pow", power},
    Row{"QuantizeLinear", quantize},
    Row{"Reciprocal", of_real<reciprocal>},
    Row{"Relu", of_numbers<relu>},
    Row{"Round", real<Op::round_even>},
    Row{"Sigmoid", real<Op::sigmoid>},
    Row{"Sign", of_numbers<sign>},
    Row{"Sin", real<Op::sin>},
    Row{"Softplus", of_real<softplus>},
    Row{"Softsign", of_real<softsign>},
    Row{"Sqrt", real<Op::sqrt>},
    Row{"Sub", binary<Op::subtract>},
    Row{"Sum", sum},
    Row{"Swish", of_real<swish>},
    Row{"Tanh", real<Op::tanh>},
    Row{"ThresholdedRelu", of_real<thresholded_relu>},
    Row{"Where", where},
    Row{"Xor", logic<Op::bit_xor>},
};

static_assert(std::is_sorted(kRows.begin(), kRows.end(), [](const Row& a, const Row& b) { return a.name < b.name; }));

}  // namespace

DType LaneNode::computed(std::size_t i) const {
  return has(i) ? expr::computed_type(inputs[i]->type.dtype) : DType::undefined;
}

LowerFn find_lowering(const OpDef& op) {
  if (!op.domain.empty()) return nullptr;
  const auto found = std::lower_bound(kRows.begin(), kRows.end(), op.name,
                                      [](const Row& row, std::string_view name) { return row.name < name; });
  return found != kRows.end() && found->name == op.name ? found->lower : nullptr;
}

}  // namespace pawl::ops
