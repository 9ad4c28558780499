// What a loaded model holds: the file as it was, and the typed graph made of it.
#pragma once

#include "graph/import.h"
#include "onnx/model.h"
#include "pawl/model.h"

namespace pawl {

struct Model::State {
  onnx::Model onnx;
  graph::Imported imported;
  std::vector<Port> inputs;
  std::vector<Port> outputs;
  /// The file's name, for messages; empty when the model did not come from a file.
  std::string name;
};

}  // namespace pawl
