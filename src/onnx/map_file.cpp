#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/try.h"
#include "onnx/read.h"

namespace pawl::onnx {
namespace {

Error failed(const char* what, const std::filesystem::path& path, int code) {
  return fail(Code::io, "cannot {} \"{}\": {}", what, path.string(), std::generic_category().message(code));
}

Result<Bytes> map_open_file(int file, const std::filesystem::path& path) {
  struct stat info = {};
  if (fstat(file, &info) != 0) return failed("look at", path, errno);
  if (!S_ISREG(info.st_mode)) return fail(Code::io, "cannot read \"{}\": it is not a regular file", path.string());
  if (info.st_size == 0) return Bytes{};
  const auto size = static_cast<std::size_t>(info.st_size);
  void* const memory = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
  if (memory == MAP_FAILED) return failed("map", path, errno);
  Bytes bytes;
  bytes.data = {static_cast<const std::byte*>(memory), size};
  bytes.mapped = true;
  bytes.owner = std::shared_ptr<const void>(memory, [size](const void* p) { munmap(const_cast<void*>(p), size); });
  return bytes;
}

}  // namespace

Result<Bytes> map_file(const std::filesystem::path& path) {
  // Without O_NONBLOCK the opening of a pipe waits for somebody to write to it.
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0) return failed("open", path, errno);
  Result<Bytes> bytes = map_open_file(file, path);
  close(file);
  return bytes;
}

void release_pages(const Bytes& bytes, std::size_t begin, std::size_t end) {
  if (!bytes.mapped) return;
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  begin = (begin + page - 1) / page * page;
  end = std::min(end, bytes.data.size()) / page * page;
  if (begin >= end) return;
  // A hint: where it fails nothing but memory is lost.
  (void)madvise(const_cast<std::byte*>(bytes.data.data()) + begin, end - begin, MADV_DONTNEED);
}

}  // namespace pawl::onnx
