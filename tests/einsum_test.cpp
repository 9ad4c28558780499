// An element of an Einsum has the same bits however many others are computed with it.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "op_call.h"

namespace pawl::ops {
namespace {

Result<Value> einsum(const std::string& equation, std::vector<Value> inputs) {
  return call("Einsum", 12, std::move(inputs), {{"equation", equation}});
}

TEST(Einsum, OuterProductsKeepTheSignOfZeros) {
  for (const std::int64_t rows : {2, 40}) {
    const std::vector<float> zeros(static_cast<std::size_t>(rows), -0.0F);
    const auto y =
        einsum("i,j->ij", {Tensor::of<float>({rows}, std::span<const float>(zeros)), Tensor::of<float>({2}, {1, 2})});
    ASSERT_TRUE(y.ok());
    for (const float element : y->tensor().values<float>())
      EXPECT_TRUE(element == 0 && std::signbit(element)) << rows << " rows";
  }
}

TEST(Einsum, SumsOverSeveralLabelsHaveOneOrder) {
  std::mt19937 random(7);
  const auto draw = [&](const Dims& shape, std::size_t count) {
    std::vector<double> numbers(count);
    for (double& number : numbers) number = static_cast<double>(random()) / 1e9 - 2;
    return Tensor::of<double>(shape, std::span<const double>(numbers));
  };
  const Tensor x = draw({5, 6, 40}, 1200), y = draw({5, 6, 3}, 90);
  const auto all = einsum("ijk,ijl->kl", {x, y});
  ASSERT_TRUE(all.ok());
  for (std::int64_t k = 0; k < 40; ++k) {
    const auto one = einsum("ijk,ijl->kl", {x.view({5, 6, 1}, x.strides(), k), y});
    ASSERT_TRUE(one.ok());
    for (std::int64_t l = 0; l < 3; ++l)
      EXPECT_EQ(one->tensor().data<double>()[l], all->tensor().data<double>()[k * 3 + l]) << k << " " << l;
  }
}

}  // namespace
}  // namespace pawl::ops
