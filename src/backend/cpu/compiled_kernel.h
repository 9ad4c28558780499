// A kernel that can be run.
#pragma once

#include "backend/cpu/executable_memory.h"
#include "backend/cpu/object_code.h"

namespace pawl::cpu {

class CompiledKernel {
 public:
  /// Errors: limit, where memory cannot be made executable; internal, of an entry outside of the code.
  static Result<CompiledKernel> load(const ObjectCode& code);

  /// Runs iterations [begin, end) of the outermost loop of a program that splits, else all of it, whatever the range.
  /// `buffers` and `params` are in the program's order; of a program with barriers a Meeting, or null, follows.
  void run(void* const* buffers, const std::int64_t* params, std::int64_t begin, std::int64_t end) const {
    function_(buffers, params, begin, end);
  }

 private:
  using Function = void (*)(void* const*, const std::int64_t*, std::int64_t, std::int64_t);
  CompiledKernel(ExecutableMemory memory, Function function) : memory_(std::move(memory)), function_(function) {}
  ExecutableMemory memory_;
  Function function_;
};

}  // namespace pawl::cpu
