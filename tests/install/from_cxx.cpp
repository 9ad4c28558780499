// The same through the C++ interface.
#include <pawl/program.h>

#include <cstdio>

constexpr const char* kModel = R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[C] start, float[T, C] x) => (float[C] total, float[T, C] sums) {
  total, sums = Scan <num_scan_inputs = 1,
    body = step (float[C] s, float[C] v) => (float[C] next, float[C] sum) { next = Add(s, v)  sum = Identity(next) }> (start, x)
})";

int main() {
  const auto model = pawl::Model::from_text(kModel);
  if (!model) return 1;
  const auto program = pawl::Program::compile(*model);
  if (!program) return 1;
  const pawl::Value inputs[] = {pawl::Tensor::of<float>({2}, {0, 0}),
                                pawl::Tensor::of<float>({3, 2}, {1, 2, 3, 4, 5, 6})};
  const auto outputs = program->run(inputs);
  if (!outputs) return 1;
  const auto total = (*outputs)[0].tensor().values<float>();
  std::printf("total %g %g; %s\n", total[0], total[1], program->kernel_report().at(0).c_str());
  return 0;
}
