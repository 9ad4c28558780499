// The module pawl._pawl: what Python's side of the package is built on.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include "backend/cpu/threads.h"
#include "backend/wgsl/device.h"
#include "errors.h"
#include "pawl/explain.h"
#include "pawl/optimize.h"
#include "runtime/model.h"
#include "session.h"
#include "types.h"

namespace pawl::python {

namespace py = pybind11;

namespace {

using Extents = std::vector<std::pair<std::string, std::int64_t>>;

Model load(const std::string& path) {
  Result<Model> loaded = [&] {
    const py::gil_scoped_release unlocked;
    return Model::load(path);
  }();
  return value_of(std::move(loaded));
}

Model from_bytes(const py::bytes& bytes, const std::string& folder) {
  const auto view = static_cast<std::string_view>(bytes);
  Result<Model> decoded = [&] {
    const py::gil_scoped_release unlocked;
    return Model::from_bytes({reinterpret_cast<const std::byte*>(view.data()), view.size()}, folder);
  }();
  return value_of(std::move(decoded));
}

Model from_text(const std::string& text, const std::string& folder) { return value_of(Model::from_text(text, folder)); }

/// Extents as numbers, symbols or None; empty for a rank that is not known.
py::list shape_of(const Type& type) {
  py::list shape;
  if (!type.shape) return shape;
  for (const Dim& dim : *type.shape) {
    if (dim.known())
      shape.append(dim.value);
    else if (!dim.symbol.empty())
      shape.append(dim.symbol);
    else
      shape.append(py::none());
  }
  return shape;
}

/// (name, type, shape, has_default, the type in ONNX's text syntax) of each port.
py::list ports_of(const std::vector<Port>& ports) {
  py::list rows;
  for (const Port& port : ports)
    rows.append(
        py::make_tuple(port.name, type_name(port.type), shape_of(port.type), port.has_default, to_string(port.type)));
  return rows;
}

py::dict metadata_of(const Model& model) {
  const onnx::Model& file = model.state().onnx;
  py::dict custom;
  for (const auto& [key, value] : file.metadata) custom[py::str(key)] = value;
  py::dict opsets;
  for (const onnx::OpsetImport& opset : file.opset_imports) opsets[py::str(opset.domain)] = opset.version;
  py::dict facts;
  facts["producer_name"] = file.producer_name;
  facts["graph_name"] = file.graph.name;
  facts["domain"] = file.domain;
  facts["version"] = file.model_version;
  facts["ir_version"] = file.ir_version;
  facts["custom_metadata_map"] = custom;
  facts["opsets"] = opsets;
  return facts;
}

CompileOptions compile_options(int threads, bool exact, const std::string& kernels, bool rewrite) {
  CompileOptions options;
  if (threads < 0) raise(Code::bad_argument, "threads is " + std::to_string(threads));
  options.threads = threads;
  options.guarantee = exact ? Guarantee::exact : Guarantee::deterministic;
  options.rewrite = rewrite;
  if (kernels == "off")
    options.kernels = Kernels::off;
  else if (kernels == "webgpu")
    options.kernels = Kernels::webgpu;
  else if (kernels != "compiled")
    raise(Code::bad_argument, "kernels is \"" + kernels + "\": expected compiled, off or webgpu");
  return options;
}

py::tuple explain_model(const Model& model, Extents dims, int threads, bool exact) {
  if (threads < 1) raise(Code::bad_argument, "threads is " + std::to_string(threads));
  Explanation explanation =
      value_of(explain(model, {.dims = std::move(dims), .threads = threads, .exact = exact, .max_elements = 0}));
  return py::make_tuple(explanation.text, explanation.svg, explanation.json);
}

py::tuple optimize_model(const Model& model, Extents dims, std::int64_t opset, bool parallel_scan, bool exact) {
  std::vector<std::string> notes;
  const std::string bytes = value_of(optimize(
      model,
      {.opset = opset, .dims = std::move(dims), .parallel_scan = parallel_scan, .exact = exact, .notes = &notes}));
  return py::make_tuple(py::bytes(bytes), notes);
}

/// (operations or None, bytes of constants, steps) of one run.
py::tuple work_of(const Session& session, const py::object& feeds) {
  py::list kept;
  const std::vector<Value> inputs = session.read(feeds, kept);
  const Work work = value_of(session.program().work(inputs));
  return py::make_tuple(work.operations, work.constant_bytes, work.steps);
}

void define_sessions(py::module_& module) {
  py::class_<RunControl>(module, "RunControl")
      .def(py::init<>())
      .def_property(
          "terminate", [](const RunControl& control) { return control.terminate.load(); },
          [](RunControl& control, bool stop) { control.terminate.store(stop); })
      .def_readwrite("seed", &RunControl::seed)
      .def_readwrite("max_steps", &RunControl::max_steps);
  py::class_<Session>(module, "Session")
      .def(py::init([](const Model& model, int threads, bool exact, const std::string& kernels, bool rewrite) {
        return std::make_unique<Session>(model, compile_options(threads, exact, kernels, rewrite));
      }))
      .def("run", &Session::run)
      .def("work", &work_of)
      .def("report", [](const Session& session) { return session.program().kernel_report(); });
  py::class_<Stream>(module, "Stream")
      .def(py::init<const Session&, Stream::Pairs>(), py::keep_alive<1, 2>())
      .def("set_states", &Stream::set_states)
      .def("states", &Stream::states)
      .def("step", &Stream::step);
}

}  // namespace

PYBIND11_MODULE(_pawl, module) {
  module.attr("__version__") = PAWL_VERSION;
  py::class_<Model>(module, "Model")
      .def_property_readonly("inputs", [](const Model& model) { return ports_of(model.inputs()); })
      .def_property_readonly("outputs", [](const Model& model) { return ports_of(model.outputs()); })
      .def_property_readonly("warnings", &Model::warnings)
      .def_property_readonly("metadata", &metadata_of);
  define_sessions(module);
  module.def("load", &load);
  module.def("from_bytes", &from_bytes);
  module.def("from_text", &from_text);
  module.def("explain", &explain_model);
  module.def("optimize", &optimize_model);
  module.def("cores", &cpu::usable_cores);
  module.def("has_webgpu", [] { return wgsl::Device::open().ok(); });
  module.def("numpy_dtype", [](const std::string& name) {
    const DType dtype = dtype_from_name(name);
    if (dtype == DType::undefined) raise(Code::bad_argument, "\"" + name + "\" is no element type");
    return numpy_dtype(dtype);
  });
}

}  // namespace pawl::python
