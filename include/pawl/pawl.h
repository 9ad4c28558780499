/* The C interface: models, programs, values, errors, all behind handles.
 *
 * Every function may be called from any thread. A handle may be read by several threads at once; freeing one, and
 * giving one away, is for a moment when nobody else uses it. There is no state outside of handles.
 *
 * Functions that can fail return an error, or NULL when they have done their work; the caller frees the error. Where
 * one is returned, nothing was written through the result pointers, unless a function says so. Pointers that come in
 * are not kept after the call, but for the memory of pawl_value_borrow. Free functions take NULL.
 *
 * Names and texts are UTF-8. Versions: docs/adr/0014-the-c-interface-only-grows.md.
 */
#ifndef PAWL_PAWL_H
#define PAWL_PAWL_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define PAWL_EXPORT __attribute__((visibility("default")))
#define PAWL_FAILS __attribute__((visibility("default"), warn_unused_result))
#else
#define PAWL_EXPORT
#define PAWL_FAILS
#endif

#ifdef __cplusplus
extern "C" {
#endif

/** Of this header. It grows by one when something is added; what is there stays as it is. */
#define PAWL_API_VERSION 1

/** PAWL_API_VERSION of the library that is loaded: where it is less than the header's, some functions are missing. */
PAWL_EXPORT uint32_t pawl_api_version(void);
/** "0.1.0". */
PAWL_EXPORT const char* pawl_version(void);

/* Errors */

typedef struct pawl_error pawl_error;

/** What kind of thing is at fault. Every code but PAWL_INTERNAL is about the caller's data or machine. */
typedef enum pawl_code {
  PAWL_IO = 0,           /**< a file cannot be opened, read or written */
  PAWL_BAD_FILE = 1,     /**< bytes that are not what they claim to be */
  PAWL_BAD_MODEL = 2,    /**< a well-formed file whose graph breaks a rule of the standard */
  PAWL_BAD_SHAPE = 3,    /**< shapes, ranks or axes that do not fit together */
  PAWL_BAD_TYPE = 4,     /**< element types or kinds of values that do not fit together */
  PAWL_BAD_VALUE = 5,    /**< a value outside of what the operator or option allows */
  PAWL_BAD_ARGUMENT = 6, /**< the call itself: NULL, a missing or extra input, an index, an option */
  PAWL_UNSUPPORTED = 7,  /**< legal, and not implemented */
  PAWL_LIMIT = 8,        /**< a bound was passed: memory, nesting, steps */
  PAWL_INTERRUPTED = 9,  /**< pawl_stop_request */
  PAWL_INTERNAL = 10     /**< a bug in pawl */
} pawl_code;

PAWL_EXPORT pawl_code pawl_error_code(const pawl_error* error);
/** The chain of places and what is wrong there, on one line. Lives as long as the error. */
PAWL_EXPORT const char* pawl_error_message(const pawl_error* error);
PAWL_EXPORT void pawl_error_free(pawl_error* error);
/** "bad_shape" for PAWL_BAD_SHAPE; "unknown" for a number that is no code. */
PAWL_EXPORT const char* pawl_code_name(pawl_code code);

/* Bytes that a call made: a text, a picture, a serialized model. */

typedef struct pawl_text pawl_text;

/** `pawl_text_size` bytes, and a NUL behind them. */
PAWL_EXPORT const char* pawl_text_data(const pawl_text* text);
PAWL_EXPORT size_t pawl_text_size(const pawl_text* text);
PAWL_EXPORT void pawl_text_free(pawl_text* text);

/* Types of elements, with the numbers of ONNX's TensorProto.DataType */

typedef int32_t pawl_dtype;

#define PAWL_FLOAT 1
#define PAWL_UINT8 2
#define PAWL_INT8 3
#define PAWL_UINT16 4
#define PAWL_INT16 5
#define PAWL_INT32 6
#define PAWL_INT64 7
#define PAWL_STRING 8
#define PAWL_BOOL 9
#define PAWL_FLOAT16 10
#define PAWL_DOUBLE 11
#define PAWL_UINT32 12
#define PAWL_UINT64 13
#define PAWL_COMPLEX64 14
#define PAWL_COMPLEX128 15
#define PAWL_BFLOAT16 16
#define PAWL_FLOAT8E4M3FN 17
#define PAWL_FLOAT8E4M3FNUZ 18
#define PAWL_FLOAT8E5M2 19
#define PAWL_FLOAT8E5M2FNUZ 20
#define PAWL_UINT4 21
#define PAWL_INT4 22
#define PAWL_FLOAT4E2M1 23
#define PAWL_FLOAT8E8M0 24
#define PAWL_UINT2 25
#define PAWL_INT2 26
#define PAWL_FLOAT6E2M3 27
#define PAWL_FLOAT6E3M2 28

/** "float", "int64", …; "undefined" for what is none. */
PAWL_EXPORT const char* pawl_dtype_name(pawl_dtype dtype);
/** Bytes of one element in memory; those of less than 8 bits take one each. 0 for strings, and for what is none. */
PAWL_EXPORT size_t pawl_dtype_size(pawl_dtype dtype);

/* Models */

typedef struct pawl_model pawl_model;
typedef struct pawl_port pawl_port;

/** Loads an .onnx file, or an .onnxtxt in ONNX's text syntax; external data lies beside it. */
PAWL_FAILS pawl_error* pawl_model_load(const char* path, pawl_model** model);
/** Decodes a serialized ModelProto; the bytes are copied. External data is refused unless `folder` says where it lies;
 *  NULL: nowhere. */
PAWL_FAILS pawl_error* pawl_model_from_bytes(const void* bytes, size_t size, const char* folder, pawl_model** model);
/** Parses `size` bytes of ONNX's text syntax. `folder` as above. */
PAWL_FAILS pawl_error* pawl_model_from_text(const char* text, size_t size, const char* folder, pawl_model** model);
/** Programs that were compiled from it live on. */
PAWL_EXPORT void pawl_model_free(pawl_model* model);

PAWL_EXPORT size_t pawl_model_input_count(const pawl_model* model);
PAWL_EXPORT size_t pawl_model_output_count(const pawl_model* model);
/** A port of the graph, which lives as long as the model; NULL when there are not so many. */
PAWL_EXPORT const pawl_port* pawl_model_input(const pawl_model* model, size_t index);
PAWL_EXPORT const pawl_port* pawl_model_output(const pawl_model* model, size_t index);

/** What an extent is when the file does not fix it, and a rank that is not known. */
#define PAWL_UNKNOWN (-1)

PAWL_EXPORT const char* pawl_port_name(const pawl_port* port);
/** In ONNX's text syntax: "float[N,3]", "seq(int64[?])", "optional(float[2])". */
PAWL_EXPORT const char* pawl_port_type(const pawl_port* port);
/** Of a tensor; 0 for everything else. */
PAWL_EXPORT pawl_dtype pawl_port_dtype(const pawl_port* port);
/** Of a tensor; PAWL_UNKNOWN where it is not known, and for everything else. */
PAWL_EXPORT int64_t pawl_port_rank(const pawl_port* port);
/** The extent of an axis, or PAWL_UNKNOWN. */
PAWL_EXPORT int64_t pawl_port_extent(const pawl_port* port, size_t axis);
/** The symbol of an axis ("batch"); "" where it has none. */
PAWL_EXPORT const char* pawl_port_symbol(const pawl_port* port, size_t axis);
/** 1 for inputs that may be left out, since the model has a value for them. */
PAWL_EXPORT int pawl_port_has_default(const pawl_port* port);

/* Options are structs that know their size: set them to the initialiser, then change what you like. A library that is
 * newer than the caller sees what the caller has; one that is older refuses what it does not know, unless it is 0. */

typedef struct pawl_plan_options {
  size_t struct_size;
  /** Numbers for symbolic extents: `dim_count` symbols ("T", or "x.0" for axis 0 of input x) and their extents. */
  const char* const* symbols;
  const int64_t* extents;
  size_t dim_count;
  int32_t threads;       /**< explain: plan for this many */
  int32_t exact;         /**< floats keep their bits */
  int32_t parallel_scan; /**< optimize: recurrences as chains of operators of logarithmic length */
  int32_t reserved;      /**< 0 */
  int64_t opset;         /**< optimize: 0 for the smallest that will do */
} pawl_plan_options;
#define PAWL_PLAN_OPTIONS_INIT {sizeof(pawl_plan_options), NULL, NULL, 0, 1, 0, 0, 0, 0}

typedef enum pawl_format { PAWL_TEXT = 0, PAWL_SVG = 1, PAWL_JSON = 2 } pawl_format;

/** What the Scans of a model are, and how they would be run: `pawl explain`. `options` may be NULL. */
PAWL_FAILS pawl_error* pawl_model_explain(const pawl_model* model, const pawl_plan_options* options, pawl_format format,
                                          pawl_text** text);
/** The model with less in its loops, as plain ONNX: `pawl optimize`. `options` may be NULL.
 *   bytes : a serialized ModelProto;  notes : what became of the states, a line each; may be NULL */
PAWL_FAILS pawl_error* pawl_model_optimize(const pawl_model* model, const pawl_plan_options* options, pawl_text** bytes,
                                           pawl_text** notes);

/* Values: tensors, sequences, maps, and none, the optional without an element. They do not change once they are made,
 * but for what pawl_value_mutable_data says. */

typedef struct pawl_value pawl_value;

typedef enum pawl_kind { PAWL_NONE = 0, PAWL_TENSOR = 1, PAWL_SEQUENCE = 2, PAWL_MAP = 3 } pawl_kind;

/** Called once, from whichever thread, when borrowed memory is no longer needed. */
typedef void (*pawl_release)(void* context);

/** A tensor in memory of the caller, which is never written to.
 *   shape   : `rank` extents, in elements;  strides : in elements, may be 0 or negative; NULL: row-major without gaps
 *   data    : element [0,…,0]; any alignment; no strings. Stays as it is until `release`, and when that is NULL, until
 *             the value is freed and all runs that got it are over
 * Errors, after which the memory is the caller's and `release` is not called: bad_argument, bad_type; bad_shape, of
 * negative extents and sizes that overflow; bad_value, of bool and elements under 8 bits with other bits set.
 */
PAWL_FAILS pawl_error* pawl_value_borrow(pawl_dtype dtype, size_t rank, const int64_t* shape, const int64_t* strides,
                                         const void* data, pawl_release release, void* context, pawl_value** value);
/** A tensor in new memory, row-major, aligned to 64 bytes, of undefined contents: see pawl_value_mutable_data. No
 *  strings. */
PAWL_FAILS pawl_error* pawl_value_allocate(pawl_dtype dtype, size_t rank, const int64_t* shape, pawl_value** value);
/** A tensor of strings, copied in row-major order.  sizes : in bytes; NULL: each string ends in NUL */
PAWL_FAILS pawl_error* pawl_value_strings(size_t rank, const int64_t* shape, const char* const* strings,
                                          const size_t* sizes, pawl_value** value);
/** A sequence of `count` values, which it shares. `element` is the type of tensors inside; 0 when there are others. */
PAWL_FAILS pawl_error* pawl_value_sequence(pawl_dtype element, size_t count, const pawl_value* const* items,
                                           pawl_value** value);
/** A map from int64 or string keys, ascending, to values: two tensors of shape [n], which it shares. */
PAWL_FAILS pawl_error* pawl_value_map(const pawl_value* keys, const pawl_value* values, pawl_value** value);
/** An optional without an element. */
PAWL_FAILS pawl_error* pawl_value_none(pawl_value** value);
/** Another handle to the same value. */
PAWL_FAILS pawl_error* pawl_value_share(const pawl_value* value, pawl_value** other);
/** Reads a .npy or .pb file. `expected` tells a .pb's tensor, sequence and optional apart; NULL: a tensor. */
PAWL_FAILS pawl_error* pawl_value_read(const char* path, const pawl_port* expected, pawl_value** value);
/** Writes a .npy or .pb file, complete or not at all. */
PAWL_FAILS pawl_error* pawl_value_write(const pawl_value* value, const char* path);
PAWL_EXPORT void pawl_value_free(pawl_value* value);

PAWL_EXPORT pawl_kind pawl_value_kind(const pawl_value* value);
/** Of a tensor, and of the tensors in a sequence; 0 for everything else. */
PAWL_EXPORT pawl_dtype pawl_value_dtype(const pawl_value* value);
/** Of a tensor; 0 for everything else. */
PAWL_EXPORT size_t pawl_value_rank(const pawl_value* value);
/** Extents and strides of a tensor, in elements; they live as long as the value. */
PAWL_EXPORT const int64_t* pawl_value_shape(const pawl_value* value);
PAWL_EXPORT const int64_t* pawl_value_strides(const pawl_value* value);
/** Elements of a tensor, items of a sequence, pairs of a map. */
PAWL_EXPORT size_t pawl_value_size(const pawl_value* value);
/** Element [0,…,0] of a tensor, NULL for strings and everything else. What a run returned is row-major without gaps,
 *  aligned to 64 bytes. */
PAWL_EXPORT const void* pawl_value_data(const pawl_value* value);
/** The same, to be written to; NULL unless the memory is this value's alone: pawl_value_allocate, and what a run
 *  returned, while no other handle, sequence or map shares it. Not while a run reads it. */
PAWL_EXPORT void* pawl_value_mutable_data(pawl_value* value);
/** String `index` of a tensor in row-major order; it lives as long as the value. `size` may be NULL. */
PAWL_FAILS pawl_error* pawl_value_string(const pawl_value* value, size_t index, const char** string, size_t* size);
/** A new handle to item `index` of a sequence. */
PAWL_FAILS pawl_error* pawl_value_item(const pawl_value* value, size_t index, pawl_value** item);
/** New handles to the keys and the values of a map, each a tensor of shape [n]. Either pointer may be NULL. */
PAWL_FAILS pawl_error* pawl_value_pairs(const pawl_value* value, pawl_value** keys, pawl_value** values);

/* Programs: compiled models. They do not change: any number of threads may run one at once. */

typedef struct pawl_program pawl_program;

typedef struct pawl_compile_options {
  size_t struct_size;
  int32_t threads;    /**< that a run may use; 0: as many as there are cores */
  int32_t exact;      /**< 1: the bits of the reference evaluator */
  int32_t kernels;    /**< what runs the bodies of Scans: PAWL_KERNELS_… */
  int32_t no_rewrite; /**< 1: the graph runs as the file has it */
} pawl_compile_options;
#define PAWL_KERNELS_COMPILED 0
#define PAWL_KERNELS_OFF 1
#define PAWL_KERNELS_WEBGPU 2
#define PAWL_COMPILE_OPTIONS_INIT {sizeof(pawl_compile_options), 0, 0, PAWL_KERNELS_COMPILED, 0}

/** `options` may be NULL. */
PAWL_FAILS pawl_error* pawl_program_compile(const pawl_model* model, const pawl_compile_options* options,
                                            pawl_program** program);
PAWL_EXPORT void pawl_program_free(pawl_program* program);

PAWL_EXPORT size_t pawl_program_input_count(const pawl_program* program);
PAWL_EXPORT size_t pawl_program_output_count(const pawl_program* program);
PAWL_EXPORT const pawl_port* pawl_program_input(const pawl_program* program, size_t index);
PAWL_EXPORT const pawl_port* pawl_program_output(const pawl_program* program, size_t index);
/** The place of a port by its name; PAWL_NO_INDEX where there is none. */
PAWL_EXPORT size_t pawl_program_input_index(const pawl_program* program, const char* name);
PAWL_EXPORT size_t pawl_program_output_index(const pawl_program* program, const char* name);
#define PAWL_NO_INDEX ((size_t)-1)
/** Which Scans were run as kernels so far, and why others were not, a line each. */
PAWL_FAILS pawl_error* pawl_program_report(const pawl_program* program, pawl_text** text);

/** A flag that stops runs. */
typedef struct pawl_stop pawl_stop;
PAWL_FAILS pawl_error* pawl_stop_create(pawl_stop** stop);
/** Runs that have this flag end with PAWL_INTERRUPTED, soon, until pawl_stop_reset. May be called from any thread and
 *  from a signal handler. */
PAWL_EXPORT void pawl_stop_request(pawl_stop* stop);
PAWL_EXPORT void pawl_stop_reset(pawl_stop* stop);
PAWL_EXPORT void pawl_stop_free(pawl_stop* stop);

typedef struct pawl_run_options {
  size_t struct_size;
  const pawl_stop* stop; /**< may be NULL */
  uint64_t seed;         /**< of operators that draw random numbers and have no seed of their own */
  int64_t max_steps;     /**< of one loop, where no data stands behind its trip count; 0: 100 million */
  /** Values that are no longer needed, results of earlier runs: the run frees them, sets them to NULL, and may take
   *  their memory for its results. NULL entries are skipped. */
  pawl_value** reuse;
  size_t reuse_count;
  /** Called now and then during long loops, by the thread that runs: step `done` of `total`, or of 0 where that is not
   *  known. May be NULL. */
  void (*progress)(void* context, const char* loop, int64_t done, int64_t total);
  void* progress_context;
} pawl_run_options;
#define PAWL_RUN_OPTIONS_INIT {sizeof(pawl_run_options), NULL, 0, 0, NULL, 0, NULL, NULL}

/** Runs a program.
 *   inputs  : one for each input of the model, in order; only read, any strides; NULL takes the input's default
 *   outputs : as many as the model has, written in order when the run succeeds; the caller frees them. They share no
 *             memory with inputs
 * `options` may be NULL. Errors: bad_argument (a count, a missing input), bad_type, bad_shape (naming the input), and
 * what the model's operators find wrong with the values; outputs are NULL then. */
PAWL_FAILS pawl_error* pawl_program_run(const pawl_program* program, const pawl_value* const* inputs,
                                        size_t input_count, const pawl_run_options* options, pawl_value** outputs,
                                        size_t output_count);
/** The same with inputs that are given away: they are freed and set to NULL, whatever the outcome; memory that nobody
 *  else shares may become that of outputs. A state of a Scan that is given so is updated in place: who streams
 *  moves the states that one run returned into the next. */
PAWL_FAILS pawl_error* pawl_program_run_in_place(const pawl_program* program, pawl_value** inputs, size_t input_count,
                                                 const pawl_run_options* options, pawl_value** outputs,
                                                 size_t output_count);

#ifdef __cplusplus
}
#endif

#endif
