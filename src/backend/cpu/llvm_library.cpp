#include "backend/cpu/llvm_library.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "backend/cpu/llvm_interface.h"
#include "base/try.h"

namespace pawl::cpu {
namespace {

constexpr const char* kName = "libpawl_llvm.so";

/// Beside the file that this code is in, and one folder up, where builds leave it; where the loader looks (what is
/// installed says where, by its run path); where it was to be installed.
std::vector<std::string> places() {
  std::vector<std::string> found;
  Dl_info info{};
  std::error_code error;
  std::filesystem::path file;
  if (dladdr(reinterpret_cast<const void*>(&compile_with_llvm), &info) != 0 && info.dli_fname != nullptr)
    file = std::filesystem::canonical(info.dli_fname, error);
  // A program's own name need not be a path.
  if (file.empty() || error) file = std::filesystem::canonical("/proc/self/exe", error);
  if (!error && file.has_parent_path()) {
    const std::filesystem::path folder = file.parent_path();
    found.push_back(folder / kName);
    found.push_back(folder.parent_path() / kName);
    found.push_back(folder.parent_path() / "lib" / kName);
  }
  found.emplace_back(kName);
  found.emplace_back(PAWL_LLVM_FOLDER "/" + std::string(kName));
  return found;
}

/// The function, or why there is none.
struct Library {
  PawlLlvmCompile compile = nullptr;
  std::string missing;
};

Library load() {
  Library library;
  for (const std::string& place : places()) {
    // A file that is there and cannot be loaded is what there is to tell of.
    void* handle = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) {
      const char* reason = dlerror();
      std::error_code ignored;
      if (library.missing.empty() || std::filesystem::exists(place, ignored))
        library.missing = reason != nullptr ? reason : place;
      continue;
    }
    const auto version = reinterpret_cast<PawlLlvmVersion>(dlsym(handle, "pawl_llvm_version"));
    const auto compile = reinterpret_cast<PawlLlvmCompile>(dlsym(handle, "pawl_llvm_compile"));
    if (version != nullptr && compile != nullptr && version() == PAWL_LLVM_INTERFACE) return {compile, {}};
    library.missing = place + " is of another version";
    dlclose(handle);
  }
  return library;
}

}  // namespace

Result<std::string> compile_with_llvm(std::string_view text, const Target& target) {
  static const Library library = load();
  if (library.compile == nullptr) return fail(Code::unsupported, "no compiler for kernels: {}", library.missing);
  const PawlLlvmRequest request{text.data(), text.size(), target.triple.c_str(), target.cpu.c_str(),
                                target.features.c_str()};
  char* bytes = nullptr;
  std::size_t size = 0;
  const int error = library.compile(&request, &bytes, &size);
  const std::unique_ptr<char, void (*)(void*)> owned(bytes, std::free);
  if (bytes == nullptr) return fail(Code::limit, "out of memory while a kernel is compiled");
  std::string result(bytes, size);
  if (error != 0) return fail(Code::internal, "LLVM: {}", result);
  return result;
}

}  // namespace pawl::cpu
