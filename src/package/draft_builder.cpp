#include "package/draft_builder.h"

#include <fmt/format.h>

#include <cstring>

#include "base/try.h"
#include "kernel/builder.h"
#include "ops/convert.h"
#include "package/unify.h"
#include "tensor/walk.h"

namespace pawl::package {
namespace {

using wgsl::PassBuffer;

/// Of more equal elements a loop is shorter than a list.
constexpr std::int64_t kFewElements = 16;
/// The buffer of constants comes first.
constexpr std::size_t kConstants = 0;

/// Neighbouring axes that are gone through as one, without those of extent 1.
Walk simpler(const Walk& walk) {
  Walk made;
  for (std::size_t axis = 0; axis < walk.shape.size(); ++axis) {
    if (walk.shape[axis] == 1) continue;
    if (!made.shape.empty() && made.strides.back() == walk.strides[axis] * walk.shape[axis]) {
      made.shape.back() *= walk.shape[axis];
      made.strides.back() = walk.strides[axis];
      continue;
    }
    made.shape.push_back(walk.shape[axis]);
    made.strides.push_back(walk.strides[axis]);
  }
  return made;
}

/// Calls `inside` with the place in what is gone through and the place in what is written.
void over(kernel::Builder& builder, const Walk& walk, const Dims& to, std::size_t axis, const kernel::Form& from,
          const kernel::Form& at, const std::function<void(const kernel::Form&, const kernel::Form&)>& inside) {
  if (axis == walk.shape.size()) return inside(from, at);
  builder.lanes(walk.shape[axis], [&](kernel::Counter c) {
    over(builder, walk, to, axis + 1, from + kernel::Form(walk.strides[axis]) * c, at + kernel::Form(to[axis]) * c,
         inside);
  });
}

void append(std::vector<std::uint32_t>& words, const Tensor& dense) {
  const auto count = static_cast<std::size_t>(dense.size());
  const std::size_t bytes = size_of(dense.dtype());
  if (bytes == 2) {
    std::vector<std::uint16_t> halves(count + count % 2);
    std::memcpy(halves.data(), dense.bytes(), 2 * count);
    for (std::size_t i = 0; i < halves.size(); i += 2)
      words.push_back(halves[i] | (static_cast<std::uint32_t>(halves[i + 1]) << 16U));
    return;
  }
  for (std::size_t i = 0; i < count; ++i) {
    std::uint32_t word = 0;
    // Of 64-bit integers the low word, which comes first.
    std::memcpy(&word, dense.bytes() + i * bytes, std::min<std::size_t>(bytes, sizeof word));
    words.push_back(word);
  }
}

/// Whether 32 bits hold all elements.
bool is_narrow(const Tensor& dense) {
  if (dense.dtype() == DType::u64) {
    for (const std::uint64_t each : dense.values<std::uint64_t>())
      if (each > UINT32_MAX) return false;
  }
  if (dense.dtype() != DType::i64) return true;
  for (const std::int64_t each : dense.values<std::int64_t>())
    if (each > INT32_MAX || each < INT32_MIN) return false;
  return true;
}

}  // namespace

wgsl::Count with_names(const wgsl::Count& count, const std::function<wgsl::Count(const std::string& name)>& made) {
  using Op = wgsl::Count::Op;
  if (count.op() == Op::number) return count;
  if (count.op() == Op::name) return made(count.name());
  const wgsl::Count left = with_names(count.left(), made), right = with_names(count.right(), made);
  switch (count.op()) {
    case Op::add: return left + right;
    case Op::subtract: return left - right;
    case Op::multiply: return left * right;
    case Op::ceil_div: return ceil_div(left, right);
    case Op::floor_div: return floor_div(left, right);
    case Op::modulo: return modulo(left, right);
    case Op::minimum: return minimum(left, right);
    default: return maximum(left, right);
  }
}

DType device_type(DType dtype) { return dtype == DType::i64 ? DType::i32 : dtype == DType::u64 ? DType::u32 : dtype; }

std::string identifier(std::string_view name) {
  std::string made;
  for (const char c : name) {
    const bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'), is_digit = c >= '0' && c <= '9';
    if (is_digit && made.empty()) made += 'n';
    if (is_letter || is_digit)
      made += c;
    else if (!made.empty() && made.back() != '_')
      made += '_';
  }
  while (!made.empty() && made.back() == '_') made.pop_back();
  return made.empty() ? "value" : made;
}

std::optional<double> only_value(const Tensor& tensor) {
  const Result<Tensor> dense = tensor.to_dense();
  if (!dense.ok() || dense->size() == 0 || dense->dtype() == DType::string) return std::nullopt;
  const std::size_t bytes = size_of(dense->dtype());
  for (std::int64_t i = 1; i < dense->size(); ++i)
    if (std::memcmp(dense->bytes(), dense->bytes() + static_cast<std::size_t>(i) * bytes, bytes) != 0)
      return std::nullopt;
  return ops::only_number(&static_cast<const Tensor&>(dense->view({}, {})));
}

DraftBuilder::DraftBuilder(const std::vector<std::string>& taken) : names_(taken.begin(), taken.end()) {
  buffer(PassBuffer::Kind::constant, "constants", DType::u32, {0});
}

std::string DraftBuilder::unique(const std::string& name, std::set<std::string>& taken) {
  std::string made = name;
  for (int i = 2; !taken.insert(made).second; ++i) made = fmt::format("{}_{}", name, i);
  return made;
}

std::size_t DraftBuilder::buffer(PassBuffer::Kind kind, std::string_view name, DType dtype, const Dims& shape) {
  const bool is_port = kind == PassBuffer::Kind::input || kind == PassBuffer::Kind::output;
  const std::string own = is_port ? std::string(name) : unique(identifier(name), names_);
  draft_.buffers.push_back({kind, own, device_type(dtype), shape, {}});
  return draft_.buffers.size() - 1;
}

Result<void> DraftBuilder::add(const std::string& id, kernel::Program program, const std::vector<std::size_t>& buffers,
                               const std::vector<std::int64_t>& params) {
  TRY(narrow(program));
  const Uses uses = uses_of(program);
  DraftPass pass;
  pass.id = unique(identifier(id), ids_);
  std::vector<std::uint32_t> to(buffers.size(), 0);
  std::vector<kernel::Buffer> kept;
  std::vector<bool> loads;
  for (std::size_t i = 0; i < buffers.size(); ++i) {
    if (!uses.loads[i] && !uses.stores[i]) continue;
    // One buffer of the draft, as one type, is one buffer of the kernel.
    std::size_t same = 0;
    while (same < kept.size() && (pass.buffers[same] != buffers[i] || kept[same].dtype != program.buffers[i].dtype))
      ++same;
    to[i] = static_cast<std::uint32_t>(same);
    if (same == kept.size()) {
      kept.push_back(program.buffers[i]);
      pass.buffers.push_back(buffers[i]);
      pass.writes.push_back(false);
      loads.push_back(false);
    }
    pass.writes[same] = pass.writes[same] || uses.stores[i];
    loads[same] = loads[same] || uses.loads[i];
  }
  // A stage may read what another one has written.
  for (std::size_t i = 0; i < kept.size(); ++i)
    kept[i].access = !pass.writes[i] ? kernel::Access::in : loads[i] ? kernel::Access::inout : kernel::Access::out;
  renumber_buffers(program, to, std::move(kept));
  pass.program_params = params;
  pass.program = std::move(program);
  draft_.passes.push_back(std::move(pass));
  return {};
}

void DraftBuilder::add(DraftPass pass) {
  pass.id = unique(identifier(pass.id), ids_);
  draft_.passes.push_back(std::move(pass));
}

void DraftBuilder::back_to(const Mark& mark) {
  for (std::size_t i = mark.buffers; i < draft_.buffers.size(); ++i)
    if (draft_.buffers[i].kind == PassBuffer::Kind::scratch) names_.erase(draft_.buffers[i].name);
  for (std::size_t i = mark.passes; i < draft_.passes.size(); ++i) ids_.erase(draft_.passes[i].id);
  draft_.buffers.resize(mark.buffers);
  draft_.passes.resize(mark.passes);
  draft_.constants.resize(mark.constants);
  draft_.numbers.resize(mark.numbers);
  draft_.derived.erase(draft_.derived.begin() + static_cast<std::ptrdiff_t>(mark.derived), draft_.derived.end());
  draft_.conditions.erase(draft_.conditions.begin() + static_cast<std::ptrdiff_t>(mark.conditions),
                          draft_.conditions.end());
  draft_.buffers[kConstants].shape = {static_cast<std::int64_t>(mark.constants)};
}

std::string DraftBuilder::unique_prefix(const std::string& name) { return unique(identifier(name), prefixes_) + "_"; }

DraftBuilder::Mark DraftBuilder::mark() const {
  return {draft_.buffers.size(), draft_.passes.size(),  draft_.constants.size(),
          draft_.numbers.size(), draft_.derived.size(), draft_.conditions.size()};
}

std::size_t DraftBuilder::scratch(std::string_view name, DType dtype, std::vector<wgsl::Count> shape) {
  const std::size_t made = buffer(PassBuffer::Kind::scratch, name, dtype, {});
  draft_.buffers[made].counted = std::move(shape);
  return made;
}

std::size_t DraftBuilder::most_buffers(const Mark& since) const {
  std::size_t most = 0;
  for (std::size_t i = since.passes; i < draft_.passes.size(); ++i)
    most = std::max(most, draft_.passes[i].buffers.size());
  return most;
}

Result<void> DraftBuilder::copy(const std::string& id, std::size_t from, const Walk& walk, std::size_t to,
                                std::int64_t origin, std::int64_t first) {
  const Walk simple = simpler(walk);
  kernel::Builder builder("copy");
  const DType dtype = at(to).dtype;
  const kernel::BufferId x = builder.buffer("x", dtype, kernel::Access::in);
  const kernel::BufferId y = builder.buffer("y", dtype, kernel::Access::out);
  over(
      builder, simple, dense_strides(simple.shape), 0, origin, first,
      [&](const kernel::Form& read, const kernel::Form& written) { builder.store(y, written, builder.load(x, read)); });
  return add(id, std::move(builder).finish(), {from, to}, {});
}

Result<void> DraftBuilder::fill(const std::string& id, const Operand& from, const Walk& walk, std::size_t to) {
  if (from.buffer != SIZE_MAX) return copy(id, from.buffer, walk, to);
  if (const std::optional<double> value = only_value(from.constant)) {
    kernel::Builder builder("fill");
    const DType dtype = at(to).dtype;
    const kernel::BufferId y = builder.buffer("y", dtype, kernel::Access::out);
    const kernel::Var number = builder.constant(dtype, *value);
    const Walk simple = simpler({walk.shape, dense_strides(walk.shape)});
    over(builder, simple, dense_strides(simple.shape), 0, 0, 0,
         [&](const kernel::Form&, const kernel::Form& written) { builder.store(y, written, number); });
    return add(id, std::move(builder).finish(), {to}, {});
  }
  TRY_ASSIGN(const Place place, constant(from.constant, id));
  return copy(id, place.buffer, walk, to, place.origin);
}

Result<std::size_t> DraftBuilder::buffer_of(const Operand& operand, const std::string& name) {
  if (operand.buffer != SIZE_MAX) return operand.buffer;
  const std::size_t made = buffer(PassBuffer::Kind::scratch, name, operand.constant.dtype(), operand.constant.shape());
  const Dims& shape = operand.constant.shape();
  TRY(fill(name, operand, {shape, dense_strides(shape)}, made));
  return made;
}

Result<DraftBuilder::Place> DraftBuilder::constant(const Tensor& tensor, const std::string& name) {
  TRY_ASSIGN(const Tensor dense, tensor.to_dense());
  if (dense.size() > kFewElements && only_value(dense)) {
    TRY_ASSIGN(const std::size_t filled, buffer_of({SIZE_MAX, dense, dense.shape()}, name));
    return Place{filled, 0};
  }
  if (!is_narrow(dense)) return fail(Code::unsupported, "WGSL has no 64-bit integers, and {} does not fit 32", name);
  const auto words = static_cast<std::int64_t>(draft_.constants.size());
  const Place place{kConstants, size_of(dense.dtype()) == 2 ? 2 * words : words};
  append(draft_.constants, dense);
  draft_.buffers[kConstants].shape = {static_cast<std::int64_t>(draft_.constants.size())};
  return place;
}

}  // namespace pawl::package
