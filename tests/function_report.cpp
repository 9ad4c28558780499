// Prints the tables of docs/numerics.md: function_report [STEP]. STEP 1 takes every f32, some minutes for each
// function.
#include <cstdio>
#include <cstdlib>

#include "function_errors.h"

namespace pawl::expr {
namespace {

void print_row(Op op, DType dtype, const char* type, std::uint64_t step, bool with_f64) {
  const Errors errors = errors_of(op, dtype, step, with_f64);
  const bool small = dtype == DType::f16 || dtype == DType::bf16;
  std::printf("| %.*s | %s | %.2f | %.9g", static_cast<int>(facts_of(op).name.size()), facts_of(op).name.data(), type,
              errors.largest, errors.at[0]);
  if (op == Op::pow) std::printf(", %.9g", errors.at[1]);
  if (small) {
    std::puts(" | | | | | | |");
    return;
  }
  const Cost cost = cost_of(op, dtype, with_f64);
  std::printf(" | %d | %d | %d | %d | %d | %d |\n", cost.total(), cost.arithmetic, cost.divide, cost.integer,
              cost.choice, cost.cast);
}

void print_all(std::uint64_t step) {
  std::puts("| function | type | largest error | at | operations | arithmetic | divide | integer | choice | cast |");
  std::puts("|---|---|---|---|---|---|---|---|---|---|");
  for (const Op op : kFunctions) {
    print_row(op, DType::f32, "f32", step, true);
    if (op == Op::sin || op == Op::cos || op == Op::pow) print_row(op, DType::f32, "f32 without f64", step, false);
    print_row(op, DType::f64, "f64", step, true);
    print_row(op, DType::f16, "f16", step, true);
    print_row(op, DType::bf16, "bf16", step, true);
  }
}

}  // namespace
}  // namespace pawl::expr

int main(int argc, char** argv) {
  const std::uint64_t step = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 997;
  pawl::expr::print_all(step == 0 ? 1 : step);
}
