// Pad: a tensor with a border, or cut where a pad is negative.
#include "ops/axes.h"
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

enum class Mode : std::uint8_t { constant, reflect, edge, wrap };

Result<Mode> mode_of(int since, const Attributes& attributes) {
  const std::string mode = attributes.text("mode", "constant");
  if (mode == "constant") return Mode::constant;
  if (mode == "reflect") return Mode::reflect;
  if (mode == "edge") return Mode::edge;
  if (mode == "wrap" && since >= 19) return Mode::wrap;
  return fail(Code::bad_value, "\"{}\" is not a mode of Pad-{}", mode, since);
}

/// Elements added before and after each axis; negative ones are taken away.
struct Pads {
  Dims before;
  Dims after;
};

Result<Pads> pads_of(const Dims& pads, const std::optional<Dims>& axes, std::size_t rank) {
  Pads result{Dims(rank, 0), Dims(rank, 0)};
  Dims resolved;
  if (axes) {
    TRY_ASSIGN(resolved, resolve_axes(*axes, rank));
  } else {
    for (std::size_t i = 0; i < rank; ++i) resolved.push_back(static_cast<std::int64_t>(i));
  }
  const std::size_t count = resolved.size();
  if (pads.size() != 2 * count)
    return fail(Code::bad_shape, "{} pads for {} axes, which need two each", pads.size(), count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto axis = static_cast<std::size_t>(resolved[i]);
    result.before[axis] = pads[i];
    result.after[axis] = pads[count + i];
  }
  return result;
}

Result<std::int64_t> padded(std::int64_t extent, std::int64_t before, std::int64_t after) {
  std::int64_t sum = 0;
  if (__builtin_add_overflow(extent, before, &sum) || __builtin_add_overflow(sum, after, &sum))
    return fail(Code::limit, "an axis of {} cannot be padded by {} and {}", extent, before, after);
  if (sum < 0)
    return fail(Code::bad_shape, "pads of {} and {} take more than an axis of {} has", before, after, extent);
  return sum;
}

std::string_view pads_name(int since) { return since < 2 ? "paddings" : "pads"; }

Result<void> infer_pad(InferContext& context) {
  TRY(mode_of(context.since(), context.attributes));
  const SymbolicShape* shape = context.shape(0);
  std::optional<Dims> pads;
  std::optional<Dims> axes;
  if (context.since() < 11) {
    pads = Dims(context.attributes.integers(pads_name(context.since())));
  } else {
    TRY_ASSIGN(pads, constant_integers(context, 1));
    TRY_ASSIGN(axes, constant_integers(context, 3));
  }
  if (shape == nullptr) return {};
  if (!pads || (context.has_input(3) && !axes)) {
    SymbolicShape result = unknown_dims(shape->size());
    if (axes) {
      TRY_ASSIGN(const std::vector<bool> padded_axes, mark_axes(*axes, shape->size()));
      for (std::size_t i = 0; i < result.size(); ++i)
        if (!padded_axes[i]) result[i] = (*shape)[i];
    }
    context.set_shape(0, std::move(result));
    return {};
  }
  TRY_ASSIGN(const Pads border, pads_of(*pads, axes, shape->size()));
  SymbolicShape result = *shape;
  for (std::size_t i = 0; i < result.size(); ++i) {
    if (border.before[i] == 0 && border.after[i] == 0) continue;
    if (!result[i].known()) {
      result[i] = Dim();
      continue;
    }
    TRY_ASSIGN(const std::int64_t extent, padded(result[i].value, border.before[i], border.after[i]));
    result[i] = Dim(extent);
  }
  context.set_shape(0, std::move(result));
  return {};
}

/// What stands in a constant border: the attribute until 2, the input since 11; else 0, false or "".
Result<Tensor> border_element(const EvalContext& context) {
  if (context.has_input(2)) {
    const Tensor& given = context.tensor(2);
    if (given.size() != 1)
      return fail(Code::bad_shape, "constant_value must be a scalar, and has shape {}", to_string(given.shape()));
    return given.view({}, {});
  }
  const float value = context.since() < 11 ? context.attributes.real("value", 0.0F) : 0.0F;
  return dispatch<Everything>(context.tensor(0).dtype(), [&](auto tag) -> Result<Tensor> {
    using T = typename decltype(tag)::type;
    if constexpr (kIsFloat<T>)
      return Tensor::scalar(T(value));
    else
      return Tensor::scalar(T());
  });
}

/// The part of an axis that is both in the input and in the output.
struct Overlap {
  std::int64_t from = 0;  ///< first element, in the input
  std::int64_t to = 0;    ///< the same element, in the output
  std::int64_t length = 0;
};

Overlap overlap_of(std::int64_t extent, std::int64_t before, std::int64_t result) {
  // padded() has shown that before + extent does not overflow.
  const std::int64_t first = std::max<std::int64_t>(before, 0);
  const std::int64_t last = std::min(before + extent, result);
  if (last <= first) return {};
  return {first - before, first, last - first};
}

/// Where, counted in a part of `length` elements, the element at `at` outside of it is repeated from.
std::int64_t repeated_from(Mode mode, std::int64_t at, std::int64_t length) {
  if (mode == Mode::edge || length == 1) return at < 0 ? 0 : length - 1;
  const std::int64_t period = mode == Mode::wrap ? length : 2 * (length - 1);
  const std::int64_t phase = ((at % period) + period) % period;
  return phase < length ? phase : period - phase;
}

/// Fills the border of `axis`; the part [start, start + length) of that axis is there already.
void fill_border(Mode mode, std::int64_t axis, std::int64_t start, std::int64_t length, const Tensor& region) {
  const std::int64_t extent = region.shape()[static_cast<std::size_t>(axis)];
  for (std::int64_t i = 0; i < extent; ++i) {
    if (i >= start && i < start + length) continue;
    Tensor place = region.select(axis, i);
    copy_elements(region.select(axis, start + repeated_from(mode, i - start, length)), place);
  }
}

Result<Tensor> pad(const Tensor& data, const Pads& border, Mode mode, const Tensor& element) {
  Dims shape(data.shape().size(), 0);
  for (std::size_t i = 0; i < shape.size(); ++i) {
    TRY_ASSIGN(shape[i], padded(data.shape()[i], border.before[i], border.after[i]));
  }
  TRY_ASSIGN(Tensor result, Tensor::allocate(data.dtype(), shape));
  if (result.size() == 0) return result;
  if (mode == Mode::constant) copy_elements(broadcast_view(element, shape), result);
  Dims common = shape;
  std::int64_t from = 0;
  std::int64_t to = 0;
  std::vector<Overlap> overlaps;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const Overlap overlap = overlap_of(data.shape()[i], border.before[i], shape[i]);
    if (overlap.length == 0 && mode != Mode::constant)
      return fail(Code::bad_shape, "axis {} has nothing to repeat: an extent of {}, padded by {} and {}", i,
                  data.shape()[i], border.before[i], border.after[i]);
    common[i] = overlap.length;
    from += overlap.from * data.strides()[i];
    to += overlap.to * result.strides()[i];
    overlaps.push_back(overlap);
  }
  Tensor center = result.view(common, result.strides(), to);
  copy_elements(data.view(common, data.strides(), from), center);
  if (mode == Mode::constant) return result;
  // Axis by axis, the filled part grows to the whole extent.
  for (std::size_t i = 0; i < shape.size(); ++i) {
    to -= overlaps[i].to * result.strides()[i];
    common[i] = shape[i];
    fill_border(mode, static_cast<std::int64_t>(i), overlaps[i].to, overlaps[i].length,
                result.view(common, result.strides(), to));
  }
  return result;
}

Result<void> eval_pad(EvalContext& context) {
  const Tensor& data = context.tensor(0);
  Dims pads;
  std::optional<Dims> axes;
  if (context.since() < 11) {
    pads = Dims(context.attributes.integers(pads_name(context.since())));
  } else {
    TRY_ASSIGN(pads, context.integers(1));
  }
  if (context.has_input(3)) {
    TRY_ASSIGN(axes, context.integers(3));
  }
  TRY_ASSIGN(const Pads border, pads_of(pads, axes, data.shape().size()));
  TRY_ASSIGN(const Mode mode, mode_of(context.since(), context.attributes));
  TRY_ASSIGN(const Tensor element, border_element(context));
  TRY_ASSIGN(context.outputs[0], pad(data, border, mode, element));
  return {};
}

}  // namespace

std::span<const OpDef> pad_ops() {
  static const OpDef rows[] = {
      {.name = "Pad",
       .since = {1, 2, 11, 13, 18, 19, 21, 23, 24, 25},
       .infer = infer_pad,
       .eval = eval_pad,
       .axes = kPadAxes},
  };
  return rows;
}

}  // namespace pawl::ops
