// Runs through the C interface: every error, strides, memory, threads, forks, stops.
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "c_fixture.h"

namespace {

using Numbers = std::vector<float>;

class CRun : public ::testing::Test {
 protected:
  ProgramHandle program_ = program_of(kPrefixSum);
  ValueHandle start_ = floats({2}, {1, 2});
  ValueHandle x_ = floats({3, 2}, {0, 1, 2, 3, 4, 5});
  std::vector<ValueHandle> outputs_;
};

TEST_F(CRun, GivesItsOutputsInOrder) {
  const Outcome done = run(program_.get(), {start_.get(), x_.get()}, outputs_);
  ASSERT_EQ(done.code, "done") << done.message;
  EXPECT_EQ(list(outputs_[0].get()), (Numbers{7, 11}));
  EXPECT_EQ(list(outputs_[1].get()), (Numbers{1, 3, 3, 6, 7, 11}));
  EXPECT_EQ(pawl_program_output_index(program_.get(), "sums"), 1U);
  EXPECT_EQ(pawl_program_input_index(program_.get(), "x"), 1U);
  EXPECT_EQ(pawl_program_input_index(program_.get(), "y"), PAWL_NO_INDEX);
  EXPECT_EQ(pawl_program_input_index(program_.get(), nullptr), PAWL_NO_INDEX);
  pawl_text* report = nullptr;
  EXPECT_DONE(pawl_program_report(program_.get(), &report));
  EXPECT_NE(pawl_text_size(TextHandle(report).get()), 0U);
}

TEST_F(CRun, RefusesWhatDoesNotFit) {
  const auto fails = [&](std::vector<const pawl_value*> inputs) { return run(program_.get(), inputs, outputs_); };
  Outcome result = fails({start_.get()});
  EXPECT_EQ(result.code + ": " + result.message, "bad_argument: the model has 2 inputs, 1 were given");
  result = fails({start_.get(), nullptr});
  EXPECT_EQ(result.code + ": " + result.message, "bad_argument: input \"x\" is missing");
  result = fails({start_.get(), tensor_of<double>(PAWL_DOUBLE, {3, 2}, {1, 2, 3, 4, 5, 6}).get()});
  EXPECT_EQ(result.code + ": " + result.message, "bad_type: input \"x\": expected float[T,C], found double[3,2]");
  result = fails({start_.get(), floats({3}, {1, 2, 3}).get()});
  EXPECT_EQ(result.code + ": " + result.message, "bad_shape: input \"x\": expected float[T,C], found float[3]");
  result = fails({start_.get(), floats({1, 3}, {1, 2, 3}).get()});
  EXPECT_EQ(result.code, "bad_shape") << result.message;
  pawl_value* none = nullptr;
  EXPECT_DONE(pawl_value_none(&none));
  result = fails({start_.get(), ValueHandle(none).get()});
  EXPECT_EQ(result.code, "bad_type") << result.message;
  for (const ValueHandle& output : outputs_) EXPECT_EQ(output, nullptr);
}

TEST_F(CRun, RefusesCallsThatMakeNoSense) {
  const pawl_value* inputs[] = {start_.get(), x_.get()};
  pawl_value* outputs[2];
  EXPECT_FAILS(pawl_program_run(program_.get(), inputs, 2, nullptr, outputs, 1), "bad_argument",
               "2 outputs, room is for 1");
  EXPECT_FAILS(pawl_program_run(program_.get(), inputs, 2, nullptr, nullptr, 2), "bad_argument", "outputs is NULL");
  EXPECT_FAILS(pawl_program_run(program_.get(), nullptr, 2, nullptr, outputs, 2), "bad_argument", "inputs is NULL");
  EXPECT_FAILS(pawl_program_run(nullptr, inputs, 2, nullptr, outputs, 2), "bad_argument", "program is NULL");
  pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
  options.max_steps = -1;
  EXPECT_FAILS(pawl_program_run(program_.get(), inputs, 2, &options, outputs, 2), "bad_argument", "max_steps");
  options = PAWL_RUN_OPTIONS_INIT;
  options.reuse_count = 1;
  EXPECT_FAILS(pawl_program_run(program_.get(), inputs, 2, &options, outputs, 2), "bad_argument", "reuse is NULL");
}

TEST_F(CRun, ReadsInputsOfAnyStrides) {
  const Numbers data = {0, 9, 2, 9, 4, 9, 1, 9, 3, 9, 5, 9};  // the columns of x, one after the other, with gaps
  const int64_t shape[] = {3, 2};
  const int64_t strides[] = {2, 6};
  const int64_t backwards[] = {-2, 6};
  const int64_t all_the_same[] = {0, 0};
  const auto sums = [&](const int64_t* steps, const float* first) {
    pawl_value* value = nullptr;
    EXPECT_DONE(pawl_value_borrow(PAWL_FLOAT, 2, shape, steps, first, nullptr, nullptr, &value));
    const ValueHandle x(value);
    const Outcome done = run(program_.get(), {start_.get(), x.get()}, outputs_);
    EXPECT_EQ(done.code, "done") << done.message;
    return list(outputs_[1].get());
  };
  EXPECT_EQ(sums(strides, data.data()), (Numbers{1, 3, 3, 6, 7, 11}));
  EXPECT_EQ(sums(backwards, data.data() + 4), (Numbers{5, 7, 7, 10, 7, 11}));
  EXPECT_EQ(sums(all_the_same, data.data() + 2), (Numbers{3, 4, 5, 6, 7, 8}));
}

TEST_F(CRun, ReadsUnalignedInputs) {
  alignas(8) char bytes[1 + 6 * sizeof(float)];
  const Numbers x = {0, 1, 2, 3, 4, 5};
  std::copy_n(reinterpret_cast<const char*>(x.data()), sizeof(float) * 6, bytes + 1);
  const int64_t shape[] = {3, 2};
  pawl_value* value = nullptr;
  EXPECT_DONE(pawl_value_borrow(PAWL_FLOAT, 2, shape, nullptr, bytes + 1, nullptr, nullptr, &value));
  const ValueHandle unaligned(value);
  ASSERT_EQ(run(program_.get(), {start_.get(), unaligned.get()}, outputs_).code, "done");
  EXPECT_EQ(list(outputs_[0].get()), (Numbers{7, 11}));
}

TEST_F(CRun, TakesInputsThatAreGivenAway) {
  pawl_value* outputs[2];
  pawl_value* inputs[] = {start_.release(), x_.release()};
  const void* memory = pawl_value_data(inputs[0]);
  EXPECT_DONE(pawl_program_run_in_place(program_.get(), inputs, 2, nullptr, outputs, 2));
  EXPECT_EQ(inputs[0], nullptr);
  EXPECT_EQ(inputs[1], nullptr);
  EXPECT_EQ(list(outputs[0]), (Numbers{7, 11}));
  pawl_text* report = nullptr;
  EXPECT_DONE(pawl_program_report(program_.get(), &report));
  if (std::string(pawl_text_data(TextHandle(report).get())) == "step: one kernel\n") {
    EXPECT_EQ(pawl_value_data(outputs[0]), memory) << "the state is updated in place";
  }
  pawl_value_free(outputs[0]);
  pawl_value_free(outputs[1]);
}

TEST_F(CRun, TakesInputsThatAreGivenAwayAlsoWhenItFails) {
  pawl_value* outputs[2];
  pawl_value* inputs[] = {start_.release(), nullptr};
  EXPECT_FAILS(pawl_program_run_in_place(program_.get(), inputs, 2, nullptr, outputs, 2), "bad_argument", "missing");
  EXPECT_EQ(inputs[0], nullptr);
  pawl_value* too_many[] = {x_.release(), nullptr, nullptr};
  EXPECT_FAILS(pawl_program_run_in_place(program_.get(), too_many, 3, nullptr, outputs, 2), "bad_argument",
               "3 were given");
  EXPECT_EQ(too_many[0], nullptr);
}

TEST_F(CRun, TakesMemoryThatIsNoLongerNeeded) {
  ASSERT_EQ(run(program_.get(), {start_.get(), x_.get()}, outputs_).code, "done");
  pawl_value* spare[] = {outputs_[0].release(), outputs_[1].release(), nullptr};
  const void* memory = pawl_value_data(spare[1]);
  pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
  options.reuse = spare;
  options.reuse_count = 3;
  ASSERT_EQ(run(program_.get(), {start_.get(), x_.get()}, outputs_, &options).code, "done");
  EXPECT_EQ(spare[0], nullptr);
  EXPECT_EQ(spare[1], nullptr);
  EXPECT_EQ(pawl_value_data(outputs_[1].get()), memory);
  EXPECT_EQ(list(outputs_[1].get()), (Numbers{1, 3, 3, 6, 7, 11}));
}

TEST_F(CRun, TakesTheDefaultOfAnInputThatIsLeftOut) {
  const ProgramHandle program = program_of(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2] x, float weight) => (float[2] y) <float weight = {2}> { y = Mul(x, weight) })");
  ASSERT_EQ(run(program.get(), {start_.get(), nullptr}, outputs_).code, "done");
  EXPECT_EQ(list(outputs_[0].get()), (Numbers{2, 4}));
}

TEST_F(CRun, PassesSequencesAndOptionals) {
  const ProgramHandle program = program_of(R"(<ir_version: 8, opset_import: ["" : 18]>
    g (seq(float[?]) s, optional(float[2]) o) => (seq(float[?]) t, bool there) {
      t = Identity(s)
      there = OptionalHasElement(o) })");
  const pawl_value* const items[] = {start_.get()};
  pawl_value* value = nullptr;
  EXPECT_DONE(pawl_value_sequence(PAWL_FLOAT, 1, items, &value));
  const ValueHandle sequence(value);
  EXPECT_DONE(pawl_value_none(&value));
  const ValueHandle none(value);
  for (const bool there : {false, true}) {
    const Outcome done = run(program.get(), {sequence.get(), there ? start_.get() : none.get()}, outputs_);
    ASSERT_EQ(done.code, "done") << done.message;
    EXPECT_EQ(pawl_value_kind(outputs_[0].get()), PAWL_SEQUENCE);
    EXPECT_EQ(*static_cast<const bool*>(pawl_value_data(outputs_[1].get())), there);
    pawl_value* item = nullptr;
    EXPECT_DONE(pawl_value_item(outputs_[0].get(), 0, &item));
    EXPECT_EQ(list(ValueHandle(item).get()), (Numbers{1, 2}));
  }
}

constexpr const char* kEndless = R"(<ir_version: 8, opset_import: ["" : 17]>
g (bool go, float s) => (float t) {
  t = Loop <body = step (int64 i, bool c, float a) => (bool d, float b) { d = Identity(c)  b = Sin(a) }> (, go, s) })";

TEST_F(CRun, StopsWhenItIsAskedTo) {
  const ProgramHandle program = program_of(kEndless);
  const ValueHandle go = tensor_of<bool>(PAWL_BOOL, {}, {true});
  const ValueHandle s = floats({}, {1});
  pawl_stop* made = nullptr;
  EXPECT_DONE(pawl_stop_create(&made));
  const StopHandle stop(made);
  pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
  options.stop = stop.get();
  options.max_steps = std::numeric_limits<int64_t>::max();
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    pawl_stop_request(stop.get());
  });
  EXPECT_EQ(run(program.get(), {go.get(), s.get()}, outputs_, &options).code, "interrupted");
  other.join();
  pawl_stop_reset(stop.get());
  options.max_steps = 100;
  EXPECT_EQ(run(program.get(), {go.get(), s.get()}, outputs_, &options).code, "limit");
}

TEST_F(CRun, TellsHowFarItIs) {
  const ProgramHandle program = program_of(kEndless);
  const ValueHandle go = tensor_of<bool>(PAWL_BOOL, {}, {true});
  const ValueHandle s = floats({}, {1});
  int64_t last = 0;
  pawl_run_options options = PAWL_RUN_OPTIONS_INIT;
  options.max_steps = 1000000;
  options.progress_context = &last;
  options.progress = [](void* context, const char*, int64_t done, int64_t) { *static_cast<int64_t*>(context) = done; };
  EXPECT_EQ(run(program.get(), {go.get(), s.get()}, outputs_, &options).code, "limit");
  EXPECT_GT(last, 0);
}

TEST_F(CRun, GoesOnInTwoThreadsAtOnce) {
  const auto work = [&](float first, std::string& problem) {
    const ValueHandle start = floats({2}, {first, first});
    std::vector<ValueHandle> outputs;
    for (int i = 0; i < 500 && problem.empty(); ++i) {
      const Outcome done = run(program_.get(), {start.get(), x_.get()}, outputs);
      if (done.code != "done") {
        problem = done.message;
      } else if (list(outputs[0].get()) != Numbers{first + 6, first + 9}) {
        problem = "another result";
      }
    }
  };
  std::string one;
  std::string two;
  std::thread other([&] { work(10, one); });
  work(20, two);
  other.join();
  EXPECT_EQ(one, "");
  EXPECT_EQ(two, "");
}

#if !defined(__SANITIZE_THREAD__)
TEST_F(CRun, GoesOnInTheChildOfAFork) {
  // Large enough for several threads and for oneDNN.
  const ProgramHandle program = program_of(R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[N, N] a, float[T, N] x) => (float[N, N] b, float[T, N] y, float[N] z) {
      b = MatMul(a, a)
      zero = Constant <value = float {0}> ()
      n = Shape(x)
      one = Constant <value = int64[1] {1}> ()
      extent = Gather(n, one)
      s = ConstantOfShape(extent)
      z, y = Scan <num_scan_inputs = 1, body = step (float[N] h, float[N] v) => (float[N] k, float[N] o) {
        t = Add(h, v)  k = Tanh(t)  o = Identity(k) }> (s, x) })");
  const int64_t n = 512;
  const ValueHandle a = floats({n, n}, Numbers(static_cast<size_t>(n * n), 0.01F));
  const ValueHandle x = floats({256, n}, Numbers(static_cast<size_t>(256 * n), 0.5F));
  ASSERT_EQ(run(program.get(), {a.get(), x.get()}, outputs_).code, "done");
  const Numbers want = list(outputs_[1].get());
  const pid_t child = fork();
  if (child == 0) {
    alarm(60);
    std::vector<ValueHandle> outputs;
    const bool same = run(program.get(), {a.get(), x.get()}, outputs).code == "done" && list(outputs[1].get()) == want;
    _exit(same ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif

}  // namespace
