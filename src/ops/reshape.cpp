// Reshape and Flatten: the same elements in row-major order, under another shape.
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

/// What is left of the input's extents when the target's are divided out: the value of the -1.
Result<Dim> remaining(SymbolicShape numerator, const SymbolicShape& denominator) {
  Dims below;
  for (const Dim& dim : denominator) {
    if (dim.known()) {
      below.push_back(dim.value);
      continue;
    }
    const auto same =
        std::find_if(numerator.begin(), numerator.end(), [&](const Dim& other) { return dim.same(other); });
    if (same == numerator.end()) return Dim();
    numerator.erase(same);
  }
  Dims above;
  SymbolicShape left;
  for (const Dim& dim : numerator) {
    if (dim.known())
      above.push_back(dim.value);
    else
      left.push_back(dim);
  }
  const std::optional<std::int64_t> product = checked_size(above);
  const std::optional<std::int64_t> divisor = checked_size(below);
  if (divisor && *divisor == 0) return fail(Code::bad_shape, "-1 stands beside an extent of 0 and could be anything");
  if (!product || !divisor) return Dim();
  if (left.empty()) {
    if (*product % *divisor != 0)
      return fail(Code::bad_shape, "{} elements cannot be divided into rows of {}", *product, *divisor);
    return Dim(*product / *divisor);
  }
  return left.size() == 1 && *product == *divisor ? left.front() : Dim();
}

/// The target shape with its 0 and -1 filled in. `input` is null when its rank is not known.
Result<SymbolicShape> target_shape(const SymbolicShape* input, const Dims& request, bool allow_zero) {
  SymbolicShape target;
  SymbolicShape numerator = input ? *input : SymbolicShape();
  SymbolicShape denominator;
  std::vector<bool> kept(numerator.size(), false);
  std::optional<std::size_t> inferred;
  for (std::size_t i = 0; i < request.size(); ++i) {
    const std::int64_t extent = request[i];
    if (extent < -1) return fail(Code::bad_value, "shape {} has a negative extent", to_string(request));
    if (extent == -1) {
      if (inferred) return fail(Code::bad_value, "shape {} has more than one -1", to_string(request));
      inferred = i;
      target.emplace_back();
    } else if (extent == 0 && !allow_zero) {
      if (input != nullptr && i >= input->size())
        return fail(Code::bad_shape, "shape {} copies axis {}, which {} does not have", to_string(request), i,
                    to_string(*input));
      target.push_back(input ? (*input)[i] : Dim());
      if (input != nullptr) kept[i] = true;
    } else {
      target.emplace_back(extent);
      denominator.emplace_back(extent);
    }
  }
  if (input == nullptr || !inferred) return target;
  // A copied extent cancels out, even when it is unknown; a 0 does not.
  for (std::size_t i = kept.size(); i-- > 0;) {
    if (!kept[i]) continue;
    if (numerator[i].known())
      denominator.push_back(numerator[i]);
    else
      numerator.erase(numerator.begin() + static_cast<std::ptrdiff_t>(i));
  }
  auto dim = remaining(std::move(numerator), denominator);
  if (!dim.ok())
    return fail(Code::bad_shape, "{} cannot be reshaped to {}: {}", to_string(*input), to_string(request),
                dim.error().message);
  target[*inferred] = std::move(dim).value();
  return target;
}

bool allows_zero(int since, const Attributes& attributes) {
  return since >= 14 && attributes.integer("allowzero", 0) != 0;
}

Result<void> check_request(const Dims& request, bool allow_zero) {
  const bool zero = std::find(request.begin(), request.end(), 0) != request.end();
  const bool inferred = std::find(request.begin(), request.end(), -1) != request.end();
  if (allow_zero && zero && inferred)
    return fail(Code::bad_value, "shape {} has both 0 and -1, which allowzero forbids", to_string(request));
  return {};
}

Result<void> infer_reshape(InferContext& context) {
  std::optional<Dims> request;
  if (context.since() < 5) {
    request = Dims(context.attributes.integers("shape"));
  } else {
    TRY_ASSIGN(request, constant_integers(context, 1));
  }
  if (!request) {
    if (const auto count = known_count(context, 1)) context.set_shape(0, unknown_dims(*count));
    return {};
  }
  const bool allow_zero = allows_zero(context.since(), context.attributes);
  TRY(check_request(*request, allow_zero));
  const SymbolicShape* input = context.shape(0);
  TRY_ASSIGN(SymbolicShape target, target_shape(input, *request, allow_zero));
  const Type before = input ? Type::tensor(DType::undefined, *input) : Type();
  const Type after = Type::tensor(DType::undefined, target);
  const std::optional<Dims> from = before.static_shape();
  const std::optional<Dims> to = after.static_shape();
  if (from && to && checked_size(*from) != checked_size(*to))
    return fail(Code::bad_shape, "{} cannot be reshaped to {}", to_string(*from), to_string(*request));
  context.set_shape(0, std::move(target));
  return {};
}

Result<void> eval_reshape(EvalContext& context) {
  Dims request;
  if (context.since() < 5) {
    request = Dims(context.attributes.integers("shape"));
  } else {
    TRY_ASSIGN(request, context.integers(1));
  }
  const bool allow_zero = allows_zero(context.since(), context.attributes);
  TRY(check_request(request, allow_zero));
  const Tensor data = take_tensor(context, 0);
  const SymbolicShape input = symbolic(data.shape());
  TRY_ASSIGN(const SymbolicShape target, target_shape(&input, request, allow_zero));
  Dims shape;
  for (const Dim& dim : target) shape.push_back(dim.value);
  if (checked_size(shape) != data.size())
    return fail(Code::bad_shape, "{} cannot be reshaped to {}", to_string(data.shape()), to_string(request));
  TRY_ASSIGN(const Tensor dense, data.to_dense());
  context.outputs[0] = dense.reshaped(std::move(shape));
  return {};
}

/// The axis where Flatten's second dimension begins, 0 <= axis <= rank. Negative ones came with version 11.
Result<std::size_t> flatten_axis(const Attributes& attributes, std::size_t rank) {
  const std::int64_t axis = attributes.integer("axis", 1);
  if (axis == static_cast<std::int64_t>(rank)) return rank;
  return resolve_axis(axis, rank);
}

Dim product(std::span<const Dim> dims) {
  Dims known;
  const Dim* symbol = nullptr;
  std::size_t open = 0;
  for (const Dim& dim : dims) {
    if (dim.known()) {
      known.push_back(dim.value);
    } else {
      symbol = &dim;
      ++open;
    }
  }
  const std::optional<std::int64_t> size = checked_size(known);
  if (!size) return Dim();
  if (open == 0 || *size == 0) return Dim(*size);
  return open == 1 && *size == 1 ? *symbol : Dim();
}

Result<void> infer_flatten(InferContext& context) {
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) {
    context.set_shape(0, unknown_dims(2));
    return {};
  }
  TRY_ASSIGN(const std::size_t axis, flatten_axis(context.attributes, shape->size()));
  const std::span<const Dim> dims(*shape);
  context.set_shape(0, {product(dims.first(axis)), product(dims.subspan(axis))});
  return {};
}

Result<void> eval_flatten(EvalContext& context) {
  const Tensor data = take_tensor(context, 0);
  TRY_ASSIGN(const std::size_t axis, flatten_axis(context.attributes, data.shape().size()));
  const std::span<const std::int64_t> dims(data.shape());
  const std::optional<std::int64_t> rows = checked_size(dims.first(axis));
  const std::optional<std::int64_t> columns = checked_size(dims.subspan(axis));
  if (!rows || !columns) return fail(Code::limit, "{} cannot be flattened: its extents are too large", to_string(dims));
  TRY_ASSIGN(const Tensor dense, data.to_dense());
  context.outputs[0] = dense.reshaped({*rows, *columns});
  return {};
}

}  // namespace

std::span<const OpDef> reshape_ops() {
  static const OpDef rows[] = {
      {.name = "Reshape",
       .since = {1, 5, 13, 14, 19, 21, 23, 24, 25},
       .infer = infer_reshape,
       .eval = eval_reshape,
       .axes = kReshapeAxes},
      {.name = "Flatten",
       .since = {1, 9, 11, 13, 21, 23, 24, 25},
       .infer = infer_flatten,
       .eval = eval_flatten,
       .axes = kFlattenAxes},
  };
  return rows;
}

}  // namespace pawl::ops
