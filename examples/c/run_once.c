/* A model, two inputs, two outputs. */
#include <stdio.h>
#include <string.h>

#include "pawl/pawl.h"

/* A prefix sum: the state s runs along x; its last value is `total`, all its values are `sums`. */
static const char kModel[] =
    "<ir_version: 10, opset_import: [\"\" : 21]>\n"
    "prefix_sum (float start, float[N] x) => (float total, float[N] sums) {\n"
    "  total, sums = Scan <num_scan_inputs = 1,\n"
    "    body = step (float s, float v) => (float next, float sum) { next = Add(s, v)  sum = Identity(next) }>\n"
    "    (start, x)\n"
    "}\n";

/* Everything that is made on the way; what was not made is NULL. */
typedef struct {
  pawl_model* model;
  pawl_program* program;
  pawl_value* inputs[2];
  pawl_value* outputs[2];
} run_state;

static pawl_error* run(run_state* state) {
  static const float start = 0;
  static const float x[3] = {1, 2, 3};
  static const int64_t shape[1] = {3};
  pawl_error* error = pawl_model_from_text(kModel, strlen(kModel), NULL, &state->model);
  if (!error) error = pawl_program_compile(state->model, NULL, &state->program);
  if (!error) error = pawl_value_borrow(PAWL_FLOAT, 0, NULL, NULL, &start, NULL, NULL, &state->inputs[0]);
  if (!error) error = pawl_value_borrow(PAWL_FLOAT, 1, shape, NULL, x, NULL, NULL, &state->inputs[1]);
  if (!error)
    error = pawl_program_run(state->program, (const pawl_value* const*)state->inputs, 2, NULL, state->outputs, 2);
  return error;
}

int main(void) {
  run_state state = {NULL, NULL, {NULL, NULL}, {NULL, NULL}};
  pawl_error* error = run(&state);
  int failed = error != NULL;
  if (error) {
    fprintf(stderr, "error: %s\n", pawl_error_message(error));
  } else {
    const float* sums = pawl_value_data(state.outputs[1]);
    printf("total %g\nsums", (double)*(const float*)pawl_value_data(state.outputs[0]));
    for (size_t i = 0; i < pawl_value_size(state.outputs[1]); ++i) printf(" %g", (double)sums[i]);
    printf("\n");
  }
  for (int i = 0; i < 2; ++i) {
    pawl_value_free(state.inputs[i]);
    pawl_value_free(state.outputs[i]);
  }
  pawl_program_free(state.program);
  pawl_model_free(state.model);
  pawl_error_free(error);
  return failed;
}
