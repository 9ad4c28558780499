#include "loop_body.h"

#include <algorithm>
#include <numeric>

#include "maker.h"
#include "onnx/text.h"

namespace pawl::tests {
namespace {

class LoopMaker : private Maker {
 public:
  explicit LoopMaker(std::uint32_t seed) : Maker(seed) {}

  RandomModel make() {
    for (int i = pick(0, 2); i > 0; --i) shape_.push_back(pick(1, 3));
    switch (pick(0, 3)) {
      case 0:
      case 1: nested(); break;
      case 2: batched(); break;
      default: transposed();
    }
    RandomModel made;
    const auto parsed =
        onnx::parse_text(fmt::format("<ir_version: 8, opset_import: [\"\" : {}]>\ng ({}) => ({}) {{\n{}}}", opset_,
                                     fmt::join(inputs_, ", "), fmt::join(outputs_, ", "), nodes_));
    made.model = *parsed;
    made.inputs = std::move(values_);
    return made;
  }

 private:
  const std::string& any(const Names& names) {
    return names[static_cast<std::size_t>(pick(0, static_cast<int>(names.size()) - 1))];
  }
  int any_axis(std::size_t rank) { return pick(0, static_cast<int>(rank)); }

  /// A graph input; some extents are not told.
  std::string input(const char* base, const Shape& shape, std::int64_t untold = -1) {
    const std::string name = fresh(base);
    std::vector<std::string> extents;
    for (std::size_t i = 0; i < shape.size(); ++i)
      extents.push_back(static_cast<std::int64_t>(i) == untold ? "N" : std::to_string(shape[i]));
    inputs_.push_back(shape.empty() ? "int64 " + name : fmt::format("int64[{}] {}", fmt::join(extents, ","), name));
    Tensor tensor = *Tensor::allocate(DType::i64, Dims(std::span<const std::int64_t>(shape)));
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<std::int64_t>()[i] = pick(-3, 3);
    values_.emplace_back(std::move(tensor));
    return name;
  }
  void output(const std::string& name, std::size_t rank) {
    const std::vector<std::string> open(rank, "?");
    std::vector<std::string> symbols;
    for (std::size_t i = 0; i < rank; ++i) symbols.push_back(fmt::format("{}_{}", name, i));
    outputs_.push_back(rank == 0 ? "int64 " + name : fmt::format("int64[{}] {}", fmt::join(symbols, ","), name));
  }

  // --- what a step does: values of one shape, or scalars

  std::string node(std::string& body, const std::string& call) {
    const std::string name = fresh("v");
    body += fmt::format("      {} = {}\n", name, call);
    return name;
  }
  std::string integers(std::string& body, const Shape& values) {
    return node(body, fmt::format("Constant <value = int64[{}] {{{}}}> ()", values.size(), list(values)));
  }

  std::string step(std::string& body, Names& known) {
    const auto rank = static_cast<int>(shape_.size());
    const std::string& a = any(known);
    switch (pick(0, 7)) {
      case 0: return node(body, fmt::format("Neg({})", a));
      case 1: return node(body, fmt::format("Identity({})", a));
      case 2: return rank > 0 ? reduced(body, a) : node(body, fmt::format("Abs({})", a));
      case 3: return rank > 0 ? turned(body, a) : node(body, fmt::format("Abs({})", a));
      case 4:
        if (opset_ < 13 || rank == 0) return node(body, fmt::format("Add({}, {})", a, any(known)));
        return node(body, fmt::format("CumSum({}, {})", a, integers(body, {pick(0, rank - 1)})));
      default:
        return node(
            body, fmt::format("{}({}, {})", std::vector<const char*>{"Add", "Sub", "Mul"}[pick(0, 2)], a, any(known)));
    }
  }
  std::string reduced(std::string& body, const std::string& a) {
    const int axis = pick(0, static_cast<int>(shape_.size()) - 1);
    const std::string sum =
        opset_ < 13 ? node(body, fmt::format("ReduceSum <axes = [{}], keepdims = 1> ({})", axis, a))
                    : node(body, fmt::format("ReduceSum <keepdims = 1> ({}, {})", a, integers(body, {axis})));
    return node(body, fmt::format("Sub({}, {})", a, sum));
  }
  /// The places of an axis in another order.
  std::string turned(std::string& body, const std::string& a) {
    const auto axis = static_cast<std::size_t>(pick(0, static_cast<int>(shape_.size()) - 1));
    Shape places(static_cast<std::size_t>(shape_[axis]));
    std::iota(places.begin(), places.end(), 0);
    shuffle(places);
    return node(body, fmt::format("Gather <axis = {}> ({}, {})", axis, a, integers(body, places)));
  }

  // --- a Scan

  struct Scanned {
    std::string name;
    std::int64_t axis;
    Shape element;
  };
  struct Scan {
    Names initials;  ///< of shape_
    std::vector<Scanned> scanned;
    Names known;  ///< of shape_, from outside
  };
  struct Results {
    Names finals;
    Names outputs;  ///< of shape_ with an axis
    std::vector<std::int64_t> axes;
  };

  /// A body whose values all have shape_, with up to five nodes.
  Results scan(std::string& around, const Scan& what) {
    std::string body;
    std::vector<std::string> given;
    Names known = what.known;
    Names elements;
    for (std::size_t i = 0; i < what.initials.size(); ++i) {
      known.push_back(fresh("p"));
      given.push_back(typed(shape_) + " " + known.back());
    }
    for (const Scanned& each : what.scanned) {
      known.push_back(fresh("e"));
      given.push_back(typed(each.element) + " " + known.back());
    }
    for (int i = pick(1, 5); i > 0; --i) {
      std::string made = step(body, known);
      known.push_back(std::move(made));
    }
    return written(around, what, body, given, known);
  }

  Results written(std::string& around, const Scan& what, std::string body, const Names& given, const Names& known) {
    Results results;
    Names made;
    const auto give = [&](const std::string& name) {
      made.push_back(typed(shape_) + " " + node(body, fmt::format("Identity({})", name)));
    };
    for (std::size_t i = 0; i < what.initials.size(); ++i) {
      give(chance(70) ? known.back() : any(known));
      results.finals.push_back(fresh("f"));
    }
    for (int k = pick(what.initials.empty() ? 1 : 0, 2); k > 0; --k) {
      give(any(known));
      results.outputs.push_back(fresh("y"));
      results.axes.push_back(any_axis(shape_.size()));
    }
    std::vector<std::int64_t> axes;
    Names inputs = what.initials;
    for (const Scanned& each : what.scanned) {
      axes.push_back(each.axis);
      inputs.push_back(each.name);
    }
    emit_scan(around, inputs, axes, results, given, made, body);
    return results;
  }

  void emit_scan(std::string& around, const Names& inputs, const std::vector<std::int64_t>& axes,
                 const Results& results, const Names& given, const Names& made, const std::string& body) {
    Names all = results.finals;
    all.insert(all.end(), results.outputs.begin(), results.outputs.end());
    const auto flags = [&](std::size_t count) {
      Shape values;
      for (std::size_t i = 0; i < count; ++i) values.push_back(pick(0, 1));
      return list(values);
    };
    std::string attributes = fmt::format("num_scan_inputs = {}", axes.size());
    if (opset_ == 8) {
      attributes += fmt::format(", directions = [{}]", flags(axes.size()));
    } else {
      attributes +=
          fmt::format(", scan_input_axes = [{}], scan_input_directions = [{}]", list(axes), flags(axes.size()));
      if (!results.axes.empty())
        attributes += fmt::format(", scan_output_axes = [{}], scan_output_directions = [{}]", list(results.axes),
                                  flags(results.axes.size()));
    }
    around += fmt::format("  {} = Scan <{}, body = {} ({}) => ({}) {{\n{}  }}> ({}{})\n", fmt::join(all, ", "),
                          attributes, fresh("body"), fmt::join(given, ", "), fmt::join(made, ", "), body,
                          opset_ == 8 ? lengths_ + ", " : "", fmt::join(inputs, ", "));
  }

  // --- models

  /// A Scan in the body of a Scan: over elements of its elements, from its states, elements or captures on.
  void nested() {
    opset_ = 18;
    const std::int64_t rows = pick(0, 3);
    const std::int64_t steps = pick(0, 3);
    const std::int64_t inner_axis = any_axis(shape_.size());
    const Shape row = inserted(shape_, inner_axis, steps);
    const std::int64_t outer_axis = any_axis(row.size());
    const std::string x = input("x", inserted(row, outer_axis, rows), chance(50) ? outer_axis : -1);
    const bool has_gate = chance(60);
    const bool has_state = chance(50);
    const Names shared{input("c", shape_)};
    std::string body;
    std::vector<std::string> given;
    Names inputs;
    Names known = shared;
    if (has_state) {
      inputs.push_back(input("s", shape_));
      known.push_back(fresh("p"));
      given.push_back(typed(shape_) + " " + known.back());
    }
    const std::string element = fresh("r");
    given.push_back(typed(row) + " " + element);
    inputs.push_back(x);
    Shape axes{outer_axis};
    if (has_gate) {
      inputs.push_back(input("g", inserted(shape_, 0, rows), chance(50) ? 0 : -1));
      axes.push_back(0);
      known.push_back(fresh("g"));
      given.push_back(typed(shape_) + " " + known.back());
    }
    if (chance(40)) known.push_back(step(body, known));
    Scan inner;
    for (int i = pick(0, 2); i > 0; --i) inner.initials.push_back(any(known));
    const std::string scanned = chance(30) ? node(body, fmt::format("Neg({})", element)) : element;
    inner.scanned.push_back({scanned, inner_axis, shape_});
    inner.known = chance(50) ? known : shared;
    const Results made = scan(body, inner);
    finish_nested(body, given, inputs, axes, known, made, has_state);
  }

  void finish_nested(std::string body, const Names& given, const Names& inputs, const Shape& axes, Names known,
                     const Results& inner, bool has_state) {
    known.insert(known.end(), inner.finals.begin(), inner.finals.end());
    if (chance(40)) known.push_back(step(body, known));
    Results results;
    Names made;
    std::vector<std::size_t> ranks;
    if (has_state) {
      const std::string& next = !inner.finals.empty() && chance(60) ? inner.finals[0] : any(known);
      made.push_back(typed(shape_) + " " + node(body, fmt::format("Identity({})", next)));
      results.finals.push_back(fresh("f"));
      ranks.push_back(shape_.size());
    }
    const auto give = [&](const std::string& name, std::size_t rank) {
      const std::vector<std::string> open(rank, "?");
      made.push_back(fmt::format("{} {}", rank == 0 ? "int64" : fmt::format("int64[{}]", fmt::join(open, ",")),
                                 node(body, fmt::format("{}({})", chance(30) ? "Neg" : "Identity", name))));
      results.outputs.push_back(fresh("y"));
      results.axes.push_back(any_axis(rank));
      ranks.push_back(rank + 1);
    };
    for (const std::string& each : inner.outputs) give(each, shape_.size() + 1);
    if (results.outputs.empty() || chance(50)) give(any(known), shape_.size());
    emit_scan(nodes_, inputs, axes, results, given, made, body);
    Names all = results.finals;
    all.insert(all.end(), results.outputs.begin(), results.outputs.end());
    for (std::size_t i = 0; i < all.size(); ++i) output(all[i], ranks[i]);
  }

  void batched() {
    opset_ = 8;
    const std::int64_t batch = pick(0, 3);
    const std::int64_t steps = pick(0, 3);
    const std::int64_t untold = chance(40) ? 0 : -1;
    Scan what;
    for (int i = pick(0, 2); i > 0; --i) what.initials.push_back(input("s", inserted(shape_, 0, batch), untold));
    for (int i = pick(1, 2); i > 0; --i)
      what.scanned.push_back({input("x", inserted(inserted(shape_, 0, steps), 0, batch), untold), 0, shape_});
    what.known.push_back(input("c", shape_));
    lengths_ = "\"\"";
    if (chance(30)) lengths_ = integers(nodes_, Shape(static_cast<std::size_t>(batch), chance(70) ? steps : 0));
    const Results made = scan(nodes_, what);
    for (const std::string& each : made.finals) output(each, shape_.size() + 1);
    for (const std::string& each : made.outputs) output(each, shape_.size() + 2);
  }

  /// Transpositions before scan inputs and after outputs, some of which others read too.
  void transposed() {
    opset_ = 18;
    const std::int64_t steps = pick(0, 3);
    Scan what;
    for (int i = pick(0, 2); i > 0; --i) what.initials.push_back(input("s", shape_));
    for (int i = pick(1, 2); i > 0; --i) what.scanned.push_back(moved_input(steps));
    const Results made = scan(nodes_, what);
    for (const std::string& each : made.finals) output(each, shape_.size());
    for (const std::string& each : made.outputs) {
      for (int i = pick(0, 2); i > 0; --i) output(moved(each, shape_.size() + 1, {}), shape_.size() + 1);
      if (chance(40)) output(each, shape_.size() + 1);
    }
    if (outputs_.empty()) output(moved(what.scanned[0].name, shape_.size() + 1, {}), shape_.size() + 1);
  }

  Scanned moved_input(std::int64_t steps) {
    const std::int64_t axis = any_axis(shape_.size());
    const Shape wanted = inserted(shape_, axis, steps);
    Shape perm(wanted.size());
    std::iota(perm.begin(), perm.end(), 0);
    if (chance(30)) {
      shuffle(perm);
    } else {
      // Only the scanned axis moves.
      const std::int64_t from = any_axis(shape_.size());
      perm.erase(perm.begin() + from);
      perm.insert(perm.begin() + axis, from);
    }
    Shape given(wanted.size());
    for (std::size_t i = 0; i < perm.size(); ++i) given[static_cast<std::size_t>(perm[i])] = wanted[i];
    const std::string name =
        moved(input("x", given, chance(40) ? perm[static_cast<std::size_t>(axis)] : -1), wanted.size(), perm);
    return {name, chance(30) ? axis - static_cast<std::int64_t>(wanted.size()) : axis, shape_};
  }
  std::string moved(const std::string& name, std::size_t rank, Shape perm) {
    if (perm.empty()) {
      perm.resize(rank);
      std::iota(perm.begin(), perm.end(), 0);
      if (chance(50)) {
        shuffle(perm);
      } else {
        std::rotate(perm.begin(), perm.begin() + 1, perm.end());
      }
    }
    return node(nodes_, fmt::format("Transpose <perm = [{}]> ({})", list(perm), name));
  }

  int opset_ = 18;
  Shape shape_;
  std::string lengths_;
  std::vector<std::string> inputs_;
  std::vector<std::string> outputs_;
  std::vector<Value> values_;
  std::string nodes_;
};

}  // namespace

RandomModel loop_model(std::uint32_t seed) { return LoopMaker(seed).make(); }

}  // namespace pawl::tests
