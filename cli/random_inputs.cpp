#include "random_inputs.h"

#include <algorithm>
#include <charconv>
#include <random>

#include "tensor/dispatch.h"

namespace pawl::cli {
namespace {

constexpr std::size_t kSequenceItems = 3;
constexpr int kIntegers = 10;

/// Uniform in [0, 1), from 53 bits: the standard distributions differ from library to library.
double unit(std::mt19937_64& random) { return static_cast<double>(random() >> 11) * 0x1p-53; }

template <class T>
T draw(std::mt19937_64& random) {
  const double u = unit(random);
  if constexpr (std::is_same_v<T, std::string>) {
    return fmt::format("s{}", static_cast<int>(u * kIntegers));
  } else if constexpr (std::is_same_v<T, bool>) {
    return u < 0.5;
  } else if constexpr (kIsComplex<T>) {
    using Real = typename T::value_type;
    return T(static_cast<Real>(2 * u - 1), static_cast<Real>(2 * unit(random) - 1));
  } else if constexpr (std::is_same_v<T, F8E8M0>) {
    return T(static_cast<float>(1 - u));  // powers of two only: neither zero nor negative
  } else if constexpr (kIsFloat<T>) {
    return T(2 * u - 1);
  } else if constexpr (kIsSmallInt<T>) {
    return T(static_cast<std::int64_t>(u * std::min(kIntegers, T::kMax + 1)));
  } else {
    return static_cast<T>(u * kIntegers);
  }
}

Result<Dims> extents(const Port& port, const SymbolicShape& shape, const DimValues& dims) {
  Dims result;
  for (std::size_t axis = 0; axis < shape.size(); ++axis) {
    const Dim& dim = shape[axis];
    const std::string place = fmt::format("{}.{}", port.name, axis);
    if (dim.known())
      result.push_back(dim.value);
    else if (const auto at = dims.find(place); at != dims.end())
      result.push_back(at->second);
    else if (const auto named = dims.find(dim.symbol); !dim.symbol.empty() && named != dims.end())
      result.push_back(named->second);
    else
      return fail(Code::bad_argument, "input \"{}\" has type {}: axis {} needs an extent, as in --dim {}=8", port.name,
                  to_string(port.type), axis, dim.symbol.empty() ? place : dim.symbol);
  }
  return result;
}

Result<Value> draw_value(const Port& port, const Type& type, const DimValues& dims, std::mt19937_64& random) {
  if (type.element != nullptr && type.is_optional()) return draw_value(port, *type.element, dims, random);
  if (type.element != nullptr && type.is_sequence()) {
    std::vector<Value> items;
    for (std::size_t i = 0; i < kSequenceItems; ++i) {
      TRY_ASSIGN(Value item, draw_value(port, *type.element, dims, random));
      items.push_back(std::move(item));
    }
    return Value(Sequence(type.element->dtype, std::move(items)));
  }
  if (!type.is_tensor() || type.dtype == DType::undefined || !type.shape)
    return fail(Code::bad_argument,
                "input \"{}\" has type {}: no random value can be made for it, give a file with --input", port.name,
                to_string(port.type));
  TRY_ASSIGN(Dims shape, extents(port, *type.shape, dims));
  TRY_ASSIGN(Tensor tensor, Tensor::allocate(type.dtype, std::move(shape)));
  TRY(dispatch<Everything>(type.dtype, [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    for (T& element : tensor.mutable_values<T>()) element = draw<T>(random);
    return {};
  }));
  return Value(std::move(tensor));
}

/// A name that means nothing is misspelt. Errors: bad_argument.
Result<void> check_dims(const DimValues& dims, const std::vector<Port>& ports) {
  for (const auto& [name, extent] : dims) {
    bool known = false;
    for (const Port& port : ports) {
      const Type* type = &port.type;
      while ((type->is_sequence() || type->is_optional()) && type->element != nullptr) type = type->element.get();
      if (!type->shape) continue;
      for (std::size_t axis = 0; axis < type->shape->size(); ++axis) {
        const Dim& dim = (*type->shape)[axis];
        known = known || (!dim.known() && (dim.symbol == name || fmt::format("{}.{}", port.name, axis) == name));
      }
    }
    if (!known) return fail(Code::bad_argument, "--dim {}={}: no input has such a symbol or open axis", name, extent);
  }
  return {};
}

}  // namespace

Result<DimValues> parse_dims(const std::vector<std::string>& arguments, const std::vector<Port>& ports) {
  DimValues dims;
  for (const std::string& argument : arguments) {
    const std::size_t at = argument.rfind('=');
    std::int64_t extent = -1;
    if (at != std::string::npos && at > 0) {
      const char* end = argument.data() + argument.size();
      const auto parsed = std::from_chars(argument.data() + at + 1, end, extent);
      if (parsed.ec != std::errc() || parsed.ptr != end) extent = -1;
    }
    if (extent < 0)
      return fail(Code::bad_argument, "--dim {}: expected SYMBOL=N or INPUT.AXIS=N with N >= 0", argument);
    if (!dims.emplace(argument.substr(0, at), extent).second)
      return fail(Code::bad_argument, "--dim {}: given twice", argument);
  }
  TRY(check_dims(dims, ports));
  return dims;
}

void bind_dims(const Type& declared, const Value& value, DimValues& dims) {
  if (!declared.is_tensor() || !declared.shape || !value.is_tensor()) return;
  const Dims& shape = value.tensor().shape();
  if (shape.size() != declared.shape->size()) return;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (const Dim& dim = (*declared.shape)[axis]; !dim.known() && !dim.symbol.empty())
      dims.emplace(dim.symbol, shape[axis]);
}

Result<Value> random_value(const Port& port, std::size_t number, std::uint64_t seed, const DimValues& dims) {
  std::seed_seq sequence{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32),
                         static_cast<std::uint32_t>(number)};
  std::mt19937_64 random(sequence);
  return draw_value(port, port.type, dims, random);
}

}  // namespace pawl::cli
