// Which variables differ between the vectors side by side, and between the lanes of one.
#include "backend/cpu/generator.h"

namespace pawl::cpu {
namespace {

using kernel::Block;
using kernel::Loop;

/// Calls f with every variable that the block gives a value.
template <class F>
void for_each_result(const Block& block, const F& f) {
  for (const kernel::Statement& statement : block) {
    if (const auto* constant = std::get_if<kernel::Constant>(&statement)) f(constant->result);
    if (const auto* number = std::get_if<kernel::Number>(&statement)) f(number->result);
    if (const auto* compute = std::get_if<kernel::Compute>(&statement)) f(compute->result);
    if (const auto* load = std::get_if<kernel::Load>(&statement)) f(load->result);
    if (const auto* loop = std::get_if<std::unique_ptr<Loop>>(&statement)) {
      for_each_result((*loop)->block, f);
      for (const kernel::Carried& carried : (*loop)->carried) {
        f(carried.inside);
        f(carried.result);
      }
    }
  }
}

}  // namespace

std::vector<Generator::Spreading> Generator::spreading_in(const Loop& loop) const {
  std::vector<Spreading> spreading(program_.vars.size());
  for (std::size_t i = 0; i < values_.size(); ++i) {
    if (values_[i].parts.empty()) continue;
    spreading[i] = {values_[i].parts.size() > 1, values_[i].parts[0].is_vector()};
  }
  // These have values from another part of a loop around this one.
  for_each_result(loop.block, [&](kernel::Var var) { spreading[var.index] = {}; });
  for (const kernel::Carried& carried : loop.carried) spreading[carried.inside.index] = {};

  bool changed = true;
  const auto merge = [&](kernel::Var into, Spreading from) {
    Spreading& to = spreading[into.index];
    if ((from.copied && !to.copied) || (from.wide && !to.wide)) changed = true;
    to = {to.copied || from.copied, to.wide || from.wide};
  };
  const auto place = [&](const kernel::Affine& form) {
    return Spreading{!is_shared(form), frame_.width > 1 && !slope_of(form, frame_.vector_counter).is_zero()};
  };
  const auto walk = [&](const auto& self, const Block& block) -> void {
    for (const kernel::Statement& statement : block) {
      if (const auto* number = std::get_if<kernel::Number>(&statement)) merge(number->result, place(number->value));
      if (const auto* load = std::get_if<kernel::Load>(&statement)) merge(load->result, place(load->at));
      if (const auto* compute = std::get_if<kernel::Compute>(&statement))
        for (const kernel::Var var : compute->operands) merge(compute->result, spreading[var.index]);
      const auto* inner = std::get_if<std::unique_ptr<Loop>>(&statement);
      if (inner == nullptr) continue;
      for (const kernel::Carried& carried : (*inner)->carried) merge(carried.inside, spreading[carried.initial.index]);
      self(self, (*inner)->block);
      for (const kernel::Carried& carried : (*inner)->carried) {
        merge(carried.inside, spreading[carried.next.index]);
        merge(carried.result, spreading[carried.inside.index]);
      }
    }
  };
  while (changed) {
    changed = false;
    for (const kernel::Carried& carried : loop.carried) {
      merge(carried.inside, spreading[carried.initial.index]);
      merge(carried.inside, spreading[carried.next.index]);
    }
    walk(walk, loop.block);
  }
  return spreading;
}

const kernel::Compute* Generator::place_among(const Loop& loop, const std::vector<Spreading>& spreading) const {
  std::optional<std::uint32_t> counter, place;
  const kernel::Compute* found = nullptr;
  bool is_chosen = false;
  for (const kernel::Statement& statement : loop.block) {
    if (std::holds_alternative<std::unique_ptr<Loop>>(statement)) return nullptr;
    if (const auto* store = std::get_if<kernel::Store>(&statement); store != nullptr && place == store->value.index)
      return nullptr;
    if (const auto* number = std::get_if<kernel::Number>(&statement)) {
      const kernel::Affine& form = number->value;
      if (form.size() == 1 && form[0].factor == 1 && !form[0].param.valid() && form[0].counter == loop.counter)
        counter = number->result.index;
    }
    const auto* compute = std::get_if<kernel::Compute>(&statement);
    if (compute == nullptr || !counter) continue;
    const std::vector<kernel::Var>& operands = compute->operands;
    if (compute->op == expr::Op::cast && operands[0].index == *counter && size_of(compute->to) < 8 &&
        !is_float(compute->to)) {
      found = compute;
      place = compute->result.index;
      continue;
    }
    for (std::size_t i = 0; i < operands.size() && place; ++i) {
      if (operands[i].index != *place) continue;
      if (compute->op != expr::Op::select || !spreading[operands[0].index].wide) return nullptr;
      is_chosen = true;
    }
  }
  for (const kernel::Carried& carried : loop.carried)
    if (place == carried.next.index) return nullptr;
  return is_chosen && frame_.width > 1 ? found : nullptr;
}

}  // namespace pawl::cpu
