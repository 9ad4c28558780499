// The first program: a model, an input, an output.
#include <cstdio>

#include "pawl/program.h"

// A prefix sum: the state s runs along x; its last value is `total`, all its values are `sums`.
constexpr const char* kModel = R"(
  <ir_version: 10, opset_import: ["" : 21]>
  prefix_sum (float start, float[N] x) => (float total, float[N] sums) {
    total, sums = Scan <num_scan_inputs = 1,
      body = step (float s, float v) => (float next, float sum) { next = Add(s, v)  sum = Identity(next) }> (start, x)
  })";

pawl::Result<void> run() {
  pawl::Result<pawl::Model> model = pawl::Model::from_text(kModel);
  if (!model) return model.error();
  pawl::Result<pawl::Program> program = pawl::Program::compile(*model);
  if (!program) return program.error();

  const pawl::NamedValue inputs[] = {{"start", pawl::Tensor::scalar(0.0F)},
                                     {"x", pawl::Tensor::of<float>({3}, {1, 2, 3})}};
  pawl::Result<std::vector<pawl::Value>> outputs = program->run(inputs);
  if (!outputs) return outputs.error();

  std::printf("total %g\nsums", (*outputs)[0].tensor().values<float>()[0]);
  for (const float sum : (*outputs)[1].tensor().values<float>()) std::printf(" %g", sum);
  std::printf("\n");
  return {};
}

int main() {
  const pawl::Result<void> done = run();
  if (!done) std::fprintf(stderr, "error: %s\n", done.error().to_string().c_str());
  return done ? 0 : 1;
}
