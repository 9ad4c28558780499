// Values through the C interface: made, looked into, released.
#include <limits>

#include "c_fixture.h"

namespace {

void count_release(void* context) { ++*static_cast<int*>(context); }

TEST(CValue, BorrowsMemoryAndSaysWhenItIsNoLongerNeeded) {
  const float data[] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[] = {2, 3};
  int released = 0;
  pawl_value* value = nullptr;
  EXPECT_DONE(pawl_value_borrow(PAWL_FLOAT, 2, shape, nullptr, data, count_release, &released, &value));
  EXPECT_EQ(pawl_value_kind(value), PAWL_TENSOR);
  EXPECT_EQ(pawl_value_dtype(value), PAWL_FLOAT);
  EXPECT_EQ(pawl_value_rank(value), 2U);
  EXPECT_EQ(pawl_value_shape(value)[1], 3);
  EXPECT_EQ(pawl_value_strides(value)[0], 3);
  EXPECT_EQ(pawl_value_size(value), 6U);
  EXPECT_EQ(pawl_value_data(value), data);
  EXPECT_EQ(pawl_value_mutable_data(value), nullptr) << "it is the caller's";
  pawl_value* other = nullptr;
  EXPECT_DONE(pawl_value_share(value, &other));
  pawl_value_free(value);
  EXPECT_EQ(released, 0);
  pawl_value_free(other);
  EXPECT_EQ(released, 1);
}

TEST(CValue, IsNotBorrowedFromWhatIsNone) {
  const float data[] = {1};
  const int64_t one[] = {1};
  const int64_t negative[] = {-1};
  const int64_t huge[] = {std::numeric_limits<int64_t>::max(), 4};
  int released = 0;
  pawl_value* value = nullptr;
  const auto borrow = [&](pawl_dtype dtype, size_t rank, const int64_t* shape, const void* memory) {
    return pawl_value_borrow(dtype, rank, shape, nullptr, memory, count_release, &released, &value);
  };
  EXPECT_FAILS(borrow(0, 1, one, data), "bad_argument", "0 is no element type");
  EXPECT_FAILS(borrow(99, 1, one, data), "bad_argument", "99");
  EXPECT_FAILS(borrow(PAWL_STRING, 1, one, data), "bad_type", "pawl_value_strings");
  EXPECT_FAILS(borrow(PAWL_FLOAT, 1, nullptr, data), "bad_argument", "shape is NULL");
  EXPECT_FAILS(borrow(PAWL_FLOAT, 1, one, nullptr), "bad_argument", "data is NULL");
  EXPECT_FAILS(borrow(PAWL_FLOAT, 1, negative, data), "bad_shape", "[-1]");
  EXPECT_FAILS(borrow(PAWL_FLOAT, 2, huge, data), "bad_shape", "no shape");
  EXPECT_FAILS(borrow(PAWL_FLOAT, std::numeric_limits<size_t>::max(), one, data), "bad_argument", "rank");
  const unsigned char two = 2;
  EXPECT_FAILS(borrow(PAWL_BOOL, 1, one, &two), "bad_value", "bool");
  const signed char nine = 9;
  EXPECT_FAILS(borrow(PAWL_INT4, 1, one, &nine), "bad_value", "int4");
  const signed char minus_eight = -8;
  EXPECT_DONE(borrow(PAWL_INT4, 1, one, &minus_eight));
  EXPECT_EQ(released, 0) << "only what was borrowed is released";
  pawl_value_free(value);
  EXPECT_EQ(released, 1);
  EXPECT_FAILS(pawl_value_borrow(PAWL_FLOAT, 1, one, nullptr, data, nullptr, nullptr, nullptr), "bad_argument",
               "value is NULL");
}

TEST(CValue, OfNoElementsNeedsNoMemory) {
  const int64_t shape[] = {0, 3};
  pawl_value* value = nullptr;
  int released = 0;
  EXPECT_DONE(pawl_value_borrow(PAWL_FLOAT, 2, shape, nullptr, nullptr, count_release, &released, &value));
  EXPECT_EQ(pawl_value_size(value), 0U);
  pawl_value_free(value);
  EXPECT_EQ(released, 1);
}

TEST(CValue, IsWrittenToOnlyByOneHandle) {
  const ValueHandle value = floats({2}, {1, 2});
  EXPECT_EQ(reinterpret_cast<uintptr_t>(pawl_value_mutable_data(value.get())) % 64, 0U);
  pawl_value* other = nullptr;
  EXPECT_DONE(pawl_value_share(value.get(), &other));
  EXPECT_EQ(pawl_value_mutable_data(value.get()), nullptr);
  pawl_value_free(other);
  EXPECT_NE(pawl_value_mutable_data(value.get()), nullptr);
}

TEST(CValue, OfAnImpossibleSizeIsALimit) {
  const int64_t shape[] = {int64_t{1} << 50};
  pawl_value* value = nullptr;
  EXPECT_FAILS(pawl_value_allocate(PAWL_FLOAT, 1, shape, &value), "limit", "too large");
  EXPECT_FAILS(pawl_value_allocate(PAWL_STRING, 1, shape, &value), "bad_type", "pawl_value_strings");
  EXPECT_FAILS(pawl_value_allocate(PAWL_FLOAT, 1, shape, nullptr), "bad_argument", "value is NULL");
}

TEST(CValue, HoldsStringsOfAnyBytes) {
  const int64_t shape[] = {2};
  const char* const strings[] = {"plain", "a\0b"};
  const size_t sizes[] = {5, 3};
  pawl_value* value = nullptr;
  EXPECT_DONE(pawl_value_strings(1, shape, strings, sizes, &value));
  const ValueHandle owned(value);
  EXPECT_EQ(pawl_value_data(value), nullptr);
  EXPECT_EQ(pawl_value_mutable_data(value), nullptr);
  const char* string = nullptr;
  size_t size = 0;
  EXPECT_DONE(pawl_value_string(value, 1, &string, &size));
  EXPECT_EQ(std::string(string, size), std::string("a\0b", 3));
  EXPECT_DONE(pawl_value_string(value, 0, &string, nullptr));
  EXPECT_STREQ(string, "plain");
  EXPECT_FAILS(pawl_value_string(value, 2, &string, &size), "bad_argument", "no string 2");
  EXPECT_FAILS(pawl_value_string(floats({1}, {1}).get(), 0, &string, &size), "bad_type", "float[1]");
  const char* const missing[] = {"one", nullptr};
  pawl_value* none = nullptr;
  EXPECT_FAILS(pawl_value_strings(1, shape, missing, nullptr, &none), "bad_argument", "a string is NULL");
  EXPECT_FAILS(pawl_value_strings(1, shape, nullptr, nullptr, &none), "bad_argument", "strings is NULL");
}

TEST(CValue, HoldsOthers) {
  const ValueHandle one = floats({1}, {1});
  const ValueHandle two = floats({2}, {1, 2});
  const pawl_value* const items[] = {one.get(), two.get()};
  pawl_value* made = nullptr;
  EXPECT_DONE(pawl_value_sequence(PAWL_FLOAT, 2, items, &made));
  const ValueHandle sequence(made);
  EXPECT_EQ(pawl_value_kind(made), PAWL_SEQUENCE);
  EXPECT_EQ(pawl_value_size(made), 2U);
  EXPECT_EQ(pawl_value_dtype(made), PAWL_FLOAT);
  EXPECT_EQ(pawl_value_rank(made), 0U);
  EXPECT_EQ(pawl_value_data(made), nullptr);
  pawl_value* item = nullptr;
  EXPECT_DONE(pawl_value_item(made, 1, &item));
  EXPECT_EQ(pawl_value_data(item), pawl_value_data(two.get()));
  pawl_value_free(item);
  EXPECT_FAILS(pawl_value_item(made, 2, &item), "bad_argument", "no item 2");
  EXPECT_FAILS(pawl_value_item(one.get(), 0, &item), "bad_type", "expected a sequence");
  EXPECT_FAILS(pawl_value_sequence(PAWL_INT64, 2, items, &made), "bad_type", "item 0");
  EXPECT_FAILS(pawl_value_sequence(77, 0, nullptr, &made), "bad_argument", "77");
  const pawl_value* const gap[] = {nullptr};
  EXPECT_FAILS(pawl_value_sequence(PAWL_FLOAT, 1, gap, &made), "bad_argument", "an item is NULL");
  EXPECT_DONE(pawl_value_none(&made));
  EXPECT_EQ(pawl_value_kind(made), PAWL_NONE);
  EXPECT_EQ(pawl_value_size(made), 0U);
  pawl_value_free(made);
}

TEST(CValue, MapsAscendingKeys) {
  const ValueHandle keys = tensor_of<int64_t>(PAWL_INT64, {2}, {3, 5});
  const ValueHandle falling = tensor_of<int64_t>(PAWL_INT64, {2}, {5, 3});
  const ValueHandle values = floats({2}, {0.5, 1.5});
  pawl_value* made = nullptr;
  EXPECT_DONE(pawl_value_map(keys.get(), values.get(), &made));
  const ValueHandle map(made);
  EXPECT_EQ(pawl_value_kind(made), PAWL_MAP);
  EXPECT_EQ(pawl_value_size(made), 2U);
  pawl_value* key = nullptr;
  pawl_value* mapped = nullptr;
  EXPECT_DONE(pawl_value_pairs(made, &key, &mapped));
  EXPECT_EQ(static_cast<const int64_t*>(pawl_value_data(key))[1], 5);
  EXPECT_EQ(list(mapped), (std::vector<float>{0.5, 1.5}));
  pawl_value_free(key);
  pawl_value_free(mapped);
  EXPECT_FAILS(pawl_value_map(falling.get(), values.get(), &made), "bad_value", "ascend");
  EXPECT_FAILS(pawl_value_map(values.get(), values.get(), &made), "bad_type", "int64 or string");
  EXPECT_FAILS(pawl_value_map(keys.get(), floats({1}, {0}).get(), &made), "bad_shape", "[n]");
  EXPECT_FAILS(pawl_value_map(map.get(), values.get(), &made), "bad_type", "two tensors");
  EXPECT_FAILS(pawl_value_pairs(keys.get(), &key, &mapped), "bad_type", "expected a map");
}

TEST(CValue, GoesThroughFiles) {
  const std::string path = ::testing::TempDir() + "pawl-c-value.npy";
  const ValueHandle value = floats({2, 2}, {1, 2, 3, 4});
  EXPECT_DONE(pawl_value_write(value.get(), path.c_str()));
  pawl_value* read = nullptr;
  EXPECT_DONE(pawl_value_read(path.c_str(), nullptr, &read));
  EXPECT_EQ(list(ValueHandle(read).get()), list(value.get()));
  EXPECT_EQ(std::remove(path.c_str()), 0);
  EXPECT_FAILS(pawl_value_read(path.c_str(), nullptr, &read), "io", path);
  EXPECT_FAILS(pawl_value_write(value.get(), "value.txt"), "bad_argument", ".npy or .pb");
}

}  // namespace
