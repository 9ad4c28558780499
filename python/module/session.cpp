#include "session.h"

#include <chrono>

#include "errors.h"
#include "interrupt.h"

namespace pawl::python {

namespace py = pybind11;

namespace {

Program compile(const Model& model, const CompileOptions& options) {
  Result<Program> compiled = [&] {
    const py::gil_scoped_release unlocked;
    return Program::compile(model, options);
  }();
  return value_of(std::move(compiled));
}

py::str interned(const std::string& text) {
  PyObject* object = PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape");
  if (object == nullptr) throw py::error_already_set();
  PyUnicode_InternInPlace(&object);
  return py::reinterpret_steal<py::str>(object);
}

py::dict dict_of(const py::object& feeds) {
  if (PyDict_Check(feeds.ptr())) return feeds;
  if (PyMapping_Check(feeds.ptr()) != 0 && py::hasattr(feeds, "keys")) return py::dict(feeds);
  raise(Code::bad_type,
        "inputs are a dict from name to array, not an object of type " + std::string(Py_TYPE(feeds.ptr())->tp_name));
}

using Clock = std::chrono::steady_clock;

/// A run of less is over before anybody has pressed a key.
constexpr std::chrono::microseconds kQuick{200};

/// Of the inputs that are tensors.
std::int64_t elements_of(const std::vector<Value>& values) {
  std::int64_t elements = 0;
  for (const Value& value : values)
    if (value.is_tensor()) elements += value.tensor().size();
  return elements;
}

/// A loop that turned out to be long although the runs before were not: Python is asked for signals now and then.
class LongLoop {
 public:
  LongLoop(std::atomic<bool>& flag, Clock::time_point begin) : flag_(flag), next_(begin + kApart) {}

  void look() {
    if (raised_ || Clock::now() < next_) return;
    const py::gil_scoped_acquire lock;
    raised_ = PyErr_CheckSignals() != 0;
    if (raised_) flag_.store(true);
    next_ = Clock::now() + kApart;
  }
  /// Whether a handler raised, which is Python's current exception then.
  [[nodiscard]] bool raised() const { return raised_; }

 private:
  static constexpr std::chrono::milliseconds kApart{50};
  std::atomic<bool>& flag_;
  Clock::time_point next_;
  bool raised_ = false;
};

std::string quoted(const std::string& name) { return "\"" + name + "\""; }

}  // namespace

Session::Session(const Model& model, const CompileOptions& options) : program_(compile(model, options)) {
  for (const Port& port : program_->inputs()) input_names_.push_back(interned(port.name));
  for (std::size_t i = 0; i < program_->outputs().size(); ++i) outputs_.emplace(program_->outputs()[i].name, i);
}

void Session::refuse_unknown(const py::dict& feeds) const {
  for (const auto& [key, value] : feeds) {
    if (!PyUnicode_Check(key.ptr()))
      raise(Code::bad_argument, "names of inputs are str, not " + std::string(Py_TYPE(key.ptr())->tp_name));
    const auto name = key.cast<std::string>();
    bool known = false;
    for (const Port& port : program_->inputs()) known = known || port.name == name;
    if (!known) raise(Code::bad_argument, "the model has no input " + quoted(name));
  }
  raise(Code::bad_argument, "an input is given although the stream keeps it");
}

void Session::refuse_missing(const py::dict& feeds, const std::vector<bool>& given) const {
  std::string names;
  std::size_t count = 0;
  for (std::size_t i = 0; i < input_names_.size(); ++i) {
    const Port& port = program_->inputs()[i];
    if (port.has_default || (!given.empty() && given[i])) continue;
    const PyObject* found = PyDict_GetItemWithError(feeds.ptr(), input_names_[i].ptr());
    if (found != nullptr && (found != Py_None || port.type.is_optional())) continue;
    names += (count++ > 0 ? ", " : "") + quoted(port.name);
  }
  raise(Code::bad_argument,
        (count == 1 ? "input " : "inputs ") + names + (count == 1 ? " is missing" : " are missing"));
}

std::vector<Value> Session::read(const py::object& feeds, py::list& kept, const std::vector<bool>& given) const {
  const py::dict dict = dict_of(feeds);
  std::vector<Value> inputs;
  inputs.reserve(input_names_.size());
  Py_ssize_t found = 0;
  bool missing = false;
  for (std::size_t i = 0; i < input_names_.size(); ++i) {
    const Port& port = program_->inputs()[i];
    const bool from_elsewhere = !given.empty() && given[i];
    PyObject* object = from_elsewhere ? nullptr : PyDict_GetItemWithError(dict.ptr(), input_names_[i].ptr());
    if (object == nullptr && PyErr_Occurred() != nullptr) throw py::error_already_set();
    if (object != nullptr) ++found;
    if (object == nullptr || (object == Py_None && !port.type.is_optional())) {
      missing = missing || !(from_elsewhere || port.has_default);
      inputs.emplace_back(Tensor());
    } else {
      inputs.push_back(to_value(object, port, kept));
    }
  }
  if (found != PyDict_GET_SIZE(dict.ptr())) refuse_unknown(dict);
  if (missing) refuse_missing(dict, given);
  return inputs;
}

std::vector<Value> Session::execute(std::vector<Value> inputs, RunControl* control) const {
  std::atomic<bool> own{false};
  std::atomic<bool>& flag = control != nullptr ? control->terminate : own;
  RunOptions options;
  options.interrupted = &flag;
  if (control != nullptr) {
    options.seed = control->seed;
    options.max_steps = control->max_steps;
  }
  const Clock::time_point begin = Clock::now();
  const std::int64_t elements = elements_of(inputs);
  std::optional<StopOnInterrupt> stop;
  if (!is_quick(elements)) stop.emplace(flag);
  LongLoop loop(flag, begin);
  if (!stop && on_first_thread()) options.progress = [&loop](const Progress&) { loop.look(); };
  Result<std::vector<Value>> outputs = [&] {
    const py::gil_scoped_release unlocked;
    return program_->run_in_place(std::move(inputs), options);
  }();
  const bool quick = Clock::now() - begin < kQuick;
  if (!quick)
    quick_.store(-1, std::memory_order_relaxed);
  else if (!is_quick(elements))
    quick_.store(elements, std::memory_order_relaxed);
  const bool signalled = stop && stop->signalled();
  if (signalled || loop.raised()) flag.store(false);
  if (loop.raised() || (signalled && PyErr_CheckSignals() != 0)) throw py::error_already_set();
  return value_of(std::move(outputs));
}

std::vector<std::size_t> Session::outputs_of(const py::object& names) const {
  std::vector<std::size_t> places;
  if (names.is_none()) {
    for (std::size_t i = 0; i < program_->outputs().size(); ++i) places.push_back(i);
    return places;
  }
  if (PyUnicode_Check(names.ptr())) raise(Code::bad_type, "names of outputs are a list of str, not one str");
  for (const py::handle name : py::reinterpret_borrow<py::iterable>(names)) {
    const auto found = outputs_.find(py::str(name).cast<std::string>());
    if (found == outputs_.end())
      raise(Code::bad_argument, "the model has no output " + quoted(py::str(name).cast<std::string>()));
    places.push_back(found->second);
  }
  return places;
}

py::list Session::run(const py::object& names, const py::object& feeds, RunControl* control) const {
  const bool all = names.is_none() || (PyList_Check(names.ptr()) && PyList_GET_SIZE(names.ptr()) == 0);
  const std::vector<std::size_t> wanted = all ? std::vector<std::size_t>() : outputs_of(names);
  py::list kept;
  std::vector<Value> outputs = execute(read(feeds, kept), control);
  py::list results(all ? outputs.size() : wanted.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    PyList_SET_ITEM(results.ptr(), static_cast<Py_ssize_t>(i),
                    to_python(all ? std::move(outputs[i]) : outputs[wanted[i]]).release().ptr());
  return results;
}

Stream::Stream(const Session& session, Pairs pairs)
    : session_(session),
      pairs_(std::move(pairs)),
      is_state_(session.program().inputs().size()),
      is_new_state_(session.program().outputs().size()) {
  for (const auto& [output, input] : pairs_) {
    if (is_state_.at(input) || is_new_state_.at(output))
      raise(Code::bad_argument, "a state is one output and one input: " +
                                    quoted(session.program().inputs()[input].name) + " is in two pairs");
    is_state_[input] = is_new_state_[output] = true;
  }
}

void Stream::refuse_when_busy() const {
  if (busy_) raise(Code::bad_argument, "another thread is in a call of this stream");
}

void Stream::set_states(const py::dict& states) {
  refuse_when_busy();
  std::vector<Value> values;
  for (const auto& [output, input] : pairs_) {
    const Port& port = session_.program().inputs()[input];
    py::list kept;
    Value value = to_value(states[py::str(port.name)], port, kept);
    // A copy: it is written to.
    if (value.is_tensor()) value = value_of(value.tensor().clone());
    values.push_back(std::move(value));
  }
  states_ = std::move(values);
}

py::dict Stream::states() const {
  py::dict result;
  for (std::size_t i = 0; i < states_.size(); ++i) {
    py::object state = to_python(states_[i]);
    if (py::isinstance<py::array>(state)) state.attr("flags").attr("writeable") = false;
    result[py::str(session_.program().inputs()[pairs_[i].second].name)] = state;
  }
  return result;
}

py::list Stream::step(const py::object& feeds, RunControl* control) {
  refuse_when_busy();
  py::list kept;
  std::vector<Value> inputs = session_.read(feeds, kept, is_state_);
  if (states_.empty() && !pairs_.empty())
    raise(Code::bad_argument, "the states were lost when a call failed: reset() the stream");
  for (std::size_t i = 0; i < pairs_.size(); ++i) inputs[pairs_[i].second] = std::move(states_[i]);
  states_.clear();
  busy_ = true;
  std::vector<Value> outputs;
  try {
    outputs = session_.execute(std::move(inputs), control);
  } catch (...) {
    busy_ = false;
    throw;
  }
  busy_ = false;
  for (const auto& [output, input] : pairs_) states_.push_back(std::move(outputs[output]));
  py::list results;
  for (std::size_t i = 0; i < outputs.size(); ++i)
    if (!is_new_state_[i]) results.append(to_python(std::move(outputs[i])));
  return results;
}

}  // namespace pawl::python
