#include "backend/cpu/object_code.h"

#include <algorithm>
#include <optional>

#include "backend/cpu/elf_file.h"
#include "backend/cpu/relocation.h"

namespace pawl::cpu {
namespace {

constexpr std::uint64_t kLargest = std::uint64_t{64} << 20;

/// Where the file's sections are in the code; not all of them are.
using Places = std::vector<std::optional<std::uint64_t>>;

/// Code, and constants that are not changed.
bool is_used(const Elf64_Shdr& section) {
  return section.sh_type == SHT_PROGBITS && (section.sh_flags & SHF_ALLOC) != 0 &&
         (section.sh_flags & SHF_WRITE) == 0 && (section.sh_flags & SHF_TLS) == 0;
}

Result<Places> lay_out(const ElfFile& file, std::vector<std::uint8_t>& bytes) {
  Places places(file.sections().size());
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Elf64_Shdr& section = file.sections()[i];
    if (!is_used(section)) continue;
    const std::uint64_t alignment = std::max<std::uint64_t>(1, section.sh_addralign);
    if ((alignment & (alignment - 1)) != 0 || alignment > kCodeAlignment)
      return fail(Code::bad_file, "object file: an alignment of {}", alignment);
    TRY_ASSIGN(const auto content, file.content(section));
    const std::uint64_t start = (bytes.size() + alignment - 1) & ~(alignment - 1);
    if (start + content.size() > kLargest) return fail(Code::limit, "object file: more than 64 MiB of code");
    bytes.resize(start);
    bytes.insert(bytes.end(), content.begin(), content.end());
    places[i] = start;
  }
  return places;
}

class Linker {
 public:
  Linker(const ElfFile& file, const Places& places, ObjectCode& code) : file_(file), places_(places), code_(code) {}

  Result<void> resolve_all() {
    for (const Elf64_Shdr& section : file_.sections()) {
      const bool applies = section.sh_type == SHT_RELA || section.sh_type == SHT_REL;
      if (!applies || section.sh_info >= places_.size() || !places_[section.sh_info]) continue;
      if (section.sh_type == SHT_REL) return fail(Code::unsupported, "object file: references without addends");
      TRY_ASSIGN(const auto relocations, file_.relocations(section));
      const Elf64_Shdr& target = file_.sections()[section.sh_info];
      for (const Elf64_Rela& relocation : relocations) {
        if (relocation.r_offset > target.sh_size) return fail(Code::bad_file, "object file: a reference lies outside");
        TRY(resolve(relocation, *places_[section.sh_info], *places_[section.sh_info] + target.sh_size));
      }
    }
    if (!missing_.empty()) return fail(Code::unsupported, "the code needs what is not in it: {}", missing_);
    return {};
  }

  /// The symbol's place.
  Result<std::optional<std::uint64_t>> place(std::uint64_t symbol_index) {
    if (symbol_index >= file_.symbols().size()) return fail(Code::bad_file, "object file: a symbol that there is not");
    const Elf64_Sym& symbol = file_.symbols()[symbol_index];
    if (symbol.st_shndx >= places_.size() || symbol.st_shndx == SHN_UNDEF || !places_[symbol.st_shndx]) {
      TRY_ASSIGN(const auto name, file_.name(symbol));
      if (missing_.find(name) == std::string::npos || name.empty())
        missing_ += (missing_.empty() ? "" : ", ") + (name.empty() ? "a section of data" : std::string(name));
      return std::optional<std::uint64_t>{};
    }
    if (symbol.st_value > file_.sections()[symbol.st_shndx].sh_size)
      return fail(Code::bad_file, "object file: a symbol lies outside of its section");
    return std::optional(*places_[symbol.st_shndx] + symbol.st_value);
  }

 private:
  Result<void> resolve(const Elf64_Rela& relocation, std::uint64_t section, std::uint64_t end) {
    TRY_ASSIGN(const auto symbol, place(ELF64_R_SYM(relocation.r_info)));
    if (!symbol) return {};
    return relocate({code_.bytes.data(), code_.bytes.size()}, file_.machine(),
                    static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info)), section + relocation.r_offset, end,
                    *symbol, relocation.r_addend);
  }

  const ElfFile& file_;
  const Places& places_;
  ObjectCode& code_;
  std::string missing_;
};

}  // namespace

Result<ObjectCode> link_object(std::string_view file, std::string_view entry) {
  TRY_ASSIGN(const ElfFile elf, ElfFile::read(file));
  if (elf.machine() != EM_X86_64 && elf.machine() != EM_AARCH64)
    return fail(Code::unsupported, "object file: for machine {}", elf.machine());
  ObjectCode code;
  TRY_ASSIGN(const Places places, lay_out(elf, code.bytes));
  Linker linker(elf, places, code);
  TRY(linker.resolve_all());
  for (std::size_t i = 0; i < elf.symbols().size(); ++i) {
    const Elf64_Sym& symbol = elf.symbols()[i];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx >= places.size()) continue;
    TRY_ASSIGN(const auto name, elf.name(symbol));
    if (name != entry || (elf.sections()[symbol.st_shndx].sh_flags & SHF_EXECINSTR) == 0) continue;
    TRY_ASSIGN(const auto place, linker.place(i));
    if (!place || *place >= code.bytes.size()) break;
    code.entry = *place;
    return code;
  }
  return fail(Code::bad_file, "object file: has no function {}", entry);
}

}  // namespace pawl::cpu
