// One compiled program, run by two threads at once: two streams of bytes through the character model, each with a state
// of its own that the caller carries from call to call.
#include <cstdio>
#include <cstring>
#include <string_view>
#include <thread>
#include <vector>

#include "pawl/program.h"

using pawl::Result;
using pawl::Tensor;
using pawl::Value;

/// A float tensor of zeros with the shape of a model input that is fixed by the model.
Result<Value> zeros(const pawl::Port& port) {
  Result<Tensor> tensor = Tensor::allocate(pawl::DType::f32, port.type.static_shape().value_or(pawl::Dims{}));
  if (!tensor) return tensor.error();
  for (float& element : tensor->mutable_values<float>()) element = 0;
  return Value(*std::move(tensor));
}

/// Feeds the bytes one at a time; returns the logits of the last step.
Result<Tensor> feed(const pawl::Program& program, std::string_view bytes) {
  Result<Value> conv_state = zeros(program.inputs()[1]);
  Result<Value> ssm_state = zeros(program.inputs()[2]);
  if (!conv_state) return conv_state.error();
  if (!ssm_state) return ssm_state.error();
  Tensor logits;
  for (const char byte : bytes) {
    const Value inputs[] = {Tensor::of<std::int64_t>({1, 1}, {static_cast<unsigned char>(byte)}), *conv_state,
                            *ssm_state};
    Result<std::vector<Value>> outputs = program.run(inputs);
    if (!outputs) return outputs.error();
    logits = (*outputs)[0].tensor();
    *conv_state = (*outputs)[1];
    *ssm_state = (*outputs)[2];
  }
  return logits;
}

bool same(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() && std::memcmp(a.bytes(), b.bytes(), a.values<float>().size_bytes()) == 0;
}

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: two_threads MODEL\n"), 2;
  const Result<pawl::Model> model = pawl::Model::load(argv[1]);
  const Result<pawl::Program> program = model ? pawl::Program::compile(*model) : Result<pawl::Program>(model.error());
  if (!program) return std::fprintf(stderr, "error: %s\n", program.error().to_string().c_str()), 2;

  constexpr std::string_view kTexts[] = {"NAME\n", "The quick"};
  std::vector<Result<Tensor>> together(2, Tensor());
  std::thread other([&] { together[1] = feed(*program, kTexts[1]); });
  together[0] = feed(*program, kTexts[0]);
  other.join();

  for (std::size_t i = 0; i < 2; ++i) {
    const Result<Tensor> alone = feed(*program, kTexts[i]);
    const Result<Tensor>& shared = together[i];
    if (!alone || !shared)
      return std::fprintf(stderr, "error: %s\n", (alone ? shared : alone).error().to_string().c_str()), 2;
    if (!same(*alone, *shared))
      return std::fprintf(stderr, "error: stream %zu differs when run beside another\n", i), 1;
  }
  std::printf("two streams at once, each the same as alone\n");
  return 0;
}
