#include "tensor/npy.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <vector>

#include "base/try.h"
#include "tensor/npy_header.h"
#include "tensor/walk.h"

namespace pawl {
namespace {

static_assert(std::endian::native == std::endian::little, "files and memory share their byte order");

struct Descr {
  std::string_view code;  // a descr without its byte order
  DType dtype;
};

constexpr std::array<Descr, 14> kDescrs = {{{"b1", DType::boolean},
                                            {"i1", DType::i8},
                                            {"i2", DType::i16},
                                            {"i4", DType::i32},
                                            {"i8", DType::i64},
                                            {"u1", DType::u8},
                                            {"u2", DType::u16},
                                            {"u4", DType::u32},
                                            {"u8", DType::u64},
                                            {"f2", DType::f16},
                                            {"f4", DType::f32},
                                            {"f8", DType::f64},
                                            {"c8", DType::c64},
                                            {"c16", DType::c128}}};

Result<DType> dtype_of_descr(const std::string& descr) {
  const bool has_order = !descr.empty() && std::string_view("<>=|").find(descr[0]) != std::string_view::npos;
  const std::string_view code = std::string_view(descr).substr(has_order ? 1 : 0);
  for (const Descr& row : kDescrs)
    if (row.code == code) return row.dtype;
  if (code.substr(0, 1) == "O") return fail(Code::unsupported, "the .npy file holds Python objects (\"{}\")", descr);
  if (code.substr(0, 1) == "U" || code.substr(0, 1) == "S" || code.substr(0, 1) == "a")
    return fail(Code::unsupported, "the .npy file holds strings of fixed length (\"{}\")", descr);
  return fail(Code::unsupported, "the .npy file holds elements of type \"{}\", which no ONNX type is", descr);
}

/// Reverses the bytes of each number; a complex element is two of them.
void swap_byte_order(std::byte* data, std::size_t bytes, std::size_t number) {
  for (std::size_t at = 0; at + number <= bytes; at += number) std::reverse(data + at, data + at + number);
}

/// Any byte but 0 is true, and no C++ bool may hold another than 1.
void normalise_booleans(std::byte* data, std::size_t bytes) {
  std::transform(data, data + bytes, data, [](std::byte b) { return std::byte{b != std::byte{0}}; });
}

bool is_boolean(std::byte b) { return b == std::byte{0} || b == std::byte{1}; }

/// The elements in the order of the file: a view when they can stay as they are, else a changed copy.
Result<Tensor> elements(DType dtype, Dims shape, std::span<const std::byte> data, bool swapped,
                        const std::shared_ptr<const void>& owner) {
  const bool good = dtype != DType::boolean || std::all_of(data.begin(), data.end(), is_boolean);
  const std::size_t number = dtype == DType::c64 || dtype == DType::c128 ? size_of(dtype) / 2 : size_of(dtype);
  swapped = swapped && number > 1;
  if (owner != nullptr && good && !swapped && !data.empty())
    return Tensor::borrow(dtype, std::move(shape), data.data(), owner);
  TRY_ASSIGN(Tensor tensor, Tensor::allocate(dtype, std::move(shape)));
  if (!data.empty()) std::memcpy(tensor.mutable_bytes(), data.data(), data.size());
  if (swapped) swap_byte_order(tensor.mutable_bytes(), data.size(), number);
  if (!good) normalise_booleans(tensor.mutable_bytes(), data.size());
  return tensor;
}

Dims reversed(const Dims& dims) {
  Dims result = dims;
  std::reverse(result.begin(), result.end());
  return result;
}

}  // namespace

Result<Tensor> read_npy(std::span<const std::byte> bytes, const std::shared_ptr<const void>& owner) {
  TRY_ASSIGN(const NpyHeader header, parse_npy_header(bytes));
  TRY_ASSIGN(const DType dtype, dtype_of_descr(header.descr));
  const Dims shape{std::span<const std::int64_t>(header.shape)};
  const std::optional<std::int64_t> count = checked_size(shape);
  std::uint64_t needed = 0;
  if (!count || __builtin_mul_overflow(static_cast<std::uint64_t>(*count), std::uint64_t{size_of(dtype)}, &needed))
    return fail(Code::bad_file, "the .npy file claims shape {}, whose size overflows", to_string(shape));
  const std::span<const std::byte> data = bytes.subspan(header.data_offset);
  if (needed != data.size())
    return fail(Code::bad_file, "the .npy file of type {}{} needs {} bytes of data, found {}", name(dtype),
                to_string(shape), needed, data.size());
  const bool swapped = header.descr[0] == '>';
  if (!header.fortran_order) return elements(dtype, shape, data, swapped, owner);
  // Fortran order is C order of the axes reversed.
  TRY_ASSIGN(const Tensor transposed, elements(dtype, reversed(shape), data, swapped, owner));
  return transposed.view(shape, reversed(transposed.strides())).to_dense();
}

Result<std::string> write_npy(const Tensor& tensor) {
  const auto* row =
      std::find_if(kDescrs.begin(), kDescrs.end(), [&](const Descr& d) { return d.dtype == tensor.dtype(); });
  if (row == kDescrs.end())
    return fail(Code::bad_type, "element type {} cannot be written as .npy, which has no such type",
                name(tensor.dtype()));
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  const char order = size_of(tensor.dtype()) == 1 ? '|' : '<';
  std::string file = make_npy_header(order + std::string(row->code), dense.shape());
  file.append(reinterpret_cast<const char*>(dense.bytes()),
              static_cast<std::size_t>(dense.size()) * size_of(dense.dtype()));
  return file;
}

}  // namespace pawl
