#include "backend/cpu/elf_file.h"

namespace pawl::cpu {

Result<ElfFile> ElfFile::read(std::string_view bytes) {
  ElfFile file;
  file.bytes_ = bytes;
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return fail(Code::bad_file, "object file: no header");
  std::memcpy(&header, bytes.data(), sizeof header);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
      header.e_ident[EI_DATA] != ELFDATA2LSB || header.e_type != ET_REL)
    return fail(Code::bad_file, "object file: no relocatable ELF file of 64 bits, little endian");
  file.machine_ = header.e_machine;
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return fail(Code::bad_file, "object file: sections of another size");
  TRY_ASSIGN(const auto headers, part(bytes, header.e_shoff, std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)));
  TRY_ASSIGN(file.sections_, table<Elf64_Shdr>(headers));
  for (const Elf64_Shdr& section : file.sections_) {
    if (section.sh_type != SHT_SYMTAB) continue;
    TRY_ASSIGN(const auto symbols, file.content(section));
    TRY_ASSIGN(file.symbols_, table<Elf64_Sym>(symbols));
    if (section.sh_link >= file.sections_.size()) return fail(Code::bad_file, "object file: symbols without names");
    TRY_ASSIGN(file.names_, file.content(file.sections_[section.sh_link]));
    break;
  }
  return file;
}

Result<std::string_view> ElfFile::content(const Elf64_Shdr& section) const {
  return part(bytes_, section.sh_offset, section.sh_type == SHT_NOBITS ? 0 : section.sh_size);
}

Result<std::string_view> ElfFile::name(const Elf64_Sym& symbol) const {
  TRY_ASSIGN(const auto rest,
             part(names_, symbol.st_name, names_.size() - std::min<std::uint64_t>(symbol.st_name, names_.size())));
  const std::size_t end = rest.find('\0');
  if (end == std::string_view::npos) return fail(Code::bad_file, "object file: a name does not end");
  return rest.substr(0, end);
}

Result<std::vector<Elf64_Rela>> ElfFile::relocations(const Elf64_Shdr& section) const {
  TRY_ASSIGN(const auto bytes, content(section));
  return table<Elf64_Rela>(bytes);
}

}  // namespace pawl::cpu
