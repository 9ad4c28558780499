// Operators of ai.onnx.ml that replace categories: CategoryMapper, LabelEncoder, OneHotEncoder.
#include "ops/axis_rules.h"
#include "ops/extents.h"
#include "ops/families.h"
#include "ops/indices.h"
#include "ops/infer.h"
#include "ops/ml_rows.h"
#include "ops/resample.h"
#include "tensor/dispatch.h"

namespace pawl::ops {
namespace {

/// Two lists of the same length, and what stands for a key that is not there.
struct Mapping {
  Tensor keys;
  Tensor values;
  Tensor otherwise;
};

Result<Tensor> numbered(std::int64_t count) {
  TRY_ASSIGN(Tensor result, Tensor::allocate(DType::i64, {count}));
  for (std::int64_t i = 0; i < count; ++i) result.mutable_data<std::int64_t>()[i] = i;
  return result;
}

/// What an encoder answers where it knows nothing: the default_* attribute for the type of the values.
Result<Tensor> default_of(const Attributes& attributes, DType dtype) {
  if (const auto* given = attributes.get<Tensor>("default_tensor"); given != nullptr && given->size() == 1) {
    if (given->dtype() != dtype)
      return fail(Code::bad_type, "default_tensor is {}, and the values are {}", name(given->dtype()), name(dtype));
    return given->to_dense();
  }
  if (dtype == DType::string) return Tensor::scalar(attributes.text("default_string", "_Unused"));
  if (dtype == DType::i64) return Tensor::scalar(attributes.integer("default_int64", -1));
  const double real = static_cast<double>(attributes.real("default_float", -0.0F));
  return from_double(Tensor::scalar(dtype == DType::f32 || dtype == DType::f64 ? real : -1.0), dtype);
}

/// Version 1 maps in both directions: strings to their numbers, and numbers to strings.
Result<Mapping> encoder_mapping(int since, const Attributes& attributes, DType input) {
  Mapping mapping;
  if (since < 2) {
    const std::vector<std::string> classes = texts(attributes, "classes_strings");
    const auto count = static_cast<std::int64_t>(classes.size());
    TRY_ASSIGN(mapping.keys, numbered(count));
    mapping.values = Tensor::of<std::string>({count}, std::span<const std::string>(classes));
    if (input == DType::string) std::swap(mapping.keys, mapping.values);
  } else {
    TRY_ASSIGN(mapping.keys, attribute_list(attributes, "keys"));
    TRY_ASSIGN(mapping.values, attribute_list(attributes, "values"));
  }
  if (!mapping.keys.defined() || !mapping.values.defined() || mapping.keys.size() != mapping.values.size())
    return fail(Code::bad_model, "LabelEncoder needs as many keys as values");
  TRY_ASSIGN(mapping.otherwise, default_of(attributes, mapping.values.dtype()));
  return mapping;
}

Result<Mapping> mapper_mapping(const Attributes& attributes, DType input) {
  Mapping mapping;
  const std::vector<std::string> names = texts(attributes, "cats_strings");
  const auto numbers = attributes.integers("cats_int64s");
  if (names.size() != numbers.size())
    return fail(Code::bad_model, "{} cats_strings and {} cats_int64s", names.size(), numbers.size());
  const auto count = static_cast<std::int64_t>(names.size());
  mapping.keys = Tensor::of<std::string>({count}, std::span<const std::string>(names));
  mapping.values = Tensor::of<std::int64_t>({count}, numbers);
  if (input != DType::string) std::swap(mapping.keys, mapping.values);
  TRY_ASSIGN(mapping.otherwise, default_of(attributes, mapping.values.dtype()));
  return mapping;
}

Result<Tensor> mapped(const Mapping& mapping, const Tensor& x) {
  TRY_ASSIGN(const std::vector<std::int64_t> places, look_up(mapping.keys, x));
  TRY_ASSIGN(Tensor result, Tensor::allocate(mapping.values.dtype(), x.shape()));
  const ElementCopy copy(result.dtype());
  std::byte* to = result.mutable_bytes();
  for (const std::int64_t place : places) {
    if (place >= 0)
      copy(to, mapping.values.bytes(), place);
    else
      copy(to, mapping.otherwise.bytes(), 0);
    to += copy.width();
  }
  return result;
}

Result<void> infer_encoder(InferContext& context) {
  if (context.since() < 2) {
    if (context.dtype(0) != DType::undefined)
      context.outputs[0] = Type::tensor(context.dtype(0) == DType::string ? DType::i64 : DType::string);
  } else {
    TRY_ASSIGN(const Mapping mapping, encoder_mapping(context.since(), context.attributes, context.dtype(0)));
    context.outputs[0] = Type::tensor(mapping.values.dtype());
  }
  return infer_same(context);
}

Result<void> eval_encoder(EvalContext& context) {
  TRY_ASSIGN(const Mapping mapping, encoder_mapping(context.since(), context.attributes, context.tensor(0).dtype()));
  TRY_ASSIGN(context.outputs[0], mapped(mapping, context.tensor(0)));
  return {};
}

Result<void> infer_mapper(InferContext& context) {
  if (context.dtype(0) != DType::undefined)
    context.outputs[0] = Type::tensor(context.dtype(0) == DType::string ? DType::i64 : DType::string);
  return infer_same(context);
}

Result<void> eval_mapper(EvalContext& context) {
  TRY_ASSIGN(const Mapping mapping, mapper_mapping(context.attributes, context.tensor(0).dtype()));
  TRY_ASSIGN(context.outputs[0], mapped(mapping, context.tensor(0)));
  return {};
}

Result<Tensor> categories(const Attributes& attributes) {
  TRY_ASSIGN(Tensor list, attribute_list(attributes, "cats"));
  if (!list.defined()) return fail(Code::bad_model, "OneHotEncoder needs cats_int64s or cats_strings");
  return list;
}

Result<void> infer_one_hot_encoder(InferContext& context) {
  TRY_ASSIGN(const Tensor list, categories(context.attributes));
  context.outputs[0] = Type::tensor(DType::f32);
  if (context.shape(0) == nullptr) return {};
  SymbolicShape shape = *context.shape(0);
  shape.emplace_back(list.size());
  context.set_shape(0, std::move(shape));
  return {};
}

Result<void> eval_one_hot_encoder(EvalContext& context) {
  TRY_ASSIGN(const Tensor list, categories(context.attributes));
  Tensor x = context.tensor(0);
  if (x.dtype() != DType::string && x.dtype() != DType::i64) {
    TRY_ASSIGN(const Tensor numbers, to_double(x));
    TRY_ASSIGN(x, from_double(numbers, DType::i64));
  }
  TRY_ASSIGN(const std::vector<std::int64_t> places, look_up(list, x));
  Dims shape = x.shape();
  shape.push_back(list.size());
  TRY_ASSIGN(Tensor result, zeros(DType::f32, shape));
  const bool zeros_allowed = context.attributes.integer("zeros", 1) != 0;
  auto* row = result.mutable_data<float>();
  for (const std::int64_t place : places) {
    if (place >= 0)
      row[place] = 1;
    else if (!zeros_allowed)
      return fail(Code::bad_value, "a category that is not among the {} known", list.size());
    row += list.size();
  }
  context.outputs[0] = std::move(result);
  return {};
}

}  // namespace

std::span<const OpDef> ml_category_ops() {
  static constexpr std::string_view kMl = "ai.onnx.ml";
  static const OpDef rows[] = {
      {.name = "CategoryMapper",
       .domain = kMl,
       .since = {1},
       .infer = infer_mapper,
       .eval = eval_mapper,
       .axes = kPointwiseAxes},
      {.name = "LabelEncoder",
       .domain = kMl,
       .since = {1, 2, 4},
       .infer = infer_encoder,
       .eval = eval_encoder,
       .axes = kPointwiseAxes},
      {.name = "OneHotEncoder",
       .domain = kMl,
       .since = {1},
       .infer = infer_one_hot_encoder,
       .eval = eval_one_hot_encoder,
       .axes = kCategoriesAxes},
  };
  return rows;
}

}  // namespace pawl::ops
