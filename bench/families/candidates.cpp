#include "candidates.h"

#include "base/try.h"
#include "kernels.h"
#include "machine.h"

namespace pawl::bench {

Result<Candidate> pawl_candidate(const Case& c, const std::string& name, Kernels kernels, int threads) {
  struct State {
    Program program;
    std::vector<Value> inputs, outputs, spare;
  };
  TRY_ASSIGN(const Model model, Model::load(c.scan));
  CompileOptions options;
  options.kernels = kernels;
  options.threads = threads;
  TRY_ASSIGN(Program program, Program::compile(model, options));
  auto state = std::make_shared<State>(State{std::move(program), {}, {}, {}});
  for (const NamedTensor& input : c.inputs) state->inputs.emplace_back(input.second);
  Candidate candidate;
  candidate.name = name;
  candidate.run = [state]() -> Result<void> {
    // Each run gets the memory of the one before, as the others do.
    state->spare = std::move(state->outputs);
    RunOptions run_options;
    run_options.reuse = &state->spare;
    TRY_ASSIGN(state->outputs, state->program.run(state->inputs, run_options));
    return {};
  };
  candidate.results = [state] {
    std::vector<NamedTensor> results;
    results.reserve(state->outputs.size());
    for (std::size_t i = 0; i < state->outputs.size(); ++i)
      results.emplace_back(state->program.outputs()[i].name, state->outputs[i].tensor());
    return results;
  };
  candidate.plan = [state] { return state->program.kernel_report(); };
  return candidate;
}

Result<Candidate> ort_candidate(const Case& c, const std::string& name, const OnnxRuntime& runtime,
                                const std::filesystem::path& model, int threads) {
  TRY_ASSIGN(auto made, make_outputs(c));
  auto outputs = std::make_shared<std::vector<NamedTensor>>(std::move(made));
  TRY_ASSIGN(auto run, runtime.prepare(model, threads, c.inputs, *outputs));
  return Candidate{name, std::move(run), [outputs] { return *outputs; }, {}};
}

bool can_by_hand(const Case& c) { return !c.reverse && c.axis == 0 && c.dtype == "float32" && has_kernel(c.family); }

Result<Candidate> hand_candidate(const Case& c, Team& team) {
  if (!can_by_hand(c)) return fail(Code::unsupported, "no hand-written kernel for this");
  struct State {
    Arrays arrays;
    std::vector<NamedTensor> outputs;
    Kernel kernel;
  };
  auto state = std::make_shared<State>();
  state->arrays.sizes = c.sizes;
  TRY_ASSIGN(state->outputs, make_outputs(c));
  for (const NamedTensor& input : c.inputs) state->arrays.inputs[input.first] = input.second.data<float>();
  for (const NamedTensor& weight : c.weights) state->arrays.inputs[weight.first] = weight.second.data<float>();
  for (NamedTensor& output : state->outputs) {
    if (output.second.dtype() == DType::i64) {
      state->arrays.positions = output.second.mutable_data<std::int64_t>();
    } else {
      state->arrays.outputs[output.first] = output.second.mutable_data<float>();
    }
  }
  state->kernel = make_kernel(c.family, state->arrays, team);
  const auto run = [state]() -> Result<void> {
    state->kernel();
    return {};
  };
  return Candidate{"hand", run, [state] { return state->outputs; }, {}};
}

Result<Candidate> copy_candidate(const Case& c, Team& team) {
  const std::int64_t count = std::max<std::int64_t>(c.bytes / 2 / 64 * 16, 16);
  TRY_ASSIGN(Tensor from, Tensor::allocate(DType::f32, {count}));
  TRY_ASSIGN(Tensor to, Tensor::allocate(DType::f32, {count}));
  for (float& x : from.mutable_values<float>()) x = 1;
  const auto run = [from, to, count, &team]() mutable -> Result<void> {
    copy(from.data<float>(), to.mutable_data<float>(), count, count * 4 >= kStreamBytes, team);
    return {};
  };
  return Candidate{"copy", run, {}, {}};
}

}  // namespace pawl::bench
