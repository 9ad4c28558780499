// Errors, texts, element types and versions of the C interface.
#include "c/handles.h"

namespace pawl::c {
namespace {

const pawl_error& no_memory() {
  static const pawl_error error{PAWL_LIMIT, "out of memory"};
  return error;
}

static_assert(static_cast<int>(Code::io) == PAWL_IO && static_cast<int>(Code::bad_file) == PAWL_BAD_FILE);
static_assert(static_cast<int>(Code::bad_model) == PAWL_BAD_MODEL &&
              static_cast<int>(Code::bad_shape) == PAWL_BAD_SHAPE);
static_assert(static_cast<int>(Code::bad_type) == PAWL_BAD_TYPE && static_cast<int>(Code::bad_value) == PAWL_BAD_VALUE);
static_assert(static_cast<int>(Code::bad_argument) == PAWL_BAD_ARGUMENT);
static_assert(static_cast<int>(Code::unsupported) == PAWL_UNSUPPORTED && static_cast<int>(Code::limit) == PAWL_LIMIT);
static_assert(static_cast<int>(Code::interrupted) == PAWL_INTERRUPTED);
static_assert(static_cast<int>(Code::internal) == PAWL_INTERNAL);
static_assert(static_cast<int>(DType::string) == PAWL_STRING && static_cast<int>(DType::bf16) == PAWL_BFLOAT16);
static_assert(static_cast<int>(DType::f8e8m0) == PAWL_FLOAT8E8M0 && static_cast<int>(DType::f6e3m2) == PAWL_FLOAT6E3M2);

}  // namespace

pawl_error* out_of_memory() noexcept { return const_cast<pawl_error*>(&no_memory()); }

pawl_error* to_handle(const Error& error) noexcept {
  try {
    return new pawl_error{static_cast<pawl_code>(error.code), error.to_string()};
  } catch (...) {
    return out_of_memory();
  }
}

}  // namespace pawl::c

uint32_t pawl_api_version(void) { return PAWL_API_VERSION; }
const char* pawl_version(void) { return PAWL_VERSION; }

pawl_code pawl_error_code(const pawl_error* error) { return error->code; }
const char* pawl_error_message(const pawl_error* error) { return error->message.c_str(); }
void pawl_error_free(pawl_error* error) {
  if (error != pawl::c::out_of_memory()) delete error;
}

// The names of codes and types are literals: each ends in NUL.
const char* pawl_code_name(pawl_code code) { return pawl::name(static_cast<pawl::Code>(code)).data(); }

const char* pawl_text_data(const pawl_text* text) { return text->bytes.c_str(); }
size_t pawl_text_size(const pawl_text* text) { return text->bytes.size(); }
void pawl_text_free(pawl_text* text) { delete text; }

const char* pawl_dtype_name(pawl_dtype dtype) {
  return pawl::name(pawl::is_dtype(dtype) ? static_cast<pawl::DType>(dtype) : pawl::DType::undefined).data();
}

size_t pawl_dtype_size(pawl_dtype dtype) {
  return pawl::is_dtype(dtype) && dtype != PAWL_STRING ? pawl::size_of(static_cast<pawl::DType>(dtype)) : 0;
}
