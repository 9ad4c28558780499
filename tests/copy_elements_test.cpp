// Copies between views of unlike strides, held against one element after the other.
#include <gtest/gtest.h>

#include <numeric>
#include <random>

#include "tensor/walk.h"

namespace pawl {
namespace {

/// A view of fresh memory: axes in a random order, some of them backward or with gaps.
Tensor scattered(const Dims& shape, std::mt19937& random) {
  std::vector<std::size_t> order(shape.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::shuffle(order.begin(), order.end(), random);
  Dims strides(shape.size(), 0);
  std::int64_t step = 1 + static_cast<std::int64_t>(random() % 4 == 0), first = 0;
  for (const std::size_t axis : order) {
    strides[axis] = random() % 5 == 0 ? -step : step;
    if (strides[axis] < 0) first += step * (shape[axis] - 1);
    step *= shape[axis] + static_cast<std::int64_t>(random() % 6 == 0);
  }
  Tensor all = *Tensor::allocate(DType::i32, {step + 1});
  std::iota(all.mutable_data<std::int32_t>(), all.mutable_data<std::int32_t>() + all.size(), 0);
  return all.view(shape, strides, first);
}

TEST(CopyElements, AnyStrides) {
  std::mt19937 random(7);
  for (int run = 0; run < 2000; ++run) {
    Dims shape;
    for (std::size_t rank = random() % 5; shape.size() < rank;)
      shape.push_back(static_cast<std::int64_t>(random() % 8 == 0 ? 1 + random() % 40 : 1 + random() % 4));
    const Tensor from = scattered(shape, random);
    Tensor to = scattered(shape, random);
    copy_elements(from, to);
    const std::int32_t *source = from.data<std::int32_t>(), *target = to.data<std::int32_t>();
    walk<2>(shape, {&from.strides(), &to.strides()},
            [&](std::int64_t a, std::int64_t b) { ASSERT_EQ(target[b], source[a]) << to_string(shape); });
  }
}

TEST(CopyElements, OneElementToMany) {
  const Tensor row = Tensor::of<std::int16_t>({3}, std::vector<std::int16_t>{1, 2, 3});
  Tensor to = *Tensor::allocate(DType::i16, {2, 3, 2});
  copy_elements(row.view({2, 3, 2}, {0, 1, 0}), to);
  EXPECT_TRUE(std::equal(to.data<std::int16_t>(), to.data<std::int16_t>() + 12,
                         std::vector<std::int16_t>{1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}.begin()));
}

}  // namespace
}  // namespace pawl
