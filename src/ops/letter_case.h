// Upper and lower case of UTF-8 text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace pawl::ops {

enum class LetterCase : std::uint8_t { kept, lower, upper };

/// The text with every letter in that case: Unicode's one-to-one mappings, no language's own rules. Bytes that are not
/// UTF-8 stay as they are.
std::string with_case(std::string_view text, LetterCase letter_case);

}  // namespace pawl::ops
