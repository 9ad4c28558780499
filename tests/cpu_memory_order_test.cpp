// Tensors whose axes lie in memory in another order: what keeps that order gives the same values.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "backend/reference/seen_views.h"
#include "cpu_program_run.h"
#include "graph/graph.h"
#include "ops/concat.h"
#include "tensor/order.h"
#include "tensor/walk.h"

namespace pawl {
namespace {

std::vector<std::size_t> shuffled(std::size_t rank, std::mt19937& random) {
  std::vector<std::size_t> order(rank);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  return order;
}

/// Numbers that lie in that order.
Tensor made(const Dims& shape, const std::vector<std::size_t>& order, std::mt19937& random) {
  Tensor tensor = allocate_in_order(DType::f32, shape, order).value();
  auto* first = tensor.mutable_data<float>();
  for (std::int64_t i = 0; i < tensor.size(); ++i) first[i] = std::uniform_real_distribution<float>(-2, 2)(random);
  return tensor;
}

float element(const Tensor& tensor, const Dims& at) {
  std::int64_t offset = 0;
  for (std::size_t axis = 0; axis < at.size(); ++axis) offset += at[axis] * tensor.strides()[axis];
  return tensor.data<float>()[offset];
}

TEST(MemoryOrder, ATensorInItsOrderIsDenseAndBackItIsItself) {
  std::mt19937 random(3);
  for (int run = 0; run < 500; ++run) {
    Dims shape;
    for (std::size_t rank = 1 + random() % 5; shape.size() < rank;)
      shape.push_back(1 + static_cast<std::int64_t>(random() % 3));
    const Tensor tensor = made(shape, shuffled(shape.size(), random), random);
    const std::vector<std::size_t> order = order_in_memory(tensor);
    EXPECT_EQ(order.empty(), tensor.dense()) << to_string(tensor.shape()) << to_string(tensor.strides());
    if (order.empty()) continue;
    const Tensor ordered = in_order(tensor, order), back = from_order(ordered, order);
    EXPECT_TRUE(ordered.dense()) << to_string(tensor.shape()) << to_string(tensor.strides());
    EXPECT_TRUE(back.shape() == tensor.shape() && back.strides() == tensor.strides());
  }
}

TEST(MemoryOrder, BackwardAndRepeatedAxesHaveNone) {
  const Tensor all = Tensor::of<float>({6}, {0, 1, 2, 3, 4, 5});
  EXPECT_TRUE(order_in_memory(all.view({2, 3}, {0, 1})).empty());
  EXPECT_TRUE(order_in_memory(all.view({2, 3}, {-1, 2}, 1)).empty());
}

TEST(MemoryOrder, ConcatLiesAsItsLargestPart) {
  std::mt19937 random(5);
  for (int run = 0; run < 300; ++run) {
    Dims shape;
    for (std::size_t rank = 1 + random() % 4; shape.size() < rank;)
      shape.push_back(1 + static_cast<std::int64_t>(random() % 4));
    const std::size_t axis = random() % shape.size();
    std::vector<Tensor> parts;
    for (std::size_t count = 2 + random() % 2; parts.size() < count;) {
      shape[axis] = 1 + static_cast<std::int64_t>(random() % 6);
      parts.push_back(made(shape, shuffled(shape.size(), random), random));
    }
    const Tensor whole = ops::concat(parts, axis).value();
    std::int64_t before = 0;
    for (const Tensor& part : parts) {
      const Dims strides = dense_strides(part.shape());
      walk<1>(part.shape(), {&strides}, [&](std::int64_t at) {
        Dims place(part.shape().size(), 0);
        for (std::size_t k = 0; k < place.size(); ++k) place[k] = at / strides[k] % part.shape()[k];
        const float want = element(part, place);
        place[axis] += before;
        ASSERT_EQ(element(whole, place), want);
      });
      before += part.shape()[axis];
    }
    const auto largest = std::max_element(parts.begin(), parts.end(),
                                          [](const Tensor& a, const Tensor& b) { return a.size() < b.size(); });
    const std::vector<std::size_t> order = order_in_memory(*largest);
    EXPECT_TRUE(order.empty() || in_order(whole, order).dense());
  }
}

constexpr const char* kHead = "<ir_version: 8, opset_import: [\"\" : 18]>\n";

struct Subject {
  const char* name;
  const char* text;
};

/// Inputs x [1, T, 12] and s [1, 6, 3], in models whose groups of nodes read what a Transpose gives.
constexpr Subject kSubjects[] = {
    {"a convolution of each channel, with what came before",
     R"(g (float[1,T,12] x, float[1,6,3] s) => (float[1,T,6] y, float[1,6,T] z, float[1,6,3] last)
    <float[6,1,4] w = {0.5, -1, 0.25, 2, 1, 0.5, -0.5, 0.125, 3, 1, -2, 0.5, 0.25, 1, -1, 0.75, 2, -0.5, 1, 1, -0.25, 0.5, 1, 2},
     int64[1] from = {-3}, int64[1] to = {1000}, int64[1] axis = {2}> {
  a, b = Split <axis = 2, num_outputs = 2> (x)
  t = Transpose <perm = [0, 2, 1]> (a)
  c = Concat <axis = 2> (s, t)
  d = Conv <group = 6, kernel_shape = [4]> (c, w)
  e = Sigmoid(d)  z = Mul(d, e)
  u = Transpose <perm = [0, 2, 1]> (z)
  f = Sigmoid(b)  k = Mul(b, f)  y = Mul(u, k)
  last = Slice(c, from, to, axis) })"},
    {"two orders in one group",
     R"(g (float[1,T,12] x, float[1,6,3] s) => (float[1,12,T] y, float[1,12,T] z) <float[1,12,1] w = {1,2,3,4,5,6,7,8,9,10,11,12}> {
  t = Transpose <perm = [0, 2, 1]> (x)
  a = Tanh(x)  n = Transpose <perm = [0, 2, 1]> (a)
  e = Exp(t)  f = Mul(e, n)  y = Add(f, w)  z = Sub(n, t) })"},
    {"a part of a tensor that is read with other axes",
     R"(g (float[1,T,12] x, float[1,6,3] s) => (float[T,3,2] y, float[N,2] z, float[1,T,6] w)
    <int64[3] shape = {-1, 3, 2}, int64[2] pairs = {-1, 2}, int64 last = {2}> {
  a, b = Split <axis = 2, num_outputs = 2> (x)  w = CumSum(a, last)
  r = Reshape(b, shape)  e = Exp(r)  y = Mul(e, r)
  h = Tanh(b)  k = Mul(h, b)  p = Reshape(b, pairs)  q = Reshape(k, pairs)  z = Add(p, q) })"},
    {"sums and a softmax along what lies outside",
     R"(g (float[1,T,12] x, float[1,6,3] s) => (float[1,12,T] y, float[1,1,T] z) <int64[1] axis = {1}> {
  t = Transpose <perm = [0, 2, 1]> (x)
  e = Exp(t)  z = ReduceSum <keepdims = 1> (e, axis)
  n = Div(e, z)  m = Softmax <axis = 1> (t)  y = Sub(n, m) })"},
    {"axes that are gone through as one",
     R"(g (float[1,T,12] x, float[1,6,3] s) => (float[3,T,12] y, float[3,T,4] z)
    <int64[1] last = {-1}, float[12] w = {1,2,3,4,5,6,7,8,9,10,11,12}> {
  a = Concat <axis = 0> (x, x, x)  b, c, d = Split <axis = 2, num_outputs = 3> (a)
  q = Mul(a, a)  m = ReduceMean(q, last)  r = Sqrt(m)  n = Div(a, r)  y = Mul(n, w)
  e = Mul(b, c)  h = ReduceSum <keepdims = 1> (e, last)  k = Tanh(h)  z = Mul(k, d) })"},
    {"axes of one place",
     R"(g (float[1,T,12] x, float[1,6,3] s) => (float[1,4,1,T,3] y) <int64[5] shape = {1, -1, 4, 1, 3}, float[3] w = {1, -2, 3}> {
  r = Reshape(x, shape)  t = Transpose <perm = [0, 2, 3, 1, 4]> (r)
  a = Mul(t, w)  b = Tanh(a)  y = Add(b, t) })"},
};

class TurnedGroups : public ::testing::TestWithParam<Subject> {};

TEST_P(TurnedGroups, GiveWhatTheEvaluatorGives) {
  std::mt19937 random(11);
  const auto text = std::string(kHead) + GetParam().text;
  const Program want = *compiled(text, {.kernels = Kernels::off});
  for (const Guarantee guarantee : {Guarantee::deterministic, Guarantee::exact})
    for (const int threads : {1, 2}) {
      const Program program = *compiled(text, {.guarantee = guarantee, .threads = threads});
      for (const std::int64_t steps : {5, 1, 40, 5, 2, 700}) {
        // Inputs lie now one way, now another.
        const Tensor x = made({1, steps, 12}, shuffled(3, random), random), s = made({1, 6, 3}, {}, random);
        const Values inputs = {x, s};
        const Result<Values> got = program.run(inputs), reference = want.run(inputs);
        ASSERT_TRUE(got.ok()) << got.error().message;
        ASSERT_TRUE(reference.ok()) << reference.error().message;
        expect_same(*got, *reference, guarantee == Guarantee::exact ? Tolerance{0, 0} : Tolerance{1e-5, 1e-6},
                    GetParam().name + (", " + std::to_string(steps)) + " steps");
      }
      EXPECT_EQ(report(program).find("internal error"), std::string::npos) << report(program);
    }
}

INSTANTIATE_TEST_SUITE_P(MemoryOrder, TurnedGroups, ::testing::ValuesIn(kSubjects),
                         [](const auto& each) { return "Group" + std::to_string(each.index); });

TEST(SeenViews, AreRecalledForTensorsThatLieAlikeAlone) {
  std::mt19937 random(13);
  const Tensor first = made({4, 6}, {}, random), alike = made({4, 6}, {}, random);
  std::vector<Value> results = {first.view({2, 6}, {12, 1}, 6), Value(), first.view({6, 4}, {1, 6})};
  reference::SeenViews seen;
  std::vector<Value> again(3);
  EXPECT_FALSE(seen.recall(first, again));
  seen.remember(first, results);
  ASSERT_TRUE(seen.recall(alike, again));
  EXPECT_EQ(again[0].tensor().bytes(), alike.bytes() + 6 * sizeof(float));
  EXPECT_TRUE(again[0].tensor().strides() == Dims({12, 1}) && again[1].is_none());
  EXPECT_TRUE(again[2].tensor().shape() == Dims({6, 4}) && again[2].tensor().bytes() == alike.bytes());
  EXPECT_FALSE(seen.recall(made({4, 6}, {1, 0}, random), again));
  EXPECT_FALSE(seen.recall(made({4, 7}, {}, random), again));
  EXPECT_FALSE(seen.recall(Tensor::allocate(DType::i32, {4, 6}).value(), again));
  // A copy is no view.
  results[0] = first.clone().value();
  seen.remember(first, results);
  EXPECT_FALSE(seen.recall(first, again));
}

}  // namespace
}  // namespace pawl
