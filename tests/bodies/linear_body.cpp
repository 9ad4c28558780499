#include "linear_body.h"

#include <algorithm>
#include <numeric>

#include "maker.h"
#include "onnx/text.h"

namespace pawl::tests {
namespace {

struct Known {
  std::string name;
  Shape shape;
};

class LinearMaker : private Maker {
 public:
  explicit LinearMaker(std::uint32_t seed) : Maker(seed) {}

  RandomModel make() {
    for (int i = pick(1, 3); i > 0; --i) state_.push_back(pick(1, 3));
    linear_.push_back({"s", state_});
    for (int i = pick(2, 8); i > 0; --i) add_step();
    add_next();
    RandomModel made;
    made.model = *onnx::parse_text(text());
    made.inputs.emplace_back(random_numbers(state_));
    for (const Known& each : elements_) made.inputs.emplace_back(random_numbers(in_time(each.shape)));
    for (const Known& each : captured_) made.inputs.emplace_back(random_numbers(each.shape));
    return made;
  }

 private:
  [[nodiscard]] Shape in_time(const Shape& shape) const {
    Shape longer{steps_};
    longer.insert(longer.end(), shape.begin(), shape.end());
    return longer;
  }
  Tensor random_numbers(const Shape& shape) {
    Tensor tensor = *Tensor::allocate(DType::i64, Dims(std::span<const std::int64_t>(shape)));
    for (std::int64_t i = 0; i < tensor.size(); ++i) tensor.mutable_data<std::int64_t>()[i] = pick(-2, 2);
    return tensor;
  }

  /// Something that needs no state: an element, or a captured value.
  Known free(const Shape& shape) {
    std::vector<Known>& all = chance(60) ? elements_ : captured_;
    const Known made{fmt::format("{}{}", &all == &elements_ ? "e" : "c", all.size()), shape};
    all.push_back(made);
    return made;
  }
  /// One that broadcasts to a shape.
  Known free_beside(Shape shape) {
    for (std::int64_t& extent : shape)
      if (chance(40)) extent = 1;
    if (!shape.empty() && chance(20)) shape.erase(shape.begin());
    return free(shape);
  }

  Known node(Shape shape, const std::string& call) {
    const Known made{fmt::format("v{}", ++names_), std::move(shape)};
    body_ += fmt::format("      {} = {}\n", made.name, call);
    return made;
  }
  std::string integers(const Shape& values) {
    const std::string name = fmt::format("k{}", ++names_);
    body_ += fmt::format("      {} = Constant <value = int64[{}] {{{}}}> ()\n", name, values.size(), list(values));
    return name;
  }
  void add(Shape shape, const std::string& call) { linear_.push_back(node(std::move(shape), call)); }
  const Known& any() { return linear_[static_cast<std::size_t>(pick(0, static_cast<int>(linear_.size()) - 1))]; }
  std::size_t any_axis(const Shape& shape) {
    return static_cast<std::size_t>(pick(0, static_cast<int>(shape.size()) - 1));
  }

  void add_step() {
    const Known x = chance(60) ? linear_.back() : any();
    const auto rank = static_cast<int>(x.shape.size());
    switch (pick(0, 13)) {
      case 0: return transpose(x);
      case 1: return rank > 0 ? product(x, true) : scale(x);
      case 2: return rank > 0 ? product(x, false) : scale(x);
      case 3: return rank > 0 ? einsum(x) : scale(x);
      case 4: return rank > 0 ? einsum(x) : scale(x);
      case 5: return rank > 0 ? reduce(x) : scale(x);
      case 6: return rank < 4 ? unsqueeze(x) : scale(x);
      case 7: return rank > 0 ? slice(x) : scale(x);
      case 8: return rank > 0 ? gather(x) : scale(x);
      case 9: return rank > 0 ? join(x) : scale(x);
      case 10: return rank > 0 ? expand(x) : scale(x);
      case 11: return rank == 2 ? gemm(x) : scale(x);
      case 12: return sum(x);
      default: return scale(x);
    }
  }

  void transpose(const Known& x) {
    Shape perm(x.shape.size());
    std::iota(perm.begin(), perm.end(), 0);
    shuffle(perm);
    Shape shape;
    for (const std::int64_t axis : perm) shape.push_back(x.shape[static_cast<std::size_t>(axis)]);
    if (!perm.empty()) add(shape, fmt::format("Transpose <perm = [{}]> ({})", list(perm), x.name));
  }
  void product(const Known& x, bool left) {
    const auto rank = x.shape.size();
    const std::int64_t inner = left && rank > 1 ? x.shape[rank - 2] : x.shape[rank - 1];
    const std::int64_t outer = pick(1, 3);
    Shape shape = x.shape;
    Shape factor = left ? Shape{outer, inner} : Shape{inner, outer};
    if (chance(20)) factor = {inner};
    if (factor.size() == 2 && rank > 2 && chance(50)) factor.insert(factor.begin(), x.shape[rank - 3]);
    if (factor.size() == 1)
      shape.erase(shape.end() - (left && rank > 1 ? 2 : 1));
    else
      shape[left && rank > 1 ? rank - 2 : rank - 1] = outer;
    const Known f = free(factor);
    add(shape, left ? fmt::format("MatMul({}, {})", f.name, x.name) : fmt::format("MatMul({}, {})", x.name, f.name));
  }
  void einsum(const Known& x) {
    std::string letters;
    Shape extents;
    for (std::size_t i = 0; i < x.shape.size(); ++i) {
      letters += static_cast<char>('a' + i);
      extents.push_back(x.shape[i]);
    }
    const std::string own = letters;
    std::string other;
    Shape factor;
    for (std::size_t i = 0; i < own.size(); ++i)
      if (chance(50)) {
        other += own[i];
        factor.push_back(extents[i]);
      }
    if (chance(60)) {
      letters += 'z';
      other += 'z';
      extents.push_back(pick(1, 3));
      factor.push_back(extents.back());
    }
    std::vector<std::size_t> order(letters.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    shuffle(order);
    std::string result;
    Shape shape;
    for (const std::size_t i : order) {
      if (chance(25)) continue;
      result += letters[i];
      shape.push_back(extents[i]);
    }
    const Known f = free(factor);
    add(shape, chance(50)
                   ? fmt::format("Einsum <equation = \"{},{}->{}\"> ({}, {})", own, other, result, x.name, f.name)
                   : fmt::format("Einsum <equation = \"{},{}->{}\"> ({}, {})", other, own, result, f.name, x.name));
  }
  void reduce(const Known& x) {
    const std::size_t axis = any_axis(x.shape);
    Shape shape = x.shape;
    const bool keeps = chance(50);
    if (keeps)
      shape[axis] = 1;
    else
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
    const std::string axes = integers({static_cast<std::int64_t>(axis)});
    add(shape, fmt::format("ReduceSum <keepdims = {}> ({}, {})", keeps ? 1 : 0, x.name, axes));
  }
  void unsqueeze(const Known& x) {
    const auto axis = pick(0, static_cast<int>(x.shape.size()));
    Shape shape = x.shape;
    shape.insert(shape.begin() + axis, 1);
    const std::string axes = integers({axis});
    add(shape, fmt::format("Unsqueeze({}, {})", x.name, axes));
  }
  void slice(const Known& x) {
    const std::size_t axis = any_axis(x.shape);
    const std::int64_t extent = x.shape[axis];
    Shape shape = x.shape;
    std::string call;
    if (chance(30)) {
      const std::string from = integers({extent - 1});
      const std::string to = integers({-extent - 1});
      const std::string along = integers({static_cast<std::int64_t>(axis)});
      const std::string by = integers({-1});
      call = fmt::format("Slice({}, {}, {}, {}, {})", x.name, from, to, along, by);
    } else {
      const std::int64_t start = pick(0, static_cast<int>(extent) - 1);
      const std::int64_t end = pick(static_cast<int>(start) + 1, static_cast<int>(extent));
      shape[axis] = end - start;
      const std::string from = integers({start});
      const std::string to = integers({end});
      const std::string along = integers({static_cast<std::int64_t>(axis)});
      call = fmt::format("Slice({}, {}, {}, {})", x.name, from, to, along);
    }
    add(shape, call);
  }
  void gather(const Known& x) {
    const std::size_t axis = any_axis(x.shape);
    Shape shape = x.shape;
    Shape indices;
    const bool one = chance(40);
    for (int i = one ? 1 : pick(1, 3); i > 0; --i)
      indices.push_back(pick(-static_cast<int>(x.shape[axis]), static_cast<int>(x.shape[axis]) - 1));
    std::string index = integers(indices);
    if (one) {
      shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
      index = fmt::format("k{}", ++names_);
      body_ += fmt::format("      {} = Constant <value = int64 {{{}}}> ()\n", index, indices[0]);
    } else {
      shape[axis] = static_cast<std::int64_t>(indices.size());
    }
    add(shape, fmt::format("Gather <axis = {}> ({}, {})", axis, x.name, index));
  }
  void join(const Known& x) {
    const std::size_t axis = any_axis(x.shape);
    Shape other = x.shape;
    other[axis] = pick(1, 2);
    Known y = free(other);
    for (const Known& each : linear_)
      if (each.shape == other && chance(70)) y = each;
    Shape shape = x.shape;
    shape[axis] += y.shape[axis];
    const bool first = chance(50);
    add(shape, fmt::format("Concat <axis = {}> ({}, {})", axis, first ? x.name : y.name, first ? y.name : x.name));
  }
  void expand(const Known& x) {
    Shape shape = x.shape;
    for (std::int64_t& extent : shape)
      if (extent == 1 && chance(60)) extent = pick(2, 3);
    const std::string to = integers(shape);
    add(shape, fmt::format("Expand({}, {})", x.name, to));
  }
  void gemm(const Known& x) {
    const bool first = chance(50);
    const bool trans_a = chance(40);
    const bool trans_b = chance(40);
    const std::int64_t outer = pick(1, 3);
    // x is A or B, transposed or not; the other one fits it.
    const bool trans = first ? trans_a : trans_b;
    const std::int64_t inner = x.shape[first == trans ? 0 : 1];
    const std::int64_t kept = x.shape[first == trans ? 1 : 0];
    const bool trans_other = first ? trans_b : trans_a;
    const Shape other = first != trans_other ? Shape{inner, outer} : Shape{outer, inner};
    const Known f = free(other);
    const Shape shape = first ? Shape{kept, outer} : Shape{outer, kept};
    const Known c = free_beside(shape);
    add(shape, fmt::format("Gemm <transA = {}, transB = {}> ({}, {}, {})", trans_a ? 1 : 0, trans_b ? 1 : 0,
                           first ? x.name : f.name, first ? f.name : x.name, c.name));
  }
  void sum(const Known& x) {
    Known y = free_beside(x.shape);
    for (const Known& each : linear_)
      if (each.shape == x.shape && chance(70)) y = each;
    add(x.shape, fmt::format("{}({}, {})", chance(50) ? "Add" : "Sub", x.name, y.name));
  }
  void scale(const Known& x) {
    if (chance(20)) return add(x.shape, fmt::format("Neg({})", x.name));
    const Known f = free_beside(x.shape);
    add(x.shape, fmt::format("Mul({}, {})", chance(50) ? x.name : f.name, chance(50) ? f.name : x.name));
  }

  [[nodiscard]] bool fits(const Shape& shape) const {
    if (shape.size() > state_.size()) return false;
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const std::int64_t whole = state_[state_.size() - shape.size() + i];
      if (shape[i] != 1 && shape[i] != whole) return false;
    }
    return true;
  }

  void add_next() {
    Known sum{"s", state_};
    bool has_sum = false;
    for (std::size_t i = linear_.size(); i-- > 0;) {
      if (!fits(linear_[i].shape) || (has_sum && chance(60))) continue;
      sum = has_sum ? node(state_, fmt::format("Add({}, {})", sum.name, linear_[i].name)) : linear_[i];
      has_sum = true;
    }
    const Known moved = free_beside(state_);
    sum = node(state_, fmt::format("Add({}, {})", sum.name, moved.name));
    const std::string whole = integers(state_);
    sum = node(state_, fmt::format("Expand({}, {})", sum.name, whole));
    if (chance(40)) {
      const Known flag = free_beside(chance(50) ? state_ : Shape(state_.size(), 1));
      const std::string zero = integers({0});
      const Known condition = node(flag.shape, fmt::format("Greater({}, {})", flag.name, zero));
      const std::string other = chance(50) ? "s" : free(state_).name;
      const bool first = chance(50);
      sum = node(state_,
                 fmt::format("Where({}, {}, {})", condition.name, first ? sum.name : other, first ? other : sum.name));
    }
    if (elements_.empty()) elements_.push_back({"e0", {}});
    body_ += fmt::format("      n = Identity({})\n      y = Identity({})\n", sum.name, chance(50) ? "s" : sum.name);
  }

  [[nodiscard]] std::string text() const {
    std::string inputs = fmt::format("int64[{}] s0", list(state_));
    std::string formal = fmt::format("int64[{}] s", list(state_));
    std::string actual = "s0";
    for (const Known& each : elements_) {
      inputs += fmt::format(", {} {}s", typed(in_time(each.shape)), each.name);
      formal += fmt::format(", {} {}", typed(each.shape), each.name);
      actual += fmt::format(", {}s", each.name);
    }
    for (const Known& each : captured_) inputs += fmt::format(", {} {}", typed(each.shape), each.name);
    const std::string whole = list(state_);
    return fmt::format(
        "<ir_version: 10, opset_import: [\"\" : 21]>\n"
        "g ({}) => (int64[{}] f, int64[{}] ys) {{\n  f, ys = Scan <num_scan_inputs = {}, body = b ({}) => (int64[{}] "
        "n, "
        "int64[{}] y) {{\n{}    }}> ({})\n}}\n",
        inputs, whole, list(in_time(state_)), elements_.size(), formal, whole, whole, body_, actual);
  }

  std::int64_t steps_ = 5;
  Shape state_;
  std::vector<Known> linear_;
  std::vector<Known> elements_;
  std::vector<Known> captured_;
  std::string body_;
};

}  // namespace

RandomModel linear_model(std::uint32_t seed) { return LinearMaker(seed).make(); }

}  // namespace pawl::tests
