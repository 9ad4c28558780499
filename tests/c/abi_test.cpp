// The first version of the C interface, as programs were built with it: what is here never changes while the SONAME is
// libpawl.so.0. A version that adds something gets lines of its own.
#include <cstddef>

#include "c_fixture.h"

namespace {

static_assert(PAWL_API_VERSION >= 1);
static_assert(sizeof(size_t) == 8, "what follows is of machines with 64 bits");

static_assert(offsetof(pawl_plan_options, symbols) == 8 && offsetof(pawl_plan_options, extents) == 16);
static_assert(offsetof(pawl_plan_options, dim_count) == 24 && offsetof(pawl_plan_options, threads) == 32);
static_assert(offsetof(pawl_plan_options, exact) == 36 && offsetof(pawl_plan_options, parallel_scan) == 40);
static_assert(offsetof(pawl_plan_options, reserved) == 44 && offsetof(pawl_plan_options, opset) == 48);
static_assert(sizeof(pawl_plan_options) >= 56);

static_assert(offsetof(pawl_compile_options, threads) == 8 && offsetof(pawl_compile_options, exact) == 12);
static_assert(offsetof(pawl_compile_options, kernels) == 16 && offsetof(pawl_compile_options, no_rewrite) == 20);
static_assert(sizeof(pawl_compile_options) >= 24);

static_assert(offsetof(pawl_run_options, stop) == 8 && offsetof(pawl_run_options, seed) == 16);
static_assert(offsetof(pawl_run_options, max_steps) == 24 && offsetof(pawl_run_options, reuse) == 32);
static_assert(offsetof(pawl_run_options, reuse_count) == 40 && offsetof(pawl_run_options, progress) == 48);
static_assert(offsetof(pawl_run_options, progress_context) == 56 && sizeof(pawl_run_options) >= 64);

static_assert(PAWL_TEXT == 0 && PAWL_SVG == 1 && PAWL_JSON == 2);
static_assert(PAWL_NONE == 0 && PAWL_TENSOR == 1 && PAWL_SEQUENCE == 2 && PAWL_MAP == 3);
static_assert(PAWL_KERNELS_COMPILED == 0 && PAWL_KERNELS_OFF == 1 && PAWL_KERNELS_WEBGPU == 2);
static_assert(PAWL_IO == 0 && PAWL_BAD_SHAPE == 3 && PAWL_BAD_ARGUMENT == 6 && PAWL_INTERNAL == 10);

template <class Function>
bool has(Function* function) {
  return function != nullptr;
}

/// A function that took or gave something else would not convert.
template <class... Arguments>
using Fails = pawl_error*(Arguments...);

TEST(CAbi, HasTheFunctionsOfItsFirstVersion) {
  EXPECT_TRUE(has<uint32_t()>(pawl_api_version) && has<const char*()>(pawl_version));
  EXPECT_TRUE(has<pawl_code(const pawl_error*)>(pawl_error_code) && has<void(pawl_error*)>(pawl_error_free));
  EXPECT_TRUE(has<const char*(const pawl_error*)>(pawl_error_message) && has<const char*(pawl_code)>(pawl_code_name));
  EXPECT_TRUE(has<const char*(const pawl_text*)>(pawl_text_data) && has<size_t(const pawl_text*)>(pawl_text_size));
  EXPECT_TRUE(has<void(pawl_text*)>(pawl_text_free) && has<const char*(pawl_dtype)>(pawl_dtype_name));
  EXPECT_TRUE(has<size_t(pawl_dtype)>(pawl_dtype_size));
}

TEST(CAbi, HasTheModelsOfItsFirstVersion) {
  EXPECT_TRUE((has<Fails<const char*, pawl_model**>>(pawl_model_load)));
  EXPECT_TRUE((has<Fails<const void*, size_t, const char*, pawl_model**>>(pawl_model_from_bytes)));
  EXPECT_TRUE((has<Fails<const char*, size_t, const char*, pawl_model**>>(pawl_model_from_text)));
  EXPECT_TRUE(has<void(pawl_model*)>(pawl_model_free));
  EXPECT_TRUE(has<size_t(const pawl_model*)>(pawl_model_input_count));
  EXPECT_TRUE(has<size_t(const pawl_model*)>(pawl_model_output_count));
  EXPECT_TRUE((has<const pawl_port*(const pawl_model*, size_t)>(pawl_model_input)));
  EXPECT_TRUE((has<const pawl_port*(const pawl_model*, size_t)>(pawl_model_output)));
  EXPECT_TRUE(has<const char*(const pawl_port*)>(pawl_port_name));
  EXPECT_TRUE(has<const char*(const pawl_port*)>(pawl_port_type));
  EXPECT_TRUE(has<pawl_dtype(const pawl_port*)>(pawl_port_dtype));
  EXPECT_TRUE(has<int64_t(const pawl_port*)>(pawl_port_rank));
  EXPECT_TRUE((has<int64_t(const pawl_port*, size_t)>(pawl_port_extent)));
  EXPECT_TRUE((has<const char*(const pawl_port*, size_t)>(pawl_port_symbol)));
  EXPECT_TRUE(has<int(const pawl_port*)>(pawl_port_has_default));
  EXPECT_TRUE((has<Fails<const pawl_model*, const pawl_plan_options*, pawl_format, pawl_text**>>(pawl_model_explain)));
  EXPECT_TRUE((has<Fails<const pawl_model*, const pawl_plan_options*, pawl_text**, pawl_text**>>(pawl_model_optimize)));
}

TEST(CAbi, HasTheValuesOfItsFirstVersion) {
  EXPECT_TRUE((
      has<Fails<pawl_dtype, size_t, const int64_t*, const int64_t*, const void*, void (*)(void*), void*, pawl_value**>>(
          pawl_value_borrow)));
  EXPECT_TRUE((has<Fails<pawl_dtype, size_t, const int64_t*, pawl_value**>>(pawl_value_allocate)));
  EXPECT_TRUE(
      (has<Fails<size_t, const int64_t*, const char* const*, const size_t*, pawl_value**>>(pawl_value_strings)));
  EXPECT_TRUE((has<Fails<pawl_dtype, size_t, const pawl_value* const*, pawl_value**>>(pawl_value_sequence)));
  EXPECT_TRUE((has<Fails<const pawl_value*, const pawl_value*, pawl_value**>>(pawl_value_map)));
  EXPECT_TRUE(has<Fails<pawl_value**>>(pawl_value_none));
  EXPECT_TRUE((has<Fails<const pawl_value*, pawl_value**>>(pawl_value_share)));
  EXPECT_TRUE((has<Fails<const char*, const pawl_port*, pawl_value**>>(pawl_value_read)));
  EXPECT_TRUE((has<Fails<const pawl_value*, const char*>>(pawl_value_write)));
  EXPECT_TRUE(has<void(pawl_value*)>(pawl_value_free) && has<pawl_kind(const pawl_value*)>(pawl_value_kind));
  EXPECT_TRUE(has<pawl_dtype(const pawl_value*)>(pawl_value_dtype) && has<size_t(const pawl_value*)>(pawl_value_rank));
  EXPECT_TRUE(has<const int64_t*(const pawl_value*)>(pawl_value_shape));
  EXPECT_TRUE(has<const int64_t*(const pawl_value*)>(pawl_value_strides));
  EXPECT_TRUE(has<size_t(const pawl_value*)>(pawl_value_size) && has<const void*(const pawl_value*)>(pawl_value_data));
  EXPECT_TRUE(has<void*(pawl_value*)>(pawl_value_mutable_data));
  EXPECT_TRUE((has<Fails<const pawl_value*, size_t, const char**, size_t*>>(pawl_value_string)));
  EXPECT_TRUE((has<Fails<const pawl_value*, size_t, pawl_value**>>(pawl_value_item)));
  EXPECT_TRUE((has<Fails<const pawl_value*, pawl_value**, pawl_value**>>(pawl_value_pairs)));
}

TEST(CAbi, HasTheProgramsOfItsFirstVersion) {
  EXPECT_TRUE((has<Fails<const pawl_model*, const pawl_compile_options*, pawl_program**>>(pawl_program_compile)));
  EXPECT_TRUE(has<void(pawl_program*)>(pawl_program_free));
  EXPECT_TRUE(has<size_t(const pawl_program*)>(pawl_program_input_count));
  EXPECT_TRUE(has<size_t(const pawl_program*)>(pawl_program_output_count));
  EXPECT_TRUE((has<const pawl_port*(const pawl_program*, size_t)>(pawl_program_input)));
  EXPECT_TRUE((has<const pawl_port*(const pawl_program*, size_t)>(pawl_program_output)));
  EXPECT_TRUE((has<size_t(const pawl_program*, const char*)>(pawl_program_input_index)));
  EXPECT_TRUE((has<size_t(const pawl_program*, const char*)>(pawl_program_output_index)));
  EXPECT_TRUE((has<Fails<const pawl_program*, pawl_text**>>(pawl_program_report)));
  EXPECT_TRUE(has<Fails<pawl_stop**>>(pawl_stop_create) && has<void(pawl_stop*)>(pawl_stop_request));
  EXPECT_TRUE(has<void(pawl_stop*)>(pawl_stop_reset) && has<void(pawl_stop*)>(pawl_stop_free));
  EXPECT_TRUE(
      (has<Fails<const pawl_program*, const pawl_value* const*, size_t, const pawl_run_options*, pawl_value**, size_t>>(
          pawl_program_run)));
  EXPECT_TRUE((has<Fails<const pawl_program*, pawl_value**, size_t, const pawl_run_options*, pawl_value**, size_t>>(
      pawl_program_run_in_place)));
}

}  // namespace
