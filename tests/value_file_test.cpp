// SequenceProto and OptionalProto. Field numbers are those of onnx-data.proto.
#include <gtest/gtest.h>

#include "onnx/read.h"
#include "onnx/write.h"
#include "tensor/compare.h"
#include "wire_bytes.h"

namespace pawl::onnx {
namespace {

const Type kFloats = Type::tensor(DType::f32);

Message tensor(float value) { return Message().varint(2, 1).fixed32(4, value); }

Value decoded(const Message& message, const Type& type) {
  const Result<Value> value = decode_value(owned_bytes(message.bytes()), type);
  EXPECT_TRUE(value.ok()) << value.error().to_string();
  return value.ok() ? *value : Value();
}

/// The first element; what lies in the file may be unaligned.
float first(const Value& value) { return value.tensor().to_dense()->values<float>()[0]; }

void expect_error(const Message& message, const Type& type, Code code, const std::string& words) {
  const Result<Value> value = decode_value(owned_bytes(message.bytes()), type);
  ASSERT_FALSE(value.ok()) << words;
  EXPECT_EQ(value.error().code, code) << value.error().to_string();
  EXPECT_NE(value.error().to_string().find(words), std::string::npos) << value.error().to_string();
}

TEST(ValueFile, Sequences) {
  const Type type = Type::sequence(kFloats);
  const Value two = decoded(Message().text(1, "s").varint(2, 1).message(3, tensor(1)).message(3, tensor(2)), type);
  ASSERT_EQ(two.sequence().size(), 2U);
  EXPECT_EQ(first(two.sequence()[1]), 2);
  EXPECT_EQ(two.sequence().element(), DType::f32);
  // Of an empty one only the type knows what it would hold.
  EXPECT_EQ(decoded(Message().varint(2, 1), type).sequence().element(), DType::f32);
  EXPECT_EQ(decoded(Message().varint(2, 1), Type::sequence(Type())).sequence().element(), DType::undefined);
  EXPECT_EQ(decoded(Message().message(3, tensor(1)), Type::sequence(Type())).sequence().element(), DType::f32);
}

TEST(ValueFile, SequencesOfSequences) {
  const Message inner = Message().varint(2, 1).message(3, tensor(1));
  const Value value = decoded(Message().varint(2, 3).message(5, inner), Type::sequence(Type::sequence(kFloats)));
  EXPECT_EQ(first(value.sequence()[0].sequence()[0]), 1);
}

TEST(ValueFile, Optionals) {
  const Type type = Type::optional(kFloats);
  EXPECT_TRUE(decoded(Message(), type).is_none());
  EXPECT_TRUE(decoded(Message().text(1, "o").varint(2, 1), type).is_none());
  EXPECT_EQ(first(decoded(Message().varint(2, 1).message(3, tensor(4)), type)), 4);
  const Type sequence = Type::optional(Type::sequence(kFloats));
  EXPECT_EQ(decoded(Message().varint(2, 3).message(5, Message().varint(2, 1)), sequence).sequence().element(),
            DType::f32);
}

TEST(ValueFile, WhatDoesNotFitIsRefused) {
  const Type type = Type::sequence(kFloats);
  expect_error(Message().varint(2, 1).message(3, Message().varint(2, 7).varint(7, 1)), type, Code::bad_type,
               "of float holds a int64 tensor");
  expect_error(Message().varint(2, 1).message(5, Message()), type, Code::bad_file, "more than one kind");
  expect_error(Message().varint(2, 6), type, Code::bad_file, "elem_type 6");
  expect_error(Message().varint(2, 4).message(6, Message()), type, Code::unsupported, "maps");
  expect_error(Message().message(3, tensor(1)).message(3, tensor(2)), Type::optional(kFloats), Code::bad_file,
               "holds 2 values");
  expect_error(tensor(1), type, Code::bad_file, "SequenceProto");
  expect_error(Message().varint(2, 4), Type::map(DType::i64, kFloats), Code::unsupported, "maps");
}

TEST(ValueFile, NestingIsBounded) {
  Message value;
  for (int i = 0; i < 1000; ++i) value = Message().message(7, value);
  expect_error(value, Type::optional(Type()), Code::limit, "values are nested deeper than 64");
}

TEST(ValueFile, ValuesSurviveARoundTrip) {
  const Value number = Tensor::of<float>({2}, {1, 2});
  const Value list = Sequence(DType::f32, {number, Tensor::of<float>({0}, {})});
  const std::vector<std::pair<Value, Type>> all = {
      {number, kFloats},
      {number, Type()},
      {list, Type::sequence(kFloats)},
      {Sequence(DType::f32), Type::sequence(kFloats)},
      {Sequence(DType::undefined, {list, Sequence(DType::f32)}), Type::sequence(Type::sequence(kFloats))},
      {Value(), Type::optional(kFloats)},
      {number, Type::optional(kFloats)},
      {list, Type::optional(Type::sequence(kFloats))},
      {list, Type::optional(Type())},
      {Sequence(DType::undefined, {Value(), number}), Type::sequence(Type::optional(kFloats))}};
  for (const auto& [value, type] : all) {
    const Result<std::string> bytes = encode_value(value, type, "v");
    ASSERT_TRUE(bytes.ok()) << to_string(type) << ": " << bytes.error().to_string();
    const Result<Value> again = decode_value(owned_bytes(*bytes), type);
    ASSERT_TRUE(again.ok()) << to_string(type) << ": " << again.error().to_string();
    EXPECT_EQ(first_difference(*again, value, {0, 0}), std::nullopt) << to_string(type);
  }
}

TEST(ValueFile, ValuesThatAreNotOfTheirTypeCannotBeWritten) {
  const Value number = Tensor::scalar<float>(1);
  EXPECT_EQ(encode_value(Value(), kFloats, "v").error().code, Code::bad_type);
  EXPECT_EQ(encode_value(number, Type::sequence(kFloats), "v").error().code, Code::bad_type);
  EXPECT_EQ(encode_value(Sequence(DType::f32), kFloats, "v").error().code, Code::bad_type);
  EXPECT_EQ(encode_value(Tensor(), kFloats, "v").error().code, Code::bad_type);
  EXPECT_EQ(encode_value(Map{}, Type::map(DType::i64, kFloats), "v").error().code, Code::unsupported);
}

}  // namespace
}  // namespace pawl::onnx
