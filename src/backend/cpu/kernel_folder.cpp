#include "backend/cpu/kernel_folder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace pawl::cpu {
namespace {

constexpr std::uint64_t kLargestEntry = std::uint64_t{64} << 20;

/// In front of each entry; key and code follow.
struct Header {
  char magic[8] = {'p', 'a', 'w', 'l', 'k', 'e', 'r', '1'};
  std::uint64_t key_size = 0;
  std::uint64_t code_size = 0;
  std::uint64_t entry = 0;
  std::uint64_t checksum = 0;
};

/// FNV-1a.
std::uint64_t hash(std::string_view bytes, std::uint64_t start) {
  for (const char byte : bytes) start = (start ^ static_cast<std::uint8_t>(byte)) * 0x100000001B3U;
  return start;
}

std::uint64_t checksum(const Header& header, std::string_view key, std::string_view code) {
  const std::string numbers = fmt::format("{} {} {} ", header.key_size, header.code_size, header.entry);
  return hash(code, hash(key, hash(numbers, 0xCBF29CE484222325U)));
}

/// Ours, and nobody else can write to it.
bool is_private(int file, mode_t kind) {
  struct stat facts{};
  return fstat(file, &facts) == 0 && (facts.st_mode & S_IFMT) == kind && facts.st_uid == geteuid() &&
         (facts.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

int open_folder(const std::filesystem::path& path) {
  if (path.empty() || !path.is_absolute()) return -1;
  std::error_code ignored;
  std::filesystem::create_directories(path.parent_path(), ignored);
  mkdir(path.c_str(), S_IRWXU);
  const int folder = open(path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0 || is_private(folder, S_IFDIR)) return folder;
  close(folder);
  return -1;
}

std::optional<std::string> read_all(int file) {
  struct stat facts{};
  if (fstat(file, &facts) != 0 || facts.st_size < 0 || static_cast<std::uint64_t>(facts.st_size) > kLargestEntry)
    return std::nullopt;
  std::string bytes(static_cast<std::size_t>(facts.st_size), '\0');
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(file, bytes.data() + done, bytes.size() - done);
    if (count <= 0) return std::nullopt;
    done += static_cast<std::size_t>(count);
  }
  return bytes;
}

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return true;
}

}  // namespace

KernelFolder::KernelFolder(const std::filesystem::path& path) : folder_(open_folder(path)) {}
KernelFolder::KernelFolder(KernelFolder&& other) noexcept : folder_(std::exchange(other.folder_, -1)) {}
KernelFolder::~KernelFolder() {
  if (folder_ >= 0) close(folder_);
}

std::string KernelFolder::file_name(std::string_view key) {
  return fmt::format("{:016x}{:016x}.kernel", hash(key, 0xCBF29CE484222325U), hash(key, 0x9E3779B97F4A7C15U));
}

std::optional<ObjectCode> KernelFolder::read(std::string_view key) const {
  if (!usable()) return std::nullopt;
  const int file = openat(folder_, file_name(key).c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return std::nullopt;
  const auto bytes = is_private(file, S_IFREG) ? read_all(file) : std::nullopt;
  close(file);
  Header header;
  const Header expected;
  if (!bytes || bytes->size() < sizeof header) return std::nullopt;
  std::memcpy(&header, bytes->data(), sizeof header);
  const std::string_view rest = std::string_view(*bytes).substr(sizeof header);
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0 || header.key_size != key.size() ||
      header.key_size > rest.size() || header.code_size != rest.size() - header.key_size)
    return std::nullopt;
  const std::string_view code = rest.substr(key.size());
  if (rest.substr(0, key.size()) != key || header.checksum != checksum(header, key, code) ||
      header.entry >= code.size())
    return std::nullopt;
  return ObjectCode{{code.begin(), code.end()}, header.entry};
}

void KernelFolder::write(std::string_view key, const ObjectCode& code) const {
  if (!usable()) return;
  static std::atomic<unsigned> count{0};
  const std::string name = file_name(key);
  const std::string temporary = fmt::format("{}.{}.{}.tmp", name, getpid(), count++);
  const int file =
      openat(folder_, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return;
  const std::string_view bytes(reinterpret_cast<const char*>(code.bytes.data()), code.bytes.size());
  Header header;
  header.key_size = key.size();
  header.code_size = bytes.size();
  header.entry = code.entry;
  header.checksum = checksum(header, key, bytes);
  std::string whole(sizeof header, '\0');
  std::memcpy(whole.data(), &header, sizeof header);
  whole.append(key).append(bytes);
  const bool written = write_all(file, whole);
  const bool closed = close(file) == 0;
  if (!written || !closed || renameat(folder_, temporary.c_str(), folder_, name.c_str()) != 0)
    unlinkat(folder_, temporary.c_str(), 0);
}

std::filesystem::path default_kernel_folder() {
  // NOLINTBEGIN(concurrency-mt-unsafe): nothing here sets the environment
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache != nullptr && cache[0] == '/')
    return std::filesystem::path(cache) / "pawl";
  if (const char* home = std::getenv("HOME"); home != nullptr && home[0] == '/')
    return std::filesystem::path(home) / ".cache" / "pawl";
  // NOLINTEND(concurrency-mt-unsafe)
  return {};
}

}  // namespace pawl::cpu
