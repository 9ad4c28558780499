// Loads and stores: plain where lanes are neighbours, gathered where they are not, in part where lanes are missing.
#include "backend/cpu/generator.h"

namespace pawl::cpu {
namespace {

/// A boolean is a byte.
DType stored_as(DType dtype) { return dtype == DType::boolean ? DType::u8 : dtype; }

std::int64_t wrapping_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

std::string pointers(int width) { return fmt::format("<{} x ptr>", width); }

}  // namespace

Ssa Generator::sum(const Ssa& a, const Ssa& b) {
  if (a.constant && a.text == "0") return b;
  if (b.constant && b.text == "0") return a;
  return out_.binary("add", a, b);
}

Ssa Generator::product(const Ssa& a, const Ssa& b) {
  if (a.constant && a.text == "1") return b;
  if (b.constant && b.text == "1") return a;
  if ((a.constant && a.text == "0") || (b.constant && b.text == "0")) return index(0);
  return out_.binary("mul", a, b);
}

Ssa Generator::start_of(const kernel::Affine& form) {
  Ssa total = index(0);
  for (const kernel::Term& term : form) {
    Ssa value = index(term.factor);
    if (term.param.valid()) value = product(value, params_[term.param.index]);
    if (term.counter.valid()) value = product(value, counters_[term.counter.index]);
    total = sum(total, value);
  }
  return total;
}

Ssa Generator::slope_value(const Slope& slope) {
  Ssa total = index(slope.constant);
  for (const kernel::Term& term : slope.by_params)
    total = sum(total, product(index(term.factor), params_[term.param.index]));
  return total;
}

Ssa Generator::ahead_of(const kernel::Affine& form, const Copy& copy) {
  std::int64_t constant = 0;
  Ssa total = index(0);
  for (const Offset& offset : copy) {
    if (offset.by == 0) continue;
    Slope slope = slope_of(form, offset.counter);
    constant += wrapping_product(slope.constant, offset.by);
    slope.constant = 0;
    if (!slope.is_zero()) total = sum(total, product(index(offset.by), slope_value(slope)));
  }
  return sum(total, index(constant));
}

bool Generator::is_shared(const kernel::Affine& form) const {
  for (const Copy& copy : frame_.copies)
    for (const Offset& offset : copy)
      if (offset.by != 0 && !slope_of(form, offset.counter).is_zero()) return false;
  return true;
}

Ssa Generator::lane_offsets(const Slope& slope) {
  std::string numbers;
  const std::int64_t factor = slope.by_params.empty() ? slope.constant : 1;
  for (int i = 0; i < frame_.width; ++i)
    numbers += fmt::format("{}i64 {}", i == 0 ? "" : ", ", wrapping_product(factor, i));
  const Ssa lanes{fmt::format("<{}>", numbers), DType::i64, frame_.width, false};
  if (slope.by_params.empty()) return lanes;
  return out_.binary("mul", out_.splat(slope_value(slope), frame_.width), lanes);
}

std::string Generator::element_pointer(std::string_view element, const std::string& base, const Ssa& offset) {
  return offset.constant && offset.text == "0" ? base : out_.pointer(element, base, offset);
}

Ssa Generator::reversed(const Ssa& value) {
  std::string lanes;
  for (int i = value.width - 1; i >= 0; --i) lanes += fmt::format("i32 {}{}", i, i == 0 ? "" : ", ");
  return out_.emit(value.dtype, value.width, "shufflevector {} {}, {} poison, <{} x i32> <{}>", type_of(value),
                   operand(value), type_of(value), value.width, lanes);
}

Ssa Generator::load_part(const std::string& pointer, DType dtype, const Slope& slope, bool unchanging) {
  const int width = slope.is_zero() ? 1 : frame_.width;
  const std::string type = register_type(dtype, width);
  const std::string_view element = register_type(dtype);
  // Buffers that are only read are no others: such loads may be moved past stores.
  const std::string_view freedom = unchanging ? ", !invariant.load !1" : "";
  if (width == 1 || (slope.is(1) && !frame_.mask))
    return out_.emit(dtype, width, "load {}, ptr {}, align 1{}", type, pointer, freedom);
  if (slope.is(1) || slope.is(-1)) {
    const bool back = slope.is(-1);
    const std::string first = back ? out_.pointer(element, pointer, index(1 - width)) : pointer;
    Ssa loaded;
    if (frame_.mask) {
      const Ssa mask = back ? reversed(*frame_.mask) : *frame_.mask;
      const std::string function = fmt::format("@llvm.masked.load{}.p0", suffix(dtype, width));
      out_.declare(fmt::format("declare {} {}(ptr, i32, {}, {})", type, function, type_of(mask), type));
      loaded = out_.emit(dtype, width, "call {} {}(ptr {}, i32 1, {} {}, {} zeroinitializer)", type, function, first,
                         type_of(mask), operand(mask), type);
    } else {
      loaded = out_.emit(dtype, width, "load {}, ptr {}, align 1{}", type, first, freedom);
    }
    return back ? reversed(loaded) : loaded;
  }
  const Ssa mask = frame_.mask ? *frame_.mask : literal(DType::boolean, 1, width);
  const std::string places = out_.pointer(element, pointer, lane_offsets(slope));
  const std::string function = fmt::format("@llvm.masked.gather{}.v{}p0", suffix(dtype, width), width);
  out_.declare(fmt::format("declare {} {}({}, i32, {}, {})", type, function, pointers(width), type_of(mask), type));
  return out_.emit(dtype, width, "call {} {}({} {}, i32 1, {} {}, {} zeroinitializer)", type, function, pointers(width),
                   places, type_of(mask), operand(mask), type);
}

Result<void> Generator::statement(const kernel::Load& load) {
  if (loaded_ahead_.contains(&load)) return {};
  const DType dtype = program_.buffers[load.buffer].dtype, stored = stored_as(dtype);
  const std::string_view element = register_type(stored);
  const Slope slope = frame_.width > 1 ? slope_of(load.at, frame_.vector_counter) : Slope{};
  const std::string first = element_pointer(element, buffers_[load.buffer], start_of(load.at));
  const std::size_t count = is_shared(load.at) ? 1 : frame_.copies.size();
  const bool unchanging = program_.buffers[load.buffer].access == kernel::Access::in;
  Value value;
  for (std::size_t i = 0; i < count; ++i) {
    const std::string pointer = element_pointer(element, first, ahead_of(load.at, frame_.copies[i]));
    Ssa part = load_part(pointer, stored, slope, unchanging);
    if (dtype == DType::boolean) part = out_.compare("icmp ne", part, literal_bits(stored, 0, part.width));
    part.dtype = dtype;
    value.parts.push_back(part);
  }
  values_[load.result.index] = std::move(value);
  return {};
}

void Generator::store_streaming(const std::string& pointer, const Ssa& value) {
  has_streamed_ = true;
  const auto bytes = size_of(value.dtype) * static_cast<std::size_t>(value.width);
  const std::string aligned = out_.fresh_label(), unaligned = out_.fresh_label(), after = out_.fresh_label();
  const Ssa place = out_.emit(DType::i64, 1, "ptrtoint ptr {} to i64", pointer);
  const Ssa rest = out_.binary("and", place, index(static_cast<std::int64_t>(bytes) - 1));
  out_.branch(out_.compare("icmp eq", rest, index(0)), aligned, unaligned);
  out_.begin_block(aligned);
  out_.line("store {} {}, ptr {}, align {}, !nontemporal !0", type_of(value), operand(value), pointer, bytes);
  out_.branch(after);
  out_.begin_block(unaligned);
  out_.line("store {} {}, ptr {}, align 1", type_of(value), operand(value), pointer);
  out_.branch(after);
  out_.begin_block(after);
}

void Generator::store_part(const std::string& pointer, const Ssa& value, DType dtype, const Slope& slope,
                           bool streaming) {
  const int width = slope.is_zero() ? 1 : frame_.width;
  const std::string_view element = register_type(dtype);
  if (width == 1) {
    // All lanes store the same.
    const Ssa one =
        value.is_vector() ? out_.emit(dtype, 1, "extractelement {} {}, i64 0", type_of(value), operand(value)) : value;
    out_.line("store {} {}, ptr {}, align 1", element, operand(one), pointer);
    return;
  }
  const Ssa wide = out_.splat(value, width);
  const std::string type = type_of(wide);
  if (slope.is(1) || slope.is(-1)) {
    const bool back = slope.is(-1);
    const std::string first = back ? out_.pointer(element, pointer, index(1 - width)) : pointer;
    const Ssa ordered = back && !wide.constant ? reversed(wide) : wide;
    if (!frame_.mask) {
      if (streaming && slope.is(1) && size_of(dtype) * static_cast<std::size_t>(width) >= 16)
        return store_streaming(first, ordered);
      return out_.line("store {} {}, ptr {}, align 1", type, operand(ordered), first);
    }
    const Ssa mask = back ? reversed(*frame_.mask) : *frame_.mask;
    const std::string function = fmt::format("@llvm.masked.store{}.p0", suffix(dtype, width));
    out_.declare(fmt::format("declare void {}({}, ptr, i32, {})", function, type, type_of(mask)));
    return out_.line("call void {}({} {}, ptr {}, i32 1, {} {})", function, type, operand(ordered), first,
                     type_of(mask), operand(mask));
  }
  const Ssa mask = frame_.mask ? *frame_.mask : literal(DType::boolean, 1, width);
  const std::string places = out_.pointer(element, pointer, lane_offsets(slope));
  const std::string function = fmt::format("@llvm.masked.scatter{}.v{}p0", suffix(dtype, width), width);
  out_.declare(fmt::format("declare void {}({}, {}, i32, {})", function, type, pointers(width), type_of(mask)));
  out_.line("call void {}({} {}, {} {}, i32 1, {} {})", function, type, operand(wide), pointers(width), places,
            type_of(mask), operand(mask));
}

Result<void> Generator::statement(const kernel::Store& store) {
  const DType dtype = program_.buffers[store.buffer].dtype, stored = stored_as(dtype);
  const std::string_view element = register_type(stored);
  const Slope slope = frame_.width > 1 ? slope_of(store.at, frame_.vector_counter) : Slope{};
  const std::string first = element_pointer(element, buffers_[store.buffer], start_of(store.at));
  const std::size_t copies = frame_.copies.size(), count = is_shared(store.at) ? 1 : copies;
  for (std::size_t i = 0; i < count; ++i) {
    Ssa value = values_[store.value.index].part(i, copies);
    if (dtype == DType::boolean) value = out_.convert("zext", value, DType::u8);
    value.dtype = stored;
    const std::string pointer = element_pointer(element, first, ahead_of(store.at, frame_.copies[i]));
    store_part(pointer, value, stored, slope, store.streaming);
  }
  return {};
}

}  // namespace pawl::cpu
