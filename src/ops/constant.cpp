// Operators that make tensors from attributes and shapes.
#include "ops/extents.h"
#include "ops/families.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

template <class T>
Tensor list_of(const std::vector<T>& values) {
  return Tensor::of<T>({static_cast<std::int64_t>(values.size())}, std::span<const T>(values));
}

/// The one value_* attribute of a Constant. A sparse_value was made dense when the model was read.
Result<Tensor> constant_value(const Attributes& attributes) {
  Tensor value;
  int given = 0;
  for (const Attribute& attribute : attributes.list()) {
    if (!attribute.name.starts_with("value") && attribute.name != "sparse_value") continue;
    ++given;
    if (const auto* tensor = std::get_if<Tensor>(&attribute.payload)) value = *tensor;
    if (const auto* real = std::get_if<float>(&attribute.payload)) value = Tensor::scalar(*real);
    if (const auto* integer = std::get_if<std::int64_t>(&attribute.payload)) value = Tensor::scalar(*integer);
    if (const auto* text = std::get_if<std::string>(&attribute.payload)) value = Tensor::scalar(*text);
    if (const auto* reals = std::get_if<std::vector<float>>(&attribute.payload)) value = list_of(*reals);
    if (const auto* integers = std::get_if<std::vector<std::int64_t>>(&attribute.payload)) value = list_of(*integers);
    if (const auto* texts = std::get_if<std::vector<std::string>>(&attribute.payload)) value = list_of(*texts);
  }
  if (given != 1 || !value.defined())
    return fail(Code::bad_model, "a Constant needs one value attribute, and has {}", given);
  return value;
}

Result<void> infer_constant(InferContext& context) {
  TRY_ASSIGN(Tensor value, constant_value(context.attributes));
  context.outputs[0] = Type::tensor(value.dtype(), value.shape());
  context.set_constant(0, std::move(value));
  return {};
}

Result<void> eval_constant(EvalContext& context) {
  TRY_ASSIGN(context.outputs[0], constant_value(context.attributes));
  return {};
}

/// The element that ConstantOfShape repeats: a float 0 where the node does not say.
Result<Tensor> repeated_element(const Attributes& attributes) {
  const auto* value = attributes.get<Tensor>("value");
  if (value == nullptr) return Tensor::scalar(0.0F);
  if (value->size() != 1)
    return fail(Code::bad_value, "attribute value must have one element, and has shape {}", to_string(value->shape()));
  return value->view({}, {});
}

Result<void> infer_constant_of_shape(InferContext& context) {
  TRY_ASSIGN(const Tensor element, repeated_element(context.attributes));
  context.outputs[0] = Type::tensor(element.dtype());
  TRY_ASSIGN(const std::optional<Dims> shape, constant_integers(context, 0));
  if (shape) {
    TRY(bounded_size(*shape));
    context.set_shape(0, symbolic(*shape));
  } else if (const auto count = known_count(context, 0)) {
    context.set_shape(0, unknown_dims(*count));
  }
  return {};
}

Result<void> eval_constant_of_shape(EvalContext& context) {
  TRY_ASSIGN(const Tensor element, repeated_element(context.attributes));
  TRY_ASSIGN(const Dims shape, context.integers(0));
  TRY(bounded_size(shape));
  context.outputs[0] = broadcast_view(element, shape);
  return {};
}

template <class T>
struct Progression {
  T start;
  T limit;
  T delta;
};

/// max(ceil((limit - start) / delta), 0). Errors: bad_value for a delta of 0 or NaN; limit.
template <class T>
Result<std::int64_t> count_of(const Progression<T>& p) {
  if (p.delta == T(0)) return fail(Code::bad_value, "delta is 0");
  if constexpr (std::is_floating_point_v<T>) {
    const double count = std::ceil((double(p.limit) - double(p.start)) / double(p.delta));
    if (std::isnan(count))
      return fail(Code::bad_value, "Range from {} to {} by {} has no end", p.start, p.limit, p.delta);
    if (count <= 0) return 0;
    if (count > double(kMaxElements))
      return fail(Code::limit, "Range has {} elements, more than {}", count, kMaxElements);
    return static_cast<std::int64_t>(count);
  } else {
    const bool up = p.delta > 0;
    if (up ? p.limit <= p.start : p.limit >= p.start) return 0;
    const auto wide = [](T value) { return static_cast<std::uint64_t>(static_cast<std::int64_t>(value)); };
    const std::uint64_t distance = up ? wide(p.limit) - wide(p.start) : wide(p.start) - wide(p.limit);
    const std::uint64_t step = up ? wide(p.delta) : 0 - wide(p.delta);
    const std::uint64_t count = (distance - 1) / step + 1;
    if (count > static_cast<std::uint64_t>(kMaxElements))
      return fail(Code::limit, "Range has {} elements, more than {}", count, kMaxElements);
    return static_cast<std::int64_t>(count);
  }
}

/// Elements start + i * delta, computed in W and stored as T.
template <class T, class W>
Result<Tensor> range_of(const Progression<W>& p) {
  TRY_ASSIGN(const std::int64_t count, count_of(p));
  TRY_ASSIGN(Tensor result, Tensor::allocate(dtype_of<T>, {count}));
  T* to = result.mutable_data<T>();
  for (std::int64_t i = 0; i < count; ++i) {
    if constexpr (std::is_floating_point_v<W>) {
      to[i] = T(p.start + W(i) * p.delta);
    } else {
      const std::uint64_t value =
          static_cast<std::uint64_t>(p.start) + static_cast<std::uint64_t>(i) * static_cast<std::uint64_t>(p.delta);
      to[i] = static_cast<T>(value);
    }
  }
  return result;
}

template <class T>
Result<T> only_element(const Tensor& tensor, std::string_view what) {
  if (tensor.dtype() != dtype_of<T>)
    return fail(Code::bad_type, "{} is {}, and start is {}", what, name(tensor.dtype()), name(dtype_of<T>));
  if (tensor.size() != 1)
    return fail(Code::bad_shape, "{} must be a scalar, and has shape {}", what, to_string(tensor.shape()));
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  return dense.data<T>()[0];
}

using RangeTypes = Join<Floats, TypeList<std::int16_t, std::int32_t, std::int64_t>>;

Result<Tensor> range(const Tensor& start, const Tensor& limit, const Tensor& delta, std::int64_t stash) {
  return dispatch<RangeTypes>(start.dtype(), [&](auto tag) -> Result<Tensor> {
    using T = typename decltype(tag)::type;
    TRY_ASSIGN(const T first, only_element<T>(start, "start"));
    TRY_ASSIGN(const T end, only_element<T>(limit, "limit"));
    TRY_ASSIGN(const T step, only_element<T>(delta, "delta"));
    if constexpr (kIsSmallFloat<T>) {
      // Each result is rounded once; stash_type says in which type it was computed.
      if (stash == static_cast<std::int64_t>(DType::f32))
        return range_of<T>(Progression<float>{float(first), float(end), float(step)});
      if (stash == static_cast<std::int64_t>(DType::f64))
        return range_of<T>(Progression<double>{double(first), double(end), double(step)});
      return fail(Code::unsupported, "stash_type {} of Range", stash);
    } else {
      return range_of<T>(Progression<T>{first, end, step});
    }
  });
}

Result<void> infer_range(InferContext& context) {
  context.set_shape(0, unknown_dims(1));
  const Tensor* start = context.constant(0);
  const Tensor* limit = context.constant(1);
  const Tensor* delta = context.constant(2);
  if (start == nullptr || limit == nullptr || delta == nullptr) return {};
  return dispatch<RangeTypes>(start->dtype(), [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    using W = Compute<T>;
    TRY_ASSIGN(const T first, only_element<T>(*start, "start"));
    TRY_ASSIGN(const T end, only_element<T>(*limit, "limit"));
    TRY_ASSIGN(const T step, only_element<T>(*delta, "delta"));
    TRY_ASSIGN(const std::int64_t count, count_of(Progression<W>{W(first), W(end), W(step)}));
    context.set_shape(0, {Dim(count)});
    return {};
  });
}

Result<void> eval_range(EvalContext& context) {
  TRY_ASSIGN(context.outputs[0], range(context.tensor(0), context.tensor(1), context.tensor(2),
                                       context.attributes.integer("stash_type", 1)));
  return {};
}

}  // namespace

std::span<const OpDef> constant_ops() {
  static const OpDef rows[] = {
      {.name = "Constant",
       .since = {1, 9, 11, 12, 13, 19, 21, 23, 24, 25},
       .infer = infer_constant,
       .eval = eval_constant,
       .axes = kOpaqueAxes},
      {.name = "ConstantOfShape",
       .since = {9, 20, 21, 23, 24, 25},
       .infer = infer_constant_of_shape,
       .eval = eval_constant_of_shape,
       .axes = kOpaqueAxes},
      {.name = "Range", .since = {11, 27}, .infer = infer_range, .eval = eval_range, .axes = kOpaqueAxes},
  };
  return rows;
}

}  // namespace pawl::ops
