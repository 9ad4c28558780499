// A relocatable ELF file, read with suspicion.
#pragma once

#include <elf.h>

#include <cstring>
#include <string_view>
#include <vector>

#include "base/try.h"

namespace pawl::cpu {

/// Sections, symbols and names. Every access is checked against the file's end.
class ElfFile {
 public:
  static Result<ElfFile> read(std::string_view bytes);

  [[nodiscard]] const std::vector<Elf64_Shdr>& sections() const { return sections_; }
  [[nodiscard]] const std::vector<Elf64_Sym>& symbols() const { return symbols_; }
  [[nodiscard]] std::uint16_t machine() const { return machine_; }
  [[nodiscard]] Result<std::string_view> content(const Elf64_Shdr& section) const;
  [[nodiscard]] Result<std::string_view> name(const Elf64_Sym& symbol) const;
  [[nodiscard]] Result<std::vector<Elf64_Rela>> relocations(const Elf64_Shdr& section) const;

 private:
  /// A table of structs; the file may hold them at any address.
  template <class T>
  static Result<std::vector<T>> table(std::string_view bytes) {
    if (bytes.size() % sizeof(T) != 0) return fail(Code::bad_file, "object file: a table is cut off");
    std::vector<T> entries(bytes.size() / sizeof(T));
    if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), bytes.size());
    return entries;
  }
  [[nodiscard]] static Result<std::string_view> part(std::string_view bytes, std::uint64_t offset, std::uint64_t size) {
    if (offset > bytes.size() || size > bytes.size() - offset)
      return fail(Code::bad_file, "object file: {} bytes at {} lie outside of it", size, offset);
    return bytes.substr(offset, size);
  }

  std::string_view bytes_;
  std::uint16_t machine_ = 0;
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Sym> symbols_;
  std::string_view names_;
};

}  // namespace pawl::cpu
