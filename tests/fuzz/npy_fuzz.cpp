// Any bytes as an .npy file: no crash, and what is accepted survives writing and reading.
#include <cstdint>
#include <cstdlib>

#include "same_model.h"
#include "tensor/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace pawl;
  const Result<Tensor> tensor = read_npy(std::as_bytes(std::span(data, size)));
  if (!tensor.ok()) return 0;
  const std::string file = write_npy(*tensor).value();
  const Result<Tensor> again = read_npy(std::as_bytes(std::span(file.data(), file.size())));
  if (!again.ok() || !onnx::same(*again, *tensor)) std::abort();
  return 0;
}
