// s' = A s + b for a state that is a matrix, or a vector as its only column: products of matrices in the order of time.
#include "scan/recurrences/semiring.h"

namespace pawl::scan {
namespace {

template <class S>
constexpr Recurrence matrix_over(std::string_view name, std::string_view law, std::span<const DType> types) {
  return {.name = name,
          .law = law,
          .commutative = false,
          .float_exact = false,
          .combine = MatrixOver<S>::combine,
          .act = MatrixOver<S>::act,
          .identity = nullptr,
          .unchanged = MatrixOver<S>::unchanged,
          .width = MatrixOver<S>::width,
          .types = types,
          .multiplies_matrices = true,
          .source = "Blelloch 1990, recurrence equations of higher order"};
}

}  // namespace

const Recurrence kTransition = matrix_over<Ordinary>("matrix", "s' = A s + b", kProducts);
const Recurrence kMaxPlusMatrix = matrix_over<MaxAndPlus>("max-plus", "s' = max(A + s, b) over a row", kReals);
const Recurrence kMinPlusMatrix = matrix_over<MinAndPlus>("min-plus", "s' = min(A + s, b) over a row", kReals);
const Recurrence kLogSumExpMatrix = matrix_over<LogAndPlus>("log-sum-exp", "s' = log(exp(A) exp(s) + exp(b))", kReals);

}  // namespace pawl::scan
