// Comparison within a tolerance: what counts as equal, and what the message says.
#include "tensor/compare.h"

#include <gtest/gtest.h>

#include <limits>

#include "tensor/scalar.h"

namespace pawl {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr Tolerance kExact{0, 0};

std::string difference(const Value& got, const Value& want, Tolerance tolerance = {}) {
  return first_difference(got, want, tolerance).value_or("none");
}

TEST(Compare, FloatsWithinTheTolerance) {
  const Tensor want = Tensor::of<float>({2}, {100, 0});
  EXPECT_EQ(difference(Tensor::of<float>({2}, {100.0009F, 0.9e-6F}), want), "none");
  EXPECT_EQ(difference(Tensor::of<float>({2}, {100.002F, 0}), want),
            "element [0]: got 100.002, want 100; 1 of 2 elements differ");
  EXPECT_EQ(difference(Tensor::of<float>({2}, {100, 1.1e-6F}), want),
            "element [1]: got 1.1e-06, want 0; 1 of 2 elements differ");
  EXPECT_EQ(difference(Tensor::of<float>({2}, {101, 0}), want, {0.02, 0}), "none");
  EXPECT_EQ(difference(Tensor::scalar(0.0F), Tensor::scalar(-0.0F), kExact), "none");
}

TEST(Compare, NanEqualsNanAndInfinityItself) {
  const Tensor want = Tensor::of<float>({3}, {kNan, kInf, -kInf});
  EXPECT_EQ(difference(want, want), "none");
  EXPECT_EQ(difference(Tensor::of<float>({3}, {0, 3e38F, kInf}), want, {1, 1}),
            "element [0]: got 0, want nan; 3 of 3 elements differ, by inf at most");
  EXPECT_EQ(difference(Tensor::scalar(kInf), Tensor::scalar(1.0F), {1, 1}), "the scalar: got inf, want 1");
  EXPECT_EQ(difference(Tensor::scalar(kNan), Tensor::scalar(1.0F)), "the scalar: got nan, want 1");
}

TEST(Compare, SmallFloatsAreFloats) {
  EXPECT_EQ(difference(Tensor::scalar(F16(1.0F)), Tensor::scalar(F16(1.001F)), {1e-2, 0}), "none");
  EXPECT_EQ(difference(Tensor::scalar(F8E4M3FN(1.0F)), Tensor::scalar(F8E4M3FN(2.0F))), "the scalar: got 1, want 2");
}

TEST(Compare, EverythingElseExactly) {
  const Tensor big = Tensor::scalar<std::int64_t>(std::int64_t{1} << 60);
  EXPECT_EQ(difference(big, Tensor::scalar<std::int64_t>((std::int64_t{1} << 60) + 1), {1, 1}),
            "the scalar: got 1152921504606846976, want 1152921504606846977");
  EXPECT_EQ(difference(Tensor::of<bool>({2}, {true, false}), Tensor::of<bool>({2}, {true, true})),
            "element [1]: got false, want true; 1 of 2 elements differ");
  EXPECT_EQ(difference(Tensor::scalar<std::string>("a"), Tensor::scalar<std::string>("b")),
            "the scalar: got \"a\", want \"b\"");
  EXPECT_EQ(difference(Tensor::scalar(I4(-8)), Tensor::scalar(I4(7))), "the scalar: got -8, want 7");
}

TEST(Compare, ComplexByTheLengthOfTheDifference) {
  using C = std::complex<float>;
  EXPECT_EQ(difference(Tensor::scalar(C(3, 4)), Tensor::scalar(C(3, 4.00004F))), "none");
  EXPECT_EQ(difference(Tensor::scalar(C(3, 4)), Tensor::scalar(C(3, 5))), "the scalar: got (3, 4), want (3, 5)");
  EXPECT_EQ(difference(Tensor::scalar(C(kNan, kInf)), Tensor::scalar(C(kNan, kInf))), "none");
  EXPECT_NE(difference(Tensor::scalar(C(kNan, kInf)), Tensor::scalar(C(0, kInf))), "none");
}

TEST(Compare, TypesAndShapes) {
  EXPECT_EQ(difference(Tensor::scalar(1.0F), Tensor::scalar(1.0)), "got float[], want double[]");
  EXPECT_EQ(difference(Tensor::of<float>({1}, {1}), Tensor::of<float>({1, 1}, {1})), "got float[1], want float[1,1]");
  EXPECT_EQ(difference(Tensor::of<float>({0, 2}, {}), Tensor::of<float>({0, 2}, {})), "none");
  EXPECT_EQ(difference(Value(), Tensor::scalar(1.0F)), "got none, want float[]");
  EXPECT_EQ(difference(Value(), Value()), "none");
}

TEST(Compare, StridedTensors) {
  const Tensor rows = Tensor::of<float>({2, 2}, {1, 2, 3, 4});
  const Tensor transposed = rows.view({2, 2}, {1, 2});
  EXPECT_EQ(difference(transposed, Tensor::of<float>({2, 2}, {1, 3, 2, 4})), "none");
  EXPECT_EQ(difference(transposed, rows), "element [0,1]: got 3, want 2; 2 of 4 elements differ, by 1 at most");
}

TEST(Compare, SequencesAndMaps) {
  const Tensor one = Tensor::scalar(1.0F);
  const Tensor two = Tensor::scalar(2.0F);
  EXPECT_EQ(difference(Sequence(DType::f32, {one, two}), Sequence(DType::f32, {one, two})), "none");
  EXPECT_EQ(difference(Sequence(DType::f32, {one, two}), Sequence(DType::f32, {one, one})),
            "item 1: the scalar: got 2, want 1");
  EXPECT_EQ(difference(Sequence(DType::f32, {one}), Sequence(DType::f32)), "got 1 items, want 0");
  EXPECT_NE(difference(Sequence(DType::f32), Sequence(DType::f64)), "none");
  EXPECT_EQ(difference(Sequence(DType::f32), Sequence()), "none");
  const Map map{Tensor::of<std::int64_t>({1}, {5}), Tensor::of<float>({1}, {1})};
  EXPECT_EQ(difference(map, map), "none");
  EXPECT_EQ(difference(map, Map{map.keys, Tensor::of<float>({1}, {2})}),
            "values: element [0]: got 1, want 2; 1 of 1 elements differ");
}

}  // namespace
}  // namespace pawl
