#include "runtime/program.h"

#include <algorithm>
#include <optional>

#include "backend/cpu/accelerate.h"
#include "base/guard.h"
#include "graph/infer.h"
#include "runtime/profile.h"

namespace pawl {
namespace {

/// Whether a tensor is what a port declares; false where that takes a closer look.
bool is_plainly(const Type& declared, const Tensor& tensor) {
  if (!declared.is_tensor() || declared.dtype != tensor.dtype() || !declared.shape) return false;
  const Dims& shape = tensor.shape();
  if (declared.shape->size() != shape.size()) return false;
  for (std::size_t axis = 0; axis < shape.size(); ++axis)
    if (const Dim& dim = (*declared.shape)[axis]; dim.known() && dim.value != shape[axis]) return false;
  return true;
}

/// Input i as the evaluator may see it: of the declared type, aligned. Errors name the input.
Result<Value> accept_input(const Port& port, const Tensor& otherwise, Value given) {
  if (given.is_tensor() && given.tensor().defined() && is_plainly(port.type, given.tensor()) &&
      given.tensor().aligned())
    return given;
  const auto place = [&] { return fmt::format("input \"{}\"", port.name); };
  if (given.is_tensor() && !given.tensor().defined()) {
    if (!port.has_default) return fail(Code::bad_argument, "input \"{}\" is missing", port.name);
    TRY_ASSIGN_IN(place(), Tensor value, otherwise.to_dense());
    return Value(std::move(value));
  }
  const Type actual = type_of(given);
  if (given.is_none() && !port.type.is_optional() && port.type.known())
    return fail(Code::bad_type, "input \"{}\": expected {}, found none", port.name, to_string(port.type));
  if (Result<void> fits = graph::check_declared(port.type, actual, port.name); !fits.ok()) {
    return fail(fits.error().code, "input \"{}\": expected {}, found {}", port.name, to_string(port.type),
                to_string(actual));
  }
  if (given.is_tensor() && !given.tensor().aligned()) {
    TRY_ASSIGN_IN(place(), Tensor aligned, given.tensor().clone());
    return Value(std::move(aligned));
  }
  return given;
}

/// A value that is the caller's alone: dense, and sharing memory with nothing.
Result<Value> own(Value value) {
  if (value.is_tensor()) {
    if (!value.tensor().defined() || (value.tensor().unique() && value.tensor().dense())) return value;
    TRY_ASSIGN(Tensor copy, value.tensor().clone());
    return Value(std::move(copy));
  }
  if (value.is_sequence()) {
    std::vector<Value> items;
    for (const Value& item : value.sequence().items()) {
      TRY_ASSIGN(Value owned, own(item));
      items.push_back(std::move(owned));
    }
    return Value(Sequence(value.sequence().element(), std::move(items)));
  }
  if (value.is_map()) {
    TRY_ASSIGN(Tensor keys, value.map().keys.clone());
    TRY_ASSIGN(Tensor values, value.map().values.clone());
    return Value(Map{std::move(keys), std::move(values)});
  }
  return value;
}

}  // namespace

const std::vector<Port>& Model::inputs() const { return state_->inputs; }
const std::vector<Port>& Model::outputs() const { return state_->outputs; }
const std::vector<std::string>& Model::warnings() const { return state_->imported.warnings; }
const std::vector<Port>& Program::inputs() const { return state_->model->inputs; }
const std::vector<Port>& Program::outputs() const { return state_->model->outputs; }

/// The inputs as the evaluator may see them, in order.
Result<std::vector<Value>> Program::State::accept(std::vector<Value> inputs) const {
  const std::vector<Port>& ports = model->inputs;
  if (inputs.size() != ports.size())
    return fail(Code::bad_argument, "the model has {} inputs, {} were given", ports.size(), inputs.size());
  for (std::size_t i = 0; i < ports.size(); ++i) {
    TRY_ASSIGN(inputs[i], accept_input(ports[i], model->imported.defaults[i], std::move(inputs[i])));
  }
  return inputs;
}

Result<std::vector<Value>> Program::State::run(std::vector<Value> inputs, const RunOptions& options) const {
  std::optional<ProfileRecorder> recorder;
  if (options.profile != nullptr) recorder.emplace(*options.profile);
  TRY_ASSIGN(std::vector<Value> accepted, accept(std::move(inputs)));
  reference::EvaluateOptions evaluate_options;
  if (guarantee != Guarantee::exact)
    evaluate_options.accelerate = [this](const ops::OpDef& def, ops::EvalContext& context) {
      return cpu::accelerate(def, context, {.threads = threads});
    };
  evaluate_options.scans = kernels.get();
  evaluate_options.interrupted = options.interrupted;
  evaluate_options.seed = options.seed;
  evaluate_options.max_steps = options.max_steps;
  evaluate_options.evaluations = options.evaluations;
  evaluate_options.reuse = options.reuse;
  evaluate_options.observer = recorder ? &*recorder : nullptr;
  if (options.progress) {
    evaluate_options.progress = [&](const reference::Progress& at) { options.progress({at.loop, at.done, at.total}); };
  }
  TRY_ASSIGN(std::vector<Value> outputs, reference::evaluate(*reference, std::move(accepted), evaluate_options));
  for (Value& output : outputs) {
    TRY_ASSIGN(output, own(std::move(output)));
  }
  return outputs;
}

Result<std::vector<Value>> Program::run(std::span<const Value> inputs, const RunOptions& options) const {
  return run_in_place({inputs.begin(), inputs.end()}, options);
}

Result<std::vector<Value>> Program::run_in_place(std::vector<Value> inputs, const RunOptions& options) const {
  auto outputs = guard([&] { return state_->run(std::move(inputs), options); });
  if (!outputs.ok() && !state_->model->name.empty()) return std::move(outputs).error().in_file(state_->model->name);
  return outputs;
}

Result<std::vector<Value>> Program::run(std::span<const NamedValue> inputs, const RunOptions& options) const {
  const std::vector<Port>& ports = state_->model->inputs;
  // An undefined tensor stands for an input that was not given.
  std::vector<Value> ordered(ports.size(), Value(Tensor()));
  std::vector<bool> given(ports.size(), false);
  for (const auto& [input_name, value] : inputs) {
    const auto port =
        std::find_if(ports.begin(), ports.end(), [&, wanted = input_name](const Port& p) { return p.name == wanted; });
    if (port == ports.end()) return fail(Code::bad_argument, "the model has no input \"{}\"", input_name);
    const auto i = static_cast<std::size_t>(port - ports.begin());
    if (given[i]) return fail(Code::bad_argument, "input \"{}\" is given twice", input_name);
    given[i] = true;
    ordered[i] = value;
  }
  return run_in_place(std::move(ordered), options);
}

std::vector<std::string> Program::kernel_report() const {
  return state_->kernels == nullptr ? std::vector<std::string>() : state_->kernels->report();
}

std::size_t Program::expansions() const { return state_->expansions; }

}  // namespace pawl
