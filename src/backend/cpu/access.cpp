#include "backend/cpu/access.h"

#include <algorithm>
#include <variant>

namespace pawl::cpu {
namespace {

using kernel::Affine;
using kernel::Block;
using kernel::Counter;
using kernel::Loop;

/// Calls f with each statement of the block and of the loops in it, and the innermost reduced loop around it, which
/// may be null.
template <class F>
void for_each(const Block& block, const F& f, const Loop* reduced = nullptr) {
  for (const kernel::Statement& statement : block) {
    f(statement, reduced);
    if (const auto* loop = std::get_if<std::unique_ptr<Loop>>(&statement))
      for_each((*loop)->block, f, (*loop)->kind == Loop::Kind::reduced ? loop->get() : reduced);
  }
}

const Affine* place_of(const kernel::Statement& statement) {
  if (const auto* load = std::get_if<kernel::Load>(&statement)) return &load->at;
  if (const auto* store = std::get_if<kernel::Store>(&statement)) return &store->at;
  return nullptr;
}

/// The loops inside of `loop` run as often in each of its lanes.
bool runs_in_lockstep(const Loop& loop) {
  bool same = true;
  for_each(loop.block, [&](const kernel::Statement& statement, const Loop*) {
    if (const auto* inner = std::get_if<std::unique_ptr<Loop>>(&statement))
      same = same && slope_of((*inner)->extent, loop.counter).is_zero();
  });
  return same;
}

bool has_loop(const Loop& loop, Loop::Kind kind) {
  bool found = false;
  for_each(loop.block, [&](const kernel::Statement& statement, const Loop*) {
    if (const auto* inner = std::get_if<std::unique_ptr<Loop>>(&statement)) found = found || (*inner)->kind == kind;
  });
  return found;
}

/// Memory is walked along `counter` one element at a time, forward or backward.
bool is_unit(const Affine& place, Counter counter) {
  const Slope slope = slope_of(place, counter);
  return slope.is(1) || slope.is(-1);
}

/// Rows of a matrix are lanes, and the sum runs along a row: vectors go along the sum.
bool sums_along_rows(const Loop& loop) {
  bool strided = false, along = false;
  for_each(loop.block, [&](const kernel::Statement& statement, const Loop* reduced) {
    const Affine* place = place_of(statement);
    if (place == nullptr || reduced == nullptr) return;
    if (slope_of(*place, loop.counter).is_zero() || is_unit(*place, loop.counter)) return;
    strided = true;
    along = along || is_unit(*place, reduced->counter);
  });
  return strided && along;
}

/// Of what is loaded and computed. A cast is the last thing that happens to a value, or what is computed of it counts:
/// an index that is found in 32 bits and stored in 64 halves no vectors.
std::size_t widest_value(const kernel::Program& program, const Block& block) {
  std::size_t widest = 4;
  for_each(block, [&](const kernel::Statement& statement, const Loop*) {
    if (const auto* load = std::get_if<kernel::Load>(&statement))
      widest = std::max(widest, size_of(program.buffers[load->buffer].dtype));
    if (const auto* compute = std::get_if<kernel::Compute>(&statement);
        compute != nullptr && compute->op != expr::Op::cast)
      widest = std::max(widest, size_of(program.vars[compute->result.index]));
  });
  return widest;
}

}  // namespace

Slope slope_of(const Affine& form, Counter counter) {
  Slope slope;
  for (const kernel::Term& term : form) {
    if (!counter.valid() || term.counter != counter) continue;
    if (term.param.valid())
      slope.by_params.push_back({term.factor, term.param, {}});
    else
      slope.constant = static_cast<std::int64_t>(static_cast<std::uint64_t>(slope.constant) +
                                                 static_cast<std::uint64_t>(term.factor));
  }
  return slope;
}

std::size_t smallest_element(const kernel::Program& program, const Block& block) {
  std::size_t smallest = 8;
  for_each(block, [&](const kernel::Statement& statement, const Loop*) {
    if (const auto* load = std::get_if<kernel::Load>(&statement))
      smallest = std::min(smallest, size_of(program.buffers[load->buffer].dtype));
    if (const auto* store = std::get_if<kernel::Store>(&statement))
      smallest = std::min(smallest, size_of(program.buffers[store->buffer].dtype));
  });
  return smallest;
}

Shape shape_of(const kernel::Program& program, const Loop& loop, int vector_bytes) {
  const int width = vector_bytes / static_cast<int>(widest_value(program, loop.block));
  if (loop.kind == Loop::Kind::lanes) {
    if (!runs_in_lockstep(loop)) return {};
    const int copies = std::max(1, loop.unroll);
    const bool vectors = !has_loop(loop, Loop::Kind::lanes) && !sums_along_rows(loop);
    return {vectors ? width : 1, copies};
  }
  bool along = false;
  for_each(loop.block, [&](const kernel::Statement& statement, const Loop*) {
    const Affine* place = place_of(statement);
    along = along || (place != nullptr && is_unit(*place, loop.counter));
  });
  const bool nested =
      has_loop(loop, Loop::Kind::steps) || has_loop(loop, Loop::Kind::reduced) || has_loop(loop, Loop::Kind::lanes);
  if (nested) return {};
  return {along ? width : 1, 4};
}

}  // namespace pawl::cpu
