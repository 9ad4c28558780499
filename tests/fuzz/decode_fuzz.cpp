// Any bytes as a model and as a value: no crash, and what is accepted survives encoding and decoding.
#include <cstdint>
#include <cstdlib>

#include "onnx/read.h"
#include "onnx/write.h"
#include "same_model.h"
#include "tensor/compare.h"

namespace pawl::onnx {
namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

Bytes bytes_of(const std::string& text) { return {std::as_bytes(std::span(text.data(), text.size())), nullptr}; }

void check_model(const Bytes& bytes) {
  const Result<Model> model = decode(bytes, {});
  if (!model.ok()) return;
  const Result<std::string> encoded = encode(*model);
  require(encoded.ok());
  const Result<Model> again = decode(bytes_of(*encoded), {});
  require(again.ok() && same(*model, *again));
}

void check_value(const Bytes& bytes, const Type& type) {
  const Result<Value> value = decode_value(bytes, type);
  if (!value.ok()) return;
  const Result<std::string> encoded = encode_value(*value, type, "");
  // A file may hold another kind of value than its type says.
  if (!encoded.ok()) return;
  const Result<Value> again = decode_value(bytes_of(*encoded), type);
  require(again.ok() && !first_difference(*again, *value, {0, 0}));
}

}  // namespace
}  // namespace pawl::onnx

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pawl;
  const onnx::Bytes bytes{std::as_bytes(std::span(data, size)), nullptr};
  onnx::check_model(bytes);
  onnx::check_value(bytes, Type());
  onnx::check_value(bytes, Type::sequence(Type::tensor(DType::undefined)));
  onnx::check_value(bytes, Type::optional(Type::sequence(Type())));
  return 0;
}
