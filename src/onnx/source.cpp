#include "onnx/source.h"

#include <algorithm>

#include "base/try.h"
#include "tensor/walk.h"

namespace pawl::onnx {
namespace {

namespace fs = std::filesystem;

/// Memory for copies, in bytes: a floor, and so much for each byte of the model and of its external files. Sparse
/// tensors of one element in a thousand stay below it.
constexpr std::uint64_t kFloor = std::uint64_t{64} << 20;
constexpr std::uint64_t kPerByte = 1024;
constexpr std::uint64_t kPerExternalByte = 8;

/// From this size on, in bytes, giving pages back is worth a system call.
constexpr std::size_t kLargeWeights = std::size_t{256} << 10;

bool is_below(const fs::path& path, const fs::path& folder) {
  const auto [end, at] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return end == folder.end() && at != path.end();
}

/// The real path behind `location`, symbolic links followed, once it is known to lie below the folder.
Result<fs::path> resolve(const fs::path& folder, const std::string& location) {
  const fs::path relative(location);
  if (location.empty() || location.find('\0') != std::string::npos)
    return fail(Code::bad_file, "external data has no valid location");
  if (folder.empty())
    return fail(Code::bad_file, "external data at \"{}\" is refused: the model has no folder of its own", location);
  if (relative.is_absolute() || std::find(relative.begin(), relative.end(), "..") != relative.end())
    return fail(Code::bad_file, "external data at \"{}\" is refused: the path leaves the model's folder", location);
  std::error_code failed;
  const fs::path root = fs::canonical(folder, failed);
  if (failed) return fail(Code::io, "cannot open folder \"{}\": {}", folder.string(), failed.message());
  const fs::path path = fs::weakly_canonical(root / relative, failed);
  if (failed) return fail(Code::io, "cannot open \"{}\": {}", (root / relative).string(), failed.message());
  if (!is_below(path, root))
    return fail(Code::bad_file, "external data at \"{}\" is refused: the path leaves the model's folder", location);
  return path;
}

}  // namespace

Source::Source(const Bytes& bytes, const fs::path& folder)
    : bytes_(bytes), folder_(folder), budget_(kFloor + kPerByte * bytes.data.size()) {}

Result<Bytes> Source::external(const std::string& location) {
  if (const auto known = files_.find(location); known != files_.end()) return known->second;
  TRY_ASSIGN(const fs::path path, resolve(folder_, location));
  // The real path is absolute and no location is, so that both can be keys.
  const auto [entry, is_new] = files_.try_emplace(path.string());
  if (is_new) {
    TRY_ASSIGN(entry->second, map_file(path));
    budget_ += kPerExternalByte * entry->second.data.size();
  }
  const Bytes file = entry->second;
  files_.emplace(location, file);
  return file;
}

void Source::passed(std::string_view weights) {
  if (!bytes_.mapped || weights.size() < kLargeWeights) return;
  const auto end = static_cast<std::size_t>(reinterpret_cast<const std::byte*>(weights.data()) - bytes_.data.data()) +
                   weights.size();
  if (end <= released_ || end > bytes_.data.size()) return;
  release_pages(bytes_, released_, end);
  released_ = end;
}

Result<Tensor> Source::allocate(DType dtype, const Dims& shape) {
  const std::uint64_t count = static_cast<std::uint64_t>(checked_size(shape).value_or(-1));
  const std::uint64_t width = size_of(dtype);
  if (width == 0 || count > budget_ / width)
    return fail(Code::limit, "a {} tensor of shape {} is out of proportion to the size of the file", name(dtype),
                pawl::to_string(shape));
  budget_ -= count * width;
  return Tensor::allocate(dtype, shape);
}

}  // namespace pawl::onnx
