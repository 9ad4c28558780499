#include "output_files.h"

#include <stdlib.h>  // mkdtemp

#include <algorithm>
#include <set>

#include "base/try.h"
#include "pawl/value_file.h"

namespace pawl::cli {
namespace {

constexpr std::size_t kLongestFileName = 255;
constexpr std::size_t kRoomForSuffixes = 32;  // the extension, and what a temporary name adds

bool plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' || c == '-';
}

/// A folder that is removed with what is left in it.
class ScratchFolder {
 public:
  explicit ScratchFolder(std::filesystem::path path) : path_(std::move(path)) {}
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace

std::string file_stem(std::string_view name) {
  std::string stem(name);
  std::replace_if(stem.begin(), stem.end(), [](char c) { return !plain(c); }, '_');
  return stem;
}

std::vector<std::string> output_stems(std::span<const Port> outputs) {
  std::set<std::string> taken;
  std::vector<std::string> stems(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (file_stem(outputs[i].name) == outputs[i].name && taken.insert(outputs[i].name).second)
      stems[i] = outputs[i].name;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    if (!stems[i].empty()) continue;
    const std::string stem = file_stem(outputs[i].name);
    stems[i] = stem;
    for (int n = 2; stems[i].empty() || !taken.insert(stems[i]).second; ++n) stems[i] = fmt::format("{}_{}", stem, n);
  }
  return stems;
}

Result<void> prepare_output_folder(const std::filesystem::path& folder, std::span<const std::string> stems) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!std::filesystem::is_directory(folder))
    return fail(Code::io, "{}: cannot make this folder: {}", folder.string(),
                error ? error.message() : "a file is in the way");
  for (const std::string& stem : stems)
    if (stem.size() + kRoomForSuffixes > kLongestFileName)
      return fail(Code::io, "output \"{}\": its name is too long for a file name", stem);
  return {};
}

Result<std::vector<std::filesystem::path>> write_outputs(const std::filesystem::path& folder,
                                                         std::span<const std::string> stems,
                                                         std::span<const Port> outputs, std::span<const Value> values) {
  std::string pattern = (folder / ".pawl-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) return fail(Code::io, "{}: cannot write into this folder", folder.string());
  const ScratchFolder scratch(pattern);
  std::vector<std::filesystem::path> names;
  for (std::size_t i = 0; i < values.size(); ++i) {
    names.emplace_back(stems[i] + (fits_npy(values[i]) ? ".npy" : ".pb"));
    TRY_IN(fmt::format("output \"{}\"", outputs[i].name),
           write_value(scratch.path() / names[i], values[i], outputs[i].type, outputs[i].name));
  }
  for (const std::filesystem::path& name : names)
    if (std::filesystem::is_directory(folder / name))
      return fail(Code::io, "{}: a folder is in the way", (folder / name).string());
  for (std::filesystem::path& name : names) {
    std::error_code error;
    const std::filesystem::path from = scratch.path() / name;
    name = folder / name;
    std::filesystem::rename(from, name, error);
    if (error) return fail(Code::io, "{}: cannot write: {}", name.string(), error.message());
  }
  return names;
}

}  // namespace pawl::cli
