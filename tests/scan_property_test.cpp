// Random Scans against a loop over slices that is written separately, on flat arrays with its own index arithmetic.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "pawl/program.h"

namespace {

using pawl::Dims;
using pawl::Tensor;
using pawl::Value;

/// A dense array in row-major order. Arithmetic is on uint64, which wraps as every integer type does once it is
/// narrowed.
struct Array {
  std::vector<std::int64_t> shape;
  std::vector<std::uint64_t> data;
};

std::int64_t product(const std::vector<std::int64_t>& shape, std::size_t from = 0) {
  std::int64_t count = 1;
  for (std::size_t i = from; i < shape.size(); ++i) count *= shape[i];
  return count;
}

/// One linear form: the sum of coefficient * term over states, elements and the captured array.
using Form = std::vector<int>;

struct Case {
  std::string type;
  std::vector<std::int64_t> element_shape;
  std::int64_t steps = 0;
  std::vector<Array> states;
  std::vector<Array> inputs;  ///< with time inserted
  Array captured;             ///< of the element's shape, used by the body from outside
  Array inner;                ///< [L, element]: summed by a Scan inside the body, which adds the sum to state 0
  bool nested = false;
  std::vector<std::int64_t> input_axes, output_axes;
  std::vector<bool> input_reversed, output_reversed;
  std::vector<Form> next, outputs;
};

class Generator {
 public:
  explicit Generator(std::uint32_t seed) : random_(seed) {}

  int pick(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }

  Array array(std::vector<std::int64_t> shape) {
    Array made{std::move(shape), {}};
    for (std::int64_t i = 0; i < product(made.shape); ++i) made.data.push_back(static_cast<std::uint64_t>(pick(-2, 3)));
    return made;
  }

  Form form(std::size_t terms) {
    Form made;
    for (std::size_t i = 0; i < terms; ++i) made.push_back(pick(0, 2) == 0 ? 0 : pick(-1, 2));
    return made;
  }

  Case make() {
    static const char* const kTypes[] = {"int64", "int32", "int8", "uint8", "uint32", "int16", "float", "double"};
    static const int kSteps[] = {0, 1, 2, 3, 5, 7};
    Case made;
    made.type = kTypes[pick(0, 7)];
    for (int rank = pick(0, 3); rank > 0; --rank) made.element_shape.push_back(pick(0, 9) == 0 ? 0 : pick(1, 3));
    made.steps = kSteps[pick(0, 5)];
    if (made.type == "float") made.steps = std::min<std::int64_t>(made.steps, 3);  // so that every sum is exact
    const auto rank = static_cast<int>(made.element_shape.size());
    for (int i = pick(0, 3); i > 0; --i) made.states.push_back(array(made.element_shape));
    for (int i = pick(1, 3); i > 0; --i) {
      const int axis = pick(0, rank);
      std::vector<std::int64_t> shape = made.element_shape;
      shape.insert(shape.begin() + axis, made.steps);
      made.inputs.push_back(array(shape));
      made.input_axes.push_back(pick(0, 1) == 0 ? axis : axis - rank - 1);
      made.input_reversed.push_back(pick(0, 1) == 1);
    }
    made.captured = array(made.element_shape);
    std::vector<std::int64_t> inner_shape = made.element_shape;
    inner_shape.insert(inner_shape.begin(), pick(0, 3));
    made.inner = array(inner_shape);
    made.nested = !made.states.empty() && pick(0, 2) == 0;
    const std::size_t terms = made.states.size() + made.inputs.size() + 1;
    for (std::size_t i = 0; i < made.states.size(); ++i) made.next.push_back(form(terms));
    int outputs = pick(0, 3);
    if (outputs == 0 && made.states.empty()) outputs = 1;
    for (; outputs > 0; --outputs) {
      made.outputs.push_back(form(terms));
      const int axis = pick(0, rank);
      made.output_axes.push_back(pick(0, 1) == 0 ? axis : axis - rank - 1);
      made.output_reversed.push_back(pick(0, 1) == 1);
    }
    return made;
  }

 private:
  std::mt19937 random_;
};

std::string type_text(const Case& c, const std::vector<std::int64_t>& shape) {
  std::ostringstream text;
  text << c.type;
  for (std::size_t i = 0; i < shape.size(); ++i) text << (i == 0 ? "[" : ",") << shape[i];
  if (!shape.empty()) text << "]";
  return text.str();
}

template <class T, class F>
std::string list(const std::vector<T>& items, F&& print) {
  std::ostringstream text;
  for (std::size_t i = 0; i < items.size(); ++i) text << (i == 0 ? "" : ", ") << print(items[i]);
  return text.str();
}

/// Nodes that compute a form into `name`. Coefficients are outer scalars k_0 (0), k_1 … named by value.
void print_form(std::ostringstream& text, const Case& c, const Form& form, const std::string& name) {
  std::string sum;
  for (std::size_t i = 0; i < form.size(); ++i) {
    const std::string term = i < c.states.size()   ? (c.nested && i == 0 ? "summed" : "s" + std::to_string(i))
                             : i + 1 < form.size() ? "x" + std::to_string(i - c.states.size())
                                                   : "captured";
    const std::string scaled = name + "_t" + std::to_string(i);
    text << "    " << scaled << " = Mul(" << term << ", k" << form[i] + 1 << ")\n";
    if (sum.empty()) {
      sum = scaled;
    } else {
      const std::string next = i + 1 == form.size() ? name : name + "_a" + std::to_string(i);
      text << "    " << next << " = Add(" << sum << ", " << scaled << ")\n";
      sum = next;
    }
  }
}

std::string print_model(const Case& c) {
  std::ostringstream text;
  text << "<ir_version: 8, opset_import: [\"\" : 16]>\ng (";
  for (std::size_t i = 0; i < c.states.size(); ++i) text << type_text(c, c.states[i].shape) << " init" << i << ", ";
  for (std::size_t i = 0; i < c.inputs.size(); ++i) text << type_text(c, c.inputs[i].shape) << " in" << i << ", ";
  text << type_text(c, c.captured.shape) << " captured, " << type_text(c, c.inner.shape) << " inner";
  for (int k = -1; k <= 2; ++k) text << ", " << c.type << " k" << k + 1;
  text << ") => (";
  std::vector<std::string> names;
  for (std::size_t i = 0; i < c.states.size(); ++i) names.push_back("final" + std::to_string(i));
  for (std::size_t i = 0; i < c.outputs.size(); ++i) names.push_back("out" + std::to_string(i));
  text << list(names, [&](const std::string& n) { return c.type + "[] " + n; }) << ") {\n  ";
  const auto ints = [](const std::vector<std::int64_t>& v) {
    return "[" + list(v, [](std::int64_t x) { return std::to_string(x); }) + "]";
  };
  const auto bits = [](const std::vector<bool>& v) {
    std::string all;
    for (std::size_t i = 0; i < v.size(); ++i) all += std::string(i == 0 ? "" : ", ") + (v[i] ? "1" : "0");
    return "[" + all + "]";
  };
  text << list(names, [](const std::string& n) { return n; }) << " = Scan <num_scan_inputs = " << c.inputs.size()
       << ", scan_input_axes = " << ints(c.input_axes) << ", scan_input_directions = " << bits(c.input_reversed);
  if (!c.outputs.empty())
    text << ", scan_output_axes = " << ints(c.output_axes) << ", scan_output_directions = " << bits(c.output_reversed);
  text << ", body = b (";
  std::vector<std::string> body_inputs;
  for (std::size_t i = 0; i < c.states.size(); ++i) body_inputs.push_back("s" + std::to_string(i));
  for (std::size_t i = 0; i < c.inputs.size(); ++i) body_inputs.push_back("x" + std::to_string(i));
  std::vector<std::string> body_outputs;
  for (std::size_t i = 0; i < c.next.size(); ++i) body_outputs.push_back("n" + std::to_string(i));
  for (std::size_t i = 0; i < c.outputs.size(); ++i) body_outputs.push_back("y" + std::to_string(i));
  const auto same = [](const std::string& n) { return n; };
  text << list(body_inputs, same) << ") => (" << list(body_outputs, same) << ") {\n";
  if (c.nested) {
    text << "    summed = Scan <num_scan_inputs = 1, scan_input_directions = [1], body = add (p, q) => (r) { r = "
            "Add(p, q) }> (s0, inner)\n";
  }
  for (std::size_t i = 0; i < c.next.size(); ++i) print_form(text, c, c.next[i], "n" + std::to_string(i));
  for (std::size_t i = 0; i < c.outputs.size(); ++i) print_form(text, c, c.outputs[i], "y" + std::to_string(i));
  text << "  }> (";
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < c.states.size(); ++i) arguments.push_back("init" + std::to_string(i));
  for (std::size_t i = 0; i < c.inputs.size(); ++i) arguments.push_back("in" + std::to_string(i));
  text << list(arguments, same) << ")\n}\n";
  return text.str();
}

/// Where element `e` of step `t` lies in a tensor whose time axis is `axis`.
std::size_t place(const std::vector<std::int64_t>& element_shape, std::int64_t steps, std::int64_t axis, std::int64_t t,
                  std::int64_t e) {
  const auto at =
      static_cast<std::size_t>(axis < 0 ? axis + static_cast<std::int64_t>(element_shape.size()) + 1 : axis);
  const std::int64_t inside = product(element_shape, at);
  return static_cast<std::size_t>((e / inside * steps + t) * inside + e % inside);
}

/// The loop over slices: finals, then outputs.
std::vector<Array> expected(const Case& c) {
  const std::int64_t size = product(c.element_shape);
  std::vector<Array> states = c.states;
  std::vector<Array> outputs;
  for (const std::int64_t axis : c.output_axes) {
    Array output{c.element_shape, std::vector<std::uint64_t>(static_cast<std::size_t>(size * c.steps), 0)};
    output.shape.insert(
        output.shape.begin() + (axis < 0 ? axis + static_cast<std::int64_t>(c.element_shape.size()) + 1 : axis),
        c.steps);
    outputs.push_back(output);
  }
  for (std::int64_t t = 0; t < c.steps; ++t) {
    std::vector<Array> after = states;
    for (std::int64_t e = 0; e < size; ++e) {
      std::vector<std::uint64_t> terms;
      for (const Array& state : states) terms.push_back(state.data[static_cast<std::size_t>(e)]);
      if (c.nested)
        for (std::int64_t l = 0; l < c.inner.shape[0]; ++l)
          terms[0] += c.inner.data[static_cast<std::size_t>(l * size + e)];
      for (std::size_t i = 0; i < c.inputs.size(); ++i)
        terms.push_back(c.inputs[i].data[place(c.element_shape, c.steps, c.input_axes[i],
                                               c.input_reversed[i] ? c.steps - 1 - t : t, e)]);
      terms.push_back(c.captured.data[static_cast<std::size_t>(e)]);
      const auto apply = [&](const Form& form) {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < form.size(); ++i) sum += static_cast<std::uint64_t>(form[i]) * terms[i];
        return sum;
      };
      for (std::size_t i = 0; i < states.size(); ++i) after[i].data[static_cast<std::size_t>(e)] = apply(c.next[i]);
      for (std::size_t k = 0; k < outputs.size(); ++k)
        outputs[k]
            .data[place(c.element_shape, c.steps, c.output_axes[k], c.output_reversed[k] ? c.steps - 1 - t : t, e)] =
            apply(c.outputs[k]);
    }
    states = after;
  }
  states.insert(states.end(), outputs.begin(), outputs.end());
  return states;
}

/// Calls f with a value of the C++ type behind the name.
template <class F>
auto with_type(const std::string& type, F&& f) {
  if (type == "int64") return f(std::int64_t{});
  if (type == "int32") return f(std::int32_t{});
  if (type == "int16") return f(std::int16_t{});
  if (type == "int8") return f(std::int8_t{});
  if (type == "uint8") return f(std::uint8_t{});
  if (type == "uint32") return f(std::uint32_t{});
  if (type == "double") return f(double{});
  return f(float{});
}

template <class T>
T narrow(std::uint64_t wide) {
  return static_cast<T>(static_cast<std::int64_t>(wide));
}

Value to_value(const Case& c, const Array& array) {
  return with_type(c.type, [&](auto zero) {
    using T = decltype(zero);
    std::vector<T> values;
    for (const std::uint64_t wide : array.data) values.push_back(narrow<T>(wide));
    return Value(Tensor::of<T>(Dims(std::span<const std::int64_t>(array.shape)), std::span<const T>(values)));
  });
}

std::vector<Value> make_inputs(const Case& c) {
  std::vector<Value> inputs;
  for (const Array& state : c.states) inputs.push_back(to_value(c, state));
  for (const Array& input : c.inputs) inputs.push_back(to_value(c, input));
  inputs.push_back(to_value(c, c.captured));
  inputs.push_back(to_value(c, c.inner));
  for (std::int64_t k = -1; k <= 2; ++k) inputs.push_back(to_value(c, Array{{}, {static_cast<std::uint64_t>(k)}}));
  return inputs;
}

void expect_equal(const Case& c, const Value& got, const Array& want, const std::string& model) {
  ASSERT_TRUE(got.is_tensor());
  ASSERT_EQ(std::vector<std::int64_t>(got.tensor().shape().begin(), got.tensor().shape().end()), want.shape) << model;
  with_type(c.type, [&](auto zero) {
    using T = decltype(zero);
    const auto values = got.tensor().values<T>();
    for (std::size_t i = 0; i < values.size(); ++i)
      ASSERT_EQ(values[i], narrow<T>(want.data[i])) << "element " << i << "\n" << model;
  });
}

void check(std::uint32_t seed) {
  Generator generator(seed);
  const Case c = generator.make();
  const std::string text = print_model(c);
  const auto model = pawl::Model::from_text(text);
  ASSERT_TRUE(model.ok()) << model.error().to_string() << "\n" << text;
  const auto program =
      pawl::Program::compile(*model, {.guarantee = pawl::Guarantee::exact, .kernels = pawl::Kernels::off});
  ASSERT_TRUE(program.ok()) << program.error().to_string();
  const std::vector<Value> inputs = make_inputs(c);
  const std::vector<Array> want = expected(c);
  // Twice: no run leaves anything behind for the next one.
  for (int round = 0; round < 2; ++round) {
    const auto got = program->run(inputs);
    ASSERT_TRUE(got.ok()) << got.error().to_string() << "\n" << text;
    ASSERT_EQ(got->size(), want.size());
    for (std::size_t i = 0; i < want.size(); ++i) expect_equal(c, (*got)[i], want[i], text);
  }
}

TEST(ScanProperty, AgreesWithALoopOverSlices) {
  constexpr std::uint32_t kCases = 400;
  for (std::uint32_t seed = 0; seed < kCases && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    check(seed);
  }
}

}  // namespace
