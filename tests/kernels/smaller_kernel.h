// Cutting a kernel down.
#pragma once

#include <functional>

#include "kernel/program.h"

namespace pawl::tests {

/// The same program.
kernel::Program copy(const kernel::Program& program);

/// The program without statements, and with shorter unrolling, that `fails` still fails of.
kernel::Program smaller(kernel::Program program, const std::function<bool(const kernel::Program&)>& fails);

}  // namespace pawl::tests
