/* A language model over bytes, one call per byte: the states that a call returns are given to the next one, which
 * updates them in place, and the logits of the call before are memory for the next ones.
 *   stream MODEL [BYTES]      MODEL: examples/charlm_mamba/model.onnx */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pawl/pawl.h"

enum { kTokens, kConvState, kSsmState, kInputs };
enum { kLogits, kOutputs = 3 };

typedef struct {
  pawl_program* program;
  pawl_value* states[2];
  pawl_value* logits;
} writer;

/* A tensor of zeros, of the shape that the model declares. */
static pawl_error* zeros(const pawl_port* port, pawl_value** value) {
  int64_t shape[8];
  int64_t rank = pawl_port_rank(port);
  size_t size = pawl_dtype_size(pawl_port_dtype(port));
  for (int64_t axis = 0; axis < rank && axis < 8; ++axis) {
    shape[axis] = pawl_port_extent(port, (size_t)axis);
    size *= (size_t)shape[axis];
  }
  pawl_error* error = pawl_value_allocate(pawl_port_dtype(port), (size_t)rank, shape, value);
  if (!error) memset(pawl_value_mutable_data(*value), 0, size);
  return error;
}

static pawl_error* start(writer* w) {
  pawl_error* error = zeros(pawl_program_input(w->program, kConvState), &w->states[0]);
  return error ? error : zeros(pawl_program_input(w->program, kSsmState), &w->states[1]);
}

/* Takes `count` bytes in; the logits of what comes next are left in the writer. */
static pawl_error* feed(writer* w, const int64_t* bytes, int64_t count) {
  const int64_t shape[2] = {1, count};
  pawl_value* inputs[kInputs] = {NULL, w->states[0], w->states[1]};
  pawl_value* outputs[kOutputs];
  pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
  options.reuse = &w->logits;
  options.reuse_count = 1;
  pawl_error* error = pawl_value_borrow(PAWL_INT64, 2, shape, NULL, bytes, NULL, NULL, &inputs[kTokens]);
  if (error) return error;
  w->states[0] = w->states[1] = NULL;
  error = pawl_program_run_in_place(w->program, inputs, kInputs, &options, outputs, kOutputs);
  if (error) return error;
  w->logits = outputs[kLogits];
  w->states[0] = outputs[1];
  w->states[1] = outputs[2];
  return NULL;
}

/* The likeliest byte after the last one that was fed. */
static int64_t choose(const writer* w) {
  const float* logits = (const float*)pawl_value_data(w->logits) + pawl_value_size(w->logits) - 256;
  int64_t best = 0;
  for (int64_t i = 1; i < 256; ++i)
    if (logits[i] > logits[best]) best = i;
  return best;
}

static pawl_error* write_text(writer* w, const char* prompt, int count) {
  int64_t bytes[64];
  int64_t size = 0;
  for (; prompt[size] != '\0' && size < 64; ++size) bytes[size] = (unsigned char)prompt[size];
  pawl_error* error = start(w);
  if (!error) error = feed(w, bytes, size);
  printf("%s", prompt);
  for (int i = 0; i < count && !error; ++i) {
    int64_t byte = choose(w);
    putchar(byte < 0x20 && byte != '\n' && byte != '\t' ? '?' : (int)byte);
    error = feed(w, &byte, 1);
  }
  printf("\n");
  return error;
}

int main(int argc, char** argv) {
  if (argc < 2) return fprintf(stderr, "usage: stream MODEL [BYTES]\n"), 2;
  writer w = {NULL, {NULL, NULL}, NULL};
  pawl_model* model = NULL;
  pawl_error* error = pawl_model_load(argv[1], &model);
  if (!error) error = pawl_program_compile(model, NULL, &w.program);
  if (!error) error = write_text(&w, "The process ", argc > 2 ? atoi(argv[2]) : 100);
  int failed = error != NULL;
  if (error) fprintf(stderr, "error: %s\n", pawl_error_message(error));
  pawl_value_free(w.states[0]);
  pawl_value_free(w.states[1]);
  pawl_value_free(w.logits);
  pawl_program_free(w.program);
  pawl_model_free(model);
  pawl_error_free(error);
  return failed;
}
