#include "summary.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "pawl/type.h"
#include "tensor/dispatch.h"

namespace pawl::cli {
namespace {

constexpr std::size_t kElementsShown = 6;
constexpr std::size_t kItemsShown = 4;
constexpr std::size_t kCharactersShown = 40;

std::string quoted(const std::string& text) {
  std::string result = "\"";
  std::size_t shown = std::min(text.size(), kCharactersShown);
  while (shown < text.size() && (static_cast<unsigned char>(text[shown]) & 0xc0U) == 0x80U)
    --shown;  // whole characters
  for (const char c : text.substr(0, shown)) {
    if (c == '"' || c == '\\') result += '\\';
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      result += fmt::format("\\x{:02x}", c);
    else
      result += c;
  }
  return result + (text.size() > shown ? "…\"" : "\"");
}

template <class T>
std::string show(const T& element) {
  if constexpr (std::is_same_v<T, std::string>)
    return quoted(element);
  else if constexpr (std::is_same_v<T, bool>)
    return element ? "true" : "false";
  else if constexpr (kIsComplex<T>)
    return fmt::format("{:.6g}{:+.6g}i", element.real(), element.imag());
  else if constexpr (kIsFloat<T>)
    return fmt::format("{:.6g}", static_cast<Compute<T>>(element));
  else
    return fmt::format("{}", static_cast<Compute<T>>(element));
}

/// Range and mean of the finite numbers, and the count of the others.
template <class T>
std::string statistics(std::span<const T> elements) {
  using C = Compute<T>;
  C lowest = std::numeric_limits<C>::max();
  C highest = std::numeric_limits<C>::lowest();
  double mean = 0;
  std::size_t finite = 0;
  std::size_t nans = 0;
  for (const T& element : elements) {
    const auto value = static_cast<C>(element);
    if constexpr (kIsFloat<T>) {
      if (std::isnan(value)) ++nans;
      if (!std::isfinite(value)) continue;
    }
    lowest = std::min(lowest, value);
    highest = std::max(highest, value);
    mean += (static_cast<double>(value) - mean) / static_cast<double>(++finite);
  }
  std::string text;
  if (finite > 0) text = fmt::format("  min {}  max {}  mean {:.6g}", show(lowest), show(highest), mean);
  if (nans > 0) text += fmt::format("  NaN {}", nans);
  if (elements.size() > finite + nans) text += fmt::format("  infinite {}", elements.size() - finite - nans);
  return text;
}

template <class T>
std::string describe_elements(const Tensor& tensor) {
  const std::span<const T> elements = tensor.values<T>();
  std::string text;
  if constexpr (std::is_same_v<T, bool>) {
    text = fmt::format("  true {} of {}", std::count(elements.begin(), elements.end(), true), elements.size());
  } else if constexpr (kIsFloat<T> || kIsInteger<T>) {
    text = statistics(elements);
  }
  text += "  [";
  for (std::size_t i = 0; i < std::min(elements.size(), kElementsShown); ++i)
    text += (i > 0 ? ", " : "") + show(elements[i]);
  return text + (elements.size() > kElementsShown ? ", …]" : "]");
}

std::string tensor_summary(const Tensor& tensor) {
  if (!tensor.defined()) return "nothing";
  const Result<Tensor> dense = tensor.to_dense();
  if (!dense.ok()) return dense.error().to_string();
  const auto text = dispatch<Everything>(tensor.dtype(), [&](auto tag) -> Result<std::string> {
    return describe_elements<typename decltype(tag)::type>(*dense);
  });
  return to_string(type_of(Value(tensor))) + (text.ok() ? *text : std::string());
}

}  // namespace

std::string summary(const Value& value) {
  if (value.is_none()) return "none";
  if (value.is_tensor()) return tensor_summary(value.tensor());
  if (value.is_map()) return describe(value);
  const Sequence& sequence = value.sequence();
  std::string text = fmt::format("sequence of {}", sequence.size());
  for (std::size_t i = 0; i < std::min(sequence.size(), kItemsShown); ++i)
    text += (i == 0 ? ": " : ", ") + to_string(type_of(sequence[i]));
  return text + (sequence.size() > kItemsShown ? ", …" : "");
}

}  // namespace pawl::cli
