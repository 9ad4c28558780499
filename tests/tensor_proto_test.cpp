// TensorProto and SparseTensorProto: every element type in every field that may hold it.
#include <gtest/gtest.h>

#include <complex>

#include "onnx/read.h"
#include "onnx/write.h"
#include "same_model.h"
#include "tensor/scalar.h"
#include "wire_bytes.h"

namespace pawl::onnx {
namespace {

Result<Value> decoded(const Message& message) {
  return decode_value(owned_bytes(message.bytes()), Type::tensor(DType::undefined));
}

void expect_tensor(const Message& message, const Tensor& want) {
  const Result<Value> value = decoded(message);
  ASSERT_TRUE(value.ok()) << value.error().to_string();
  EXPECT_TRUE(same(value->tensor(), want)) << describe(*value);
}

void expect_error(const Message& message, Code code, const std::string& words) {
  const Result<Value> value = decoded(message);
  ASSERT_FALSE(value.ok()) << words;
  EXPECT_EQ(value.error().code, code) << value.error().to_string();
  EXPECT_NE(value.error().to_string().find(words), std::string::npos) << value.error().to_string();
}

Message shaped(DType dtype, std::initializer_list<std::int64_t> dims) {
  Message message = Message().varint(2, static_cast<std::int64_t>(dtype)).text(8, "w");
  for (const std::int64_t extent : dims) message.varint(1, extent);
  return message;
}

Message with_varints(DType dtype, std::initializer_list<std::int64_t> dims, std::uint32_t field,
                     std::initializer_list<std::int64_t> values) {
  Message packed;
  for (const std::int64_t value : values) packed.raw_varint(static_cast<std::uint64_t>(value));
  return shaped(dtype, dims).text(field, packed.bytes());
}

Message with_raw(DType dtype, std::initializer_list<std::int64_t> dims, const std::string& bytes) {
  return shaped(dtype, dims).text(9, bytes);
}

template <class T>
Tensor codes(std::initializer_list<int> values) {
  std::vector<T> elements;
  for (const int value : values) elements.push_back(T::from_code(static_cast<decltype(T::code)>(value)));
  return Tensor::of<T>({static_cast<std::int64_t>(values.size())}, std::span<const T>(elements));
}

template <class T>
Tensor small(std::initializer_list<std::int64_t> values) {
  std::vector<T> elements;
  for (const std::int64_t value : values) elements.push_back(T(value));
  return Tensor::of<T>({static_cast<std::int64_t>(values.size())}, std::span<const T>(elements));
}

TEST(TensorProto, FloatData) {
  Message packed;
  for (const float f : {1.0F, -2.5F}) packed.raw(&f, sizeof(f));
  expect_tensor(shaped(DType::f32, {2}).text(4, packed.bytes()), Tensor::of<float>({2}, {1.0F, -2.5F}));
  expect_tensor(shaped(DType::f32, {1, 2}).fixed32(4, 1.0F).fixed32(4, -2.5F),
                Tensor::of<float>({1, 2}, {1.0F, -2.5F}));
  expect_tensor(shaped(DType::f32, {3}).text(4, packed.bytes()).fixed32(4, 7.0F),
                Tensor::of<float>({3}, {1.0F, -2.5F, 7.0F}));
  expect_tensor(shaped(DType::c64, {1}).text(4, packed.bytes()), Tensor::of<std::complex<float>>({1}, {{1.0F, -2.5F}}));
}

TEST(TensorProto, DoubleData) {
  expect_tensor(shaped(DType::f64, {2}).fixed64(10, 0.1).fixed64(10, -3), Tensor::of<double>({2}, {0.1, -3}));
  expect_tensor(shaped(DType::c128, {1}).fixed64(10, 0.1).fixed64(10, -3),
                Tensor::of<std::complex<double>>({1}, {{0.1, -3}}));
}

TEST(TensorProto, WideIntegers) {
  expect_tensor(with_varints(DType::i64, {2}, 7, {-1, INT64_MIN}), Tensor::of<std::int64_t>({2}, {-1, INT64_MIN}));
  expect_tensor(shaped(DType::i64, {2}).varint(7, 5).varint(7, -6), Tensor::of<std::int64_t>({2}, {5, -6}));
  expect_tensor(with_varints(DType::u64, {1}, 11, {-1}), Tensor::of<std::uint64_t>({1}, {UINT64_MAX}));
  expect_tensor(with_varints(DType::u32, {1}, 11, {0xffffffff}), Tensor::of<std::uint32_t>({1}, {UINT32_MAX}));
  expect_error(with_varints(DType::u32, {1}, 11, {0x100000000}), Code::bad_file,
               "4294967296 in uint64_data is out of range");
}

TEST(TensorProto, Int32Data) {
  expect_tensor(with_varints(DType::i32, {2}, 5, {-1, INT32_MIN}), Tensor::of<std::int32_t>({2}, {-1, INT32_MIN}));
  // A negative int32 whose sign was not extended to 64 bits.
  expect_tensor(with_varints(DType::i32, {1}, 5, {0xfffffffe}), Tensor::of<std::int32_t>({1}, {-2}));
  expect_tensor(with_varints(DType::i16, {2}, 5, {-3, 32767}), Tensor::of<std::int16_t>({2}, {-3, 32767}));
  expect_tensor(with_varints(DType::u16, {1}, 5, {65535}), Tensor::of<std::uint16_t>({1}, {65535}));
  expect_tensor(with_varints(DType::i8, {2}, 5, {-128, 127}), Tensor::of<std::int8_t>({2}, {-128, 127}));
  expect_tensor(with_varints(DType::u8, {2}, 5, {0, 255}), Tensor::of<std::uint8_t>({2}, {0, 255}));
  expect_tensor(with_varints(DType::boolean, {3}, 5, {0, 1, 2}), Tensor::of<bool>({3}, {false, true, true}));
  expect_tensor(with_varints(DType::f16, {2}, 5, {0x3c00, 0xc000}), codes<F16>({0x3c00, 0xc000}));
  expect_tensor(with_varints(DType::bf16, {1}, 5, {0x3f80}), codes<BF16>({0x3f80}));
  expect_tensor(with_varints(DType::f8e4m3fn, {2}, 5, {0x7e, 0xed}), codes<F8E4M3FN>({0x7e, 0xed}));
  expect_tensor(with_varints(DType::f8e5m2fnuz, {1}, 5, {0x80}), codes<F8E5M2FNUZ>({0x80}));
  expect_tensor(with_varints(DType::f8e8m0, {1}, 5, {127}), codes<F8E8M0>({127}));
  expect_tensor(with_varints(DType::f6e2m3, {3}, 5, {0x3f, 0, 0x20}), codes<F6E2M3>({0x3f, 0, 0x20}));
  expect_error(with_varints(DType::u8, {1}, 5, {256}), Code::bad_file, "256 in int32_data is out of range");
  expect_error(with_varints(DType::f16, {1}, 5, {65536}), Code::bad_file, "65536 in int32_data is out of range");
  expect_error(with_varints(DType::f6e3m2, {1}, 5, {0x40}), Code::bad_file, "64 in int32_data is out of range");
}

// The bytes of test_dequantizelinear_uint4, test_dequantizelinear_uint2 and test_quantizelinear_int2.
TEST(TensorProto, PackedElementsInInt32Data) {
  expect_tensor(with_varints(DType::u4, {5}, 5, {0x10, 0xa7, 0x0f}), small<U4>({0, 1, 7, 10, 15}));
  expect_tensor(with_varints(DType::i4, {5}, 5, {0x10, 0xc7, 0x08}), small<I4>({0, 1, 7, -4, -8}));
  expect_tensor(with_varints(DType::u2, {4}, 5, {0xe4}), small<U2>({0, 1, 2, 3}));
  expect_tensor(with_varints(DType::i2, {4}, 5, {0xe4}), small<I2>({0, 1, -2, -1}));
  expect_tensor(with_varints(DType::f4e2m1, {5}, 5, {0x20, 0x3a, 0x0e}), codes<F4E2M1>({0, 2, 10, 3, 14}));
  expect_error(with_varints(DType::u4, {5}, 5, {0, 1, 7, 10, 15}), Code::bad_file,
               "uint4[5] needs 3 entries of int32_data, found 5");
}

TEST(TensorProto, RawData) {
  expect_tensor(with_raw(DType::i16, {2}, "\x01\x02\xff\xff"), Tensor::of<std::int16_t>({2}, {0x0201, -1}));
  expect_tensor(with_raw(DType::boolean, {4}, std::string("\x00\x01\x02\xff", 4)),
                Tensor::of<bool>({4}, {false, true, true, true}));
  expect_tensor(with_raw(DType::u4, {3}, "\x21\x03"), small<U4>({1, 2, 3}));
  expect_tensor(with_raw(DType::i4, {3}, "\xf8\x07"), small<I4>({-8, -1, 7}));
  expect_tensor(with_raw(DType::u2, {5}, "\xe4\x03"), small<U2>({0, 1, 2, 3, 3}));
  expect_tensor(with_raw(DType::i2, {3}, "\x36"), small<I2>({-2, 1, -1}));
  // Four 6-bit codes in three bytes, the first one in the lowest bits: 0x01, 0x02, 0x03, 0x3f.
  expect_tensor(with_raw(DType::f6e3m2, {4}, "\x81\x30\xfc"), codes<F6E3M2>({0x01, 0x02, 0x03, 0x3f}));
  expect_tensor(with_raw(DType::f6e2m3, {1}, "\x3f"), codes<F6E2M3>({0x3f}));
  expect_error(with_raw(DType::f6e2m3, {1}, "\x7f"), Code::bad_file, "the unused bits of the last byte are not zero");
  expect_tensor(with_raw(DType::f8e5m2, {2}, "\x3c\xbc"), codes<F8E5M2>({0x3c, 0xbc}));
}

TEST(TensorProto, RawDataIsAViewOfTheFileEvenUnaligned) {
  for (const char* padding : {"", "a", "ab", "abc"}) {
    const Message message =
        Message().text(12, padding).varint(2, 1).varint(1, 1).text(9, std::string("\x00\x00\x80\x3f", 4));
    const Bytes bytes = owned_bytes(message.bytes());
    const Value value = decode_value(bytes, Type()).value();
    EXPECT_GE(value.tensor().bytes(), bytes.data.data());
    EXPECT_LT(value.tensor().bytes(), bytes.data.data() + bytes.data.size());
    EXPECT_EQ(value.tensor().to_dense()->values<float>()[0], 1.0F);
  }
}

TEST(TensorProto, AViewKeepsTheFileAlive) {
  Value value;
  {
    const Bytes bytes = owned_bytes(with_raw(DType::u8, {3}, "abc").bytes());
    value = decode_value(bytes, Type()).value();
  }
  EXPECT_EQ(value.tensor().values<std::uint8_t>()[2], 'c');
}

TEST(TensorProto, Strings) {
  expect_tensor(shaped(DType::string, {2}).text(6, "").text(6, std::string("a\0b", 3)),
                Tensor::of<std::string>({2}, {"", std::string("a\0b", 3)}));
  expect_error(with_raw(DType::string, {1}, "abc"), Code::bad_file, "strings cannot be raw bytes");
  expect_error(shaped(DType::string, {2}).text(6, "a"), Code::bad_file,
               "string[2] needs 2 entries of string_data, found 1");
}

TEST(TensorProto, ScalarsAndEmptyTensors) {
  expect_tensor(shaped(DType::f32, {}).fixed32(4, 2), Tensor::scalar<float>(2));
  expect_tensor(shaped(DType::f32, {0, 3}), Tensor::of<float>({0, 3}, {}));
  expect_tensor(with_raw(DType::i4, {0}, ""), Tensor::of<I4>({0}, {}));
  expect_tensor(shaped(DType::string, {0}), Tensor::of<std::string>({0}, {}));
  const std::int64_t huge = std::int64_t{1} << 40;
  expect_tensor(shaped(DType::f32, {huge, huge, 0}), Tensor::of<float>({huge, huge, 0}, {}));
}

TEST(TensorProto, SizesThatDoNotFitAreRefused) {
  expect_error(with_raw(DType::f32, {2, 3}, "12345678"), Code::bad_file,
               "tensor \"w\" of type float[2,3] needs 24 bytes of data, found 8");
  expect_error(shaped(DType::f32, {2}), Code::bad_file, "float[2] needs 2 entries of float_data, found 0");
  expect_error(with_raw(DType::f32, {2}, ""), Code::bad_file, "needs 8 bytes of data, found 0");
  expect_error(shaped(DType::f32, {2}).fixed32(4, 1), Code::bad_file, "needs 2 entries of float_data, found 1");
  expect_error(shaped(DType::f32, {-1}), Code::bad_file, "tensor \"w\" has shape [-1]");
  expect_error(shaped(DType::f32, {std::int64_t{1} << 40, std::int64_t{1} << 40}), Code::bad_file,
               "the size overflows");
  expect_error(with_raw(DType::c128, {INT64_MAX}, ""), Code::bad_file, "complex128[9223372036854775807] is too large");
  expect_error(with_varints(DType::i64, {std::int64_t{1} << 60}, 7, {1}), Code::bad_file, "found 1");
  Message many = shaped(DType::f32, {});
  for (int i = 0; i < 65; ++i) many.varint(1, 1);
  expect_error(many, Code::limit, "65 axes");
}

TEST(TensorProto, DataInTheWrongPlaceIsRefused) {
  expect_error(with_varints(DType::f32, {1}, 7, {1}), Code::bad_file,
               "has data in int64_data, which belongs into float_data");
  expect_error(with_varints(DType::u32, {1}, 5, {1}), Code::bad_file,
               "has data in int32_data, which belongs into uint64_data");
  expect_error(shaped(DType::f32, {1}).fixed32(4, 1).text(9, "abcd"), Code::bad_file, "both raw_data and typed data");
  expect_error(shaped(DType::f32, {1}).fixed32(4, 1).message(3, Message()), Code::unsupported, "segments");
  expect_error(shaped(DType::f32, {1}).fixed32(4, 1).varint(14, 2), Code::bad_file, "data_location 2");
}

TEST(TensorProto, TheElementTypeMustBeOne) {
  expect_error(Message().text(8, "w"), Code::bad_file, "tensor \"w\" has data_type 0, which means none");
  expect_error(shaped(static_cast<DType>(29), {}), Code::bad_file, "data_type 29");
  expect_error(Message().varint(2, -1), Code::bad_file, "data_type -1");
  expect_error(Message().varint(2, INT64_MAX), Code::bad_file, "data_type 9223372036854775807");
}

TEST(TensorProto, EveryTypeSurvivesARoundTrip) {
  for (int number = 1; number < kDTypeCount; ++number) {
    const auto dtype = static_cast<DType>(number);
    Tensor tensor = Tensor::allocate(dtype, {3, 5}).value();
    if (dtype == DType::string) {
      for (int i = 0; i < 15; ++i)
        tensor.mutable_data<std::string>()[i] = std::string(static_cast<std::size_t>(i) * 5, 'x');
    } else {
      const int bits = std::min(file_bits(dtype), 8);
      const bool is_signed = dtype == DType::i4 || dtype == DType::i2;
      for (std::size_t i = 0; i < 15 * size_of(dtype); ++i) {
        const unsigned code = static_cast<unsigned>(i * 7) & ((1U << bits) - 1);
        const unsigned sign = is_signed ? 1U << (bits - 1) : 0;
        tensor.mutable_bytes()[i] =
            dtype == DType::boolean ? std::byte{i % 2 == 0} : static_cast<std::byte>((code ^ sign) - sign);
      }
    }
    // The columns backwards: an encoder must follow the strides.
    const Tensor view = tensor.view({3, 5}, {5, -1}, 4);
    const std::string bytes = encode_value(view, Type::tensor(dtype), "name").value();
    const Result<Value> again = decode_value(owned_bytes(bytes), Type());
    ASSERT_TRUE(again.ok()) << again.error().to_string();
    EXPECT_TRUE(same(again->tensor(), view)) << name(dtype);
  }
}

Message sparse(std::initializer_list<std::int64_t> dims, const Message& values, const Message& indices) {
  Message message = Message().message(1, values).message(2, indices);
  for (const std::int64_t extent : dims) message.varint(3, extent);
  return message;
}

Result<Value> decoded_sparse(const Message& message) {
  Type type;
  type.kind = Type::Kind::sparse_tensor;
  return decode_value(owned_bytes(message.bytes()), type);
}

void expect_sparse_error(const Message& message, Code code, const std::string& words) {
  const Result<Value> value = decoded_sparse(message);
  ASSERT_FALSE(value.ok()) << words;
  EXPECT_EQ(value.error().code, code) << value.error().to_string();
  EXPECT_NE(value.error().to_string().find(words), std::string::npos) << value.error().to_string();
}

TEST(SparseTensorProto, IsMadeDense) {
  const Message values = shaped(DType::f32, {2}).fixed32(4, 5).fixed32(4, 6);
  const Tensor want = Tensor::of<float>({2, 3}, {0, 5, 0, 0, 0, 6});
  EXPECT_TRUE(same(decoded_sparse(sparse({2, 3}, values, with_varints(DType::i64, {2}, 7, {1, 5})))->tensor(), want));
  EXPECT_TRUE(
      same(decoded_sparse(sparse({2, 3}, values, with_varints(DType::i64, {2, 2}, 7, {0, 1, 1, 2})))->tensor(), want));
  const Message text = shaped(DType::string, {1}).text(6, "x");
  EXPECT_TRUE(same(decoded_sparse(sparse({2}, text, with_varints(DType::i64, {1}, 7, {1})))->tensor(),
                   Tensor::of<std::string>({2}, {"", "x"})));
  EXPECT_TRUE(same(decoded_sparse(sparse({2}, shaped(DType::i64, {0}), shaped(DType::i64, {0})))->tensor(),
                   Tensor::of<std::int64_t>({2}, {0, 0})));
}

TEST(SparseTensorProto, IndicesAreChecked) {
  const Message values = shaped(DType::f32, {2}).fixed32(4, 5).fixed32(4, 6);
  const auto linear = [&](std::int64_t a, std::int64_t b) {
    return sparse({2, 3}, values, with_varints(DType::i64, {2}, 7, {a, b}));
  };
  expect_sparse_error(linear(0, 6), Code::bad_file, "index 6 is outside of shape [2,3]");
  expect_sparse_error(linear(-1, 5), Code::bad_file, "index -1 is outside");
  expect_sparse_error(linear(4, 4), Code::bad_file, "do not ascend at value 1");
  expect_sparse_error(sparse({2, 3}, values, with_varints(DType::i64, {2, 2}, 7, {0, 1, 1, 3})), Code::bad_file,
                      "index 3 is outside");
  expect_sparse_error(sparse({2, 3}, values, with_varints(DType::i64, {1}, 7, {0})), Code::bad_file,
                      "the indices have shape [1] where [2] is expected");
  expect_sparse_error(sparse({2, 3}, values, with_varints(DType::i32, {2}, 5, {0, 1})), Code::bad_file,
                      "must be int64 and are int32");
  expect_sparse_error(Message().varint(3, 2), Code::bad_file, "no values");
}

TEST(SparseTensorProto, ADenseSizeOutOfProportionIsRefused) {
  const Message none = shaped(DType::f32, {0});
  expect_sparse_error(sparse({std::int64_t{1} << 40}, none, shaped(DType::i64, {0})), Code::limit, "out of proportion");
  expect_sparse_error(sparse({std::int64_t{1} << 40, std::int64_t{1} << 40}, none, shaped(DType::i64, {0})),
                      Code::bad_file, "the size overflows");
  // Many that are small each are not small together.
  Message graph;
  for (int i = 0; i < 40; ++i) graph.message(15, sparse({1 << 20}, none, shaped(DType::i64, {0})));
  const Result<Model> model = decode(owned_bytes(model_of(graph).bytes()), {});
  ASSERT_FALSE(model.ok());
  EXPECT_EQ(model.error().code, Code::limit);
}

}  // namespace
}  // namespace pawl::onnx
