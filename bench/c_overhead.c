/* What one run of the smallest model costs through the C interface: the inputs are borrowed, the model is run, all is freed.
 *   c_overhead [RUNS]      prints nanoseconds: the least of ten rounds. bench/python_overhead.py has the same from Python. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "pawl/pawl.h"

static const char kModel[] =
    "<ir_version: 8, opset_import: [\"\" : 17]> g (float[2] a, float[2] b) => (float[2] c) { c = Add(a, b) }";

static pawl_error* run_once(const pawl_program* program) {
  static const float a[2] = {1, 2};
  static const float b[2] = {3, 4};
  static const int64_t shape[1] = {2};
  pawl_value* inputs[2] = {NULL, NULL};
  pawl_value* output = NULL;
  pawl_error* error = pawl_value_borrow(PAWL_FLOAT, 1, shape, NULL, a, NULL, NULL, &inputs[0]);
  if (!error) error = pawl_value_borrow(PAWL_FLOAT, 1, shape, NULL, b, NULL, NULL, &inputs[1]);
  if (!error) error = pawl_program_run(program, (const pawl_value* const*)inputs, 2, NULL, &output, 1);
  pawl_value_free(inputs[0]);
  pawl_value_free(inputs[1]);
  pawl_value_free(output);
  return error;
}

static double now(void) {
  struct timespec time;
  timespec_get(&time, TIME_UTC);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

int main(int argc, char** argv) {
  const int runs = argc > 1 ? atoi(argv[1]) : 20000;
  pawl_model* model = NULL;
  pawl_program* program = NULL;
  pawl_error* error = pawl_model_from_text(kModel, strlen(kModel), NULL, &model);
  if (!error) error = pawl_program_compile(model, NULL, &program);
  double least = 1e18;
  for (int round = 0; round < 10 && !error; ++round) {
    const double begin = now();
    for (int i = 0; i < runs && !error; ++i) error = run_once(program);
    const double each = (now() - begin) / runs;
    if (each < least) least = each;
  }
  if (error) return fprintf(stderr, "error: %s\n", pawl_error_message(error)), 1;
  printf("%.0f\n", least);
  pawl_program_free(program);
  pawl_model_free(model);
  return 0;
}
