#include "pawl/dtype.h"

#include <array>
#include <complex>
#include <string>

namespace pawl {
namespace {

struct Row {
  std::string_view name;
  std::size_t size;
  int bits;
};

constexpr std::array<Row, kDTypeCount> kRows = {{
    {"undefined", 0, 0},      {"float", 4, 32},     {"uint8", 1, 8},
    {"int8", 1, 8},           {"uint16", 2, 16},    {"int16", 2, 16},
    {"int32", 4, 32},         {"int64", 8, 64},     {"string", sizeof(std::string), 0},
    {"bool", 1, 8},           {"float16", 2, 16},   {"double", 8, 64},
    {"uint32", 4, 32},        {"uint64", 8, 64},    {"complex64", 8, 64},
    {"complex128", 16, 128},  {"bfloat16", 2, 16},  {"float8e4m3fn", 1, 8},
    {"float8e4m3fnuz", 1, 8}, {"float8e5m2", 1, 8}, {"float8e5m2fnuz", 1, 8},
    {"uint4", 1, 4},          {"int4", 1, 4},       {"float4e2m1", 1, 4},
    {"float8e8m0", 1, 8},     {"uint2", 1, 2},      {"int2", 1, 2},
    {"float6e2m3", 1, 6},     {"float6e3m2", 1, 6},
}};

}  // namespace

std::string_view name(DType dtype) { return kRows[static_cast<std::size_t>(dtype)].name; }

DType dtype_from_name(std::string_view name) {
  for (int i = 1; i < kDTypeCount; ++i)
    if (kRows[static_cast<std::size_t>(i)].name == name) return static_cast<DType>(i);
  return DType::undefined;
}

bool is_dtype(std::int64_t number) { return number >= 1 && number < kDTypeCount; }

std::size_t size_of(DType dtype) { return kRows[static_cast<std::size_t>(dtype)].size; }

int file_bits(DType dtype) { return kRows[static_cast<std::size_t>(dtype)].bits; }

}  // namespace pawl
