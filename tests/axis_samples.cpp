#include "axis_samples.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "ops/batcher.h"
#include "ops/convert.h"

namespace pawl::ops {

Sample& Sample::set(std::string_view name, Attribute::Payload payload) {
  attributes = with(attributes, name, std::move(payload));
  return *this;
}

std::int64_t Draw::between(std::int64_t low, std::int64_t high) {
  return low + static_cast<std::int64_t>(structure_() % static_cast<std::uint64_t>(high - low + 1));
}

bool Draw::chance(double probability) { return static_cast<double>(between(0, 999)) < 1000 * probability; }

std::int64_t Draw::extent(std::int64_t most) { return chance(0.05) ? 0 : chance(0.2) ? 1 : between(1, most); }

Dims Draw::shape(std::int64_t rank, std::int64_t most) {
  Dims dims;
  for (std::int64_t i = 0; i < rank; ++i) dims.push_back(extent(most));
  return dims;
}

std::int64_t Draw::axis(std::int64_t rank, bool may_be_negative) {
  const std::int64_t at = between(0, rank - 1);
  return may_be_negative && chance(0.4) ? at - rank : at;
}

std::vector<std::int64_t> Draw::permutation(std::int64_t rank) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[static_cast<std::size_t>(between(0, static_cast<std::int64_t>(i) - 1))]);
  return order;
}

std::vector<std::int64_t> Draw::axes(std::int64_t rank, bool may_be_negative) {
  std::vector<std::int64_t> some = permutation(rank);
  some.resize(static_cast<std::size_t>(between(0, rank)));
  for (std::int64_t& axis : some)
    if (may_be_negative && chance(0.4)) axis -= rank;
  return some;
}

DType Draw::dtype(const Schema& schema, std::size_t i, std::uint32_t allowed) {
  const Parameter& parameter = *schema.input(i);
  for (const auto& [variable, dtype] : types_)
    if (!parameter.variable.empty() && variable == parameter.variable) return dtype;
  std::vector<DType> list;
  const std::uint32_t mask = parameter.types.tensor & (allowed == 0 ? ~0U : allowed);
  for (int d = 1; d < kDTypeCount; ++d)
    if (((mask >> d) & 1U) != 0) list.push_back(static_cast<DType>(d));
  CHECK(!list.empty());
  const DType dtype = pick(list);
  types_.emplace_back(parameter.variable, dtype);
  return dtype;
}

namespace {

bool is_integer(DType dtype) {
  constexpr std::uint32_t kMask = 0xfeU | (1U << 12) | (1U << 13) | (1U << 21) | (1U << 22) | (1U << 25) | (1U << 26);
  return dtype != DType::f32 && ((kMask >> static_cast<unsigned>(dtype)) & 1U) != 0;
}

Tensor converted(const std::vector<double>& numbers, const Dims& shape, DType dtype) {
  const Tensor doubles = Tensor::of<double>(shape, std::span<const double>(numbers));
  const Result<Tensor> result = convert(doubles, dtype);
  CHECK(result.ok());
  return *result;
}

std::size_t count_of(const Dims& shape) {
  std::size_t count = 1;
  for (const std::int64_t extent : shape) count *= static_cast<std::size_t>(extent);
  return count;
}

}  // namespace

Tensor Draw::tensor(DType dtype, const Dims& shape) {
  if (dtype == DType::boolean) {
    Tensor flags = whole(DType::u8, shape, 0, 1);
    return converted(
        [&] {
          std::vector<double> numbers;
          for (const std::uint8_t flag : flags.values<std::uint8_t>()) numbers.push_back(flag);
          return numbers;
        }(),
        shape, dtype);
  }
  if (dtype == DType::string) {
    std::vector<std::string> texts(count_of(shape));
    for (std::string& text : texts)
      text = std::string(1, static_cast<char>('a' + elements_() % 4)) + (elements_() % 2 == 0 ? "" : "b c");
    return Tensor::of<std::string>(shape, std::span<const std::string>(texts));
  }
  if (dtype == DType::c64 || dtype == DType::c128) {
    Tensor parts = reals(
        dtype == DType::c64 ? DType::f32 : DType::f64,
        [&] {
          Dims pairs = shape;
          pairs.push_back(2);
          return pairs;
        }(),
        -4, 4);
    auto memory = std::make_shared<Tensor>(parts);
    return Tensor::borrow(dtype, shape, memory->bytes(), memory);
  }
  if (is_integer(dtype)) return whole(dtype, shape, dtype == DType::i8 ? -128 : -4, dtype == DType::u8 ? 255 : 9);
  std::vector<double> numbers(count_of(shape));
  for (double& number : numbers) {
    constexpr double kSpecial[] = {0.0,
                                   -0.0,
                                   std::numeric_limits<double>::infinity(),
                                   -std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN(),
                                   1e-3};
    const std::uint64_t special = elements_() % 120;
    number = special < 6 ? kSpecial[special] : static_cast<double>(elements_() % 8001) / 1000 - 4;
  }
  return converted(numbers, shape, dtype);
}

Tensor Draw::whole(DType dtype, const Dims& shape, std::int64_t low, std::int64_t high) {
  std::vector<double> numbers(count_of(shape));
  for (double& number : numbers)
    number =
        static_cast<double>(low + static_cast<std::int64_t>(elements_() % static_cast<std::uint64_t>(high - low + 1)));
  return converted(numbers, shape, dtype);
}

Tensor Draw::reals(DType dtype, const Dims& shape, double low, double high) {
  std::vector<double> numbers(count_of(shape));
  for (double& number : numbers) number = low + (high - low) * static_cast<double>(elements_() % 100001) / 100000;
  return converted(numbers, shape, dtype);
}

Tensor list_of(const Dims& values) {
  return Tensor::of<std::int64_t>({static_cast<std::int64_t>(values.size())}, std::span<const std::int64_t>(values));
}
Tensor list_of(const std::vector<std::int64_t>& values) { return list_of(Dims(values)); }
Tensor number_of(std::int64_t value) { return Tensor::scalar(value); }

std::uint32_t mask_of(std::initializer_list<DType> types) {
  std::uint32_t mask = 0;
  for (const DType dtype : types) mask |= 1U << static_cast<unsigned>(dtype);
  return mask;
}

Sampler sampler_of(const OpDef& row) {
  for (const auto samplers : {product_samplers(), movement_samplers(), axis_samplers(), row_samplers()})
    for (const SamplerRow& candidate : samplers)
      if (candidate.name == row.name) return candidate.sample;
  return row.axes.kind == AxisKind::pointwise ? sample_pointwise : nullptr;
}

}  // namespace pawl::ops
