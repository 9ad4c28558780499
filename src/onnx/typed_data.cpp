// The typed fields of TensorProto: which one a type uses, and what its numbers mean.
#include <array>
#include <cstring>
#include <limits>

#include "onnx/packing.h"
#include "onnx/tensor_data.h"

namespace pawl::onnx {
namespace {

enum class Field : std::uint8_t { floats, int32s, strings, int64s, doubles, uint64s };

constexpr std::array<const char*, 6> kFieldNames = {"float_data", "int32_data",  "string_data",
                                                    "int64_data", "double_data", "uint64_data"};

const char* name_of(Field field) { return kFieldNames[static_cast<std::size_t>(field)]; }

/// The field that the standard wants a type's elements in.
Field field_of(DType dtype) {
  switch (dtype) {
    case DType::f32:
    case DType::c64: return Field::floats;
    case DType::f64:
    case DType::c128: return Field::doubles;
    case DType::i64: return Field::int64s;
    case DType::u32:
    case DType::u64: return Field::uint64s;
    case DType::string: return Field::strings;
    default: return Field::int32s;
  }
}

/// Numbers in a field for each kind of storage: of float_data and double_data, of the varint fields, of string_data.
std::size_t entries_of(const TypedData& data, Field field) {
  switch (field) {
    case Field::floats: return data.floats.bytes().size() / sizeof(float);
    case Field::doubles: return data.doubles.bytes().size() / sizeof(double);
    case Field::int32s: return count_varints(data.int32s.bytes());
    case Field::int64s: return count_varints(data.int64s.bytes());
    case Field::uint64s: return count_varints(data.uint64s.bytes());
    case Field::strings: break;
  }
  return data.strings.size();
}

/// Entries that a tensor's elements take: two for a complex number, one for each packed byte of 4-bit and 2-bit types,
/// one for each element of everything else (6-bit floats too). Source: onnx.proto, int32_data; the conformance data of
/// UINT4, INT4, FLOAT4E2M1, UINT2 and INT2.
bool entries_needed(const TensorHead& head, std::uint64_t& entries) {
  if (head.dtype == DType::c64 || head.dtype == DType::c128)
    return !__builtin_mul_overflow(std::uint64_t{head.count}, std::uint64_t{2}, &entries);
  if (is_packed(head.dtype) && file_bits(head.dtype) != 6) return file_size(head.dtype, head.count, entries);
  entries = head.count;
  return true;
}

Error out_of_range(const TensorHead& head, Field field, std::int64_t value) {
  return fail(Code::bad_file, "{}: {} in {} is out of range", describe(head), value, name_of(field));
}

/// Whole bytes of float_data and double_data: as raw bytes, but that a copy has no owner.
Result<Tensor> from_fixed(const TensorHead& head, const Packed& numbers, Source& source) {
  if (numbers.in_file()) return Tensor::borrow(head.dtype, head.shape, numbers.bytes().data(), source.owner());
  TRY_ASSIGN(Tensor tensor, source.allocate(head.dtype, head.shape));
  std::memcpy(tensor.mutable_bytes(), numbers.bytes().data(), numbers.bytes().size());
  return tensor;
}

Result<Tensor> from_strings(const TensorHead& head, const std::vector<std::string_view>& strings, Source& source) {
  TRY_ASSIGN(Tensor tensor, source.allocate(head.dtype, head.shape));
  for (std::size_t i = 0; i < strings.size(); ++i) tensor.mutable_data<std::string>()[i] = std::string(strings[i]);
  return tensor;
}

template <class T>
Result<Tensor> from_wide(const TensorHead& head, const Packed& numbers, Source& source) {
  TRY_ASSIGN(Tensor tensor, source.allocate(head.dtype, head.shape));
  bool fits = true;
  std::uint64_t last = 0;
  T* const elements = tensor.mutable_data<T>();
  each_varint(numbers.bytes(), [&](std::size_t i, std::uint64_t value) {
    elements[i] = static_cast<T>(value);
    if (sizeof(T) < sizeof(value) && value > std::numeric_limits<T>::max()) {
      fits = false;
      last = value;
    }
  });
  if (!fits) return out_of_range(head, Field::uint64s, static_cast<std::int64_t>(last));
  return tensor;
}

/// The codes of one int32_data entry each, kept in the low bits of `T`. Both readings of a code are taken, the signed
/// and the unsigned one.
template <class T>
Result<void> store_codes(const TensorHead& head, const Packed& numbers, std::int64_t low, std::int64_t high,
                         T* elements) {
  bool fits = true;
  std::int64_t last = 0;
  each_varint(numbers.bytes(), [&](std::size_t i, std::uint64_t wide) {
    // An int32 is what the low 32 bits say, whether the writer extended the sign or not.
    const std::int64_t value = static_cast<std::int32_t>(static_cast<std::uint32_t>(wide));
    if (value < low || value > high) {
      fits = false;
      last = value;
    }
    elements[i] = static_cast<T>(value);
  });
  if (!fits) return out_of_range(head, Field::int32s, last);
  return {};
}

Result<Tensor> from_int32s(const TensorHead& head, const Packed& numbers, Source& source) {
  constexpr std::int64_t kMin = std::numeric_limits<std::int32_t>::min();
  constexpr std::int64_t kMax = std::numeric_limits<std::int32_t>::max();
  TRY_ASSIGN(Tensor tensor, source.allocate(head.dtype, head.shape));
  auto* const bytes = tensor.mutable_data<std::uint8_t>();
  if (head.dtype == DType::boolean) {
    each_varint(numbers.bytes(), [&](std::size_t i, std::uint64_t value) { bytes[i] = value != 0 ? 1 : 0; });
  } else if (head.dtype == DType::f6e2m3 || head.dtype == DType::f6e3m2) {
    TRY(store_codes(head, numbers, 0, 0x3f, bytes));
  } else if (is_packed(head.dtype)) {
    std::string packed(count_varints(numbers.bytes()), '\0');
    TRY(store_codes(head, numbers, -0x80, 0xff, packed.data()));
    unpack(head.dtype, packed, head.count, tensor.mutable_bytes());
  } else if (size_of(head.dtype) == 1) {
    TRY(store_codes(head, numbers, -0x80, 0xff, bytes));
  } else if (size_of(head.dtype) == 2) {
    TRY(store_codes(head, numbers, -0x8000, 0xffff, tensor.mutable_data<std::uint16_t>()));
  } else {
    TRY(store_codes(head, numbers, kMin, kMax, tensor.mutable_data<std::int32_t>()));
  }
  return tensor;
}

}  // namespace

bool TypedData::empty() const {
  return floats.empty() && int32s.empty() && int64s.empty() && doubles.empty() && uint64s.empty() && strings.empty();
}

Result<Tensor> tensor_from_typed(const TensorHead& head, const TypedData& data, Source& source) {
  const Field wanted = field_of(head.dtype);
  for (const Field other :
       {Field::floats, Field::int32s, Field::strings, Field::int64s, Field::doubles, Field::uint64s}) {
    if (other != wanted && entries_of(data, other) > 0)
      return fail(Code::bad_file, "{} has data in {}, which belongs into {}", describe(head), name_of(other),
                  name_of(wanted));
  }
  std::uint64_t needed = 0;
  const std::size_t found = entries_of(data, wanted);
  if (!entries_needed(head, needed) || needed != found)
    return fail(Code::bad_file, "{} needs {} entries of {}, found {}", describe(head), needed, name_of(wanted), found);
  if (head.count == 0) return source.allocate(head.dtype, head.shape);
  switch (wanted) {
    case Field::floats: return from_fixed(head, data.floats, source);
    case Field::doubles: return from_fixed(head, data.doubles, source);
    case Field::strings: return from_strings(head, data.strings, source);
    case Field::int64s: return from_wide<std::int64_t>(head, data.int64s, source);
    case Field::uint64s:
      return head.dtype == DType::u32 ? from_wide<std::uint32_t>(head, data.uint64s, source)
                                      : from_wide<std::uint64_t>(head, data.uint64s, source);
    case Field::int32s: break;
  }
  return from_int32s(head, data.int32s, source);
}

}  // namespace pawl::onnx
