// Any text is parsed or refused; what is parsed is printed as a text that is the same model.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "onnx/text.h"

namespace {

void stop(const char* what, const std::string& text) {
  std::fprintf(stderr, "%s:\n%s\n", what, text.c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  static_cast<void>(pawl::onnx::parse_tensor(text));
  const auto model = pawl::onnx::parse_text(text);
  if (!model.ok()) return 0;
  const std::string printed = pawl::onnx::print_text(*model);
  const auto again = pawl::onnx::parse_text(printed);
  if (!again.ok()) stop(again.error().to_string().c_str(), printed);
  if (pawl::onnx::print_text(*again) != printed) stop("not a fixed point", printed);
  return 0;
}
