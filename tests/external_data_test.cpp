// Tensors whose elements lie in files beside the model.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "onnx/read.h"
#include "wire_bytes.h"

namespace pawl::onnx {
namespace {

namespace fs = std::filesystem;

class ExternalData : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "pawl-external-XXXXXX").string();
    ASSERT_NE(mkdtemp(pattern.data()), nullptr);
    root_ = pattern;
    folder_ = root_ / "model";
    fs::create_directories(folder_ / "sub");
    write(folder_ / "w.bin", "0123456789abcdef");
    write(folder_ / "sub" / "v.bin", "ABCD");
    write(root_ / "secret.bin", "secret..");
  }
  void TearDown() override { fs::remove_all(root_); }

  static void write(const fs::path& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

  static Message entry(const std::string& key, const std::string& value) {
    return Message().text(1, key).text(2, value);
  }

  /// An initializer of 4 uint8 at `location`; an empty offset or length is left out.
  static Message initializer(const std::string& location, const std::string& offset = "",
                             const std::string& length = "") {
    Message tensor =
        Message().varint(1, 4).varint(2, 2).text(8, "w").varint(14, 1).message(13, entry("location", location));
    if (!offset.empty()) tensor.message(13, entry("offset", offset));
    if (!length.empty()) tensor.message(13, entry("length", length));
    return tensor.message(13, entry("checksum", "ignored"));
  }

  Result<Model> decoded(const Message& tensor) {
    return decode(owned_bytes(model_of(Message().message(5, tensor)).bytes()), folder_);
  }

  std::string text_of(const Message& tensor) {
    const Result<Model> model = decoded(tensor);
    if (!model.ok()) return model.error().to_string();
    const Tensor& elements = model->graph.initializers.at(0).tensor;
    return {elements.data<char>(), static_cast<std::size_t>(elements.size())};
  }

  void expect_refused(const Message& tensor, Code code, const std::string& words) {
    const Result<Model> model = decoded(tensor);
    ASSERT_FALSE(model.ok()) << words;
    EXPECT_EQ(model.error().code, code) << model.error().to_string();
    EXPECT_NE(model.error().to_string().find(words), std::string::npos) << model.error().to_string();
  }

  fs::path root_;
  fs::path folder_;
};

TEST_F(ExternalData, IsFoundByOffsetAndLength) {
  EXPECT_EQ(text_of(initializer("w.bin")), "0123");
  EXPECT_EQ(text_of(initializer("w.bin", "10", "4")), "abcd");
  EXPECT_EQ(text_of(initializer("w.bin", "12")), "cdef");
  EXPECT_EQ(text_of(initializer("sub/v.bin")), "ABCD");
  EXPECT_EQ(text_of(initializer("./sub/v.bin", "0")), "ABCD");
  EXPECT_EQ(decoded(initializer("w.bin"))->graph.initializers.at(0).external_location, "w.bin");
}

TEST_F(ExternalData, TensorsOfOneFileShareOneMapping) {
  const Message graph = Message().message(5, initializer("w.bin")).message(5, initializer("./w.bin", "4"));
  const Result<Model> model = decode(owned_bytes(model_of(graph).bytes()), folder_);
  ASSERT_TRUE(model.ok()) << model.error().to_string();
  const auto& tensors = model->graph.initializers;
  EXPECT_EQ(tensors.at(1).tensor.bytes() - tensors.at(0).tensor.bytes(), 4);
}

TEST_F(ExternalData, RangesAreChecked) {
  expect_refused(initializer("w.bin", "13"), Code::bad_file,
                 "at offset 13, length 4 does not fit into \"w.bin\", which has 16 bytes");
  expect_refused(initializer("w.bin", "17", "0"), Code::bad_file, "does not fit");
  expect_refused(initializer("w.bin", "18446744073709551615", "4"), Code::bad_file, "does not fit");
  expect_refused(initializer("w.bin", "0", "18446744073709551615"), Code::bad_file, "does not fit");
  expect_refused(initializer("w.bin", "0", "5"), Code::bad_file, "needs 4 bytes of data, found 5");
  expect_refused(initializer("w.bin", "-1"), Code::bad_file, "the offset \"-1\" of its external data is not a number");
  expect_refused(initializer("w.bin", "0", "4x"), Code::bad_file, "the length \"4x\"");
  expect_refused(initializer("w.bin", "99999999999999999999"), Code::bad_file, "not a number of bytes");
}

TEST_F(ExternalData, PathsThatLeaveTheFolderAreRefused) {
  fs::create_symlink("../secret.bin", folder_ / "link.bin");
  fs::create_directory_symlink("..", folder_ / "up");
  fs::create_symlink("w.bin", folder_ / "inside.bin");
  EXPECT_EQ(text_of(initializer("inside.bin")), "0123");
  for (const std::string& path :
       {std::string("../secret.bin"), std::string("sub/../../secret.bin"), std::string("sub/../w.bin"),
        (root_ / "secret.bin").string(), std::string("link.bin"), std::string("up/secret.bin"), std::string(".")}) {
    expect_refused(initializer(path), Code::bad_file, "the path leaves the model's folder");
  }
  expect_refused(initializer(""), Code::bad_file, "no valid location");
  expect_refused(initializer(std::string("w.bin\0x", 7)), Code::bad_file, "no valid location");
}

TEST_F(ExternalData, MissingFilesAreNamed) {
  expect_refused(initializer("absent.bin"), Code::io, "absent.bin");
  expect_refused(initializer("sub"), Code::io, "not a regular file");
  ASSERT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  expect_refused(initializer("pipe"), Code::io, "not a regular file");
}

TEST_F(ExternalData, IsRefusedWithoutAFolder) {
  const Result<Model> model = decode(owned_bytes(model_of(Message().message(5, initializer("w.bin"))).bytes()), {});
  ASSERT_FALSE(model.ok());
  EXPECT_NE(model.error().to_string().find("no folder"), std::string::npos);
}

TEST_F(ExternalData, ContradictionsAreRefused) {
  expect_refused(initializer("w.bin").text(9, "1234"), Code::bad_file, "data of its own besides its external data");
  expect_refused(Message().varint(2, 8).varint(14, 1).message(13, entry("location", "w.bin")), Code::bad_file,
                 "strings cannot be external");
}

TEST_F(ExternalData, ModelFilesAreReadFromTheirOwnFolder) {
  write(folder_ / "m.onnx", model_of(Message().message(5, initializer("w.bin", "4"))).bytes());
  const Result<Model> model = read_model(folder_ / "m.onnx");
  ASSERT_TRUE(model.ok()) << model.error().to_string();
  EXPECT_EQ(model->graph.initializers.at(0).tensor.values<std::uint8_t>()[0], '4');
  write(folder_ / "t.onnx",
        "# text, whatever it is called\n <ir_version: 8, opset_import: [\"\" : 17]> g (float x) => (float y) { y = "
        "Neg(x) }");
  ASSERT_TRUE(read_model(folder_ / "t.onnx").ok()) << read_model(folder_ / "t.onnx").error().to_string();
  write(folder_ / "e.onnx", "");
  EXPECT_EQ(read_model(folder_ / "e.onnx").error().code, Code::bad_file);
  EXPECT_EQ(read_model(folder_ / "absent.onnx").error().code, Code::io);
  EXPECT_EQ(read_model(folder_).error().code, Code::io);
}

}  // namespace
}  // namespace pawl::onnx
