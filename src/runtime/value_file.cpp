#include "pawl/value_file.h"

#include <string>

#include "base/file.h"
#include "base/try.h"
#include "onnx/read.h"
#include "onnx/write.h"
#include "tensor/npy.h"

namespace pawl {
namespace {

enum class Form : std::uint8_t { npy, pb };

Result<Form> form_of(const std::filesystem::path& path) {
  const std::string extension = path.extension().string();
  if (extension == ".npy") return Form::npy;
  if (extension == ".pb") return Form::pb;
  return fail(Code::bad_argument, "{}: expected a file name that ends in .npy or .pb", path.string());
}

/// Can a single tensor be what `type` says?
bool may_be_tensor(const Type& type) {
  if (type.is_optional()) return type.element == nullptr || may_be_tensor(*type.element);
  return type.is_tensor() || !type.known();
}

}  // namespace

Result<Value> read_value(const std::filesystem::path& path, const Type& type) {
  TRY_ASSIGN(const Form form, form_of(path));
  if (form == Form::npy && !may_be_tensor(type))
    return fail(Code::bad_argument, "{}: a .npy file holds one tensor, expected {}", path.string(), to_string(type));
  TRY_ASSIGN(const onnx::Bytes bytes, onnx::map_file(path));
  if (form == Form::pb) {
    TRY_ASSIGN_IN_FILE(path.string(), Value value, onnx::decode_value(bytes, type));
    return value;
  }
  TRY_ASSIGN_IN_FILE(path.string(), Tensor tensor, read_npy(bytes.data, bytes.owner));
  return Value(std::move(tensor));
}

bool fits_npy(const Value& value) {
  if (!value.is_tensor()) return false;
  switch (value.tensor().dtype()) {
    case DType::boolean:
    case DType::u8:
    case DType::u16:
    case DType::u32:
    case DType::u64:
    case DType::i8:
    case DType::i16:
    case DType::i32:
    case DType::i64:
    case DType::f16:
    case DType::f32:
    case DType::f64:
    case DType::c64:
    case DType::c128: return true;
    default: return false;
  }
}

Result<void> write_value(const std::filesystem::path& path, const Value& value, const Type& type,
                         std::string_view name) {
  TRY_ASSIGN(const Form form, form_of(path));
  if (form == Form::pb) {
    TRY_ASSIGN_IN_FILE(path.string(), const std::string bytes, onnx::encode_value(value, type, std::string(name)));
    return base::write_file(path, bytes);
  }
  if (!fits_npy(value)) return fail(Code::bad_argument, "{}: .npy cannot hold {}", path.string(), describe(value));
  TRY_ASSIGN_IN_FILE(path.string(), const std::string bytes, write_npy(value.tensor()));
  return base::write_file(path, bytes);
}

}  // namespace pawl
