// Operators of ai.onnx.ml between maps and tensors: CastMap, DictVectorizer, ZipMap.
#include <algorithm>
#include <numeric>

#include "ops/convert.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/ml_rows.h"
#include "ops/resample.h"
#include "tensor/walk.h"

namespace pawl::ops {
namespace {

Result<Tensor> zip_keys(const Attributes& attributes) {
  TRY_ASSIGN(Tensor keys, attribute_list(attributes, "classlabels"));
  if (!keys.defined()) return fail(Code::bad_model, "ZipMap needs classlabels_int64s or classlabels_strings");
  return keys;
}

Result<void> infer_zip(InferContext& context) {
  TRY_ASSIGN(const Tensor keys, zip_keys(context.attributes));
  context.outputs[0] = Type::sequence(Type::map(keys.dtype(), Type::tensor(DType::f32, Dims{})));
  return {};
}

/// The places of keys in ascending order; of equal ones only the last stays, as it would overwrite the others.
template <class T>
std::vector<std::int64_t> ascending(std::span<const T> keys) {
  std::vector<std::int64_t> places(keys.size());
  std::iota(places.begin(), places.end(), 0);
  const auto key = [&](std::int64_t i) -> const T& { return keys[static_cast<std::size_t>(i)]; };
  std::stable_sort(places.begin(), places.end(), [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
  std::vector<std::int64_t> result;
  for (const std::int64_t place : places) {
    if (!result.empty() && key(result.back()) == key(place))
      result.back() = place;
    else
      result.push_back(place);
  }
  return result;
}

/// Elements of a dense list by place.
Result<Tensor> chosen(const Tensor& list, const std::vector<std::int64_t>& places) {
  TRY_ASSIGN(Tensor result, Tensor::allocate(list.dtype(), {static_cast<std::int64_t>(places.size())}));
  const ElementCopy copy(list.dtype());
  std::byte* to = result.mutable_bytes();
  for (const std::int64_t place : places) {
    copy(to, list.bytes(), place);
    to += copy.width();
  }
  return result;
}

Result<void> eval_zip(EvalContext& context) {
  TRY_ASSIGN(const Tensor keys, zip_keys(context.attributes));
  TRY_ASSIGN(const Tensor x, context.dense(0));
  const Dims& shape = x.shape();
  if ((shape.size() != 1 && shape.size() != 2) || shape.back() != keys.size())
    return fail(Code::bad_shape, "values of shape {} do not fit {} keys", to_string(shape), keys.size());
  const std::vector<std::int64_t> order =
      keys.dtype() == DType::string ? ascending(keys.values<std::string>()) : ascending(keys.values<std::int64_t>());
  TRY_ASSIGN(const Tensor sorted, chosen(keys, order));
  const Tensor rows = x.reshaped({shape.size() == 2 ? shape[0] : 1, keys.size()});
  std::vector<Value> maps;
  for (std::int64_t i = 0; i < rows.shape()[0]; ++i) {
    TRY_ASSIGN(Tensor values, chosen(rows.select(0, i), order));
    maps.emplace_back(Map{sorted, std::move(values)});
  }
  context.outputs[0] = Sequence(DType::undefined, std::move(maps));
  return {};
}

Result<Tensor> vocabulary(const Attributes& attributes) {
  TRY_ASSIGN(Tensor strings, attribute_list(attributes, "string_vocabulary"));
  TRY_ASSIGN(Tensor integers, attribute_list(attributes, "int64_vocabulary"));
  if (strings.defined() == integers.defined()) return fail(Code::bad_model, "DictVectorizer needs one vocabulary");
  return strings.defined() ? std::move(strings) : std::move(integers);
}

Result<void> infer_dict(InferContext& context) {
  TRY_ASSIGN(const Tensor words, vocabulary(context.attributes));
  const Type* input = context.has_input(0) ? &context.inputs[0]->type : nullptr;
  const bool known = input != nullptr && input->kind == Type::Kind::map && input->element;
  context.outputs[0] = Type::tensor(known ? input->element->dtype : DType::undefined, {Dim(1), Dim(words.size())});
  return {};
}

Result<void> eval_dict(EvalContext& context) {
  TRY_ASSIGN(const Tensor words, vocabulary(context.attributes));
  const Map& map = context.inputs[0]->map();
  TRY_ASSIGN(const Tensor values, map.values.to_dense());
  TRY_ASSIGN(const std::vector<std::int64_t> places, look_up(words, map.keys));
  TRY_ASSIGN(Tensor result, zeros(values.dtype(), {1, words.size()}));
  const ElementCopy copy(values.dtype());
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (places[i] < 0) return fail(Code::bad_value, "a key of the map is not in the vocabulary");
    copy(result.mutable_bytes() + places[i] * copy.width(), values.bytes(), static_cast<std::int64_t>(i));
  }
  context.outputs[0] = std::move(result);
  return {};
}

Result<DType> cast_map_target(const Attributes& attributes) {
  const std::string word = attributes.text("cast_to", "TO_FLOAT");
  if (word == "TO_FLOAT") return DType::f32;
  if (word == "TO_STRING") return DType::string;
  if (word == "TO_INT64") return DType::i64;
  return fail(Code::bad_value, "\"{}\" is not a cast_to", word);
}

/// The length of a sparse result; nullopt for a dense one.
Result<std::optional<std::int64_t>> sparse_length(const Attributes& attributes) {
  const std::string form = attributes.text("map_form", "DENSE");
  if (form == "DENSE") return std::optional<std::int64_t>();
  if (form != "SPARSE") return fail(Code::bad_value, "\"{}\" is not a map_form", form);
  const std::int64_t length = attributes.integer("max_map", 1);
  if (length < 1) return fail(Code::bad_value, "a max_map of {}", length);
  return std::optional<std::int64_t>(length);
}

Result<void> infer_cast_map(InferContext& context) {
  TRY_ASSIGN(const DType dtype, cast_map_target(context.attributes));
  TRY_ASSIGN(const std::optional<std::int64_t> length, sparse_length(context.attributes));
  context.outputs[0] = Type::tensor(dtype, {Dim(1), length ? Dim(*length) : Dim()});
  return {};
}

Result<void> eval_cast_map(EvalContext& context) {
  TRY_ASSIGN(const DType dtype, cast_map_target(context.attributes));
  TRY_ASSIGN(const std::optional<std::int64_t> length, sparse_length(context.attributes));
  const Map& map = context.inputs[0]->map();
  TRY_ASSIGN(const Tensor values, convert(map.values, dtype));
  if (!length) {
    context.outputs[0] = values.reshaped({1, values.size()});
    return {};
  }
  TRY_ASSIGN(const Dims keys, integers_of(map.keys));
  TRY_ASSIGN(Tensor result, zeros(dtype, {1, *length}));
  if (dtype == DType::string) {
    TRY_ASSIGN(const Tensor zero, convert(Tensor::scalar(0.0F), dtype));
    copy_elements(broadcast_view(zero, result.shape()), result);
  }
  const ElementCopy copy(dtype);
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] < 0 || keys[i] >= *length)
      return fail(Code::bad_value, "key {} is out of range for max_map {}", keys[i], *length);
    copy(result.mutable_bytes() + keys[i] * copy.width(), values.bytes(), static_cast<std::int64_t>(i));
  }
  context.outputs[0] = std::move(result);
  return {};
}

}  // namespace

std::span<const OpDef> ml_map_ops() {
  static constexpr std::string_view kMl = "ai.onnx.ml";
  static const OpDef rows[] = {
      {.name = "CastMap",
       .domain = kMl,
       .since = {1},
       .infer = infer_cast_map,
       .eval = eval_cast_map,
       .axes = kOpaqueAxes},
      {.name = "DictVectorizer",
       .domain = kMl,
       .since = {1},
       .infer = infer_dict,
       .eval = eval_dict,
       .axes = kOpaqueAxes},
      {.name = "ZipMap", .domain = kMl, .since = {1}, .infer = infer_zip, .eval = eval_zip, .axes = kOpaqueAxes},
  };
  return rows;
}

}  // namespace pawl::ops
