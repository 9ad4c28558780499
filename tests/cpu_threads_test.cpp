// Parts on threads: each once, whoever else calls, in a child process too; errors are kept.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <new>
#include <thread>
#include <vector>

#include "backend/cpu/threads.h"

namespace pawl::cpu {
namespace {

/// How often each of `parts` parts was done, as digits.
std::string counts(int parts) {
  std::vector<int> done(static_cast<std::size_t>(parts), 0);
  const Result<void> ran = run_parts(parts, [&](int part) -> Result<void> {
    ++done[static_cast<std::size_t>(part)];
    return {};
  });
  if (!ran.ok()) return ran.error().to_string();
  std::string text;
  for (const int each : done) text += std::to_string(each);
  return text;
}

TEST(Threads, DoEachPartOnce) {
  EXPECT_GE(usable_cores(), 1);
  for (int round = 0; round < 200; ++round)
    for (const int parts : {0, 1, 2, 3, 7, 40})
      ASSERT_EQ(counts(parts), std::string(static_cast<std::size_t>(parts), '1'));
}

TEST(Threads, WakeUpAfterSleeping) {
  for (int round = 0; round < 20; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    ASSERT_EQ(counts(4), "1111");
  }
}

TEST(Threads, ServeManyCallersAtOnce) {
  std::atomic<int> wrong{0};
  std::vector<std::thread> callers;
  for (int i = 0; i < 8; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 300; ++round) wrong += counts(5) != "11111";
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST(Threads, ArePartsOfParts) {
  std::vector<std::string> inner(6);
  const Result<void> ran = run_parts(6, [&](int part) -> Result<void> {
    inner[static_cast<std::size_t>(part)] = counts(3);
    return {};
  });
  ASSERT_TRUE(ran.ok());
  EXPECT_EQ(inner, std::vector<std::string>(6, "111"));
}

TEST(Threads, KeepTheErrorOfTheFirstPartThatFails) {
  for (int round = 0; round < 100; ++round) {
    const Result<void> ran = run_parts(7, [](int part) -> Result<void> {
      if (part == 6) throw std::bad_alloc();
      if (part >= 3) return fail(Code::bad_value, "part {}", part);
      return {};
    });
    ASSERT_FALSE(ran.ok());
    ASSERT_EQ(ran.error().message, "part 3");
  }
  const Result<void> thrown = run_parts(2, [](int part) -> Result<void> {
    if (part == 1) throw std::bad_alloc();
    return {};
  });
  ASSERT_FALSE(thrown.ok());
  EXPECT_EQ(thrown.error().code, Code::limit);
}

TEST(Threads, WaitForEachOtherOnlyWhereEachHasItsOwn) {
  const int cores = usable_cores();
  std::atomic<int> here{0};
  const auto meet = [&](int) -> Result<void> {
    ++here;
    while (here < cores) std::this_thread::yield();
    return {};
  };
  for (int round = 0; round < 20; ++round) {
    here = 0;
    const Result<bool> met = run_together(cores, meet);
    ASSERT_TRUE(met.ok());
    ASSERT_TRUE(*met);
  }
  const Result<bool> more = run_together(cores + 1, meet);
  ASSERT_TRUE(more.ok());
  EXPECT_FALSE(*more);
  bool nested = true;
  ASSERT_TRUE(run_parts(2, [&](int part) -> Result<void> {
                if (part == 0) nested = run_together(2, [](int) -> Result<void> { return {}; }).value();
                return {};
              }).ok());
  EXPECT_EQ(nested, false);
}

TEST(Threads, WorkInTheChildOfAFork) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no threads in the child of a process that has some";
#endif
  ASSERT_EQ(counts(4), "1111");
  for (int round = 0; round < 5; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);
      _exit(counts(4) == "1111" && counts(9) == "111111111" ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
    ASSERT_EQ(counts(4), "1111");
  }
}

}  // namespace
}  // namespace pawl::cpu
