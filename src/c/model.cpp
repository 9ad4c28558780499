// Models and their ports through the C interface, and what is found out about them without running.
#include "c/handles.h"
#include "pawl/explain.h"
#include "pawl/optimize.h"

namespace pawl::c {

std::vector<pawl_port> to_handles(const std::vector<Port>& ports) {
  std::vector<pawl_port> handles;
  handles.reserve(ports.size());
  for (const Port& port : ports) handles.push_back({port, to_string(port.type)});
  return handles;
}

const pawl_port* port_at(const std::vector<pawl_port>& ports, std::size_t index) {
  return index < ports.size() ? &ports[index] : nullptr;
}

namespace {

std::filesystem::path folder_of(const char* folder) { return folder == nullptr ? "" : folder; }

Result<void> keep(Result<Model> loaded, pawl_model** model) {
  if (!loaded.ok()) return std::move(loaded).error();
  *model = new pawl_model{*loaded, to_handles(loaded->inputs()), to_handles(loaded->outputs())};
  return {};
}

const Dim* dim_of(const pawl_port* port, std::size_t axis) {
  const Type& type = port->port.type;
  return type.is_tensor() && type.shape && axis < type.shape->size() ? &(*type.shape)[axis] : nullptr;
}

Result<pawl_plan_options> read_plan_options(const pawl_plan_options* given) {
  TRY_ASSIGN(const pawl_plan_options options,
             read_options<pawl_plan_options>(given, PAWL_PLAN_OPTIONS_INIT, "pawl_plan_options"));
  if (options.dim_count == 0) return options;
  TRY(expect(options.symbols, "pawl_plan_options.symbols"));
  TRY(expect(options.extents, "pawl_plan_options.extents"));
  for (std::size_t i = 0; i < options.dim_count; ++i) TRY(expect(options.symbols[i], "a symbol"));
  return options;
}

std::vector<std::pair<std::string, std::int64_t>> dims_of(const pawl_plan_options& options) {
  std::vector<std::pair<std::string, std::int64_t>> dims;
  dims.reserve(options.dim_count);
  for (std::size_t i = 0; i < options.dim_count; ++i) dims.emplace_back(options.symbols[i], options.extents[i]);
  return dims;
}

Result<void> explain_as(const pawl_model* model, const pawl_plan_options* options, pawl_format format,
                        pawl_text** text) {
  TRY(expect(model, "model"));
  TRY(expect(text, "text"));
  TRY_ASSIGN(const pawl_plan_options plan, read_plan_options(options));
  if (format < PAWL_TEXT || format > PAWL_JSON)
    return fail(Code::bad_argument, "{} is no format", static_cast<int>(format));
  if (plan.threads < 1) return fail(Code::bad_argument, "pawl_plan_options.threads is {}", plan.threads);
  TRY_ASSIGN(Explanation explanation,
             explain(model->model, {.dims = dims_of(plan), .threads = plan.threads, .exact = plan.exact != 0}));
  std::string& chosen = format == PAWL_TEXT  ? explanation.text
                        : format == PAWL_SVG ? explanation.svg
                                             : explanation.json;
  *text = new pawl_text{std::move(chosen)};
  return {};
}

Result<void> optimize_to(const pawl_model* model, const pawl_plan_options* options, pawl_text** bytes,
                         pawl_text** notes) {
  TRY(expect(model, "model"));
  TRY(expect(bytes, "bytes"));
  TRY_ASSIGN(const pawl_plan_options plan, read_plan_options(options));
  std::vector<std::string> lines;
  TRY_ASSIGN(std::string model_bytes, optimize(model->model, {.opset = plan.opset,
                                                              .dims = dims_of(plan),
                                                              .parallel_scan = plan.parallel_scan != 0,
                                                              .exact = plan.exact != 0,
                                                              .notes = &lines}));
  std::string joined;
  for (const std::string& line : lines) joined += line + "\n";
  auto written = std::make_unique<pawl_text>(pawl_text{std::move(model_bytes)});
  if (notes != nullptr) *notes = new pawl_text{std::move(joined)};
  *bytes = written.release();
  return {};
}

}  // namespace
}  // namespace pawl::c

using namespace pawl;
using namespace pawl::c;

pawl_error* pawl_model_load(const char* path, pawl_model** model) {
  return attempt([&]() -> Result<void> {
    TRY(expect(path, "path"));
    TRY(expect(model, "model"));
    return keep(Model::load(path), model);
  });
}

pawl_error* pawl_model_from_bytes(const void* bytes, size_t size, const char* folder, pawl_model** model) {
  return attempt([&]() -> Result<void> {
    TRY(expect(bytes, "bytes"));
    TRY(expect(model, "model"));
    return keep(Model::from_bytes({static_cast<const std::byte*>(bytes), size}, folder_of(folder)), model);
  });
}

pawl_error* pawl_model_from_text(const char* text, size_t size, const char* folder, pawl_model** model) {
  return attempt([&]() -> Result<void> {
    TRY(expect(text, "text"));
    TRY(expect(model, "model"));
    return keep(Model::from_text({text, size}, folder_of(folder)), model);
  });
}

void pawl_model_free(pawl_model* model) { delete model; }

size_t pawl_model_input_count(const pawl_model* model) { return model->inputs.size(); }
size_t pawl_model_output_count(const pawl_model* model) { return model->outputs.size(); }
const pawl_port* pawl_model_input(const pawl_model* model, size_t index) { return port_at(model->inputs, index); }
const pawl_port* pawl_model_output(const pawl_model* model, size_t index) { return port_at(model->outputs, index); }

const char* pawl_port_name(const pawl_port* port) { return port->port.name.c_str(); }
const char* pawl_port_type(const pawl_port* port) { return port->type.c_str(); }
int pawl_port_has_default(const pawl_port* port) { return port->port.has_default ? 1 : 0; }

pawl_dtype pawl_port_dtype(const pawl_port* port) {
  return port->port.type.is_tensor() ? static_cast<pawl_dtype>(port->port.type.dtype) : 0;
}

int64_t pawl_port_rank(const pawl_port* port) {
  const Type& type = port->port.type;
  return type.is_tensor() && type.shape ? static_cast<int64_t>(type.shape->size()) : PAWL_UNKNOWN;
}

int64_t pawl_port_extent(const pawl_port* port, size_t axis) {
  const Dim* dim = dim_of(port, axis);
  return dim != nullptr && dim->known() ? dim->value : PAWL_UNKNOWN;
}

const char* pawl_port_symbol(const pawl_port* port, size_t axis) {
  const Dim* dim = dim_of(port, axis);
  return dim != nullptr ? dim->symbol.c_str() : "";
}

pawl_error* pawl_model_explain(const pawl_model* model, const pawl_plan_options* options, pawl_format format,
                               pawl_text** text) {
  return attempt([&] { return explain_as(model, options, format, text); });
}

pawl_error* pawl_model_optimize(const pawl_model* model, const pawl_plan_options* options, pawl_text** bytes,
                                pawl_text** notes) {
  return attempt([&] { return optimize_to(model, options, bytes, notes); });
}
