// Digests of files.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pawl::package {

using Digest = std::array<std::uint8_t, 32>;
/// FIPS 180-4.
Digest sha256(std::string_view bytes);
std::string hex(std::span<const std::uint8_t> bytes);
/// RFC 4648, with padding.
std::string base64(std::span<const std::uint8_t> bytes);

}  // namespace pawl::package
