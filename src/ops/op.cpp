#include "ops/op.h"

#include "ops/schema.h"
#include "tensor/walk.h"

namespace pawl::ops {

int InferContext::since() const { return schema.since; }
int EvalContext::since() const { return schema.since; }

Result<Dims> EvalContext::integers(std::size_t i) const {
  TRY_ASSIGN(const Tensor dense_input, dense(i));
  Dims values;
  values.resize(static_cast<std::size_t>(dense_input.size()));
  if (dense_input.dtype() == DType::i64) {
    const auto from = dense_input.values<std::int64_t>();
    std::copy(from.begin(), from.end(), values.begin());
  } else if (dense_input.dtype() == DType::i32) {
    const auto from = dense_input.values<std::int32_t>();
    std::copy(from.begin(), from.end(), values.begin());
  } else {
    return fail(Code::bad_type, "input {} must hold int64 or int32 values, not {}", i, name(dense_input.dtype()));
  }
  return values;
}

}  // namespace pawl::ops
