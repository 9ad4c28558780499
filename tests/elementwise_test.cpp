#include "ops/elementwise.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "op_call.h"

namespace pawl::ops {
namespace {

TEST(OpTable, RowsNameVersionsOfTheStandard) {
  for (const std::span<const OpDef> family : op_table()) {
    for (const OpDef& row : family) {
      std::set<int> known;
      for (const Schema& schema : all_schemas())
        if (schema.name == row.name && schema.domain == row.domain) known.insert(schema.since);
      for (const int since : row.since) EXPECT_TRUE(since == 0 || known.contains(since)) << row.name << "-" << since;
      EXPECT_NE(row.since[0], 0) << row.name;
      EXPECT_NE(row.eval, nullptr) << row.name;
    }
  }
}

TEST(Elementwise, ReusesMemoryThatNobodyElseSees) {
  Tensor x = Tensor::of<float>({3}, {1, 2, 3});
  const std::byte* memory = x.bytes();
  std::vector<Value> inputs;
  inputs.emplace_back(std::move(x));
  auto y = call("Neg", 13, std::move(inputs));
  ASSERT_TRUE(y.ok());
  EXPECT_EQ(y->tensor().bytes(), memory);
  EXPECT_EQ(y->tensor().data<float>()[2], -3);

  Tensor shared = Tensor::of<float>({3}, {1, 2, 3});
  auto z = call("Neg", 13, {Value(shared)});
  ASSERT_TRUE(z.ok());
  EXPECT_NE(z->tensor().bytes(), shared.bytes());
  EXPECT_EQ(shared.data<float>()[2], 3);
}

TEST(Elementwise, AnyStridesAndAlignment) {
  const Tensor matrix = Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6});
  const Tensor transposed = matrix.view({3, 2}, {1, 3});
  auto y = call("Neg", 13, {Value(transposed)});
  ASSERT_TRUE(y.ok());
  const std::vector<float> want = {-1, -4, -2, -5, -3, -6};
  EXPECT_TRUE(std::equal(want.begin(), want.end(), y->tensor().data<float>()));

  std::vector<std::byte> bytes(13);
  const float numbers[] = {1, 2, 3};
  std::memcpy(bytes.data() + 1, numbers, sizeof numbers);
  const Tensor odd = Tensor::borrow(DType::f32, {3}, bytes.data() + 1);
  auto sum = call("Add", 14, {Value(odd), Value(odd)});
  ASSERT_TRUE(sum.ok());
  EXPECT_EQ(sum->tensor().data<float>()[2], 6);
}

TEST(Elementwise, EveryPathOfTwoOperands) {
  const Tensor full = Tensor::of<std::int32_t>({2, 3}, {1, 2, 3, 4, 5, 6});
  const auto check = [&](const Tensor& a, const Tensor& b, std::vector<std::int32_t> want) {
    auto y = call("Sub", 14, {Value(a), Value(b)});
    ASSERT_TRUE(y.ok());
    EXPECT_EQ(y->tensor().size(), static_cast<std::int64_t>(want.size()));
    EXPECT_TRUE(std::equal(want.begin(), want.end(), y->tensor().data<std::int32_t>()));
  };
  check(full, full, {0, 0, 0, 0, 0, 0});
  check(full, Tensor::scalar<std::int32_t>(1), {0, 1, 2, 3, 4, 5});
  check(Tensor::scalar<std::int32_t>(1), full, {0, -1, -2, -3, -4, -5});
  check(full, Tensor::of<std::int32_t>({3}, {1, 2, 3}), {0, 0, 0, 3, 3, 3});
  check(Tensor::of<std::int32_t>({2, 1}, {1, 2}), Tensor::of<std::int32_t>({3}, {1, 2, 3}), {0, -1, -2, 1, 0, -1});
  check(full, Tensor::of<std::int32_t>({1, 1, 1}, {1}), {0, 1, 2, 3, 4, 5});
  check(Tensor::of<std::int32_t>({0, 1}, {}), Tensor::of<std::int32_t>({3}, {1, 2, 3}), {});
}

}  // namespace
}  // namespace pawl::ops
