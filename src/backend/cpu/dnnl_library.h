// oneDNN's C functions, looked up in the shared library when they are first needed: linking it would cost every start
// of the program, and make it a condition of running.
#pragma once

#include <oneapi/dnnl/dnnl.h>

#include <memory>
#include <span>
#include <vector>

#include "pawl/tensor.h"

namespace pawl::cpu {

/// The functions by their own names without the prefix.
struct DnnlLibrary {
  decltype(&dnnl_engine_create) engine_create;
  decltype(&dnnl_stream_create) stream_create;
  decltype(&dnnl_stream_wait) stream_wait;
  decltype(&dnnl_stream_destroy) stream_destroy;
  decltype(&dnnl_memory_desc_init_by_strides) memory_desc_init_by_strides;
  decltype(&dnnl_memory_desc_init_by_tag) memory_desc_init_by_tag;
  decltype(&dnnl_memory_desc_get_size) memory_desc_get_size;
  decltype(&dnnl_memory_desc_equal) memory_desc_equal;
  decltype(&dnnl_memory_create) memory_create;
  decltype(&dnnl_memory_destroy) memory_destroy;
  decltype(&dnnl_memory_set_data_handle) memory_set_data_handle;
  decltype(&dnnl_primitive_desc_create) primitive_desc_create;
  decltype(&dnnl_primitive_desc_destroy) primitive_desc_destroy;
  decltype(&dnnl_primitive_desc_query_md) primitive_desc_query_md;
  decltype(&dnnl_primitive_create) primitive_create;
  decltype(&dnnl_primitive_destroy) primitive_destroy;
  decltype(&dnnl_primitive_execute) primitive_execute;
  decltype(&dnnl_reorder_primitive_desc_create) reorder_primitive_desc_create;
  decltype(&dnnl_dilated_convolution_forward_desc_init) dilated_convolution_forward_desc_init;
  decltype(&dnnl_dilated_deconvolution_forward_desc_init) dilated_deconvolution_forward_desc_init;
  decltype(&dnnl_pooling_v2_forward_desc_init) pooling_v2_forward_desc_init;
  decltype(&dnnl_primitive_desc_query) primitive_desc_query;
  decltype(&dnnl_primitive_attr_create) primitive_attr_create;
  decltype(&dnnl_primitive_attr_destroy) primitive_attr_destroy;
  decltype(&dnnl_primitive_attr_set_scratchpad_mode) primitive_attr_set_scratchpad_mode;
  decltype(&dnnl_primitive_attr_set_post_ops) primitive_attr_set_post_ops;
  decltype(&dnnl_post_ops_create) post_ops_create;
  decltype(&dnnl_post_ops_destroy) post_ops_destroy;
  decltype(&dnnl_post_ops_append_sum) post_ops_append_sum;
  decltype(&dnnl_matmul_desc_init) matmul_desc_init;
  decltype(&dnnl_sgemm) sgemm;
  int (*omp_get_max_threads)();  ///< null where the library brings another kind of threads
  void (*omp_set_num_threads)(int);
  dnnl_engine_t engine = nullptr;

  /// The library of this process, or null when the machine has none that fits. Safe from any thread.
  static const DnnlLibrary* get();
};

/// Lets one thread alone work on what this thread asks of oneDNN, for as long as it lives; or all of them, as before.
class ThreadLimit {
 public:
  ThreadLimit(const DnnlLibrary& library, bool one);
  ~ThreadLimit();
  ThreadLimit(const ThreadLimit&) = delete;
  ThreadLimit& operator=(const ThreadLimit&) = delete;

 private:
  const DnnlLibrary& library_;
  int before_ = 0;  ///< 0: nothing to restore
};

/// One input or output of a primitive: float elements that lie as `plain` says.
struct DnnlArgument {
  int index = 0;          ///< DNNL_ARG_SRC, …
  dnnl_query_t wanted{};  ///< asks the primitive for the layout that it wants
  dnnl_memory_desc_t plain{};
  void* data = nullptr;  ///< inputs are only read
  bool output = false;
  int position = 0;  ///< among those that `wanted` asks for
};

/// Float elements of these extents; dense in row-major order where `strides` is empty.
bool describe(const DnnlLibrary& library, std::span<const std::int64_t> dims, std::span<const std::int64_t> strides,
              dnnl_memory_desc_t& plain);
/// The same extents in whatever layout the primitive likes best.
bool describe_any(const DnnlLibrary& library, std::span<const std::int64_t> dims, dnnl_memory_desc_t& any);

/// Makes the primitive of `operation` and runs it; arguments that it wants in another layout are brought to it and
/// back. False when oneDNN has no such primitive. Errors: limit.
Result<bool> run_primitive(const DnnlLibrary& library, const_dnnl_op_desc_t operation,
                           std::span<const DnnlArgument> arguments);

}  // namespace pawl::cpu
