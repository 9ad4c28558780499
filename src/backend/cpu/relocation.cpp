#include "backend/cpu/relocation.h"

#include <elf.h>

#include <cstring>

#include "base/try.h"

namespace pawl::cpu {
namespace {

/// A place in the code that is written to.
struct Spot {
  std::span<std::uint8_t> code;
  std::uint64_t place;
  std::uint64_t end;

  template <class T>
  Result<void> write(T value) const {
    TRY(check(sizeof value));
    std::memcpy(code.data() + place, &value, sizeof value);
    return {};
  }
  /// The bits of an instruction that `mask` has.
  [[nodiscard]] Result<void> write_bits(std::uint32_t mask, std::uint64_t bits) const {
    TRY(check(4));
    std::uint32_t instruction = 0;
    std::memcpy(&instruction, code.data() + place, sizeof instruction);
    return write((instruction & ~mask) | (static_cast<std::uint32_t>(bits) & mask));
  }

 private:
  [[nodiscard]] Result<void> check(std::uint64_t size) const {
    if (end > code.size() || place > end || size > end - place)
      return fail(Code::bad_file, "object file: a reference lies outside of its section");
    return {};
  }
};

bool fits(std::int64_t value, int bits) {
  const std::int64_t end = std::int64_t{1} << (bits - 1);
  return value >= -end && value < end;
}

Result<void> too_far() { return fail(Code::bad_file, "object file: a reference goes too far"); }

Result<void> relocate_x86(const Spot& spot, std::uint32_t kind, std::int64_t distance) {
  switch (kind) {
    case R_X86_64_NONE: return {};
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      if (!fits(distance, 32)) return too_far();
      return spot.write(static_cast<std::int32_t>(distance));
    case R_X86_64_PC64: return spot.write(distance);
    default: return fail(Code::unsupported, "object file: x86-64 reference of kind {}", kind);
  }
}

Result<void> relocate_aarch64(const Spot& spot, std::uint32_t kind, std::int64_t target, std::int64_t distance) {
  // Of the load and store instructions: in units of the size.
  const auto low_bits = [&](int shift) -> Result<void> {
    const auto low = static_cast<std::uint64_t>(target) & 0xFFF;
    if ((low & ((std::uint64_t{1} << shift) - 1)) != 0) return fail(Code::bad_file, "object file: unaligned reference");
    return spot.write_bits(0xFFFU << 10, low >> shift << 10);
  };
  switch (kind) {
    case R_AARCH64_NONE: return {};
    case R_AARCH64_PREL32:
      if (!fits(distance, 32)) return too_far();
      return spot.write(static_cast<std::int32_t>(distance));
    case R_AARCH64_PREL64: return spot.write(distance);
    case R_AARCH64_CALL26:
    case R_AARCH64_JUMP26:
      if (!fits(distance, 28) || distance % 4 != 0) return too_far();
      return spot.write_bits(0x03FFFFFF, static_cast<std::uint64_t>(distance >> 2));
    case R_AARCH64_ADR_PREL_PG_HI21: {
      const std::int64_t pages = (target >> 12) - (static_cast<std::int64_t>(spot.place) >> 12);
      if (!fits(pages, 21)) return too_far();
      const auto bits = static_cast<std::uint64_t>(pages);
      return spot.write_bits((3U << 29) | (0x7FFFFU << 5), ((bits & 3) << 29) | (((bits >> 2) & 0x7FFFF) << 5));
    }
    case R_AARCH64_ADD_ABS_LO12_NC:
    case R_AARCH64_LDST8_ABS_LO12_NC: return low_bits(0);
    case R_AARCH64_LDST16_ABS_LO12_NC: return low_bits(1);
    case R_AARCH64_LDST32_ABS_LO12_NC: return low_bits(2);
    case R_AARCH64_LDST64_ABS_LO12_NC: return low_bits(3);
    case R_AARCH64_LDST128_ABS_LO12_NC: return low_bits(4);
    default: return fail(Code::unsupported, "object file: AArch64 reference of kind {}", kind);
  }
}

}  // namespace

Result<void> relocate(std::span<std::uint8_t> code, std::uint16_t machine, std::uint32_t kind, std::uint64_t place,
                      std::uint64_t end, std::uint64_t symbol, std::int64_t addend) {
  const Spot spot{code, place, end};
  // Code is at most 64 MiB: with such an addend no sum overflows, and no reference is that far.
  if (!fits(addend, 48)) return too_far();
  const std::int64_t target = static_cast<std::int64_t>(symbol) + addend;
  const std::int64_t distance = target - static_cast<std::int64_t>(place);
  // Not a pointer out of the code: nothing that a kernel refers to is there.
  if (target < -std::int64_t{4096} || target > static_cast<std::int64_t>(code.size()))
    return fail(Code::bad_file, "object file: a reference leads out of it");
  return machine == EM_X86_64 ? relocate_x86(spot, kind, distance) : relocate_aarch64(spot, kind, target, distance);
}

}  // namespace pawl::cpu
