// Which operators go to oneDNN. Whatever does not fit is left to the operator's own evaluation, which also finds the
// words for what is wrong.
#include <algorithm>
#include <array>

#include "backend/cpu/dnnl_library.h"
#include "backend/cpu/dnnl_operators.h"

namespace pawl::cpu {
namespace {

struct Row {
  std::string_view name;
  Result<bool> (*accelerate)(ops::EvalContext&, const Policy&);
};

constexpr std::array kRows = {
    Row{"MatMul", accelerate_matmul},
    Row{"Gemm", accelerate_gemm},
    Row{"Conv", accelerate_conv},
    Row{"MaxPool", accelerate_max_pool},
    Row{"AveragePool", accelerate_average_pool},
    Row{"ConvTranspose", accelerate_conv_transpose},
};

const Row* find_row(const ops::OpDef& def) {
  if (!def.domain.empty()) return nullptr;
  const auto* row = std::find_if(kRows.begin(), kRows.end(), [&](const Row& each) { return each.name == def.name; });
  return row == kRows.end() ? nullptr : row;
}

}  // namespace

bool reaches(std::int64_t least, std::initializer_list<std::int64_t> factors) {
  std::int64_t work = 1;
  for (const std::int64_t factor : factors) {
    if (factor == 0) return false;
    if (work < least && __builtin_mul_overflow(work, factor, &work)) work = least;
  }
  return work >= least;
}

bool is_accelerated(const ops::OpDef& def) { return find_row(def) != nullptr; }

Result<bool> accelerate(const ops::OpDef& def, ops::EvalContext& context, const Policy& policy) {
  const Row* row = find_row(def);
  if (row == nullptr || context.tensor(0).dtype() != DType::f32) return false;
  return row->accelerate(context, policy);
}

bool has_dnnl() { return DnnlLibrary::get() != nullptr; }

}  // namespace pawl::cpu
