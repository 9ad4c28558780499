/* Runs a Scan, and says how: the compiler for kernels has to be found from where the library lies. */
#include <pawl/pawl.h>
#include <stdio.h>
#include <string.h>

static const char kModel[] =
    "<ir_version: 8, opset_import: [\"\" : 17]>\n"
    "g (float[C] start, float[T, C] x) => (float[C] total, float[T, C] sums) {\n"
    "  total, sums = Scan <num_scan_inputs = 1,\n"
    "    body = step (float[C] s, float[C] v) => (float[C] next, float[C] sum) { next = Add(s, v)  sum = Identity(next) }>\n"
    "    (start, x)\n"
    "}\n";

int main(void) {
  const float start[2] = {0, 0};
  const float x[6] = {1, 2, 3, 4, 5, 6};
  const int64_t shape[2] = {3, 2};
  pawl_model* model = NULL;
  pawl_program* program = NULL;
  pawl_value* inputs[2] = {NULL, NULL};
  pawl_value* outputs[2] = {NULL, NULL};
  pawl_text* report = NULL;
  pawl_error* error = pawl_model_from_text(kModel, strlen(kModel), NULL, &model);
  if (!error) error = pawl_program_compile(model, NULL, &program);
  if (!error) error = pawl_value_borrow(PAWL_FLOAT, 1, shape + 1, NULL, start, NULL, NULL, &inputs[0]);
  if (!error) error = pawl_value_borrow(PAWL_FLOAT, 2, shape, NULL, x, NULL, NULL, &inputs[1]);
  if (!error) error = pawl_program_run(program, (const pawl_value* const*)inputs, 2, NULL, outputs, 2);
  if (!error) error = pawl_program_report(program, &report);
  if (error) return fprintf(stderr, "error: %s\n", pawl_error_message(error)), 1;
  const float* total = pawl_value_data(outputs[0]);
  printf("total %g %g; %s", (double)total[0], (double)total[1], pawl_text_data(report));
  for (int i = 0; i < 2; ++i) {
    pawl_value_free(inputs[i]);
    pawl_value_free(outputs[i]);
  }
  pawl_text_free(report);
  pawl_program_free(program);
  pawl_model_free(model);
  return 0;
}
