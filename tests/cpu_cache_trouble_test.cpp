// The cache of kernels where it has little to work with: folders that cannot be written, a full disk, several
// processes.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>

#include "backend/cpu/kernel_cache.h"
#include "cpu_kernel_run.h"

namespace pawl::cpu {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kSomebody = 12345;

/// Gets the kernel and runs it: whether 3 becomes 3 * factor.
bool works(KernelCache& cache, float factor) {
  const auto kernel = cache.get(multiplied(static_cast<double>(factor)), detect_target());
  if (!kernel.ok()) return false;
  float x = 3;
  void* buffers[] = {&x};
  const std::int64_t params[] = {1};
  (*kernel)->run(buffers, params, 0, 1);
  return x == 3 * factor;
}

/// The exit status of a child that does `work`.
int in_child(const std::function<bool()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    _exit(work() ? 0 : 1);
  }
  int status = -1;
  waitpid(child, &status, 0);
  return status;
}

class CpuCacheTrouble : public CompilingTest {
 protected:
  void SetUp() override {
    CompilingTest::SetUp();
    if (IsSkipped()) return;
    std::string name = (fs::temp_directory_path() / "pawl_trouble_XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root_ = name;
    ASSERT_EQ(chmod(root_.c_str(), S_IRWXU | S_IXGRP | S_IXOTH | S_IRGRP | S_IROTH), 0);
  }
  void TearDown() override {
    std::error_code ignored;
    if (root_.empty()) return;
    fs::permissions(folder(), fs::perms::owner_all, ignored);
    fs::remove_all(root_, ignored);
  }
  [[nodiscard]] fs::path folder() const { return root_ / "pawl"; }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& each : fs::directory_iterator(folder())) names.push_back(each.path().extension());
    return names;
  }
  fs::path root_;
};

TEST_F(CpuCacheTrouble, AFolderThatCannotBeWrittenIsRead) {
  {
    KernelCache cache(folder());
    ASSERT_TRUE(works(cache, 2));
  }
  // Permissions say nothing to root, so root becomes somebody else.
  const bool root = geteuid() == 0;
  if (root) {
    for (const auto& each : fs::directory_iterator(folder()))
      ASSERT_EQ(chown(each.path().c_str(), kSomebody, kSomebody), 0);
    ASSERT_EQ(chown(folder().c_str(), kSomebody, kSomebody), 0);
  }
  ASSERT_EQ(chmod(folder().c_str(), S_IRUSR | S_IXUSR), 0);
  const int status = in_child([&] {
    if (root && (setgid(kSomebody) != 0 || setuid(kSomebody) != 0)) return false;
    KernelCache cache(folder());
    if (!works(cache, 2) || !works(cache, 5)) return false;
    return cache.counts().from_disk == 1 && cache.counts().compiled == 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files(), std::vector<std::string>{".kernel"});
}

TEST_F(CpuCacheTrouble, AFolderOfSomebodyElseIsLeftAlone) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  {
    KernelCache cache(folder());
    ASSERT_TRUE(works(cache, 2));
  }
  ASSERT_EQ(chown(folder().c_str(), kSomebody, kSomebody), 0);
  KernelCache cache(folder());
  EXPECT_TRUE(works(cache, 2));
  EXPECT_TRUE(works(cache, 5));
  EXPECT_EQ(cache.counts().from_disk, 0);
  EXPECT_EQ(cache.counts().compiled, 2);
  EXPECT_EQ(files().size(), 1U);
}

/// No file may grow beyond 64 bytes, which is less than an entry's head and key.
TEST_F(CpuCacheTrouble, AFullDiskCostsTimeOnly) {
  const int status = in_child([&] {
    const rlimit limit{64, 64};
    if (std::signal(SIGXFSZ, SIG_IGN) == SIG_ERR || setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
    KernelCache cache(folder());
    const bool first = works(cache, 2), again = works(cache, 2);
    return first && again && cache.counts().compiled == 1;
  });
  EXPECT_EQ(status, 0);
  EXPECT_EQ(files(), std::vector<std::string>{});
  KernelCache cache(folder());
  EXPECT_TRUE(works(cache, 2));
  EXPECT_EQ(cache.counts().compiled, 1);
  EXPECT_EQ(files(), std::vector<std::string>{".kernel"});
}

/// Resident kB of the code of files whose names have `part` in them; -1 where that is not known.
long resident_code(const std::string& part) {
  std::ifstream maps("/proc/self/smaps");
  long kb = maps ? 0 : -1;
  bool counts = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find("r-xp") != std::string::npos) counts = line.find(part) != std::string::npos;
    if (line.find("r--p") != std::string::npos || line.find("rw-p") != std::string::npos) counts = false;
    if (counts && line.starts_with("Rss:")) kb += std::stol(line.substr(4));
  }
  return kb;
}

TEST_F(CpuCacheTrouble, TheCompilerGivesItsMemoryBack) {
  KernelCache cache(fs::path{});
  ASSERT_TRUE(works(cache, 6));
  ASSERT_EQ(cache.counts().compiled, 1);
  EXPECT_LT(resident_code("LLVM"), 4000);
  EXPECT_LT(resident_code("pawl_llvm"), 4000);
}

TEST_F(CpuCacheTrouble, ProcessesCompileTheSameKernelsAtOnce) {
  int start[2];
  ASSERT_EQ(pipe(start), 0);
  std::vector<pid_t> children;
  for (int who = 0; who < 4; ++who) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      alarm(60);
      close(start[1]);
      char byte = 0;
      // The end of the pipe is what all of them wait for.
      if (read(start[0], &byte, 1) != 0) _exit(2);
      KernelCache cache(folder());
      bool right = true;
      for (const float factor : {2.0F, 3.0F, 4.0F}) right = right && works(cache, factor);
      _exit(right ? 0 : 1);
    }
    children.push_back(child);
  }
  close(start[0]);
  close(start[1]);
  for (const pid_t child : children) {
    int status = -1;
    waitpid(child, &status, 0);
    EXPECT_EQ(status, 0);
  }
  EXPECT_EQ(files(), std::vector<std::string>(3, ".kernel"));
  KernelCache cache(folder());
  for (const float factor : {2.0F, 3.0F, 4.0F}) EXPECT_TRUE(works(cache, factor));
  EXPECT_EQ(cache.counts().from_disk, 3);
}

}  // namespace
}  // namespace pawl::cpu
