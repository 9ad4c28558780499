// Unique: the different elements of a tensor, or its different slices along an axis.
#include <algorithm>
#include <numeric>

#include "ops/extents.h"
#include "ops/families.h"
#include "tensor/dispatch.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

/// Compares two rows of `count` elements: negative, 0 or positive.
using Compare = int (*)(const std::byte* a, const std::byte* b, std::int64_t count);

/// Ascending; NaN comes last and is equal to itself. Complex numbers go by the real part first.
template <class T>
int order(const T& a, const T& b) {
  if constexpr (kIsComplex<T>) {
    const int real = order(a.real(), b.real());
    return real != 0 ? real : order(a.imag(), b.imag());
  } else if constexpr (kIsFloat<T>) {
    const auto x = static_cast<Compute<T>>(a);
    const auto y = static_cast<Compute<T>>(b);
    if (std::isnan(x) || std::isnan(y)) return static_cast<int>(std::isnan(x)) - static_cast<int>(std::isnan(y));
    return static_cast<int>(x > y) - static_cast<int>(x < y);
  } else {
    return static_cast<int>(b < a) - static_cast<int>(a < b);
  }
}

Result<Compare> compare_of(DType dtype) {
  return dispatch<Join<Numbers, TypeList<bool, std::string>, Complex>>(dtype, [](auto tag) -> Result<Compare> {
    using T = typename decltype(tag)::type;
    return Compare([](const std::byte* a, const std::byte* b, std::int64_t count) {
      for (std::int64_t i = 0; i < count; ++i) {
        const int result = order(reinterpret_cast<const T*>(a)[i], reinterpret_cast<const T*>(b)[i]);
        if (result != 0) return result;
      }
      return 0;
    });
  });
}

struct Groups {
  std::vector<std::int64_t> first;    ///< per group: the row where it was seen first
  std::vector<std::int64_t> count;    ///< per group
  std::vector<std::int64_t> inverse;  ///< per row: its group
};

/// Groups of equal rows, in ascending order or in the order of their first rows.
Groups group_rows(const Tensor& rows, std::int64_t count, std::int64_t width, Compare compare, bool sorted) {
  const auto row = [&](std::int64_t i) {
    return rows.bytes() + i * width * static_cast<std::int64_t>(size_of(rows.dtype()));
  };
  std::vector<std::int64_t> by_value(static_cast<std::size_t>(count));
  std::iota(by_value.begin(), by_value.end(), 0);
  std::stable_sort(by_value.begin(), by_value.end(),
                   [&](std::int64_t a, std::int64_t b) { return compare(row(a), row(b), width) < 0; });
  Groups groups;
  groups.inverse.resize(by_value.size());
  for (const std::int64_t i : by_value) {
    if (groups.first.empty() || compare(row(groups.first.back()), row(i), width) != 0) {
      groups.first.push_back(i);
      groups.count.push_back(0);
    }
    ++groups.count.back();
    groups.inverse[static_cast<std::size_t>(i)] = static_cast<std::int64_t>(groups.first.size()) - 1;
  }
  if (sorted) return groups;
  std::vector<std::size_t> by_first(groups.first.size());
  std::iota(by_first.begin(), by_first.end(), std::size_t{0});
  std::sort(by_first.begin(), by_first.end(),
            [&](std::size_t a, std::size_t b) { return groups.first[a] < groups.first[b]; });
  Groups result;
  std::vector<std::int64_t> renumbered(by_first.size());
  for (std::size_t i = 0; i < by_first.size(); ++i) {
    result.first.push_back(groups.first[by_first[i]]);
    result.count.push_back(groups.count[by_first[i]]);
    renumbered[by_first[i]] = static_cast<std::int64_t>(i);
  }
  for (const std::int64_t group : groups.inverse) result.inverse.push_back(renumbered[static_cast<std::size_t>(group)]);
  return result;
}

Tensor list_of(const std::vector<std::int64_t>& values) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, std::span<const std::int64_t>(values));
}

Result<void> infer_unique(InferContext& context) {
  for (std::size_t i = 1; i < context.outputs.size(); ++i) context.set_shape(i, unknown_dims(1));
  if (!context.attributes.has("axis")) {
    context.set_shape(0, unknown_dims(1));
    return {};
  }
  const SymbolicShape* shape = context.shape(0);
  if (shape == nullptr) return {};
  TRY_ASSIGN(const std::size_t axis, resolve_axis(context.attributes.integer("axis", 0), shape->size()));
  SymbolicShape result = *shape;
  result[axis] = Dim();
  context.set_shape(0, std::move(result));
  return {};
}

Result<void> eval_unique(EvalContext& context) {
  Tensor data = context.tensor(0);
  std::size_t axis = 0;
  if (context.attributes.has("axis")) {
    TRY_ASSIGN(axis, resolve_axis(context.attributes.integer("axis", 0), data.shape().size()));
  } else {
    TRY_ASSIGN(const Tensor dense, data.to_dense());
    data = dense.reshaped({dense.size()});
  }
  // The slices as rows of a dense tensor: the axis comes first.
  Dims shape = data.shape();
  Dims strides = data.strides();
  std::rotate(shape.begin(), shape.begin() + axis, shape.begin() + axis + 1);
  std::rotate(strides.begin(), strides.begin() + axis, strides.begin() + axis + 1);
  TRY_ASSIGN(const Tensor rows, data.view(shape, strides).to_dense());
  TRY_ASSIGN(const Compare compare, compare_of(data.dtype()));
  const std::int64_t count = shape[0];
  if (count > (std::int64_t{1} << 31)) return fail(Code::limit, "{} slices are too many", count);
  const std::int64_t width = count == 0 ? 0 : rows.size() / count;
  const Groups groups = group_rows(rows, count, width, compare, context.attributes.integer("sorted", 1) != 0);
  Dims result_shape = data.shape();
  result_shape[axis] = static_cast<std::int64_t>(groups.first.size());
  TRY_ASSIGN(Tensor result, Tensor::allocate(data.dtype(), result_shape));
  for (std::size_t i = 0; i < groups.first.size(); ++i) {
    Tensor place = result.select(static_cast<std::int64_t>(axis), static_cast<std::int64_t>(i));
    copy_elements(data.select(static_cast<std::int64_t>(axis), groups.first[i]), place);
  }
  context.outputs[0] = std::move(result);
  if (context.outputs.size() > 1) context.outputs[1] = list_of(groups.first);
  if (context.outputs.size() > 2) context.outputs[2] = list_of(groups.inverse);
  if (context.outputs.size() > 3) context.outputs[3] = list_of(groups.count);
  return {};
}

}  // namespace

std::span<const OpDef> unique_ops() {
  static const OpDef rows[] = {
      {.name = "Unique", .since = {11, 28}, .infer = infer_unique, .eval = eval_unique, .axes = kOpaqueAxes},
  };
  return rows;
}

}  // namespace pawl::ops
