// Programs that run at once, and in the child of a fork: the same bits, and no more threads than there is work for.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <random>
#include <thread>

#include "backend/cpu/threads.h"
#include "pawl/model.h"
#include "pawl/program.h"

namespace pawl {
namespace {

using Values = std::vector<Value>;

constexpr const char* kHead = "<ir_version: 8, opset_import: [\"\" : 18]>\n";
constexpr const char* kAverage =
    R"(g (float[512] s0, float[400,512] x) => (float[512] s, float[400,512] y) <float a = {0.9}> {
  s, y = Scan <num_scan_inputs = 1, body = b (float[512] p, float[512] e) => (float[512] q, float[512] o) {
    k = Mul(p, a)  q = Add(k, e)  o = Tanh(q) }> (s0, x) })";
constexpr const char* kMaximum = R"(g (float[700] s0, float[300,700] x) => (float[700] s, float[300,700] y) {
  s, y = Scan <num_scan_inputs = 1, body = b (float[700] p, float[700] e) => (float[700] q, float[700] o) {
    q = Max(p, e)  o = Sub(q, e) }> (s0, x) })";
/// A product outside of the loop, which has threads of its own, and one inside.
constexpr const char* kCell = R"(g (float[4,64] s0, float[80,4,64] x, float[64,64] w, float[64,64] r)
    => (float[4,64] s, float[80,4,64] y) {
  s, y = Scan <num_scan_inputs = 1, body = b (float[4,64] p, float[4,64] e) => (float[4,64] q, float[4,64] o) {
    i = MatMul(e, w)  h = MatMul(p, r)  k = Add(i, h)  q = Tanh(k)  o = Identity(q) }> (s0, x) })";

Program compile(const char* text, Kernels kernels, int threads) {
  return Program::compile(Model::from_text(std::string(kHead) + text).value(), {.kernels = kernels, .threads = threads})
      .value();
}

Values inputs_of(const Program& program, unsigned seed) {
  std::mt19937 random(seed);
  Values inputs;
  for (const Port& port : program.inputs()) {
    Tensor tensor = Tensor::allocate(DType::f32, *port.type.static_shape()).value();
    for (float& x : tensor.mutable_values<float>()) x = std::uniform_real_distribution<float>(-0.25F, 0.25F)(random);
    inputs.emplace_back(std::move(tensor));
  }
  return inputs;
}

bool same_bits(const Values& a, const Values& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const Value& left, const Value& right) {
    const Tensor &x = left.tensor(), &y = right.tensor();
    return x.shape() == y.shape() && std::memcmp(x.bytes(), y.bytes(), static_cast<std::size_t>(x.size()) * 4) == 0;
  });
}

/// Threads of this process; 0 where there is no /proc.
int threads_here() {
  std::error_code error;
  int count = 0;
  for (std::filesystem::directory_iterator each("/proc/self/task", error), end; !error && each != end; ++each) ++count;
  return count;
}

class Programs : public ::testing::TestWithParam<const char*> {};
INSTANTIATE_TEST_SUITE_P(Cpu, Programs, ::testing::Values(kAverage, kMaximum, kCell));

/// The first runs too, which both make kernels.
TEST_P(Programs, ServeThreads) {
  constexpr int kCallers = 3, kRuns = 10;
  std::vector<Values> want;
  want.reserve(kCallers);
  const Program alone = compile(GetParam(), Kernels::compiled, 2);
  for (unsigned i = 0; i < kCallers; ++i) want.push_back(alone.run(inputs_of(alone, i)).value());
  const Program program = compile(GetParam(), Kernels::compiled, 2);
  std::atomic<int> wrong = 0;
  std::vector<std::thread> callers;
  callers.reserve(kCallers);
  for (unsigned who = 0; who < kCallers; ++who)
    callers.emplace_back([&, who] {
      const Values inputs = inputs_of(program, who);
      for (int i = 0; i < kRuns; ++i) {
        const Result<Values> got = program.run(inputs);
        wrong += got.ok() && same_bits(*got, want[who]) ? 0 : 1;
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
}

TEST_P(Programs, RunInTheChildOfAFork) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "ThreadSanitizer allows no threads in the child of a process that has some";
#endif
  const Program program = compile(GetParam(), Kernels::compiled, 2);
  const Values inputs = inputs_of(program, 1);
  const Values want = program.run(inputs).value();
  for (int round = 0; round < 3; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);
      const bool old = same_bits(program.run(inputs).value(), want);
      // Kernels are made there too.
      const bool fresh = same_bits(compile(GetParam(), Kernels::compiled, 2).run(inputs).value(), want);
      _exit(old && fresh ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    EXPECT_TRUE(same_bits(program.run(inputs).value(), want));
  }
}

TEST(CpuPrograms, ShareTheThreadsOfTheMachine) {
  constexpr int kCallers = 6, kRuns = 20;
  const char* texts[] = {kAverage, kMaximum, kCell};
  const int before = threads_here();
  std::atomic<int> wrong = 0, most = 0;
  std::vector<std::thread> callers;
  callers.reserve(kCallers);
  for (unsigned who = 0; who < kCallers; ++who)
    callers.emplace_back([&, who] {
      const Program program = compile(texts[who % 3], Kernels::compiled, 0);
      const Values inputs = inputs_of(program, who);
      const Values first = program.run(inputs).value();
      for (int i = 0; i < kRuns; ++i) {
        wrong += same_bits(program.run(inputs).value(), first) ? 0 : 1;
        const int now = threads_here();
        for (int seen = most; now > seen && !most.compare_exchange_weak(seen, now);) {
        }
      }
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(wrong, 0);
  // Those that call, and once for all of them one for each core but the caller's own.
  EXPECT_LE(most, before + kCallers + cpu::usable_cores() - 1);
}

}  // namespace
}  // namespace pawl
