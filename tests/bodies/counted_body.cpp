#include "counted_body.h"

#include <algorithm>
#include <limits>
#include <map>

#include "maker.h"
#include "onnx/text.h"

namespace pawl::tests {
namespace {

std::string untyped(std::size_t rank) {
  return rank == 0 ? "int64" : fmt::format("int64[{}]", fmt::join(Names(rank, "?"), ","));
}

/// A scalar of the body: a * t + b.
struct Index {
  std::string name;
  std::int64_t a = 0;
  std::int64_t b = 0;
  [[nodiscard]] std::int64_t at(std::int64_t t) const { return a * t + b; }
};

class CountedMaker : private Maker {
 public:
  explicit CountedMaker(std::uint32_t seed) : Maker(seed) {}

  RandomModel make() {
    for (int i = pick(0, 2); i > 0; --i) shape_.push_back(pick(1, 3));
    steps_ = std::vector<int>{0, 1, 2, 3, 5}[static_cast<std::size_t>(pick(0, 4))];
    count_steps();
    for (int i = pick(0, 2); i > 0; --i) known_.push_back(carry(typed(shape_), input("s", shape_)));
    const std::size_t states = known_.size();
    const Names state_outputs(final_.end() - static_cast<std::ptrdiff_t>(states), final_.end());
    if (known_.empty() || chance(50)) known_.push_back(input("c", shape_));
    for (int i = pick(1, 3); i > 0; --i) read();
    for (int i = pick(1, 3); i > 0; --i) write();
    for (int i = pick(1, 5); i > 0; --i) known_.push_back(step());
    for (std::size_t i = 0; i < states; ++i) next_[state_outputs[i]] = chance(70) ? any(known_) : known_[i];
    return written();
  }

 private:
  const std::string& any(const Names& names) {
    return names[static_cast<std::size_t>(pick(0, static_cast<int>(names.size()) - 1))];
  }

  // --- text

  /// A graph input; some extents are not told.
  std::string input(const char* base, const Shape& shape, std::int64_t untold = -1) {
    Tensor tensor = *Tensor::allocate(DType::i64, Dims(std::span<const std::int64_t>(shape)));
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<std::int64_t>()[i] = pick(-3, 3);
    return input(base, std::move(tensor), untold);
  }
  std::string input(const char* base, Tensor tensor, std::int64_t untold = -1) {
    const std::string name = fresh(base);
    const char* type = tensor.dtype() == DType::boolean ? "bool" : "int64";
    Names extents;
    for (std::size_t i = 0; i < tensor.shape().size(); ++i)
      extents.push_back(static_cast<std::int64_t>(i) == untold ? fresh("N") : std::to_string(tensor.shape()[i]));
    inputs_.push_back(extents.empty() ? fmt::format("{} {}", type, name)
                                      : fmt::format("{}[{}] {}", type, fmt::join(extents, ","), name));
    values_.emplace_back(std::move(tensor));
    return name;
  }
  std::string scalar_input(std::int64_t value) { return input("n", Tensor::scalar<std::int64_t>(value)); }

  std::string node(std::string& text, const std::string& call) {
    const std::string name = fresh("v");
    text += fmt::format("    {} = {}\n", name, call);
    return name;
  }
  std::string constant(std::string& text, std::int64_t value) {
    return node(text, fmt::format("Constant <value = int64 {{{}}}> ()", value));
  }
  std::string integers(std::string& text, const Shape& values) {
    return node(text, fmt::format("Constant <value = int64[{}] {{{}}}> ()", values.size(), list(values)));
  }

  /// Another carried value.
  ///   returns : its name in the body; final_ has the name outside
  std::string carry(const std::string& type, const std::string& initial) {
    const std::string name = fresh("p");
    initial_.push_back(initial);
    given_.push_back(type + " " + name);
    final_.push_back(fresh("f"));
    types_[final_.back()] = type;
    return name;
  }
  void output(const std::string& name, std::size_t rank) { outputs_.push_back(untyped_output(name, rank)); }
  std::string untyped_output(const std::string& name, std::size_t rank) {
    Names symbols;
    for (std::size_t i = 0; i < rank; ++i) symbols.push_back(fmt::format("{}_{}", name, i));
    return rank == 0 ? "int64 " + name : fmt::format("int64[{}] {}", fmt::join(symbols, ","), name);
  }

  // --- the number of steps

  void count_steps() {
    yes_ = node(before_, "Constant <value = bool {1}> ()");
    condition_ = yes_;
    still_ = fmt::format("Identity({})", chance(50) ? yes_ : "go");
    switch (pick(0, 7)) {
      case 0:
        number_ = count_ = scalar_input(steps_ > 0 ? steps_ : pick(-2, 0));
        if (chance(50)) condition_ = "\"\"";
        break;
      case 1: {
        const std::string x = input("x", inserted(shape_, 0, steps_), chance(70) ? 0 : -1);
        const std::string shape = node(before_, fmt::format("Shape({})", x));
        number_ = count_ = node(before_, fmt::format("Gather({}, {})", shape, constant(before_, 0)));
        all_.push_back(x);
        break;
      }
      case 2: number_ = count_ = constant(before_, steps_); break;
      case 3: {
        const bool goes = chance(80);
        count_ = scalar_input(steps_);
        number_ = count_;
        condition_ = input("go", Tensor::scalar<bool>(goes));
        still_ = "Identity(go)";
        if (!goes) steps_ = 0;
        break;
      }
      case 4:
      case 5: count_by_comparing(); break;
      default: count_by_carrying();
    }
  }

  /// i + 1 < n after step i.
  void count_by_comparing() {
    number_ = scalar_input(steps_);
    const bool tests_first = chance(70);
    if (tests_first) condition_ = node(before_, fmt::format("Less({}, {})", constant(before_, 0), number_));
    if (!tests_first) steps_ = std::max<std::int64_t>(steps_, 1);
    count_ = chance(50) ? "\"\"" : constant(before_, std::numeric_limits<std::int64_t>::max());
    const std::string next = node(body_, fmt::format("Add(t, {})", constant(body_, 1)));
    std::string test = node(
        body_, chance(50) ? fmt::format("Less({}, {})", next, number_) : fmt::format("Greater({}, {})", number_, next));
    if (chance(30)) test = node(body_, fmt::format("And(go, {})", test));
    still_ = fmt::format("Identity({})", test);
  }

  /// A counter that is carried: up by 1 or 2, or down.
  void count_by_carrying() {
    const std::int64_t by = std::vector<int>{1, 2, -1, 3}[static_cast<std::size_t>(pick(0, 3))];
    const std::int64_t start = pick(-1, 3);
    const std::int64_t slack = by > 1 ? pick(0, static_cast<int>(by) - 1) : 0;
    const std::int64_t bound = start + by * steps_ - (steps_ > 0 ? slack : 0);
    const std::string from = chance(50) ? constant(before_, start) : scalar_input(start);
    const std::string to = chance(50) ? constant(before_, bound) : scalar_input(bound);
    const char* goes_on = by > 0 ? "Less" : "Greater";
    const bool tests_first = chance(70);
    if (tests_first) condition_ = node(before_, fmt::format("{}({}, {})", goes_on, from, to));
    if (!tests_first) steps_ = std::max<std::int64_t>(steps_, 1);
    count_ = "\"\"";
    const std::string counter = carry("int64", from);
    const std::string next = by > 0 ? node(body_, fmt::format("Add({}, {})", counter, constant(body_, by)))
                                    : node(body_, fmt::format("Sub({}, {})", counter, constant(body_, -by)));
    next_[final_.back()] = next;
    counters_.push_back({counter, by, start});
    if (chance(60)) {
      still_ = fmt::format("{}({}, {})", goes_on, next, to);
    } else {
      const std::string done =
          node(body_, fmt::format("{}({}, {})", by > 0 ? "GreaterOrEqual" : "LessOrEqual", next, to));
      still_ = fmt::format("Not({})", done);
    }
  }

  // --- places

  Index index() {
    Index made{"t", 1, 0};
    if (!counters_.empty() && chance(50)) made = counters_[0];
    if (!number_.empty() && chance(25) && steps_ > 0) {
      // n - 1 - t, where n is what the number says.
      const std::string last = node(body_, fmt::format("Sub({}, {})", number_, constant(body_, 1)));
      return {node(body_, fmt::format("Sub({}, t)", last)), -1, steps_ - 1};
    }
    if (chance(30)) {
      const std::int64_t factor = std::vector<int>{2, -1, 3, 0}[static_cast<std::size_t>(pick(0, 3))];
      made = {node(body_, fmt::format("Mul({}, {})", made.name, constant(body_, factor))), made.a * factor,
              made.b * factor};
    }
    if (chance(50)) {
      const std::int64_t offset = pick(-2, 4);
      const std::string by = chance(70) ? constant(body_, offset) : scalar_input(offset);
      made = {node(body_, fmt::format("Add({}, {})", made.name, by)), made.a, made.b + offset};
    }
    return made;
  }

  /// An extent in which every place of the index is, or almost.
  std::int64_t extent_for(const Index& at) {
    std::int64_t extent = 0;
    for (std::int64_t t = 0; t < steps_; ++t) extent = std::max({extent, at.at(t) + 1, -at.at(t)});
    if (chance(5)) return std::max<std::int64_t>(extent - 1, 0);
    return extent + (chance(50) ? pick(0, 2) : 0);
  }
  [[nodiscard]] bool never_negative(const Index& at) const {
    return at.at(0) >= 0 && at.at(std::max<std::int64_t>(steps_ - 1, 0)) >= 0;
  }

  std::string as_list(const std::string& scalar) {
    return chance(50) ? node(body_, fmt::format("Unsqueeze({}, {})", scalar, integers(body_, {0})))
                      : node(body_, fmt::format("Reshape({}, {})", scalar, integers(body_, {1})));
  }

  // --- reads

  void read() {
    const Index at = index();
    const auto axis = static_cast<std::int64_t>(pick(0, static_cast<int>(shape_.size())));
    const Shape whole = inserted(shape_, axis, extent_for(at));
    if (!all_.empty() && axis == 0 && at.a == 1 && at.b == 0 && chance(70)) {
      known_.push_back(node(body_, fmt::format("Gather({}, {})", all_[0], at.name)));
      return;
    }
    std::string x = input("x", whole, chance(50) ? axis : -1);
    if (chance(20)) {
      x = carry(untyped(whole.size()), x);
      next_[final_.back()] = x;
    }
    known_.push_back(read_of(x, axis, at, whole));
  }

  std::string read_of(const std::string& x, std::int64_t axis, const Index& at, const Shape& whole) {
    const std::string axes = integers(body_, {axis});
    switch (pick(0, 7)) {
      case 0: {
        const std::string entry = node(body_, fmt::format("Gather <axis = {}> ({}, {})", axis, x, as_list(at.name)));
        return node(body_, fmt::format("Squeeze({}, {})", entry, axes));
      }
      case 1: {
        if (!never_negative(at)) break;
        const std::string from = as_list(at.name);
        const std::string to = node(body_, fmt::format("Add({}, {})", from, integers(body_, {1})));
        const std::string entry = node(body_, fmt::format("Slice({}, {}, {}, {})", x, from, to, axes));
        if (chance(70)) return node(body_, fmt::format("Squeeze({}, {})", entry, axes));
        return node(body_, fmt::format("ReduceSum <keepdims = 0> ({}, {})", entry, axes));
      }
      case 2: {
        if (x[0] != 'x') break;
        const bool keeps = chance(50);
        const std::string parts = node(
            before_, fmt::format("SplitToSequence <axis = {}, keepdims = {}> ({})", axis, static_cast<int>(keeps), x));
        const std::string entry = node(body_, fmt::format("SequenceAt({}, {})", parts, at.name));
        return keeps ? node(body_, fmt::format("Squeeze({}, {})", entry, axes)) : entry;
      }
      case 3:
        if (axis != 0) break;
        return node(body_, fmt::format("GatherND({}, {})", x, as_list(at.name)));
      case 4: {
        const std::string zero = constant(body_, 0);
        const std::string negative = node(body_, fmt::format("Less({}, {})", at.name, zero));
        const std::string shape = node(body_, fmt::format("Shape({})", x));
        const std::string extent = node(body_, fmt::format("Gather({}, {})", shape, constant(body_, axis)));
        const std::string around = node(body_, fmt::format("Add({}, {})", at.name, extent));
        const std::string place = node(body_, fmt::format("Where({}, {}, {})", negative, around, at.name));
        return node(body_, fmt::format("Gather <axis = {}> ({}, {})", axis, x, place));
      }
      case 5: {
        Shape wide = whole;
        wide[static_cast<std::size_t>(axis)] = 1;
        const std::string places = node(body_, fmt::format("Expand({}, {})", at.name, integers(body_, wide)));
        const std::string entry = node(body_, fmt::format("GatherElements <axis = {}> ({}, {})", axis, x, places));
        return node(body_, fmt::format("Squeeze({}, {})", entry, axes));
      }
      default: break;
    }
    return node(body_, fmt::format("Gather <axis = {}> ({}, {})", axis, x, at.name));
  }

  // --- what a step does

  std::string step() {
    const std::string& a = any(known_);
    if (chance(15)) return node(body_, fmt::format("Neg({})", a));
    if (chance(15) && !shape_.empty()) {
      const int axis = pick(0, static_cast<int>(shape_.size()) - 1);
      const std::string sum = node(body_, fmt::format("ReduceSum <keepdims = 1> ({}, {})", a, integers(body_, {axis})));
      return node(body_, fmt::format("Sub({}, {})", a, sum));
    }
    return node(body_, fmt::format("{}({}, {})",
                                   std::vector<const char*>{"Add", "Sub", "Mul"}[static_cast<std::size_t>(pick(0, 2))],
                                   a, any(known_)));
  }

  // --- writes

  void write() {
    known_.push_back(step());
    switch (pick(0, 6)) {
      case 0: push(); break;
      case 5: splice(); break;
      case 4: scatter_columns(); break;
      case 1: grow(); break;
      case 2: scatter_rows(); break;
      case 3: scatter_along(); break;
      default: scan_outputs_.push_back(any(known_));
    }
  }

  void push() {
    const bool starts_empty = chance(60);
    const std::string initial = starts_empty ? node(before_, "SequenceEmpty <dtype = 7> ()")
                                             : node(before_, fmt::format("SequenceConstruct({})", input("h", shape_)));
    const std::string sequence = carry(fmt::format("seq({})", typed(shape_)), initial);
    const std::string all = final_.back();
    const bool in_front = chance(30);
    if (!starts_empty && chance(40))
      known_.push_back(
          node(body_, fmt::format("SequenceAt({}, {})", sequence, constant(body_, in_front && chance(90) ? 0 : -1))));
    if (chance(20)) {
      const std::string length = node(body_, fmt::format("SequenceLength({})", sequence));
      known_.push_back(node(body_, fmt::format("Add({}, {})", any(known_), length)));
    }
    next_[all] =
        node(body_, !in_front ? fmt::format("SequenceInsert({}, {})", sequence, any(known_))
                              : fmt::format("SequenceInsert({}, {}, {})", sequence, any(known_), constant(body_, 0)));
    after_ += fmt::format("  l_{} = SequenceLength({})\n", all, all);
    output("l_" + all, 0);
    if (starts_empty && steps_ == 0) return;
    const auto rank = static_cast<int>(shape_.size());
    const bool stacks = rank == 0 || chance(60);
    after_ += fmt::format("  c_{} = ConcatFromSequence <axis = {}, new_axis = {}> ({})\n", all,
                          pick(0, stacks ? rank : rank - 1), static_cast<int>(stacks), all);
    output("c_" + all, shape_.size() + (stacks ? 1 : 0));
  }

  void grow() {
    const auto rank = static_cast<int>(shape_.size());
    const int axis = pick(0, rank);
    const Shape initial = inserted(shape_, axis, chance(60) ? 0 : pick(1, 2));
    const std::string buffer = carry(untyped(shape_.size() + 1), input("b", initial));
    const auto row = [&] {
      return node(body_, fmt::format("Unsqueeze({}, {})", any(known_), integers(body_, {axis})));
    };
    const int places = chance(50) ? axis : axis - rank - 1;
    const auto concat = [&](const std::string& a, const std::string& b) {
      return node(body_, fmt::format("Concat <axis = {}> ({}, {})", places, a, b));
    };
    const bool in_front = chance(30);
    if (initial[static_cast<std::size_t>(axis)] > 0 && chance(40))
      known_.push_back(
          node(body_, fmt::format("Gather <axis = {}> ({}, {})", axis, buffer, constant(body_, in_front ? 0 : -1))));
    std::string made = in_front ? concat(row(), buffer) : concat(buffer, row());
    if (chance(20)) made = in_front ? concat(row(), made) : concat(made, row());
    if (chance(10))
      known_.push_back(node(body_, fmt::format("ReduceSum <keepdims = 0> ({}, {})", buffer, integers(body_, {axis}))));
    next_[final_.back()] = made;
  }

  /// Places that are not negative for the most part, in a buffer that is large enough for the most part.
  Index place() {
    Index at = index();
    for (int i = 0; i < 4 && (!never_negative(at) || at.a == 0); ++i) at = index();
    return at;
  }

  void read_buffer(const std::string& buffer, std::int64_t axis, const Index& at) {
    if (!chance(30)) return;
    const std::string ahead = node(body_, fmt::format("Add({}, {})", at.name, constant(body_, pick(-1, 1))));
    known_.push_back(node(body_, fmt::format("Gather <axis = {}> ({}, {})", axis, buffer, ahead)));
  }

  /// What was just written, or something near it, is read.
  void read_back(std::int64_t axis, const Index& at) {
    if (!chance(25)) return;
    const std::string place =
        node(body_, fmt::format("Add({}, {})", at.name, constant(body_, chance(70) ? 0 : pick(-1, 1))));
    known_.push_back(node(body_, fmt::format("Gather <axis = {}> ({}, {})", axis, next_[final_.back()], place)));
  }

  void scatter_rows() {
    const Index at = place();
    const Shape whole = inserted(shape_, 0, extent_for(at));
    const std::string buffer = carry(typed(whole), input("b", whole));
    read_buffer(buffer, 0, at);
    const std::string reduction = chance(20) ? "<reduction = \"add\">" : "";
    std::string places = as_list(at.name);
    std::string row = any(known_);
    if (chance(50)) {
      places = node(body_, fmt::format("Unsqueeze({}, {})", places, integers(body_, {chance(50) ? -1 : 0})));
      Shape wanted = inserted(shape_, 0, 1);
      row = chance(50) ? node(body_, fmt::format("Unsqueeze({}, {})", row, integers(body_, {0})))
                       : node(body_, fmt::format("Reshape({}, {})", row, integers(body_, wanted)));
    } else if (!shape_.empty() && chance(40)) {
      // One element of the row.
      const auto extent = static_cast<int>(shape_[0]);
      const std::int64_t which = pick(0, extent - 1);
      places = node(body_, fmt::format("Concat <axis = 0> ({}, {})", places, integers(body_, {which})));
      row = node(body_, fmt::format("Gather({}, {})", row, constant(body_, which)));
    }
    next_[final_.back()] = node(body_, fmt::format("ScatterND {} ({}, {}, {})", reduction, buffer, places, row));
    read_back(0, at);
  }

  void scatter_along() {
    const Index at = place();
    const auto axis = static_cast<std::int64_t>(pick(0, static_cast<int>(shape_.size())));
    const Shape whole = inserted(shape_, axis, extent_for(at));
    const std::string buffer = carry(typed(whole), input("b", whole));
    read_buffer(buffer, axis, at);
    const std::string places =
        node(body_, fmt::format("Expand({}, {})", at.name, integers(body_, inserted(shape_, axis, 1))));
    const std::string row = node(body_, fmt::format("Unsqueeze({}, {})", any(known_), integers(body_, {axis})));
    next_[final_.back()] =
        node(body_, fmt::format("ScatterElements <axis = {}> ({}, {}, {})", axis, buffer, places, row));
    read_back(axis, at);
  }

  /// Concat of what is before a place, another entry, and what is behind the place.
  void splice() {
    const Index at = place();
    if (!never_negative(at)) return;
    const auto axis = static_cast<std::int64_t>(pick(0, static_cast<int>(shape_.size())));
    const Shape whole = inserted(shape_, axis, extent_for(at));
    const std::string buffer = carry(untyped(whole.size()), input("b", whole, chance(50) ? axis : -1));
    read_buffer(buffer, axis, at);
    const std::string axes = integers(body_, {axis});
    const std::string here = as_list(at.name);
    const std::string next = node(body_, fmt::format("Add({}, {})", here, integers(body_, {1})));
    const std::string before =
        node(body_, fmt::format("Slice({}, {}, {}, {})", buffer, integers(body_, {0}), here, axes));
    const std::string end = integers(body_, {std::numeric_limits<std::int64_t>::max()});
    const std::string behind = node(body_, fmt::format("Slice({}, {}, {}, {})", buffer, next, end, axes));
    const std::string row = node(body_, fmt::format("Unsqueeze({}, {})", any(known_), axes));
    next_[final_.back()] = node(body_, fmt::format("Concat <axis = {}> ({}, {}, {})", axis, before, row, behind));
    read_back(axis, at);
  }

  /// As torch writes y[:, t]: a grid of all rows and the place.
  void scatter_columns() {
    const Index at = place();
    if (shape_.empty()) return;
    const Shape whole = inserted(shape_, 1, extent_for(at));
    const std::string buffer =
        carry(chance(50) ? typed(whole) : untyped(whole.size()), input("b", whole, chance(50) ? 0 : -1));
    read_buffer(buffer, 1, at);
    const std::string last = integers(body_, {-1});
    const std::string shape = node(body_, fmt::format("Shape({})", buffer));
    const std::string rows = node(body_, fmt::format("Gather({}, {})", shape, constant(body_, 0)));
    const std::string count =
        node(body_, fmt::format("Range({}, {}, {})", constant(body_, 0), rows, constant(body_, 1)));
    const std::string i = node(body_, fmt::format("Unsqueeze({}, {})", count, last));
    const std::string j = as_list(at.name);
    const std::string grid = node(body_, fmt::format("Shape({})", node(body_, fmt::format("Add({}, {})", i, j))));
    const auto spread = [&](const std::string& places) {
      const std::string wide = node(body_, fmt::format("Expand({}, {})", places, grid));
      return node(body_, fmt::format("Unsqueeze({}, {})", wide, last));
    };
    const std::string a = spread(i);
    const std::string places = node(body_, fmt::format("Concat <axis = -1> ({}, {})", a, spread(j)));
    const std::string row = node(body_, fmt::format("Unsqueeze({}, {})", any(known_), integers(body_, {1})));
    next_[final_.back()] = node(body_, fmt::format("ScatterND({}, {}, {})", buffer, places, row));
    read_back(1, at);
  }

  // --- the model

  RandomModel written() {
    Names results;
    std::string still = node(body_, still_);
    results.push_back("bool " + still);
    for (const std::string& name : final_) {
      const std::string copy = node(body_, fmt::format("Identity({})", next_.at(name)));
      results.push_back(types_.at(name) + " " + copy);
      outputs_.push_back(open_type(types_.at(name), name));
    }
    Names all = final_;
    for (const std::string& name : scan_outputs_) {
      results.push_back(typed(shape_) + " " + node(body_, fmt::format("Identity({})", name)));
      all.push_back(fresh("y"));
      output(all.back(), shape_.size() + 1);
    }
    if (all.empty()) {
      results.push_back(typed(shape_) + " " + node(body_, fmt::format("Identity({})", any(known_))));
      all.push_back(fresh("y"));
      output(all.back(), shape_.size() + 1);
    }
    const std::string given = given_.empty() ? "" : fmt::format(", {}", fmt::join(given_, ", "));
    const std::string initial = initial_.empty() ? "" : fmt::format(", {}", fmt::join(initial_, ", "));
    const std::string text = fmt::format(
        "<ir_version: 8, opset_import: [\"\" : 18]>\ng ({}) => ({}) {{\n{}  {} = Loop <body = b (int64 t, bool go{}) "
        "=> ({}) "
        "{{\n{}  }}> ({}, {}{})\n{}}}",
        fmt::join(inputs_, ", "), fmt::join(outputs_, ", "), before_, fmt::join(all, ", "), given,
        fmt::join(results, ", "), body_, count_, condition_, initial, after_);
    RandomModel made;
    made.model = *onnx::parse_text(text);
    made.inputs = std::move(values_);
    return made;
  }

  /// The type of an output, without numbers.
  std::string open_type(const std::string& type, const std::string& name) {
    const auto rank = static_cast<std::size_t>(
        type.find('[') == std::string::npos ? 0 : std::count(type.begin(), type.end(), ',') + 1);
    if (type.starts_with("seq")) return fmt::format("seq({}) {}", untyped(rank), name);
    return untyped_output(name, rank);
  }

  Shape shape_;
  std::int64_t steps_ = 0;
  std::string yes_;
  std::string number_;  ///< a scalar that says how many steps there are; empty: none
  std::string count_;
  std::string condition_;
  std::string still_;            ///< the call that makes the body's condition
  std::vector<Index> counters_;  ///< carried
  Names all_;                    ///< tensors with an entry for each step along axis 0
  Names known_;                  ///< values of the body of shape_
  Names scan_outputs_;
  Names initial_;
  Names given_;
  Names final_;
  std::map<std::string, std::string> types_;  ///< of carried values, by their name outside
  std::map<std::string, std::string> next_;   ///< what they become, by their name outside
  std::string before_;
  std::string body_;
  std::string after_;
  Names inputs_;
  Names outputs_;
  std::vector<Value> values_;
};

}  // namespace

RandomModel counted_model(std::uint32_t seed) { return CountedMaker(seed).make(); }

}  // namespace pawl::tests
