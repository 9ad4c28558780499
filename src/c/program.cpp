// Programs through the C interface: compiling, running, stopping.
#include "c/handles.h"

namespace pawl::c {
namespace {

Result<Kernels> kernels_of(std::int32_t number) {
  switch (number) {
    case PAWL_KERNELS_COMPILED: return Kernels::compiled;
    case PAWL_KERNELS_OFF: return Kernels::off;
    case PAWL_KERNELS_WEBGPU: return Kernels::webgpu;
    default: return fail(Code::bad_argument, "pawl_compile_options.kernels is {}", number);
  }
}

Result<void> compile(const pawl_model* model, const pawl_compile_options* given, pawl_program** program) {
  TRY(expect(model, "model"));
  TRY(expect(program, "program"));
  TRY_ASSIGN(const pawl_compile_options options,
             read_options<pawl_compile_options>(given, PAWL_COMPILE_OPTIONS_INIT, "pawl_compile_options"));
  if (options.threads < 0) return fail(Code::bad_argument, "pawl_compile_options.threads is {}", options.threads);
  CompileOptions compile_options;
  TRY_ASSIGN(compile_options.kernels, kernels_of(options.kernels));
  compile_options.threads = options.threads;
  compile_options.rewrite = options.no_rewrite == 0;
  compile_options.guarantee = options.exact != 0 ? Guarantee::exact : Guarantee::deterministic;
  TRY_ASSIGN(Program compiled, Program::compile(model->model, compile_options));
  *program = new pawl_program{std::move(compiled), model->inputs, model->outputs};
  return {};
}

/// The values of handles that are given away: freed, and set to NULL.
std::vector<Value> take(pawl_value** handles, std::size_t count) {
  std::vector<Value> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    // An undefined tensor stands for an input that is not given.
    values.emplace_back(handles[i] != nullptr ? std::move(handles[i]->value) : Value(Tensor()));
    delete handles[i];
    handles[i] = nullptr;
  }
  return values;
}

std::vector<Value> read(const pawl_value* const* handles, std::size_t count) {
  std::vector<Value> values;
  values.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    values.emplace_back(handles[i] != nullptr ? handles[i]->value : Value(Tensor()));
  return values;
}

Result<RunOptions> to_run_options(const pawl_run_options& options) {
  RunOptions run;
  if (options.stop != nullptr) run.interrupted = &options.stop->requested;
  run.seed = options.seed;
  if (options.max_steps < 0) return fail(Code::bad_argument, "pawl_run_options.max_steps is {}", options.max_steps);
  if (options.max_steps > 0) run.max_steps = options.max_steps;
  if (options.progress != nullptr)
    run.progress = [&options](const Progress& at) {
      options.progress(options.progress_context, std::string(at.loop).c_str(), at.done, at.total);
    };
  return run;
}

/// One run, as both kinds of inputs have it in common. `inputs` gives their values.
template <class Inputs>
Result<void> run(const pawl_program* program, std::size_t input_count, const pawl_run_options* given,
                 pawl_value** outputs, std::size_t output_count, const Inputs& inputs) {
  TRY(expect(program, "program"));
  if (output_count > 0) TRY(expect(outputs, "outputs"));
  if (outputs != nullptr) std::fill_n(outputs, output_count, nullptr);
  if (input_count != program->inputs.size())
    return fail(Code::bad_argument, "the model has {} inputs, {} were given", program->inputs.size(), input_count);
  if (output_count != program->outputs.size())
    return fail(Code::bad_argument, "the model has {} outputs, room is for {}", program->outputs.size(), output_count);
  TRY_ASSIGN(const pawl_run_options options,
             read_options<pawl_run_options>(given, PAWL_RUN_OPTIONS_INIT, "pawl_run_options"));
  TRY_ASSIGN(RunOptions run_options, to_run_options(options));
  std::vector<Value> spare;
  if (options.reuse_count > 0) {
    TRY(expect(options.reuse, "pawl_run_options.reuse"));
    spare = take(options.reuse, options.reuse_count);
    run_options.reuse = &spare;
  }
  TRY_ASSIGN(std::vector<Value> results, program->program.run_in_place(inputs(), run_options));
  std::vector<std::unique_ptr<pawl_value>> handles;
  handles.reserve(output_count);
  for (Value& result : results) handles.push_back(std::make_unique<pawl_value>(pawl_value{std::move(result)}));
  for (std::size_t i = 0; i < output_count; ++i) outputs[i] = handles[i].release();
  return {};
}

std::size_t index_of(const std::vector<pawl_port>& ports, const char* name) {
  for (std::size_t i = 0; name != nullptr && i < ports.size(); ++i)
    if (ports[i].port.name == name) return i;
  return PAWL_NO_INDEX;
}

}  // namespace
}  // namespace pawl::c

using namespace pawl;
using namespace pawl::c;

pawl_error* pawl_program_compile(const pawl_model* model, const pawl_compile_options* options, pawl_program** program) {
  return attempt([&] { return compile(model, options, program); });
}

void pawl_program_free(pawl_program* program) { delete program; }

size_t pawl_program_input_count(const pawl_program* program) { return program->inputs.size(); }
size_t pawl_program_output_count(const pawl_program* program) { return program->outputs.size(); }

const pawl_port* pawl_program_input(const pawl_program* program, size_t index) {
  return port_at(program->inputs, index);
}

const pawl_port* pawl_program_output(const pawl_program* program, size_t index) {
  return port_at(program->outputs, index);
}

size_t pawl_program_input_index(const pawl_program* program, const char* name) {
  return index_of(program->inputs, name);
}

size_t pawl_program_output_index(const pawl_program* program, const char* name) {
  return index_of(program->outputs, name);
}

pawl_error* pawl_program_report(const pawl_program* program, pawl_text** text) {
  return attempt([&]() -> Result<void> {
    TRY(expect(program, "program"));
    TRY(expect(text, "text"));
    std::string lines;
    for (const std::string& line : program->program.kernel_report()) lines += line + "\n";
    *text = new pawl_text{std::move(lines)};
    return {};
  });
}

pawl_error* pawl_stop_create(pawl_stop** stop) {
  return attempt([&]() -> Result<void> {
    TRY(expect(stop, "stop"));
    *stop = new pawl_stop;
    return {};
  });
}

void pawl_stop_request(pawl_stop* stop) { stop->requested.store(true, std::memory_order_relaxed); }
void pawl_stop_reset(pawl_stop* stop) { stop->requested.store(false, std::memory_order_relaxed); }
void pawl_stop_free(pawl_stop* stop) { delete stop; }

pawl_error* pawl_program_run(const pawl_program* program, const pawl_value* const* inputs, size_t input_count,
                             const pawl_run_options* options, pawl_value** outputs, size_t output_count) {
  return attempt([&]() -> Result<void> {
    if (input_count > 0) TRY(expect(inputs, "inputs"));
    return run(program, input_count, options, outputs, output_count, [&] { return read(inputs, input_count); });
  });
}

pawl_error* pawl_program_run_in_place(const pawl_program* program, pawl_value** inputs, size_t input_count,
                                      const pawl_run_options* options, pawl_value** outputs, size_t output_count) {
  pawl_error* error = attempt([&]() -> Result<void> {
    if (input_count > 0) TRY(expect(inputs, "inputs"));
    return run(program, input_count, options, outputs, output_count, [&] { return take(inputs, input_count); });
  });
  // What was given away is gone, also when the run did not begin.
  for (std::size_t i = 0; inputs != nullptr && i < input_count; ++i) {
    delete inputs[i];
    inputs[i] = nullptr;
  }
  return error;
}
