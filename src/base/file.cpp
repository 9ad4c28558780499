#include "base/file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/try.h"

namespace pawl::base {
namespace {

/// 0, or the errno of what failed.
int write_bytes(const std::filesystem::path& path, std::string_view content) {
  std::FILE* file = std::fopen(path.c_str(), "wbe");
  if (file == nullptr) return errno;
  const int error = std::fwrite(content.data(), 1, content.size(), file) == content.size() ? 0 : errno;
  return std::fclose(file) == 0 || error != 0 ? error : errno;
}

int write_and_rename(const std::filesystem::path& path, std::string_view content) {
  const std::filesystem::path temporary = path.string() + fmt::format(".{}.tmp", getpid());
  int error = write_bytes(temporary, content);
  if (error == 0 && std::rename(temporary.c_str(), path.c_str()) != 0) error = errno;
  if (error != 0) static_cast<void>(std::remove(temporary.c_str()));
  return error;
}

}  // namespace

Result<void> write_file(const std::filesystem::path& path, std::string_view content) {
  std::error_code ignored;
  const bool exists = std::filesystem::exists(path, ignored);
  const bool replaceable = !exists || std::filesystem::is_regular_file(path, ignored);
  // A link stays a link: what it points to is replaced.
  const std::filesystem::path target = exists ? std::filesystem::canonical(path, ignored) : path;
  const int error = replaceable ? write_and_rename(target, content) : write_bytes(path, content);
  if (error != 0) return fail(Code::io, "{}: cannot write: {}", path.string(), std::strerror(error));
  return {};
}

}  // namespace pawl::base
