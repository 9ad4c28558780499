#include "ops/letter_case.h"

#include <locale.h>

#include <clocale>
#include <cwctype>

namespace pawl::ops {
namespace {

/// The C library's Unicode tables, without touching the locale of the process. Where it has none, ASCII is mapped.
class CaseTables {
 public:
  CaseTables() : locale_(newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {}
  ~CaseTables() {
    if (locale_ != nullptr) freelocale(locale_);
  }
  CaseTables(const CaseTables&) = delete;
  CaseTables& operator=(const CaseTables&) = delete;

  [[nodiscard]] char32_t map(char32_t c, LetterCase letter_case) const {
    const auto wide = static_cast<wint_t>(c);
    if (locale_ != nullptr)
      return letter_case == LetterCase::lower ? towlower_l(wide, locale_) : towupper_l(wide, locale_);
    if (letter_case == LetterCase::lower) return c >= 'A' && c <= 'Z' ? c + 32 : c;
    return c >= 'a' && c <= 'z' ? c - 32 : c;
  }

 private:
  locale_t locale_;
};

/// The code point at the front of `text` and how many bytes it takes; 0 bytes when they are not UTF-8.
struct Decoded {
  char32_t point = 0;
  std::size_t bytes = 0;
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t count = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead < 0xc2 || lead > 0xf4 || text.size() < count) return {};
  char32_t point = lead & (0xffU >> (count + 1));
  for (std::size_t i = 1; i < count; ++i) {
    if ((byte(i) & 0xc0U) != 0x80) return {};
    point = point << 6 | (byte(i) & 0x3fU);
  }
  const bool overlong = (count == 3 && point < 0x800) || (count == 4 && point < 0x10000);
  if (overlong || point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) return {};
  return {point, count};
}

void append(std::string& text, char32_t point) {
  const auto push = [&](char32_t bits) { text.push_back(static_cast<char>(static_cast<unsigned char>(bits))); };
  if (point < 0x80) return push(point);
  if (point < 0x800)
    push(0xc0 | point >> 6);
  else if (point < 0x10000)
    push(0xe0 | point >> 12);
  else
    push(0xf0 | point >> 18);
  if (point >= 0x10000) push(0x80 | (point >> 12 & 0x3f));
  if (point >= 0x800) push(0x80 | (point >> 6 & 0x3f));
  push(0x80 | (point & 0x3f));
}

}  // namespace

std::string with_case(std::string_view text, LetterCase letter_case) {
  if (letter_case == LetterCase::kept) return std::string(text);
  const CaseTables tables;
  std::string result;
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (next.bytes == 0)
      result.push_back(text[0]);
    else
      append(result, tables.map(next.point, letter_case));
    text.remove_prefix(next.bytes == 0 ? 1 : next.bytes);
  }
  return result;
}

}  // namespace pawl::ops
