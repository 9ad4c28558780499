// .npy files. Headers are those that numpy.save writes, but where a test says otherwise.
#include "tensor/npy.h"

#include <gtest/gtest.h>

#include <complex>

#include "same_model.h"
#include "tensor/npy_header.h"
#include "tensor/scalar.h"

namespace pawl {
namespace {

/// A file of version 1 with that dictionary, padded as NumPy pads it.
std::string file_of(std::string dictionary, const std::string& data, int version = 1) {
  const std::size_t start = version == 1 ? 10 : 12;
  dictionary.append(63 - (start + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string file = "\x93NUMPY";
  file += static_cast<char>(version);
  file += '\0';
  for (std::size_t i = 0; i < start - 8; ++i) file += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
  return file + dictionary + data;
}

std::string dictionary(const std::string& descr, const std::string& shape, const char* fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

void expect_tensor(const std::string& file, const Tensor& want) {
  const Result<Tensor> tensor = read_npy(bytes_of(file));
  ASSERT_TRUE(tensor.ok()) << tensor.error().to_string();
  EXPECT_TRUE(onnx::same(*tensor, want)) << describe(*tensor);
  EXPECT_TRUE(tensor->dense());
}

void expect_error(const std::string& file, Code code, const std::string& words) {
  const Result<Tensor> tensor = read_npy(bytes_of(file));
  ASSERT_FALSE(tensor.ok()) << words;
  EXPECT_EQ(tensor.error().code, code) << tensor.error().to_string();
  EXPECT_NE(tensor.error().message.find(words), std::string::npos) << tensor.error().to_string();
}

TEST(Npy, ReadsBothByteOrders) {
  expect_tensor(file_of(dictionary("<i2", "(2,)"), std::string("\x01\x02\xff\xff")),
                Tensor::of<std::int16_t>({2}, {0x0201, -1}));
  expect_tensor(file_of(dictionary(">i2", "(2,)"), std::string("\x01\x02\xff\xff")),
                Tensor::of<std::int16_t>({2}, {0x0102, -1}));
  expect_tensor(file_of(dictionary(">c8", "()"), std::string("\x3f\x80\0\0\xc0\0\0\0", 8)),
                Tensor::scalar<std::complex<float>>({1, -2}));
  expect_tensor(file_of(dictionary(">f8", "(1,)"), std::string("\x40\x09\x21\xfb\x54\x44\x2d\x18", 8)),
                Tensor::of<double>({1}, {3.141592653589793}));
  expect_tensor(file_of(dictionary("=u4", "(1,)"), std::string("\x01\0\0\0", 4)), Tensor::of<std::uint32_t>({1}, {1}));
}

TEST(Npy, ReadsFortranOrder) {
  expect_tensor(file_of(dictionary("|u1", "(2, 3)", "True"), "abcdef"),
                Tensor::of<std::uint8_t>({2, 3}, {'a', 'c', 'e', 'b', 'd', 'f'}));
}

TEST(Npy, ReadsEveryVersion) {
  for (const int version : {1, 2, 3})
    expect_tensor(file_of(dictionary("|i1", "(1,)"), "\x7f", version), Tensor::of<std::int8_t>({1}, {127}));
}

TEST(Npy, AnyByteButZeroIsTrue) {
  expect_tensor(file_of(dictionary("|b1", "(4,)"), std::string("\0\1\2\xff", 4)),
                Tensor::of<bool>({4}, {false, true, true, true}));
}

TEST(Npy, ReadsScalarsAndEmptyArrays) {
  expect_tensor(file_of(dictionary("<f4", "()"), std::string("\0\0\x80\x3f", 4)), Tensor::scalar<float>(1));
  expect_tensor(file_of(dictionary("<f4", "(0, 3)"), ""), Tensor::of<float>({0, 3}, {}));
  expect_tensor(file_of(dictionary("<f4", "(3, 0)", "True"), ""), Tensor::of<float>({3, 0}, {}));
}

TEST(Npy, ReadsOtherSpellingsOfTheHeader) {
  expect_tensor(file_of("{\"shape\":(1L,2L),\"descr\":\"u1\",\"fortran_order\":False}", "ab"),
                Tensor::of<std::uint8_t>({1, 2}, {'a', 'b'}));
  expect_tensor(file_of("{'descr': '|u1', 'fortran_order': False, 'shape': (2), }", "ab"),
                Tensor::of<std::uint8_t>({2}, {'a', 'b'}));
}

TEST(Npy, ViewsTheFileWhenItHasAnOwner) {
  const auto owner = std::make_shared<std::string>(file_of(dictionary("<f4", "(1,)"), std::string("\0\0\x80\x3f", 4)));
  const Tensor view = read_npy(bytes_of(*owner), owner).value();
  EXPECT_EQ(static_cast<const void*>(view.bytes()), owner->data() + owner->size() - 4);
  const Tensor copy = read_npy(bytes_of(*owner)).value();
  EXPECT_NE(static_cast<const void*>(copy.bytes()), owner->data() + owner->size() - 4);
}

TEST(Npy, NamesTheTypesThatItCannotRead) {
  expect_error(file_of(dictionary("|O", "(1,)"), "x"), Code::unsupported, "Python objects (\"|O\")");
  expect_error(file_of(dictionary("<U3", "(1,)"), "x"), Code::unsupported, "strings of fixed length (\"<U3\")");
  expect_error(file_of(dictionary("|S3", "(1,)"), "abc"), Code::unsupported, "\"|S3\"");
  expect_error(file_of(dictionary("<M8[ns]", "(1,)"), "x"), Code::unsupported, "\"<M8[ns]\"");
  expect_error(file_of(dictionary("<f16", "(1,)"), "x"), Code::unsupported, "\"<f16\"");
  expect_error(file_of(dictionary("<", "(1,)"), "x"), Code::unsupported, "\"<\"");
  expect_error(file_of("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "x"), Code::unsupported,
               "structured");
}

TEST(Npy, RefusesSizesThatDoNotFit) {
  expect_error(file_of(dictionary("<f4", "(2, 3)"), "1234"), Code::bad_file,
               "float[2,3] needs 24 bytes of data, found 4");
  expect_error(file_of(dictionary("|u1", "(2,)"), "123"), Code::bad_file, "needs 2 bytes of data, found 3");
  expect_error(file_of(dictionary("<f4", "(9223372036854775807, 9)"), ""), Code::bad_file, "overflows");
  expect_error(file_of(dictionary("<f8", "(9223372036854775807,)"), ""), Code::bad_file, "overflows");
}

TEST(Npy, RefusesDamagedHeaders) {
  for (const char* shape : {"(-1,)", "(1", "(,)", "(1.5,)", "(1 2)", "(99999999999999999999,)", "1", "('1',)", "(1,,)"})
    expect_error(file_of(dictionary("|u1", shape), "a"), Code::bad_file, "damaged");
  for (const char* whole :
       {"", "{", "{}", "[]", "{'descr': '<f4'}", "{'descr': '', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}",
        "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (1,)}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'other': 1}",
        "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} x",
        "{'descr': '|u1 'fortran_order': False, 'shape': (1,)}"})
    expect_error(file_of(whole, "a"), Code::bad_file, "damaged");
  expect_error("", Code::bad_file, "not an .npy file");
  expect_error("\x93NUMPY", Code::bad_file, "not an .npy file");
  expect_error(std::string("\x93NUMPY\x01\x00\xff\xff{", 11), Code::bad_file, "ends within its header");
  expect_error(std::string("\x93NUMPY\x04\x00\x01\x00{", 11), Code::unsupported, "format version 4");
  expect_error(file_of(std::string(20000, ' '), ""), Code::limit, "10000 is the most");
  std::string many = "(";
  for (int i = 0; i < 65; ++i) many += "1,";
  expect_error(file_of(dictionary("|u1", many + ")"), "a"), Code::bad_file, "shape");
}

TEST(Npy, EveryTruncationIsRefused) {
  const std::string file = file_of(dictionary("<f4", "(1,)"), "1234");
  for (std::size_t length = 0; length < file.size(); ++length) {
    const std::string part = file.substr(0, length);
    EXPECT_FALSE(read_npy(std::as_bytes(std::span(part))).ok());
  }
}

TEST(Npy, WritesWhatNumPyWrites) {
  const std::string want = file_of(dictionary("<f4", "(2, 1)"), std::string("\0\0\x80\x3f\0\0\0\x40", 8));
  EXPECT_EQ(write_npy(Tensor::of<float>({2, 1}, {1, 2})).value(), want);
  EXPECT_EQ(write_npy(Tensor::of<std::uint8_t>({2}, {'a', 'b'})).value(), file_of(dictionary("|u1", "(2,)"), "ab"));
  EXPECT_EQ(write_npy(Tensor::scalar<bool>(true)).value(), file_of(dictionary("|b1", "()"), "\1"));
  // Strides are followed: the same memory backwards.
  EXPECT_EQ(write_npy(Tensor::of<std::uint8_t>({2}, {'a', 'b'}).view({2}, {-1}, 1)).value(),
            file_of(dictionary("|u1", "(2,)"), "ba"));
}

TEST(Npy, HeadersThatVersionOneCannotHoldAreOfVersionTwo) {
  const std::string header = make_npy_header("<f4", std::vector<std::int64_t>(30000, 1));
  EXPECT_EQ(header[6], 2);
  EXPECT_EQ(header.size() % 64, 0U);
  std::size_t length = 0;
  for (std::size_t i = 4; i-- > 0;) length = length << 8 | static_cast<unsigned char>(header[8 + i]);
  EXPECT_EQ(length + 12, header.size());
}

TEST(Npy, EveryTypeOfItsOwnSurvivesARoundTrip) {
  int written = 0;
  for (int number = 1; number < kDTypeCount; ++number) {
    const auto dtype = static_cast<DType>(number);
    Tensor tensor = Tensor::allocate(dtype, {2, 3}).value();
    if (dtype != DType::string) std::fill_n(tensor.mutable_bytes(), 6 * size_of(dtype), std::byte{1});
    const Result<std::string> file = write_npy(tensor);
    if (!file.ok()) {
      EXPECT_EQ(file.error().code, Code::bad_type);
      EXPECT_NE(file.error().message.find(name(dtype)), std::string::npos);
      continue;
    }
    ++written;
    expect_tensor(*file, tensor);
  }
  EXPECT_EQ(written, 14);
}

}  // namespace
}  // namespace pawl
