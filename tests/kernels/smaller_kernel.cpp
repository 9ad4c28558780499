#include "smaller_kernel.h"

#include <optional>

namespace pawl::tests {
namespace {

using kernel::Block;
using kernel::Loop;
using kernel::Program;
using kernel::Statement;

/// Copies all statements but the one of this number, counted in the order of the text.
class Copier {
 public:
  explicit Copier(int without) : without_(without) {}

  Block block(const Block& statements) {
    Block made;
    for (const Statement& statement : statements) {
      if (number_++ == without_) continue;
      std::visit([&](const auto& one) { made.push_back(copied(one)); }, statement);
    }
    return made;
  }
  [[nodiscard]] int statements() const { return number_; }

 private:
  template <class T>
  Statement copied(const T& statement) {
    return statement;
  }
  Statement copied(const std::unique_ptr<Loop>& held) {
    auto made = std::make_unique<Loop>();
    made->kind = held->kind;
    made->counter = held->counter;
    made->extent = held->extent;
    made->carried = held->carried;
    made->reduction = held->reduction;
    made->unroll = held->unroll;
    made->block = block(held->block);
    return made;
  }

  int without_;
  int number_ = 0;
};

/// Nothing where there is no such statement.
std::optional<Program> without(const Program& program, int statement) {
  Copier copier(statement);
  Program made = {program.name,     program.buffers, program.params,
                  program.counters, program.vars,    copier.block(program.block),
                  program.splits};
  if (statement >= copier.statements()) return std::nullopt;
  return made;
}

}  // namespace

Program copy(const Program& program) { return *without(program, -1); }

Program smaller(Program program, const std::function<bool(const Program&)>& fails) {
  for (bool changed = true; changed;) {
    changed = false;
    for (int statement = 0;;) {
      std::optional<Program> candidate = without(program, statement);
      if (!candidate) break;
      if (kernel::verify(*candidate).ok() && fails(*candidate)) {
        program = std::move(*candidate);
        changed = true;
      } else {
        ++statement;
      }
    }
  }
  return program;
}

}  // namespace pawl::tests
