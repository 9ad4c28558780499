// The library that is linked with LLVM, loaded when the first kernel is compiled: LLVM costs every start of a program
// that is linked with it 70 to 100 ms.
#pragma once

#include <string>
#include <string_view>

#include "backend/cpu/target.h"
#include "pawl/error.h"

namespace pawl::cpu {

/// LLVM IR to the bytes of an ELF object file. Errors: unsupported, where libpawl_llvm.so is neither beside the
/// program or library that this is part of, nor where the loader looks; internal, of IR that LLVM does not accept.
Result<std::string> compile_with_llvm(std::string_view text, const Target& target);

}  // namespace pawl::cpu
