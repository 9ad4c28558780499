// The one line that an error becomes.
#include "pawl/error.h"

#include <gtest/gtest.h>

namespace {

using pawl::Code;
using pawl::Error;

TEST(Error, PlacesRunFromTheFileInwards) {
  Error error{Code::bad_shape, "shape [2] cannot be broadcast with [3]", {}};
  EXPECT_EQ(error.to_string(), "shape [2] cannot be broadcast with [3]");
  static_cast<void>(std::move(error).in("Add \"a\"").in("Scan \"s\""));
  EXPECT_EQ(error.to_string(), "Scan \"s\" / Add \"a\": shape [2] cannot be broadcast with [3]");
  static_cast<void>(std::move(error).in_file("m.onnx"));
  EXPECT_EQ(error.to_string(), "m.onnx: Scan \"s\" / Add \"a\": shape [2] cannot be broadcast with [3]");
}

TEST(Error, StaysOneLineWhateverNamesHold) {
  const Error error{Code::bad_model, "value \"a\nb\x1b[31m\" is not defined", {"file\r.onnx:"}};
  EXPECT_EQ(error.to_string(), "file .onnx: value \"a b [31m\" is not defined");
}

}  // namespace
