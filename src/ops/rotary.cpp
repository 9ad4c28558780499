// RotaryEmbedding: pairs of features turned by an angle that depends on the position. In double, rounded once.
#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/families.h"
#include "ops/infer.h"
#include "ops/wide.h"

namespace pawl::ops {
namespace {

struct Layout {
  std::int64_t batch = 0, heads = 0, positions = 0, size = 0;
  std::int64_t turned = 0;  ///< leading features of a head that are turned, an even number
  Dims steps;               ///< of batch, head, position, in elements
};

Result<Layout> layout_of(const Tensor& x, const Attributes& attributes) {
  const Dims &shape = x.shape(), &strides = x.strides();
  Layout layout;
  if (shape.size() == 4) {
    layout = {.batch = shape[0], .heads = shape[1], .positions = shape[2], .size = shape[3], .turned = 0, .steps = {}};
    layout.steps = {strides[0], strides[1], strides[2]};
  } else if (shape.size() == 3) {
    const std::int64_t heads = attributes.integer("num_heads", 0);
    if (heads < 1 || shape[2] % heads != 0)
      return fail(Code::bad_shape, "X of shape {} cannot be split into {} heads (num_heads)", to_string(shape), heads);
    layout = {
        .batch = shape[0], .heads = heads, .positions = shape[1], .size = shape[2] / heads, .turned = 0, .steps = {}};
    layout.steps = {strides[0], layout.size, strides[1]};
  } else {
    return fail(Code::bad_shape, "X of shape {} must have rank 3 or 4", to_string(shape));
  }
  const std::int64_t given = attributes.integer("rotary_embedding_dim", 0);
  layout.turned = given == 0 ? layout.size : given;
  if (layout.turned < 0 || layout.turned > layout.size || layout.turned % 2 != 0)
    return fail(Code::bad_value, "{} of {} features cannot be turned in pairs", layout.turned, layout.size);
  return layout;
}

/// For each batch entry and position the row of the caches, [batch, positions].
Result<Dims> cache_rows(const EvalContext& context, const Layout& layout, const Dims& cache) {
  const Dims places = {layout.batch, layout.positions};
  Dims rows;
  if (!context.has_input(3)) {
    if (cache.size() != 3 || cache[0] != layout.batch || cache[1] != layout.positions)
      return fail(Code::bad_shape, "caches of shape {} do not begin with {}; without position_ids they must",
                  to_string(cache), to_string(places));
    for (std::int64_t i = 0; i < layout.batch * layout.positions; ++i) rows.push_back(i);
    return rows;
  }
  if (cache.size() != 2)
    return fail(Code::bad_shape, "caches of shape {} must have rank 2 beside position_ids", to_string(cache));
  if (context.tensor(3).shape() != places)
    return fail(Code::bad_shape, "position_ids has shape {}, {} is needed", to_string(context.tensor(3).shape()),
                to_string(places));
  TRY_ASSIGN(rows, context.integers(3));
  for (std::int64_t& row : rows) {
    if (row < -cache[0] || row >= cache[0])
      return fail(Code::bad_value, "position {} is outside of the {} rows of the caches", row, cache[0]);
    if (row < 0) row += cache[0];
  }
  return rows;
}

/// Turns one head in place. Pairs are (i, i + half), or neighbours when interleaved.
void turn(double* x, const double* cosine, const double* sine, std::int64_t half, bool interleaved) {
  for (std::int64_t i = 0; i < half; ++i) {
    double& first = x[interleaved ? 2 * i : i];
    double& second = x[interleaved ? 2 * i + 1 : i + half];
    const double real = cosine[i] * first - sine[i] * second, imaginary = sine[i] * first + cosine[i] * second;
    first = real;
    second = imaginary;
  }
}

Result<void> eval_rotary(EvalContext& context) {
  TRY_ASSIGN(const Tensor x, context.dense(0));
  TRY_ASSIGN(const Layout layout, layout_of(x, context.attributes));
  if (x.size() == 0) {
    context.outputs[0] = x;
    return {};
  }
  TRY_ASSIGN(const Tensor cosines, as_doubles(context.tensor(1)));
  TRY_ASSIGN(const Tensor sines, as_doubles(context.tensor(2)));
  const std::int64_t half = layout.turned / 2;
  if (cosines.shape() != sines.shape() || cosines.rank() < 2 || cosines.shape().back() < half)
    return fail(Code::bad_shape, "caches of shapes {} and {} must be equal and have {} columns",
                to_string(cosines.shape()), to_string(sines.shape()), half);
  TRY_ASSIGN(const Dims rows, cache_rows(context, layout, cosines.shape()));
  TRY_ASSIGN(const Tensor wide, as_doubles(x));
  TRY_ASSIGN(Tensor turned, wide.clone());
  const bool interleaved = context.attributes.integer("interleaved", 0) != 0;
  const std::int64_t columns = cosines.shape().back();
  for (std::int64_t n = 0; n < layout.batch; ++n)
    for (std::int64_t head = 0; head < layout.heads; ++head)
      for (std::int64_t position = 0; position < layout.positions; ++position) {
        const std::int64_t row = rows[static_cast<std::size_t>(n * layout.positions + position)] * columns;
        double* at =
            turned.mutable_data<double>() + n * layout.steps[0] + head * layout.steps[1] + position * layout.steps[2];
        turn(at, cosines.data<double>() + row, sines.data<double>() + row, half, interleaved);
      }
  TRY_ASSIGN(context.outputs[0], rounded(turned, x.dtype()));
  return {};
}

Result<void> infer_rotary(InferContext& context) {
  const SymbolicShape* x = context.shape(0);
  if (x != nullptr && x->size() != 3 && x->size() != 4)
    return fail(Code::bad_shape, "X of shape {} must have rank 3 or 4", to_string(*x));
  return infer_same(context);
}

constexpr OpDef kRotary[] = {
    {.name = "RotaryEmbedding", .since = {23}, .infer = infer_rotary, .eval = eval_rotary, .axes = kRotaryAxes}};

}  // namespace

std::span<const OpDef> rotary_ops() { return kRotary; }

}  // namespace pawl::ops
