// Compiled kernels in memory and on disk.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <thread>

#include "backend/cpu/kernel_cache.h"
#include "cpu_kernel_run.h"

namespace pawl::cpu {
namespace {

namespace fs = std::filesystem;

class CpuKernelFolder : public testing::Test {
 protected:
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "pawl_kernels_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
  }
  void TearDown() override {
    fs::permissions(root_, fs::perms::owner_all);
    fs::remove_all(root_);
  }
  static ObjectCode code() { return {{1, 2, 3, 4, 5}, 2}; }
  [[nodiscard]] fs::path folder() const { return root_ / "cache" / "pawl"; }
  [[nodiscard]] fs::path entry(const char* key) const { return folder() / KernelFolder::file_name(key); }
  fs::path root_;
};

TEST_F(CpuKernelFolder, GivesBackWhatWasWritten) {
  const KernelFolder kernels(folder());
  ASSERT_TRUE(kernels.usable());
  EXPECT_EQ(fs::status(folder()).permissions(), fs::perms::owner_all);
  EXPECT_FALSE(kernels.read("a"));
  kernels.write("a", code());
  const auto got = KernelFolder(folder()).read("a");
  ASSERT_TRUE(got);
  EXPECT_EQ(got->bytes, code().bytes);
  EXPECT_EQ(got->entry, 2U);
  EXPECT_FALSE(kernels.read("b"));
  EXPECT_EQ(fs::status(entry("a")).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(CpuKernelFolder, TakesNoDamagedEntry) {
  const KernelFolder kernels(folder());
  kernels.write("key", code());
  std::string bytes;
  {
    std::ifstream file(entry("key"), std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(file), {});
  }
  const auto put = [&](const std::string& content) {
    std::ofstream(entry("key"), std::ios::binary | std::ios::trunc) << content;
  };
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    put(bytes.substr(0, i));
    EXPECT_FALSE(kernels.read("key")) << i;
    std::string changed = bytes;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    put(changed);
    EXPECT_FALSE(kernels.read("key")) << i;
  }
  put(bytes + "x");
  EXPECT_FALSE(kernels.read("key"));
  put(bytes);
  EXPECT_TRUE(kernels.read("key"));
  // Of another key, under this one's name.
  kernels.write("other", code());
  fs::rename(entry("other"), entry("key"));
  EXPECT_FALSE(kernels.read("key"));
}

TEST_F(CpuKernelFolder, TakesNothingThatOthersCanWrite) {
  {
    const KernelFolder kernels(folder());
    kernels.write("key", code());
  }
  for (const fs::perms more : {fs::perms::group_write, fs::perms::others_write}) {
    fs::permissions(folder(), fs::perms::owner_all | more);
    EXPECT_FALSE(KernelFolder(folder()).usable());
    fs::permissions(folder(), fs::perms::owner_all);
    fs::permissions(entry("key"), fs::perms::owner_all | more);
    EXPECT_FALSE(KernelFolder(folder()).read("key"));
    fs::permissions(entry("key"), fs::perms::owner_all);
  }
  EXPECT_TRUE(KernelFolder(folder()).read("key"));
  // Nor by way of links.
  fs::rename(entry("key"), root_ / "elsewhere");
  fs::create_symlink(root_ / "elsewhere", entry("key"));
  EXPECT_FALSE(KernelFolder(folder()).read("key"));
  fs::create_directory_symlink(folder(), root_ / "link");
  EXPECT_FALSE(KernelFolder(root_ / "link").usable());
  // Nor of somebody else.
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  ASSERT_EQ(chown(folder().c_str(), 12345, 12345), 0);
  EXPECT_FALSE(KernelFolder(folder()).usable());
}

TEST_F(CpuKernelFolder, GoesOnWithoutAFolder) {
  EXPECT_FALSE(KernelFolder(fs::path{}).usable());
  EXPECT_FALSE(KernelFolder("relative/path").usable());
  std::ofstream(root_ / "file") << "";
  EXPECT_FALSE(KernelFolder(root_ / "file").usable());
  EXPECT_FALSE(KernelFolder(root_ / "file" / "pawl").usable());
  const KernelFolder kernels(fs::path{"/proc/pawl"});
  kernels.write("key", code());
  EXPECT_FALSE(kernels.read("key"));
  // The folder goes away while it is in use.
  const KernelFolder gone(folder());
  fs::remove_all(folder());
  gone.write("key", code());
  EXPECT_FALSE(gone.read("key"));
}

/// Several processes write the same entry over and over, with code of different sizes: who reads gets one of them
/// whole.
TEST_F(CpuKernelFolder, IsSharedByProcesses) {
  const KernelFolder before(folder());
  std::vector<pid_t> children;
  for (std::uint8_t who = 1; who <= 3; ++who) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      const KernelFolder own(folder());
      for (int i = 0; i < 200; ++i) own.write("key", {std::vector<std::uint8_t>(who * 5000U, who), who});
      _exit(0);
    }
    children.push_back(child);
  }
  int seen = 0;
  for (int i = 0; i < 300 || seen == 0; ++i) {
    const auto got = before.read("key");
    if (!got) continue;
    ++seen;
    ASSERT_GE(got->bytes.size(), 5000U);
    const std::uint8_t who = got->bytes[0];
    EXPECT_EQ(got->bytes, std::vector<std::uint8_t>(who * 5000U, who));
    EXPECT_EQ(got->entry, who);
  }
  for (const pid_t child : children) {
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  int files = 0;
  for (const auto& each : fs::directory_iterator(folder())) files += each.is_regular_file() ? 1 : 0;
  EXPECT_EQ(files, 1);
}

float run(const CompiledKernel& kernel) {
  float x = 3;
  void* buffers[] = {&x};
  const std::int64_t params[] = {1};
  kernel.run(buffers, params, 0, 1);
  return x;
}

using CpuKernelCache = CpuKernelFolder;

TEST_F(CpuKernelCache, CompilesOnce) {
  if (!can_compile()) GTEST_SKIP() << "no compiler for kernels";
  const Target target = detect_target();
  KernelCache cache(folder());
  for (int i = 0; i < 2; ++i) {
    const auto kernel = cache.get(multiplied(2), target);
    ASSERT_TRUE(kernel.ok()) << kernel.error().to_string();
    EXPECT_EQ(run(**kernel), 6);
  }
  EXPECT_EQ(run(**cache.get(multiplied(5), target)), 15);
  EXPECT_EQ(cache.counts().compiled, 2);
  EXPECT_EQ(cache.counts().from_memory, 1);

  KernelCache later(folder());
  EXPECT_EQ(run(**later.get(multiplied(2), target)), 6);
  EXPECT_EQ(later.counts().from_disk, 1);
  EXPECT_EQ(run(**later.get(multiplied(2), *target_by_name("sse2"))), 6);
  EXPECT_EQ(later.counts().compiled, 1);

  // Damaged entries are replaced.
  for (const auto& each : fs::directory_iterator(folder())) fs::resize_file(each.path(), 100);
  KernelCache repaired(folder());
  EXPECT_EQ(run(**repaired.get(multiplied(2), target)), 6);
  EXPECT_EQ(repaired.counts().compiled, 1);
  KernelCache again(folder());
  EXPECT_EQ(run(**again.get(multiplied(2), target)), 6);
  EXPECT_EQ(again.counts().from_disk, 1);
}

TEST_F(CpuKernelCache, ServesThreads) {
  if (!can_compile()) GTEST_SKIP() << "no compiler for kernels";
  KernelCache cache(folder());
  const Target target = detect_target();
  std::vector<std::thread> threads;
  for (int who = 0; who < 4; ++who)
    threads.emplace_back([&] {
      for (int i = 0; i < 6; ++i) {
        const auto kernel = cache.get(multiplied(i % 3), target);
        ASSERT_TRUE(kernel.ok());
        EXPECT_EQ(run(**kernel), 3.0F * static_cast<float>(i % 3));
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace pawl::cpu
