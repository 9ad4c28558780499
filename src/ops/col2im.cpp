// Col2Im: columns of blocks put back into the image that they were taken from, added up where they overlap.
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/fold.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

/// One axis of the image.
struct BlockAxis {
  std::int64_t image = 0;
  std::int64_t block = 0;
  std::int64_t stride = 1;
  std::int64_t dilation = 1;
  std::int64_t pad = 0;    ///< before the image
  std::int64_t count = 0;  ///< blocks along the axis
};

/// Bounds that keep every product of two of them within int64.
constexpr std::int64_t kMaxExtent = std::int64_t{1} << 30;

std::int64_t at_or(std::span<const std::int64_t> list, std::size_t i, std::int64_t otherwise) {
  return i < list.size() ? list[i] : otherwise;
}

Result<std::vector<BlockAxis>> block_axes(const Attributes& attributes, const Dims& image, const Dims& block) {
  const auto strides = attributes.integers("strides");
  const auto dilations = attributes.integers("dilations");
  const auto pads = attributes.integers("pads");
  const std::size_t rank = image.size();
  const auto fits = [](std::size_t size, std::size_t wanted) { return size == 0 || size == wanted; };
  if (block.size() != rank || !fits(strides.size(), rank) || !fits(dilations.size(), rank) ||
      !fits(pads.size(), 2 * rank))
    return fail(Code::bad_shape, "block_shape, strides, dilations and pads must speak of {} axes", rank);
  std::vector<BlockAxis> axes;
  for (std::size_t i = 0; i < rank; ++i) {
    BlockAxis axis{image[i], block[i], at_or(strides, i, 1), at_or(dilations, i, 1), at_or(pads, i, 0), 0};
    const std::int64_t after = at_or(pads, rank + i, 0);
    for (const std::int64_t positive : {axis.block, axis.stride, axis.dilation})
      if (positive < 1 || positive > kMaxExtent)
        return fail(Code::bad_value, "a block, stride or dilation of {}", positive);
    for (const std::int64_t number : {axis.image, axis.pad, after})
      if (number < 0 || number > kMaxExtent) return fail(Code::bad_value, "an image extent or pad of {}", number);
    const std::int64_t room = axis.image + axis.pad + after - axis.dilation * (axis.block - 1) - 1;
    axis.count = room < 0 ? 0 : room / axis.stride + 1;
    axes.push_back(axis);
  }
  return axes;
}

Result<void> infer_col2im(InferContext& context) {
  const SymbolicShape* columns = context.shape(0);
  if (columns != nullptr && columns->size() != 3)
    return fail(Code::bad_shape, "Col2Im needs rank 3, not {}", to_string(*columns));
  TRY_ASSIGN(const std::optional<Dims> image, constant_integers(context, 1));
  TRY_ASSIGN(const std::optional<Dims> block, constant_integers(context, 2));
  std::optional<std::size_t> rank = known_count(context, 1);
  if (!rank) rank = known_count(context, 2);
  if (!rank) return {};
  SymbolicShape result(*rank + 2);
  if (columns != nullptr) result[0] = (*columns)[0];
  if (image) {
    TRY(bounded_size(*image));
    for (std::size_t i = 0; i < *rank; ++i) result[i + 2] = Dim((*image)[i]);
  }
  if (columns != nullptr && (*columns)[1].known() && block) {
    const std::optional<std::int64_t> size = checked_size(*block);
    if (size && *size > 0) result[1] = Dim((*columns)[1].value / *size);
  }
  context.set_shape(0, std::move(result));
  return {};
}

/// For a pixel: the element of each block offset that lies on it, as a place in [block element, block].
class Sources {
 public:
  explicit Sources(const std::vector<BlockAxis>& axes) : axes_(axes) {}

  /// Calls f(element of the block, number of the block) for all that cover `pixel`.
  template <class F>
  void visit(const Dims& pixel, F&& f) const {
    visit(pixel, 0, 0, 0, f);
  }

 private:
  template <class F>
  void visit(const Dims& pixel, std::size_t k, std::int64_t element, std::int64_t block, F& f) const {
    if (k == axes_.size()) return f(element, block);
    const BlockAxis& axis = axes_[k];
    for (std::int64_t i = 0; i < axis.block; ++i) {
      const std::int64_t from = pixel[k] + axis.pad - i * axis.dilation;
      if (from < 0) break;
      if (from % axis.stride != 0 || from / axis.stride >= axis.count) continue;
      visit(pixel, k + 1, element * axis.block + i, block * axis.count + from / axis.stride, f);
    }
  }
  const std::vector<BlockAxis>& axes_;
};

void advance(Dims& index, const Dims& shape) {
  for (std::size_t k = shape.size(); k-- > 0;) {
    if (++index[k] < shape[k]) return;
    index[k] = 0;
  }
}

/// `columns` is dense [planes, elements of a block, blocks], the result [planes, image].
template <class T>
void put_back(const Tensor& columns, const std::vector<BlockAxis>& axes, const Dims& image, std::int64_t elements,
              std::int64_t blocks, Tensor& result) {
  const std::int64_t pixels = checked_size(image).value_or(0);
  const T* from = columns.data<T>();
  T* to = result.mutable_data<T>();
  const Sources sources(axes);
  for (std::int64_t plane = 0; plane * pixels < result.size(); ++plane) {
    Dims pixel(image.size(), 0);
    const T* source = from + plane * elements * blocks;
    for (std::int64_t i = 0; i < pixels; ++i, advance(pixel, image)) {
      auto sum = static_cast<Compute<T>>(0);
      sources.visit(pixel, [&](std::int64_t element, std::int64_t block) {
        sum = Sum()(sum, static_cast<Compute<T>>(source[element * blocks + block]));
      });
      *to++ = T(sum);
    }
  }
}

Result<void> eval_col2im(EvalContext& context) {
  TRY_ASSIGN(const Tensor columns, context.dense(0));
  TRY_ASSIGN(const Dims image, context.integers(1));
  TRY_ASSIGN(const Dims block, context.integers(2));
  TRY_ASSIGN(const std::vector<BlockAxis> axes, block_axes(context.attributes, image, block));
  Dims counts;
  for (const BlockAxis& axis : axes) counts.push_back(axis.count);
  const std::optional<std::int64_t> elements = checked_size(block);
  const std::optional<std::int64_t> blocks = checked_size(counts);
  const Dims& given = columns.shape();
  if (!elements || !blocks || given.size() != 3 || given[1] % *elements != 0 || given[2] != *blocks)
    return fail(Code::bad_shape, "columns of {} do not fit an image of {} in blocks of {}", to_string(given),
                to_string(image), to_string(block));
  Dims shape{given[0], given[1] / *elements};
  for (const std::int64_t extent : image) shape.push_back(extent);
  TRY_ASSIGN(Tensor result, Tensor::allocate(columns.dtype(), shape));
  if (result.size() > 0) {
    TRY(dispatch<Join<Numbers, TypeList<bool>, Complex>>(columns.dtype(), [&](auto tag) -> Result<void> {
      using T = typename decltype(tag)::type;
      put_back<T>(columns, axes, image, *elements, *blocks, result);
      return {};
    }));
  }
  context.outputs[0] = std::move(result);
  return {};
}

}  // namespace

std::span<const OpDef> col2im_ops() {
  static const OpDef rows[] = {
      {.name = "Col2Im", .since = {18}, .infer = infer_col2im, .eval = eval_col2im, .axes = kRowsAxes},
  };
  return rows;
}

}  // namespace pawl::ops
