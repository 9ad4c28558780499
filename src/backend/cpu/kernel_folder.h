// Compiled kernels on disk. What is read here is run: only files that the user alone can write count.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "backend/cpu/object_code.h"

namespace pawl::cpu {

/// A folder of entries, each under its key's hash, with the key, the code and a checksum in it. Nothing here fails: a
/// folder that cannot be used, a damaged entry, a full disk mean that kernels are compiled again.
class KernelFolder {
 public:
  /// `path` is made, with mode 0700, where it is missing. It is used only if it is this user's and nobody else can
  /// write to it. An empty path: no folder.
  explicit KernelFolder(const std::filesystem::path& path);
  KernelFolder(KernelFolder&& other) noexcept;
  KernelFolder& operator=(KernelFolder&&) = delete;
  KernelFolder(const KernelFolder&) = delete;
  KernelFolder& operator=(const KernelFolder&) = delete;
  ~KernelFolder();

  [[nodiscard]] bool usable() const { return folder_ >= 0; }
  /// What was written under that key.
  [[nodiscard]] std::optional<ObjectCode> read(std::string_view key) const;
  /// Entries appear whole, under their name, whoever else writes there.
  void write(std::string_view key, const ObjectCode& code) const;

  /// The name of a key's file.
  static std::string file_name(std::string_view key);

 private:
  int folder_ = -1;
};

/// $XDG_CACHE_HOME/pawl, else ~/.cache/pawl; empty where neither is set.
std::filesystem::path default_kernel_folder();

}  // namespace pawl::cpu
