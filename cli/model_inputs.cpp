#include "model_inputs.h"

#include <CLI/App.hpp>
#include <optional>

#include "base/try.h"
#include "pawl/value_file.h"
#include "random_inputs.h"

namespace pawl::cli {
namespace {

/// Splits "NAME=FILE"; both may contain '=': the longest NAME that the model has an input for counts.
Result<std::pair<std::size_t, std::string>> split_input(const std::string& argument, const std::vector<Port>& ports) {
  for (std::size_t at = argument.rfind('='); at != std::string::npos && at > 0; at = argument.rfind('=', at - 1))
    for (std::size_t i = 0; i < ports.size(); ++i)
      if (ports[i].name == std::string_view(argument).substr(0, at)) return std::pair(i, argument.substr(at + 1));
  const std::size_t at = argument.find('=');
  if (at == std::string::npos) return fail(Code::bad_argument, "--input {}: expected NAME=FILE", argument);
  std::string known;
  for (const Port& port : ports) known += (known.empty() ? "" : ", ") + port.name;
  return fail(Code::bad_argument, "--input {}: the model has no input \"{}\"; it has {}", argument,
              argument.substr(0, at), known.empty() ? "none" : known);
}

}  // namespace

void define_input_options(CLI::App& command, InputArguments& arguments) {
  command.add_option("MODEL", arguments.model, "An .onnx file, or .onnxtxt in ONNX's text syntax");
  command.add_option("--input", arguments.inputs, "NAME=FILE …: the value of an input, from a .npy or .pb file")
      ->type_name("NAME=FILE");
  command.add_flag("--random-inputs", arguments.random_inputs,
                   "Make up the inputs that no --input gives: floats in [-1, 1], integers 0 to 9");
  command
      .add_option("--dim", arguments.dims,
                  "T=512 …: the extent of a symbolic dim, or of an unnamed one as INPUT.AXIS=512")
      ->type_name("DIM=N");
  command.add_option("--seed", arguments.seed, "Of the random inputs and of operators that draw random numbers")
      ->capture_default_str();
}

Result<void> find_model(InputArguments& arguments, std::string_view command) {
  for (std::vector<std::string>* words : {&arguments.inputs, &arguments.dims}) {
    if (!arguments.model.empty() || words->empty() || words->back().find('=') != std::string::npos) continue;
    arguments.model = words->back();
    words->pop_back();
  }
  if (arguments.model.empty())
    return fail(Code::bad_argument, "MODEL is required (pawl {} --help tells more)", command);
  return {};
}

Result<std::vector<Value>> gather_inputs(const InputArguments& arguments, const std::vector<Port>& ports) {
  std::vector<std::optional<Value>> given(ports.size());
  TRY_ASSIGN(DimValues dims, parse_dims(arguments.dims, ports));
  for (const std::string& argument : arguments.inputs) {
    TRY_ASSIGN(const auto split, split_input(argument, ports));
    const auto& [index, file] = split;
    if (given[index])
      return fail(Code::bad_argument, "--input {}: input \"{}\" is given twice", argument, ports[index].name);
    TRY_ASSIGN_IN(fmt::format("input \"{}\"", ports[index].name), given[index], read_value(file, ports[index].type));
    bind_dims(ports[index].type, *given[index], dims);
  }
  std::vector<Value> values;
  for (std::size_t i = 0; i < ports.size(); ++i) {
    if (given[i]) {
      values.push_back(std::move(*given[i]));
    } else if (ports[i].has_default) {
      values.emplace_back(Tensor());
    } else if (arguments.random_inputs) {
      TRY_ASSIGN(Value value, random_value(ports[i], i, arguments.seed, dims));
      values.push_back(std::move(value));
    } else {
      return fail(Code::bad_argument, "input \"{}\" of type {} is missing: give --input {}=FILE, or --random-inputs",
                  ports[i].name, to_string(ports[i].type), ports[i].name);
    }
  }
  return values;
}

}  // namespace pawl::cli
