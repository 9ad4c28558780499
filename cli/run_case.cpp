#include <exception>
#include <optional>

#include "base/try.h"
#include "conformance.h"
#include "onnx/read.h"
#include "pawl/value_file.h"
#include "runtime/model.h"

namespace pawl::cli {
namespace {

namespace fs = std::filesystem;

/// Positions of the inputs that a data set numbers: those that the model has no value for.
std::vector<std::size_t> required_inputs(const std::vector<Port>& ports) {
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < ports.size(); ++i)
    if (!ports[i].has_default) positions.push_back(i);
  return positions;
}

fs::path numbered(const fs::path& folder, const char* what, std::size_t number) {
  return folder / fmt::format("{}_{}.pb", what, number);
}

Result<std::vector<Value>> read_inputs(const fs::path& data_set, const std::vector<Port>& ports) {
  std::vector<Value> values(ports.size(), Value(Tensor()));
  const std::vector<std::size_t> positions = required_inputs(ports);
  for (std::size_t i = 0; i < positions.size(); ++i) {
    const Port& port = ports[positions[i]];
    TRY_ASSIGN_IN(fmt::format("input \"{}\"", port.name), values[positions[i]],
                  read_value(numbered(data_set, "input", i), port.type));
  }
  if (const fs::path extra = numbered(data_set, "input", positions.size()); fs::exists(extra))
    return fail(Code::bad_argument, "{}: the model has only {} inputs without an initializer", extra.string(),
                positions.size());
  return values;
}

/// The inputs of the light layout: element i of n is i/n; extents that the model leaves open are 1.
Result<std::vector<Value>> ramp_inputs(const std::vector<Port>& ports) {
  std::vector<Value> values(ports.size(), Value(Tensor()));
  for (const std::size_t i : required_inputs(ports)) {
    const Type& type = ports[i].type;
    if (type.dtype != DType::f32 || !type.is_tensor() || !type.shape)
      return fail(Code::bad_argument, "input \"{}\" has type {}: only float tensors can be made up", ports[i].name,
                  to_string(type));
    Dims shape;
    for (const Dim& dim : *type.shape) shape.push_back(dim.known() ? dim.value : 1);
    TRY_ASSIGN(Tensor tensor, Tensor::allocate(DType::f32, std::move(shape)));
    const auto size = static_cast<double>(tensor.size());
    double index = 0;
    for (float& element : tensor.mutable_values<float>()) element = static_cast<float>(index++ / size);
    values[i] = std::move(tensor);
  }
  return values;
}

bool draws_random_numbers(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes) {
    const auto* call = std::get_if<graph::OpCall>(&node.operation);
    if (call != nullptr && call->def->random) return true;
    bool inside = false;
    graph::for_each_body(
        node, [&](const graph::Body& body, std::string_view) { inside = inside || draws_random_numbers(*body.graph); });
    if (inside) return true;
  }
  return false;
}

/// Compares the outputs that there are files for; returns how many those were. Where the model draws random numbers the
/// values are another generator's, and only types and shapes have to agree.
Result<std::size_t> compare_outputs(const Case& test, const fs::path& data_set, const Model& model,
                                    const std::vector<Value>& outputs, bool expanded) {
  const std::vector<Port>& ports = model.outputs();
  const bool random = draws_random_numbers(*model.state().imported.graph);
  std::size_t compared = 0;
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    const fs::path file =
        test.light ? fs::path(test.folder.string() + fmt::format("_output_{}.pb", i)) : numbered(data_set, "output", i);
    if (!fs::exists(file)) continue;
    const std::string place = fmt::format("output {} \"{}\"", i, ports[i].name);
    TRY_ASSIGN_IN(place, const Value want, read_value(file, ports[i].type));
    // A body rounds after each of its operators.
    constexpr int kRoundings = 8;
    const Tolerance given = test.expectation.tolerance(i);
    const auto difference =
        first_difference(outputs[i], want, expanded ? allow_roundings(given, want, kRoundings) : given);
    const bool same_form = to_string(type_of(outputs[i])) == to_string(type_of(want));
    if (difference && !(random && same_form)) return fail(Code::bad_value, "{}", *difference).in(place);
    ++compared;
  }
  return compared;
}

CaseResult passed(std::string how = {}) { return {Outcome::passed, std::move(how), {}}; }
CaseResult failed(std::string reason) { return {Outcome::failed, std::move(reason), {}}; }
CaseResult skipped(std::string reason) { return {Outcome::skipped, std::move(reason), {}}; }

/// What it means that the model was not loaded, or did not run.
CaseResult judge_refusal(const Case& test, const Error& error) {
  if (error.code == Code::unsupported) {
    CaseResult result = skipped(error.to_string());
    if (const Result<onnx::Model> model = onnx::read_model(test.models[0]); model.ok())
      result.missing = missing_operators(*model);
    if (!result.missing.empty() || !test.expectation.may_be_refused) return result;
  }
  const bool clean = error.code != Code::internal && error.code != Code::io;
  return test.expectation.may_be_refused && clean ? passed("refused: " + error.to_string()) : failed(error.to_string());
}

/// Runs a program over all data sets and compares; `compared` counts outputs.
Result<CaseResult> run_program(const Case& test, const Model& model, const Program& program, const RunOptions& options,
                               bool expanded, std::size_t& compared) {
  std::vector<fs::path> data_sets = test.data_sets;
  if (test.light) data_sets = {test.folder};
  for (const fs::path& data_set : data_sets) {
    const std::string place = data_set.filename().string();
    const Result<std::vector<Value>> inputs =
        test.light ? ramp_inputs(model.inputs()) : read_inputs(data_set, model.inputs());
    if (!inputs.ok()) return failed(Error(inputs.error()).in(place).to_string());
    const Result<std::vector<Value>> outputs = program.run(*inputs, options);
    if (!outputs.ok() && outputs.error().code == Code::interrupted) return outputs.error();
    if (!outputs.ok()) return judge_refusal(test, Error(outputs.error()).in(place));
    const Result<std::size_t> count = compare_outputs(test, data_set, model, *outputs, expanded);
    if (!count.ok()) return failed(Error(count.error()).in(place).to_string());
    compared += *count;
  }
  return passed();
}

Result<CaseResult> run_data_sets(const Case& test, const CaseOptions& options) {
  const Result<Model> model = Model::load(test.models[0]);
  if (!model.ok()) return judge_refusal(test, model.error());
  const Result<Program> program = Program::compile(*model, {.guarantee = options.guarantee});
  if (!program.ok()) return judge_refusal(test, program.error());
  std::size_t compared = 0;
  TRY_ASSIGN(CaseResult result, run_program(test, *model, *program, options.run, false, compared));
  if (result.outcome != Outcome::passed || !result.reason.empty()) return result;
  if (!test.expectation.may_run) return failed("it must be refused, and runs");
  if (compared == 0 && !test.expectation.may_be_refused) return skipped("there is no expected output to compare with");
  if (!options.expand) return result;
  const Result<Program> expanded =
      Program::compile(*model, {.guarantee = options.guarantee, .expansion = Expansion::all});
  if (!expanded.ok()) return failed(Error(expanded.error()).in("expanded").to_string());
  if (expanded->expansions() <= program->expansions()) return result;
  TRY_ASSIGN(result, run_program(test, *model, *expanded, options.run, true, compared));
  if (result.outcome != Outcome::passed)
    result.reason = "expanded: " + result.reason;
  else if (result.reason.empty())
    result.reason = "also expanded";
  return result;
}

}  // namespace

Result<CaseResult> run_case(const Case& test, const CaseOptions& options) {
  if (test.models.empty()) return failed("there is no model");
  if (test.models.size() > 1) return failed("there are several models, and none is called model.onnx");
  try {
    return run_data_sets(test, options);
  } catch (const std::exception& exception) {
    return failed(fmt::format("internal error: {}", exception.what()));
  }
}

}  // namespace pawl::cli
