// Comparing and combining types of which only a part is known.
#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"

namespace pawl::graph {
namespace {

Type with_element(Type type, Type element) {
  type.element = element.known() ? std::make_shared<const Type>(std::move(element)) : nullptr;
  return type;
}

}  // namespace

Result<void> check_declared(const Type& declared, const Type& actual, std::string_view value_name) {
  if (!declared.known() || !actual.known()) return {};
  const auto mismatch = [&](Code code) {
    return fail(code, "value \"{}\" is declared as {}, found {}", value_name, to_string(declared), to_string(actual));
  };
  // An optional that has its element is that element.
  if (declared.is_optional() && !actual.is_optional())
    return declared.element ? check_declared(*declared.element, actual, value_name) : Result<void>();
  if (actual.is_optional() && !declared.is_optional())
    return actual.element ? check_declared(declared, *actual.element, value_name) : Result<void>();
  if (declared.kind != actual.kind) return mismatch(Code::bad_type);
  if (declared.dtype != DType::undefined && actual.dtype != DType::undefined && declared.dtype != actual.dtype)
    return mismatch(Code::bad_type);
  if (declared.element && actual.element) {
    if (!check_declared(*declared.element, *actual.element, value_name).ok()) return mismatch(Code::bad_type);
  }
  if (!declared.shape || !actual.shape) return {};
  if (declared.shape->size() != actual.shape->size()) return mismatch(Code::bad_shape);
  for (std::size_t i = 0; i < declared.shape->size(); ++i) {
    const Dim& a = (*declared.shape)[i];
    const Dim& b = (*actual.shape)[i];
    if (a.known() && b.known() && a.value != b.value) return mismatch(Code::bad_shape);
  }
  return {};
}

std::optional<std::int64_t> integer_in(const Tensor* constant) {
  if (constant == nullptr || constant->size() != 1) return std::nullopt;
  const Result<Tensor> aligned = constant->to_dense();
  if (!aligned.ok()) return std::nullopt;
  if (aligned->dtype() == DType::i64) return *aligned->data<std::int64_t>();
  if (aligned->dtype() == DType::i32) return *aligned->data<std::int32_t>();
  return std::nullopt;
}

bool is_measured(const Type& type) {
  return type.is_tensor() && type.dtype != DType::undefined && type.shape &&
         std::all_of(type.shape->begin(), type.shape->end(),
                     [](const Dim& dim) { return dim.known() || !dim.symbol.empty(); });
}

bool same_type(const Type& a, const Type& b) { return to_string(a) == to_string(b); }

bool implies(const Type& known, const Type& declared) {
  if (!declared.known()) return true;
  if (declared.kind != known.kind || (declared.dtype != DType::undefined && declared.dtype != known.dtype))
    return false;
  if (declared.element) return known.element && implies(*known.element, *declared.element);
  if (!declared.is_tensor() || !declared.shape) return true;
  if (!known.shape || known.shape->size() != declared.shape->size()) return false;
  for (std::size_t i = 0; i < declared.shape->size(); ++i)
    if ((*declared.shape)[i].known() && (*declared.shape)[i].value != (*known.shape)[i].value) return false;
  return true;
}

Type meet(const Type& a, const Type& b) {
  if (!a.known()) return b;
  if (!b.known() || a.kind != b.kind) return a;
  Type both = a;
  if (both.dtype == DType::undefined) both.dtype = b.dtype;
  if (!both.element) {
    both.element = b.element;
  } else if (b.element) {
    both.element = std::make_shared<const Type>(meet(*a.element, *b.element));
  }
  if (!both.shape) {
    both.shape = b.shape;
  } else if (b.shape && b.shape->size() == both.shape->size()) {
    for (std::size_t i = 0; i < both.shape->size(); ++i) {
      Dim& dim = (*both.shape)[i];
      if (!dim.known() && (*b.shape)[i].known()) dim = (*b.shape)[i];
    }
  }
  return both;
}

Type join(const Type& a, const Type& b) {
  if (!a.known() || !b.known()) return {};
  if (a.kind != b.kind) {
    // The element of an optional, or the optional that has it.
    if (a.is_optional()) return Type::optional(a.element ? join(*a.element, b) : Type{});
    if (b.is_optional()) return Type::optional(b.element ? join(a, *b.element) : Type{});
    return {};
  }
  Type either = a;
  if (a.dtype != b.dtype) either.dtype = DType::undefined;
  either = with_element(std::move(either), a.element && b.element ? join(*a.element, *b.element) : Type{});
  if (!a.shape || !b.shape || a.shape->size() != b.shape->size()) {
    either.shape.reset();
  } else {
    for (std::size_t i = 0; i < a.shape->size(); ++i)
      if (!(*a.shape)[i].same((*b.shape)[i])) (*either.shape)[i] = Dim();
  }
  return either;
}

Result<std::size_t> resolve_axis(std::int64_t axis, std::size_t rank, std::string_view what) {
  const auto bound = static_cast<std::int64_t>(rank);
  if (axis < -bound || axis >= bound)
    return fail(Code::bad_shape, "{} is {}, allowed are {} to {} for rank {}", what, axis, -bound, bound - 1, rank);
  return static_cast<std::size_t>(axis < 0 ? axis + bound : axis);
}

}  // namespace pawl::graph
