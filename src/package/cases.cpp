#include "package/cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/try.h"
#include "package/draft_builder.h"
#include "package/sha256.h"
#include "tensor/dispatch.h"

namespace pawl::package {
namespace {

/// Extents of a case, by unknown; those of more unknowns are 2.
using Extents = std::vector<std::int64_t>;
constexpr std::int64_t kOdd[] = {7, 5, 3, 6, 2, 4};
constexpr std::int64_t kLonger[] = {33, 17, 9, 5, 3, 2};
constexpr std::int64_t kFew[] = {2, 3, 1, 2, 1, 1};
/// Elements of the inputs of a test at most.
constexpr std::int64_t kMostElements = 1 << 14;
/// Bytes of the inputs and outputs of a benchmark at most.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 28;
/// Longer tensors are written as base64.
constexpr std::int64_t kFewNumbers = 64;

std::int64_t value_at(const wgsl::Count& count, const Compiled& compiled, const Extents& extents) {
  return wgsl::value_of(count, [&](const std::string& name) {
    for (std::size_t i = 0; i < extents.size(); ++i)
      if (compiled.extents[i].name == name) return extents[i];
    return std::int64_t{0};
  });
}

Dims shape_at(const PackagePort& port, const Compiled& compiled, const Extents& extents) {
  Dims shape;
  for (const wgsl::Count& extent : port.shape) shape.push_back(value_at(extent, compiled, extents));
  return shape;
}

std::int64_t size_at(const std::vector<PackagePort>& ports, const Compiled& compiled, const Extents& extents,
                     bool in_bytes) {
  std::int64_t size = 0;
  for (const PackagePort& port : ports) {
    if (port.weight.defined() && !in_bytes) continue;
    std::int64_t own = in_bytes ? (port.dtype == DType::f16 ? 2 : 4) : 1;
    for (const std::int64_t extent : shape_at(port, compiled, extents)) own *= extent;
    size += own;
  }
  return size;
}

std::uint32_t mixed(std::uint32_t h) {
  h ^= h >> 16U;
  h *= 0x85ebca6bU;
  h ^= h >> 13U;
  h *= 0xc2b2ae35U;
  return h ^ (h >> 16U);
}

/// Numbers by the rule `uniform`.
struct Uniform {
  std::uint32_t seed = 0;
  double low = 0;
  double high = 1;

  [[nodiscard]] double at(std::uint32_t i) const {
    return low + (high - low) * static_cast<double>(mixed(i + mixed(seed)) >> 8U) / 16777216.0;
  }
};

///   places : how many the port's integers may be, if they are places
Uniform rule_of(const PackagePort& port, std::int64_t places, std::uint32_t seed) {
  if (port.dtype == DType::boolean) return {seed, 0, 2};
  if (port.dtype == DType::f32 || port.dtype == DType::f16) return {seed, -0.5, 0.5};
  return {seed, 0, places > 0 ? static_cast<double>(places) : 10};
}

Result<Tensor> numbers_of(const PackagePort& port, const Dims& shape, const Uniform& rule) {
  TRY_ASSIGN(Tensor made, Tensor::allocate(port.dtype, shape));
  TRY(dispatch<Everything>(port.dtype, [&](auto tag) -> Result<void> {
    using T = typename decltype(tag)::type;
    if constexpr (std::is_arithmetic_v<T> || kIsFloat<T>) {
      std::uint32_t i = 0;
      for (T& element : made.template mutable_values<T>()) {
        const double number = rule.at(i++);
        if constexpr (kIsFloat<T>)
          element = static_cast<T>(number);
        else if constexpr (std::is_same_v<T, bool>)
          element = number >= 1;
        else
          element = static_cast<T>(std::floor(number));
      }
      return {};
    } else {
      return fail(Code::unsupported, "no numbers of {}", name(port.dtype));
    }
  }));
  return made;
}

/// The elements as typed arrays of the package's type have them.
std::string device_bytes(const Tensor& tensor) {
  const auto* data = reinterpret_cast<const char*>(tensor.bytes());
  const std::size_t bytes = size_of(tensor.dtype());
  if (device_type(tensor.dtype()) == tensor.dtype())
    return {data, data + static_cast<std::size_t>(tensor.size()) * bytes};
  std::string made;
  for (std::int64_t i = 0; i < tensor.size(); ++i) made.append(data + static_cast<std::size_t>(i) * bytes, 4);
  return made;
}

template <class T>
void add_numbers(Json& to, const Tensor& tensor) {
  for (const T each : tensor.values<T>()) {
    if constexpr (std::is_same_v<T, float>)
      to.add(each);
    else
      to.add(static_cast<std::int64_t>(each));
  }
}

Json described(const PackagePort& port, const Dims& shape) {
  Json extents = Json::array();
  for (const std::int64_t extent : shape) extents.add(extent);
  return Json::object().set("dtype", manifest_type(port.dtype)).set("shape", std::move(extents));
}

Json tensor_json(const PackagePort& port, const Tensor& tensor) {
  Json made = described(port, tensor.shape());
  Json data = Json::array();
  const bool is_short = tensor.size() <= kFewNumbers;
  switch (is_short ? port.dtype : DType::undefined) {
    case DType::f32: add_numbers<float>(data, tensor); break;
    case DType::i32: add_numbers<std::int32_t>(data, tensor); break;
    case DType::u32: add_numbers<std::uint32_t>(data, tensor); break;
    case DType::i64: add_numbers<std::int64_t>(data, tensor); break;
    case DType::u64: add_numbers<std::uint64_t>(data, tensor); break;
    case DType::boolean: add_numbers<bool>(data, tensor); break;
    default: {
      const std::string bytes = device_bytes(tensor);
      return std::move(made.set("base64", base64({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()})));
    }
  }
  return std::move(made.set("data", std::move(data)));
}

Json weight_json(const PackagePort& port) {
  return std::move(described(port, port.weight.shape()).set("file", kWeightsFile).set("tensor", port.key));
}

std::string name_of(const Compiled& compiled, const Extents& extents) {
  std::string name;
  for (std::size_t i = 0; i < extents.size(); ++i)
    name += fmt::format("{}{} = {}", i == 0 ? "" : ", ", compiled.extents[i].symbol, extents[i]);
  return name.empty() ? "one call" : name;
}

/// Those that all variants ask for.
void add_features(const Compiled& compiled, Json& to) {
  Json made = Json::array();
  for (const std::string& feature : compiled.contents.variants.back().features) made.add(feature);
  if (!made.empty()) to.set("features", std::move(made));
}

/// Where numbers are large, sums of them lose as much more.
void add_tolerances(const Compiled& compiled, const std::vector<Tensor>& outputs, Json& to) {
  Json made = Json::object();
  for (std::size_t k = 0; k < outputs.size(); ++k) {
    if (outputs[k].dtype() != DType::f32) continue;
    float most = 0;
    for (const float each : outputs[k].values<float>())
      if (std::isfinite(each)) most = std::max(most, std::abs(each));
    if (most > 1)
      made.set(compiled.outputs[k].key, Json::object().set("rtol", 1e-4).set("atol", 1e-5 * static_cast<double>(most)));
  }
  if (!made.empty()) to.set("tolerances", std::move(made));
}

Result<Json> test_case(const Compiled& compiled, const Program& program, const Extents& extents,
                       const std::string& name, std::uint32_t seed) {
  std::vector<Value> given;
  Json inputs = Json::object();
  for (const PackagePort& port : compiled.inputs) {
    if (port.weight.defined()) {
      inputs.set(port.key, weight_json(port));
      continue;
    }
    const auto number = static_cast<std::uint32_t>(given.size());
    TRY_ASSIGN(const Tensor made, numbers_of(port, shape_at(port, compiled, extents),
                                             rule_of(port, value_at(port.places, compiled, extents), seed + number)));
    inputs.set(port.key, tensor_json(port, made));
    given.emplace_back(made);
  }
  TRY_ASSIGN(const std::vector<Value> values, program.run(given));
  std::vector<Tensor> outputs;
  Json expected = Json::object();
  for (std::size_t k = 0; k < values.size(); ++k) {
    TRY_ASSIGN(Tensor dense, values[k].tensor().to_dense());
    expected.set(compiled.outputs[k].key, tensor_json(compiled.outputs[k], dense));
    outputs.push_back(std::move(dense));
  }
  Json made = Json::object();
  made.set("name", name).set("inputs", std::move(inputs));
  add_features(compiled, made);
  made.set("expected", std::move(expected));
  add_tolerances(compiled, outputs, made);
  return made;
}

/// Extents that tests have: odd ones, ones, longer ones, many steps, and none along each axis of steps.
std::vector<Extents> test_extents(const Compiled& compiled) {
  const std::size_t count = compiled.extents.size();
  if (count == 0) return {{}, {}};
  const auto extents = [&](std::int64_t steps, const std::int64_t(&others)[6]) {
    Extents made;
    for (std::size_t i = 0; i < count; ++i) made.push_back(compiled.extents[i].is_steps ? steps : others[i]);
    return made;
  };
  const Extents odd = extents(9, kOdd);
  Extents longer = extents(130, kLonger);
  for (std::size_t i = 0; i < 6 * count && size_at(compiled.inputs, compiled, longer, false) > kMostElements; ++i)
    if (std::int64_t& each = longer[i % count]; each > 3) each = each / 2 + 1;
  std::vector<Extents> made = {odd, Extents(count, 1), longer};
  if (const Extents many = extents(1000, kFew);
      size_at(compiled.inputs, compiled, many, false) <= kMostElements && many != extents(1, kFew))
    made.push_back(many);
  for (std::size_t i = 0; i < count; ++i) {
    if (!compiled.extents[i].is_steps) continue;
    Extents none = odd;
    none[i] = 0;
    made.push_back(std::move(none));
  }
  return made;
}

Json tolerances() {
  return std::move(Json::object()
                       .set("float32", Json::object().set("rtol", 1e-4).set("atol", 1e-5))
                       .set("float16", Json::object().set("rtol", 5e-3).set("atol", 5e-3)));
}

}  // namespace

Result<std::string> test_text(const Compiled& compiled, const Model& model) {
  CompileOptions options;
  options.guarantee = Guarantee::exact;
  options.kernels = Kernels::off;
  options.rewrite = false;
  TRY_ASSIGN(const Program program, Program::compile(model, options));
  Json cases = Json::array();
  std::optional<Error> first;
  std::uint32_t seed = 1;
  for (const Extents& extents : test_extents(compiled)) {
    std::string name = name_of(compiled, extents);
    if (compiled.extents.empty() && seed > 1) name = "another call";
    // Models may have no meaning for some extents.
    Result<Json> made = test_case(compiled, program, extents, name, seed);
    seed += 100;
    if (made.ok())
      cases.add(std::move(made).value());
    else if (!first)
      first = made.error();
  }
  if (cases.empty()) return *first;
  Json made = Json::object();
  made.set("format", "pawl-package-test/1").set("tolerances", tolerances()).set("cases", std::move(cases));
  return made.text();
}

std::string bench_text(const Compiled& compiled) {
  Json cases = Json::array();
  for (const std::int64_t length : {256, 4096, 65536}) {
    Extents extents;
    bool is_first = true;
    for (const Extent& extent : compiled.extents) {
      const bool is_long = extent.is_steps || (is_first && compiled.extents.size() == 1);
      extents.push_back(is_long ? length : 64);
      is_first = false;
    }
    const std::int64_t bytes =
        size_at(compiled.inputs, compiled, extents, true) + size_at(compiled.outputs, compiled, extents, true);
    if (!cases.empty() && (bytes > kMostBytes || extents.empty())) break;
    Json at = Json::object(), inputs = Json::object();
    for (std::size_t i = 0; i < extents.size(); ++i) at.set(compiled.extents[i].symbol, extents[i]);
    std::uint32_t seed = 1;
    for (const PackagePort& port : compiled.inputs) {
      if (port.weight.defined()) {
        inputs.set(port.key, weight_json(port));
        continue;
      }
      const Uniform rule = rule_of(port, value_at(port.places, compiled, extents), seed++);
      Json numbers = Json::object();
      numbers.set("kind", "uniform").set("seed", static_cast<std::int64_t>(rule.seed));
      numbers.set("low", rule.low).set("high", rule.high);
      inputs.set(port.key,
                 std::move(described(port, shape_at(port, compiled, extents)).set("generate", std::move(numbers))));
    }
    Json made = Json::object();
    made.set("name", name_of(compiled, extents)).set("at", std::move(at)).set("inputs", std::move(inputs));
    add_features(compiled, made);
    cases.add(std::move(made.set("bytes", bytes)));
  }
  Json made = Json::object();
  made.set("format", "pawl-package-bench/1").set("cases", std::move(cases));
  return made.text();
}

std::string weights_file(const Compiled& compiled) {
  Json header = Json::object();
  std::string data;
  for (const PackagePort& port : compiled.inputs) {
    if (!port.weight.defined()) continue;
    const Result<Tensor> dense = port.weight.to_dense();
    if (!dense.ok()) continue;
    const std::string bytes = device_bytes(*dense);
    Json shape = Json::array();
    for (const std::int64_t extent : port.weight.shape()) shape.add(extent);
    const DType dtype = device_type(port.dtype);
    const std::string_view word = dtype == DType::f32   ? "F32"
                                  : dtype == DType::f16 ? "F16"
                                  : dtype == DType::i32 ? "I32"
                                  : dtype == DType::u32 ? "U32"
                                                        : "BOOL";
    Json offsets = Json::array();
    offsets.add(static_cast<std::int64_t>(data.size())).add(static_cast<std::int64_t>(data.size() + bytes.size()));
    Json entry = Json::object();
    entry.set("dtype", word).set("shape", std::move(shape)).set("data_offsets", std::move(offsets));
    header.set(port.key, std::move(entry));
    data += bytes;
  }
  std::string text = header.text();
  while (text.size() % 8 != 0) text += ' ';
  std::uint64_t size = text.size();
  std::string made(reinterpret_cast<const char*>(&size), sizeof size);
  return made + text + data;
}

}  // namespace pawl::package
