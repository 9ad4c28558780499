// Large operators through oneDNN against the operators' own evaluation, on random shapes, strides, paddings and groups.
#include "backend/cpu/accelerate.h"

#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <random>
#include <thread>

#include "ops/schema.h"
#include "pawl/program.h"
#include "tensor/compare.h"
#include "tensor/walk.h"

namespace pawl::cpu {
namespace {

using Random = std::mt19937;

std::int64_t pick(Random& random, std::int64_t least, std::int64_t most) {
  return std::uniform_int_distribution<std::int64_t>(least, most)(random);
}

Tensor random_tensor(Random& random, const Dims& shape) {
  Tensor tensor = *Tensor::allocate(DType::f32, shape);
  for (float& x : tensor.mutable_values<float>()) x = std::uniform_real_distribution<float>(-1, 1)(random);
  return tensor;
}

/// One call, ready to be evaluated in either way.
struct Call {
  const ops::OpDef* def;
  const ops::Schema* schema;
  ops::Attributes attributes;
  std::vector<Tensor> inputs;

  Call(std::string_view name, std::int64_t opset, std::vector<ops::Attribute> list, std::vector<Tensor> given)
      : def(ops::find_op("", name)),
        schema(ops::find_schema("", name, opset)),
        attributes(std::move(list)),
        inputs(std::move(given)) {}

  /// The result by oneDNN, undefined where it is not for oneDNN; or by the operator's evaluation.
  Result<Tensor> run(bool fast, const std::vector<Tensor>& given, const Policy& policy = kAlways) const {
    std::vector<Value> values(given.begin(), given.end());
    std::vector<Value*> pointers;
    pointers.reserve(values.size());
    for (Value& value : values) pointers.push_back(value.tensor().defined() ? &value : nullptr);
    const auto unused = std::make_unique<bool[]>(values.size());
    const bool wanted[] = {true};
    std::vector<Value> outputs(1);
    ops::EvalContext context{*schema, attributes, pointers, {unused.get(), values.size()}, outputs, wanted, nullptr};
    if (!fast)
      TRY(def->eval(context));
    else if (const Result<bool> done = accelerate(*def, context, policy); !done.ok() || !*done)
      return done.ok() ? Result<Tensor>(Tensor()) : done.error();
    return outputs[0].tensor();
  }
};

Tensor magnitudes(const Tensor& tensor) {
  if (!tensor.defined()) return tensor;
  Tensor copy = *tensor.clone();
  for (float& x : copy.mutable_values<float>()) x = std::fabs(x);
  return copy;
}

/// Compares within what float sums of `count` products may differ from exact ones. Counts the calls that oneDNN took.
void compare(const Call& call, std::int64_t count, int& taken) {
  const Result<Tensor> want = call.run(false, call.inputs), got = call.run(true, call.inputs);
  ASSERT_TRUE(got.ok()) << got.error().to_string();
  if (!want.ok()) {
    EXPECT_FALSE(got->defined()) << "not refused: " << want.error().to_string();
    return;
  }
  if (!got->defined()) return;
  ++taken;
  ASSERT_EQ(got->shape(), want->shape());
  std::vector<Tensor> sizes;
  sizes.reserve(call.inputs.size());
  for (const Tensor& input : call.inputs) sizes.push_back(magnitudes(input));
  const Result<Tensor> bound = call.run(false, sizes);
  ASSERT_TRUE(bound.ok());
  for (std::int64_t i = 0; i < want->size(); ++i) {
    const double difference =
        std::fabs(static_cast<double>(got->data<float>()[i]) - static_cast<double>(want->data<float>()[i]));
    ASSERT_LE(difference, static_cast<double>(count + 2) * 0x1p-24 * static_cast<double>(bound->data<float>()[i]))
        << call.def->name << " at " << i;
  }
}

class Accelerated : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_dnnl()) GTEST_SKIP() << "there is no oneDNN";
  }
  void TearDown() override {
    if (has_dnnl()) {
      EXPECT_GE(2 * taken, calls) << "oneDNN took too few of the calls for the test to mean anything";
    }
  }
  Random random{7};
  int calls = 0, taken = 0;
};

TEST_F(Accelerated, MatMul) {
  for (; calls < 60; ++calls) {
    const std::int64_t m = pick(random, 1, 20), k = pick(random, 1, 40), n = pick(random, 1, 20),
                       batch = pick(random, 1, 3);
    Tensor a = random_tensor(random, calls % 3 == 0 ? Dims{batch, 2, m, k} : Dims{m, k});
    Tensor b = random_tensor(random, calls % 2 == 0 ? Dims{2, k, n} : Dims{k, n});
    // Views: columns for rows, and elements apart.
    if (calls % 5 == 1 && b.rank() == 2) b = random_tensor(random, {n, k}).view({k, n}, {1, k});
    if (calls % 5 == 2 && a.rank() == 2) a = random_tensor(random, {m, 2 * k}).view({m, k}, {2 * k, 1});
    compare(Call("MatMul", 13, {}, {a, b}), k, taken);
  }
}

TEST_F(Accelerated, OneRowTimesAMatrix) {
  for (const std::int64_t k : {1, 7, 8, 17, 160}) {
    for (const std::int64_t n : {1, 3, 16, 42, 67, 640}) {
      const Tensor row = random_tensor(random, {1, k}), apart = random_tensor(random, {k, 3}).view({1, k}, {1, 3});
      const Tensor rows = random_tensor(random, {k, n}), columns = random_tensor(random, {n, k}).view({k, n}, {1, k});
      for (const Tensor& a : {row, apart})
        for (const Tensor& b : {rows, columns}) compare(Call("MatMul", 13, {}, {a, b}), k, taken);
      calls += 4;
    }
  }
}

TEST_F(Accelerated, RowsTimesAMatrixAreTheSameWhoeverSharesThem) {
  taken = 1;
  const Call call("MatMul", 13, {}, {random_tensor(random, {1, 300}), random_tensor(random, {300, 700})});
  const Tensor alone = *call.run(true, call.inputs);
  Policy shared = kAlways;
  shared.shared_of_few = 0;
  shared.threads = 3;
  EXPECT_FALSE(first_difference(*call.run(true, call.inputs, shared), alone, {0, 0}));
}

TEST_F(Accelerated, Gemm) {
  for (; calls < 60; ++calls) {
    const std::int64_t m = pick(random, 1, 20), k = pick(random, 1, 40), n = pick(random, 1, 20),
                       ta = pick(random, 0, 1), tb = pick(random, 0, 1);
    const Tensor a = random_tensor(random, ta ? Dims{k, m} : Dims{m, k}),
                 b = random_tensor(random, tb ? Dims{n, k} : Dims{k, n});
    const Dims biases[] = {{n}, {m, n}, {m, 1}, {}};
    const Tensor c = calls % 4 == 0 ? Tensor() : random_tensor(random, biases[pick(random, 0, 3)]);
    compare(Call("Gemm", 13, {{"transA", ta}, {"transB", tb}, {"alpha", 0.5F}, {"beta", 1.5F}}, {a, b, c}), k, taken);
  }
}

TEST_F(Accelerated, GemmThatIsAdded) {
  for (; calls < 40; ++calls) {
    const std::int64_t m = pick(random, 2, 70), k = pick(random, 1, 90), n = pick(random, 1, 90),
                       tb = pick(random, 0, 1);
    const Tensor b = random_tensor(random, tb ? Dims{n, k} : Dims{k, n}), c = random_tensor(random, {n});
    compare(Call("Gemm", 13, {{"transB", tb}}, {random_tensor(random, {m, k}), b, c}), k, taken);
  }
}

/// Each thread has scratch memory of its own, whoever made the code.
TEST_F(Accelerated, ThreadsShareTheCodeOfAShape) {
  calls = 1;
  const Call call("MatMul", 13, {}, {random_tensor(random, {70, 300}), random_tensor(random, {300, 130})});
  const Tensor want = *call.run(true, call.inputs);
  compare(call, 300, taken);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  threads.reserve(4);
  for (int who = 0; who < 4; ++who)
    threads.emplace_back([&] {
      for (int i = 0; i < 20; ++i) wrong += first_difference(*call.run(true, call.inputs), want, {0, 0}) ? 1 : 0;
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

/// Attributes of windows over `rank` axes, and their extents so that something fits.
struct Geometry {
  std::vector<std::int64_t> kernel, strides, dilations, pads, extents;
  std::string auto_pad;

  Geometry(Random& random, std::size_t rank, bool dilated) : pads(2 * rank) {
    constexpr const char* kPads[] = {"NOTSET", "NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"};
    auto_pad = kPads[pick(random, 0, 4)];
    for (std::size_t i = 0; i < rank; ++i) {
      kernel.push_back(pick(random, 1, 4));
      strides.push_back(pick(random, 1, 3));
      dilations.push_back(dilated && auto_pad[0] != 'S' ? pick(random, 1, 3) : 1);
      extents.push_back(pick(random, 10, 14));
      if (auto_pad == "NOTSET")
        for (const std::size_t end : {i, i + rank}) pads[end] = pick(random, 0, kernel[i] - 1);
    }
  }

  [[nodiscard]] std::vector<ops::Attribute> attributes() const {
    std::vector<ops::Attribute> list = {{"kernel_shape", kernel}, {"strides", strides}, {"dilations", dilations}};
    if (auto_pad == "NOTSET")
      list.push_back({"pads", pads});
    else
      list.push_back({"auto_pad", auto_pad});
    return list;
  }
  [[nodiscard]] std::int64_t volume() const {
    std::int64_t volume = 1;
    for (const std::int64_t extent : kernel) volume *= extent;
    return volume;
  }
};

Dims with(Dims leading, const std::vector<std::int64_t>& rest) {
  for (const std::int64_t extent : rest) leading.push_back(extent);
  return leading;
}

TEST_F(Accelerated, Conv) {
  for (; calls < 60; ++calls) {
    const Geometry geometry(random, static_cast<std::size_t>(pick(random, 1, 3)), true);
    const std::int64_t groups = pick(random, 1, 3), channels = pick(random, 1, 5),
                       filters = groups * pick(random, 1, 5), batch = pick(random, 1, 2);
    std::vector<ops::Attribute> list = geometry.attributes();
    list.push_back({"group", groups});
    const Tensor bias = calls % 2 == 0 ? Tensor() : random_tensor(random, {filters});
    compare(Call("Conv", 22, list,
                 {random_tensor(random, with({batch, groups * channels}, geometry.extents)),
                  random_tensor(random, with({filters, channels}, geometry.kernel)), bias}),
            channels * geometry.volume(), taken);
  }
}

TEST_F(Accelerated, ConvTranspose) {
  for (; calls < 60; ++calls) {
    Geometry geometry(random, static_cast<std::size_t>(pick(random, 1, 3)), true);
    const std::int64_t groups = pick(random, 1, 3), channels = pick(random, 1, 5), filters = pick(random, 1, 5),
                       batch = pick(random, 1, 2);
    std::vector<ops::Attribute> list = geometry.attributes();
    list.push_back({"group", groups});
    if (calls % 3 == 0) {
      std::vector<std::int64_t> extra;
      extra.reserve(geometry.strides.size());
      for (const std::int64_t stride : geometry.strides) extra.push_back(pick(random, 0, stride - 1));
      list.push_back({"output_padding", extra});
    }
    const Tensor bias = calls % 2 == 0 ? Tensor() : random_tensor(random, {groups * filters});
    compare(Call("ConvTranspose", 22, list,
                 {random_tensor(random, with({batch, groups * channels}, geometry.extents)),
                  random_tensor(random, with({groups * channels, filters}, geometry.kernel)), bias}),
            channels * geometry.volume(), taken);
  }
}

TEST_F(Accelerated, Pools) {
  for (; calls < 120; ++calls) {
    const Geometry geometry(random, static_cast<std::size_t>(pick(random, 1, 3)), false);
    std::vector<ops::Attribute> list = geometry.attributes();
    const bool max = calls % 2 == 0;
    list.push_back({"ceil_mode", pick(random, 0, 1)});
    if (!max) list.push_back({"count_include_pad", pick(random, 0, 1)});
    compare(Call(max ? "MaxPool" : "AveragePool", 22, list,
                 {random_tensor(random, with({pick(random, 1, 2), pick(random, 1, 20)}, geometry.extents))}),
            geometry.volume(), taken);
  }
}

TEST_F(Accelerated, MaxPoolLeavesNanAndInfinityToTheReference) {
  const Call call("MaxPool", 22, {{"kernel_shape", std::vector<std::int64_t>{2}}}, {});
  taken = 1;
  for (const float odd : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()})
    EXPECT_FALSE(call.run(true, {Tensor::of<float>({1, 1, 3}, {1, odd, 2})})->defined());
}

TEST_F(Accelerated, TheSameBitsEveryTime) {
  taken = 1;
  const Call call("MatMul", 13, {}, {random_tensor(random, {200, 300}), random_tensor(random, {300, 100})});
  const Tensor first = *call.run(true, call.inputs);
  for (int i = 0; i < 5; ++i) EXPECT_FALSE(first_difference(*call.run(true, call.inputs), first, {0, 0}));
}

TEST(Guarantee, ExactIsTheReference) {
  const Result<Model> model = Model::from_text(
      "<ir_version: 8, opset_import: [\"\" : 13]> g (float[256,256] a) => (float[256,256] y) { y = MatMul(a, a) }");
  ASSERT_TRUE(model.ok());
  Random random(3);
  const std::vector<Value> inputs = {random_tensor(random, {256, 256})};
  const auto exact = Program::compile(*model, {.guarantee = Guarantee::exact})->run(inputs),
             fast = Program::compile(*model)->run(inputs);
  ASSERT_TRUE(exact.ok() && fast.ok());
  const Call call("MatMul", 13, {}, {inputs[0].tensor(), inputs[0].tensor()});
  EXPECT_FALSE(first_difference((*exact)[0], *call.run(false, call.inputs), {0, 0}));
  EXPECT_FALSE(first_difference((*fast)[0], (*exact)[0], {1e-4, 1e-4}));
  EXPECT_EQ(first_difference((*fast)[0], (*exact)[0], {0, 0}).has_value(), has_dnnl());
}

}  // namespace
}  // namespace pawl::cpu
