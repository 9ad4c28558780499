// Where oneDNN begins to pay: time of each operator by its own evaluation and by oneDNN, over sizes.
//   large_operators        prints the time to load the library, and a line per operator and size: work, ms by the
//   reference, by oneDNN the first time (it generates code), and later
#include <fmt/core.h>

#include <chrono>
#include <memory>

#include "backend/cpu/accelerate.h"
#include "ops/schema.h"

namespace {

using pawl::Tensor;
using Ints = std::vector<std::int64_t>;

template <class F>
double milliseconds(F&& f, int times) {
  double best = 1e9;
  for (int i = 0; i < times; ++i) {
    const auto start = std::chrono::steady_clock::now();
    f();
    best = std::min(best, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
  return best;
}

Tensor ones(const pawl::Dims& shape) {
  Tensor tensor = *Tensor::allocate(pawl::DType::f32, shape);
  for (float& x : tensor.mutable_values<float>()) x = 1;
  return tensor;
}

void measure(std::string_view name, std::int64_t work, std::vector<pawl::ops::Attribute> list,
             const std::vector<Tensor>& inputs) {
  const pawl::ops::OpDef* def = pawl::ops::find_op("", name);
  const pawl::ops::Schema* schema = pawl::ops::find_schema("", name, 22);
  const pawl::ops::Attributes attributes(std::move(list));
  std::vector<pawl::Value> values(inputs.begin(), inputs.end()), outputs(1);
  std::vector<pawl::Value*> pointers;
  for (pawl::Value& value : values) pointers.push_back(&value);
  const auto unused = std::make_unique<bool[]>(values.size());
  const bool wanted[] = {true};
  pawl::ops::EvalContext context{*schema, attributes, pointers, {unused.get(), values.size()},
                                 outputs, wanted,     nullptr};
  const int times = work > (1 << 24) ? 3 : 20;
  const double reference = milliseconds([&] { static_cast<void>(def->eval(context)); }, times);
  bool done = false;
  const double first = milliseconds([&] { done = *pawl::cpu::accelerate(*def, context, pawl::cpu::kAlways); }, 1);
  const double fast = milliseconds([&] { done = *pawl::cpu::accelerate(*def, context, pawl::cpu::kAlways); }, times);
  fmt::print("{:<14} {:>10}  {:>9.3f}  {:>9.3f}  {:>9.3f}{}\n", name, work, reference, first, fast,
             done ? "" : "  (not taken)");
}

}  // namespace

int main() {
  const double load = milliseconds([] { static_cast<void>(pawl::cpu::has_dnnl()); }, 1);
  fmt::print("loading the library: {:.1f} ms\n{:<14} {:>10}  {:>9}  {:>9}  {:>9}\n", load, "operator", "work",
             "reference", "first", "oneDNN");
  for (const std::int64_t n : {16, 32, 64, 128, 256, 512})
    measure("MatMul", n * n * n, {}, {ones({n, n}), ones({n, n})});
  for (const std::int64_t n : {64, 256, 1024, 4096}) measure("MatMul", n * n, {}, {ones({1, n}), ones({n, n})});
  for (const std::int64_t c : {2, 4, 8, 16, 32, 64})
    measure("Conv", c * c * 9 * 32 * 32, {{"pads", Ints{1, 1, 1, 1}}}, {ones({1, c, 32, 32}), ones({c, c, 3, 3})});
  for (const std::int64_t c : {2, 8, 32})
    measure("ConvTranspose", c * c * 9 * 32 * 32, {{"pads", Ints{1, 1, 1, 1}}},
            {ones({1, c, 32, 32}), ones({c, c, 3, 3})});
  for (const std::int64_t c : {1, 4, 16, 64, 256})
    for (const char* name : {"MaxPool", "AveragePool"})
      measure(name, c * 9 * 30 * 30, {{"kernel_shape", Ints{3, 3}}}, {ones({1, c, 32, 32})});
}
