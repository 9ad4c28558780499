// What a compiled program holds.
#pragma once

#include "backend/reference/evaluate.h"
#include "pawl/program.h"
#include "runtime/model.h"

namespace pawl {

struct Program::State {
  std::shared_ptr<const Model::State> model;
  std::shared_ptr<const reference::Prepared> reference;
};

}  // namespace pawl
