// Loops. Every loop tests at its end; what it carries are phis.
#include "backend/cpu/generator.h"
#include "backend/cpu/operations.h"

namespace pawl::cpu {

using kernel::Loop;

Value Generator::spread(const Value& value, bool copied, bool wide) {
  const std::size_t copies = frame_.copies.size(), count = copied ? copies : 1;
  Value result;
  for (std::size_t i = 0; i < count; ++i)
    result.parts.push_back(out_.splat(value.part(i, copies), wide ? frame_.width : 1));
  return result;
}

Result<void> Generator::load_ahead(const Loop& loop) {
  // Half of the registers; the rest is for what the loop does.
  std::size_t left = static_cast<std::size_t>(target_.vector_registers) / 2;
  for (const kernel::Statement& statement : loop.block) {
    const auto* load = std::get_if<kernel::Load>(&statement);
    // It may have been, in another part of a loop around this one.
    loaded_ahead_.erase(load);
    if (load == nullptr || program_.buffers[load->buffer].access != kernel::Access::in ||
        !slope_of(load->at, loop.counter).is_zero())
      continue;
    const std::size_t parts = is_shared(load->at) ? 1 : frame_.copies.size();
    if (parts > left) continue;
    left -= parts;
    TRY(this->statement(*load));
    loaded_ahead_.insert(load);
  }
  return {};
}

template <class Body>
Result<Generator::Values> Generator::counted(const Ssa& begin, const Ssa& end, int step, const Loop& loop,
                                             const Values& initial, const Body& body) {
  const std::string entered = out_.fresh_label(), label = out_.fresh_label(), after = out_.fresh_label();
  const std::string around = out_.block();
  out_.branch(out_.compare("icmp slt", begin, end), entered, after);
  out_.begin_block(entered);
  TRY(load_ahead(loop));
  const std::string before = out_.block();
  out_.branch(label);
  out_.begin_block(label);
  const std::size_t head = out_.position();
  const Ssa now{out_.fresh(), DType::i64, 1, false};
  counters_[loop.counter.index] = now;
  Values carried = initial;
  for (Value& value : carried)
    for (Ssa& part : value.parts) part = {out_.fresh(), part.dtype, part.width, false};
  TRY_ASSIGN(const Values next, body(carried));
  const Ssa following = out_.binary("add", now, index(step));
  const Ssa more = out_.compare("icmp slt", following, end);
  const std::string last = out_.block();
  out_.branch(more, label, after);

  std::string phis =
      fmt::format("  {} = phi i64 [ {}, %{} ], [ {}, %{} ]\n", now.text, begin.text, before, following.text, last);
  for (std::size_t i = 0; i < carried.size(); ++i)
    for (std::size_t j = 0; j < carried[i].parts.size(); ++j)
      phis += fmt::format("  {} = phi {} [ {}, %{} ], [ {}, %{} ]\n", carried[i].parts[j].text,
                          type_of(carried[i].parts[j]), operand(initial[i].parts[j]), before, operand(next[i].parts[j]),
                          last);
  out_.insert(head, phis);

  out_.begin_block(after);
  Values results = initial;
  for (std::size_t i = 0; i < results.size(); ++i)
    for (std::size_t j = 0; j < results[i].parts.size(); ++j) {
      const Ssa& first = initial[i].parts[j];
      results[i].parts[j] = out_.emit(first.dtype, first.width, "phi {} [ {}, %{} ], [ {}, %{} ]", type_of(first),
                                      operand(first), around, operand(next[i].parts[j]), last);
    }
  return results;
}

template <class Body>
Result<Generator::Values> Generator::without_nan(const Ssa& end, const Loop& loop, const Values& initial,
                                                 const Body& body) {
  const auto hopeful = [&](const Values& inside) -> Result<Values> {
    are_numbers_.reset();
    TRY_ASSIGN(Values next, body(Values(inside.begin(), inside.end() - 1)));
    const Ssa& before = inside.back().parts[0];
    next.push_back({{are_numbers_ ? out_.binary("and", before, *are_numbers_) : before}});
    return next;
  };
  Values with_numbers = initial;
  with_numbers.push_back({{literal(DType::boolean, 1, frame_.width)}});
  takes_numbers_ = true;
  Result<Values> hoped = counted(index(0), end, 1, loop, with_numbers, hopeful);
  takes_numbers_ = false;
  TRY_ASSIGN(const Values first, std::move(hoped));
  const Ssa& numbers = first.back().parts[0];
  const std::string function = fmt::format("@llvm.vector.reduce.and{}", suffix(DType::boolean, numbers.width));
  out_.declare(fmt::format("declare i1 {}({})", function, type_of(numbers)));
  const Ssa all = out_.emit(DType::boolean, 1, "call i1 {}({} {})", function, type_of(numbers), operand(numbers));
  const std::string again = out_.fresh_label(), done = out_.fresh_label(), hopes = out_.block();
  out_.branch(all, done, again);
  out_.begin_block(again);
  TRY_ASSIGN(const Values second, counted(index(0), end, 1, loop, initial, body));
  const std::string last = out_.block();
  out_.branch(done);
  out_.begin_block(done);
  Values results = second;
  for (std::size_t i = 0; i < results.size(); ++i)
    for (std::size_t j = 0; j < results[i].parts.size(); ++j) {
      Ssa& part = results[i].parts[j];
      part = out_.emit(part.dtype, part.width, "phi {} [ {}, %{} ], [ {}, %{} ]", type_of(part),
                       operand(first[i].parts[j]), hopes, operand(part), last);
    }
  return results;
}

Result<void> Generator::steps(const Loop& loop) {
  const std::vector<Spreading> spreading = spreading_in(loop);
  const Ssa extent = start_of(loop.extent);
  const auto spread_of = [&](const kernel::Carried& carried, kernel::Var var) {
    const Spreading of = spreading[carried.inside.index];
    return spread(values_[var.index], of.copied, of.wide);
  };
  Values initial;
  for (const kernel::Carried& carried : loop.carried) initial.push_back(spread_of(carried, carried.initial));
  const kernel::Compute* place = place_among(loop, spreading);
  if (place != nullptr) initial.push_back({{literal_bits(place->to, 0, frame_.width)}});
  const auto body = [&](const Values& inside) -> Result<Values> {
    for (std::size_t i = 0; i < loop.carried.size(); ++i) values_[loop.carried[i].inside.index] = inside[i];
    if (place != nullptr) values_[place->result.index] = inside.back();
    counted_up_ = place;
    TRY(block(loop.block));
    counted_up_ = nullptr;
    Values next;
    for (const kernel::Carried& carried : loop.carried) next.push_back(spread_of(carried, carried.next));
    if (place != nullptr)
      next.push_back({{out_.binary("add", inside.back().parts[0], literal_bits(place->to, 1, frame_.width))}});
    return next;
  };
  TRY_ASSIGN(const Values results, looks_for_nan(loop, spreading) ? without_nan(extent, loop, initial, body)
                                                                  : counted(index(0), extent, 1, loop, initial, body));
  for (std::size_t i = 0; i < loop.carried.size(); ++i) values_[loop.carried[i].result.index] = results[i];
  return {};
}

Frame Generator::inside(const Loop& loop, Shape shape) const {
  Frame frame = frame_;
  if (shape.width > 1) {
    frame.width = shape.width;
    frame.vector_counter = loop.counter;
  }
  frame.copies.clear();
  for (const Copy& outer : frame_.copies)
    for (int i = 0; i < shape.copies; ++i) {
      frame.copies.push_back(outer);
      frame.copies.back().push_back({loop.counter, std::int64_t{i} * shape.width});
    }
  return frame;
}

bool Generator::masks(const kernel::Block& block) const {
  return target_.masked_bytes > 0 &&
         smallest_element(program_, block) >= static_cast<std::size_t>(target_.masked_bytes);
}

Ssa Generator::mask_of(const Loop& loop, int width, const Ssa& end) {
  const Ssa left = out_.binary("sub", end, counters_[loop.counter.index]);
  const Ssa narrow = out_.convert("trunc", left, DType::i32);
  std::string numbers;
  for (int i = 0; i < width; ++i) numbers += fmt::format("{}i32 {}", i == 0 ? "" : ", ", i);
  return out_.compare("icmp ult", {fmt::format("<{}>", numbers), DType::i32, width, false}, out_.splat(narrow, width));
}

Result<void> Generator::lanes(const Loop& loop, const Ssa& begin, const Ssa& end) {
  const Shape shape = shape_of(program_, loop, target_.vector_bytes);
  const Frame outer = frame_;
  const auto run = [&](const Ssa& from, const Ssa& to, Shape part, bool masked) -> Result<void> {
    frame_ = inside(loop, part);
    frame_.in_order = frame_.in_order || shape.width > 1;
    frame_.partial_sums = std::max(1, frame_.partial_sums / shape.copies);
    const auto body = [&](const Values& carried) -> Result<Values> {
      if (masked) frame_.mask = mask_of(loop, part.width, end);
      TRY(block(loop.block));
      return carried;
    };
    const auto done = counted(from, to, part.width * part.copies, loop, {}, body);
    frame_ = outer;
    if (!done.ok()) return done.error();
    return {};
  };
  const int group = shape.width * shape.copies;
  if (group == 1) return run(begin, end, shape, false);
  const Ssa extent = out_.binary("sub", end, begin);
  const Ssa whole = out_.binary("sub", end, out_.binary("srem", extent, index(group)));
  TRY(run(begin, whole, shape, false));
  const bool masked = shape.width > 1 && masks(loop.block);
  return run(whole, end, {masked ? shape.width : 1, 1}, masked);
}

Result<Generator::Values> Generator::reduced_part(const Loop& loop, const Ssa& begin, const Ssa& end, Shape shape,
                                                  bool masked, const Values& initial) {
  const Frame outer = frame_;
  frame_ = inside(loop, shape);
  const auto body = [&](const Values& inside) -> Result<Values> {
    if (masked) frame_.mask = mask_of(loop, shape.width, end);
    for (std::size_t i = 0; i < inside.size(); ++i) values_[loop.carried[i].inside.index] = inside[i];
    TRY(block(loop.block));
    Values next;
    for (std::size_t i = 0; i < inside.size(); ++i) {
      next.push_back(spread(values_[loop.carried[i].next.index], true, true));
      if (!masked) continue;
      for (std::size_t j = 0; j < next[i].parts.size(); ++j)
        next[i].parts[j] = out_.select(*frame_.mask, next[i].parts[j], inside[i].parts[j]);
    }
    return next;
  };
  auto results = counted(begin, end, shape.width * shape.copies, loop, initial, body);
  frame_ = outer;
  return results;
}

Result<void> Generator::reduced(const Loop& loop) {
  Shape shape = shape_of(program_, loop, target_.vector_bytes);
  shape.copies = std::min(shape.copies, frame_.partial_sums);
  if (frame_.in_order || shape.width * shape.copies == 1) return steps(loop);

  const std::size_t copies = frame_.copies.size(), sums = static_cast<std::size_t>(shape.copies);
  const Ssa extent = start_of(loop.extent);
  const Ssa whole =
      out_.binary("sub", extent, out_.binary("srem", extent, index(std::int64_t{shape.width} * shape.copies)));
  Values sums_of, totals;
  for (std::size_t i = 0; i < loop.carried.size(); ++i) {
    const DType dtype = program_.vars[loop.carried[i].inside.index];
    const Ssa identity = identity_of(loop.reduction[i], dtype, shape.width);
    sums_of.push_back({std::vector<Ssa>(copies * sums, identity)});
  }
  TRY_ASSIGN(sums_of, reduced_part(loop, index(0), whole, shape, false, sums_of));

  // The sums side by side become one, pair by pair.
  const auto combine = [&](std::size_t i, const Ssa& a, const Ssa& b) {
    return cpu::compute(out_, target_, loop.reduction[i], std::vector{a, b}, DType::undefined);
  };
  for (std::size_t i = 0; i < sums_of.size(); ++i) {
    Value total;
    for (std::size_t copy = 0; copy < copies; ++copy) {
      std::vector<Ssa> side(sums_of[i].parts.begin() + static_cast<std::ptrdiff_t>(copy * sums),
                            sums_of[i].parts.begin() + static_cast<std::ptrdiff_t>((copy + 1) * sums));
      while (side.size() > 1) {
        std::vector<Ssa> fewer;
        for (std::size_t k = 0; k + 1 < side.size(); k += 2) {
          TRY_ASSIGN(Ssa pair, combine(i, side[k], side[k + 1]));
          fewer.push_back(std::move(pair));
        }
        if (side.size() % 2 == 1) fewer.push_back(side.back());
        side = std::move(fewer);
      }
      total.parts.push_back(side[0]);
    }
    totals.push_back(std::move(total));
  }
  const bool masked = shape.width > 1 && masks(loop.block);
  if (masked) {
    TRY_ASSIGN(totals, reduced_part(loop, whole, extent, {shape.width, 1}, true, totals));
  }
  for (std::size_t i = 0; i < totals.size(); ++i)
    for (std::size_t copy = 0; copy < copies; ++copy) {
      TRY_ASSIGN(const Ssa lane, combine_lanes(out_, target_, loop.reduction[i], totals[i].parts[copy]));
      TRY_ASSIGN(totals[i].parts[copy], combine(i, values_[loop.carried[i].initial.index].part(copy, copies), lane));
    }
  if (!masked) {
    TRY_ASSIGN(totals, reduced_part(loop, whole, extent, {1, 1}, false, totals));
  }
  for (std::size_t i = 0; i < totals.size(); ++i) values_[loop.carried[i].result.index] = totals[i];
  return {};
}

}  // namespace pawl::cpu
