// The model of a command, and what it is run on: files, random numbers, or both.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "command.h"
#include "pawl/model.h"
#include "pawl/tensor.h"

namespace pawl::cli {

struct InputArguments {
  std::string model;
  std::vector<std::string> inputs;  ///< NAME=FILE
  std::vector<std::string> dims;    ///< SYMBOL=N or INPUT.AXIS=N
  bool random_inputs = false;
  std::uint64_t seed = 1;
};

/// Adds MODEL, --input, --random-inputs, --dim and --seed to a command.
void define_input_options(CLI::App& command, InputArguments& arguments);

/// `--input a.npy MODEL`: an option takes all words up to the next one, so a last word that is no assignment is the
/// model. Errors: bad_argument, when there is none.
Result<void> find_model(InputArguments& arguments, std::string_view command);

/// One value per model input: from a file, random, or undefined where the model has its own. Errors: bad_argument, io
/// and what a file holds.
Result<std::vector<Value>> gather_inputs(const InputArguments& arguments, const std::vector<Port>& ports);

}  // namespace pawl::cli
