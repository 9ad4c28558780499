// Gemm: alpha·op(A)·op(B) + beta·C. Float products are accumulated in double and rounded once; integers wrap.
#include <cmath>

#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/multiply.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

/// Until version 6, C is stretched only where the attribute `broadcast` says so.
bool may_stretch(int since, const Attributes& attributes) {
  return since >= 7 || attributes.integer("broadcast", 0) != 0;
}

Result<void> infer_gemm(InferContext& context) {
  const SymbolicShape *a = context.shape(0), *b = context.shape(1), *c = context.shape(2);
  if ((a != nullptr && a->size() != 2) || (b != nullptr && b->size() != 2)) {
    return fail(Code::bad_shape, "Gemm needs matrices: A has shape {}, B {}", a ? to_string(*a) : "?",
                b ? to_string(*b) : "?");
  }
  const std::size_t inner_a = context.attributes.integer("transA", 0) != 0 ? 0 : 1;
  const std::size_t inner_b = context.attributes.integer("transB", 0) != 0 ? 1 : 0;
  if (a != nullptr && b != nullptr && !agree_dim((*a)[inner_a], (*b)[inner_b]))
    return fail(Code::bad_shape, "A of shape {} and B of shape {} differ in the extent that is summed over",
                to_string(*a), to_string(*b));
  const SymbolicShape out = {a != nullptr ? (*a)[1 - inner_a] : Dim(), b != nullptr ? (*b)[1 - inner_b] : Dim()};
  context.set_shape(0, out);
  if (c == nullptr) return {};
  bool fits = c->size() <= 2 && (c->size() == 2 || may_stretch(context.since(), context.attributes));
  for (std::size_t i = 1; fits && i <= c->size(); ++i) {
    const Dim& extent = (*c)[c->size() - i];
    const bool stretches = extent.known() && extent.value == 1 && may_stretch(context.since(), context.attributes);
    fits = stretches || agree_dim(extent, out[2 - i]);
  }
  if (!fits) return fail(Code::bad_shape, "C of shape {} cannot be broadcast to {}", to_string(*c), to_string(out));
  return {};
}

/// alpha·sum + beta·c as T. Integers stay exact where alpha and beta are whole numbers, else the result is truncated.
template <class T>
T combine(Wide<T> sum, double alpha, double beta, const T* c) {
  if constexpr (kIsFloat<T>) {
    return static_cast<T>(c == nullptr ? alpha * sum : alpha * sum + beta * static_cast<double>(*c));
  } else {
    constexpr double kExact = 9.0e15;
    if (std::trunc(alpha) == alpha && std::trunc(beta) == beta && std::fabs(alpha) < kExact &&
        std::fabs(beta) < kExact) {
      const auto whole = [](double x) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(x)); };
      return from_wide<T>(whole(alpha) * sum + (c == nullptr ? 0 : whole(beta) * to_wide(*c)));
    }
    const double product = alpha * static_cast<double>(from_wide<T>(sum));
    return truncate_to<T>(c == nullptr ? product : product + beta * static_cast<double>(*c));
  }
}

Result<Tensor> stretched_bias(const EvalContext& context, const Dims& shape) {
  TRY_ASSIGN(const Tensor c, aligned(context.tensor(2)));
  const auto common = broadcast_shapes(c.shape(), shape);
  const bool same = c.shape() == shape;
  if (!common.ok() || *common != shape || (!same && !may_stretch(context.since(), context.attributes)))
    return fail(Code::bad_shape, "C of shape {} cannot be broadcast to {}", to_string(c.shape()), to_string(shape));
  return broadcast_view(c, shape);
}

Result<void> eval_gemm(EvalContext& context) {
  TRY_ASSIGN(const Tensor a, aligned(context.tensor(0)));
  TRY_ASSIGN(const Tensor b, aligned(context.tensor(1)));
  if (a.rank() != 2 || b.rank() != 2)
    return fail(Code::bad_shape, "Gemm needs matrices: A has shape {}, B {}", to_string(a.shape()),
                to_string(b.shape()));
  const bool trans_a = context.attributes.integer("transA", 0) != 0,
             trans_b = context.attributes.integer("transB", 0) != 0;
  if (a.shape()[trans_a ? 0 : 1] != b.shape()[trans_b ? 1 : 0])
    return fail(Code::bad_shape, "A of shape {} and B of shape {} differ in the extent that is summed over",
                to_string(a.shape()), to_string(b.shape()));
  const Dims shape = {a.shape()[trans_a ? 1 : 0], b.shape()[trans_b ? 0 : 1]};
  Tensor c;
  if (context.has_input(2)) {
    TRY_ASSIGN(c, stretched_bias(context, shape));
  }
  TRY_ASSIGN(Tensor out, Tensor::allocate(a.dtype(), shape));
  const double alpha = context.attributes.real("alpha", 1), beta = context.attributes.real("beta", 1);
  return dispatch<Factors>(a.dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    const Matrix<T> left = last_two_axes<T>(a), right = last_two_axes<T>(b);
    T* to = out.mutable_data<T>();
    multiply(trans_a ? left.transposed() : left, trans_b ? right.transposed() : right,
             [&](std::int64_t i, std::int64_t j, const Wide<T>* sums, std::int64_t n) {
               for (std::int64_t k = 0; k < n; ++k) {
                 const T* bias = c.defined() ? c.data<T>() + i * c.strides()[0] + (j + k) * c.strides()[1] : nullptr;
                 to[i * shape[1] + j + k] = combine<T>(sums[k], alpha, beta, bias);
               }
             });
    context.outputs[0] = std::move(out);
    return {};
  });
}

constexpr OpDef kGemm[] = {
    {.name = "Gemm", .since = {1, 6, 7, 9, 11, 13}, .infer = infer_gemm, .eval = eval_gemm, .axes = kGemmAxes}};

}  // namespace

std::span<const OpDef> gemm_ops() { return kGemm; }

}  // namespace pawl::ops
