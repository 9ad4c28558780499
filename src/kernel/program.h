// Kernels: loops around scalar expressions over buffers. Small, printable, the same for every back end; the interpreter
// in backend/reference says what each program means.
//
//   kernel ema(x: f32 in, s: f32 inout, y: f32 out; T, C)
//     lanes c < C
//       %0 = load s[c]
//       steps t < T carry %1 = %0
//         %2 = load x[t * C + c]
//         %3 = add %1 %2
//         store y[t * C + c] = %3
//         next %3
//       -> %4
//       store s[c] = %4
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/try.h"
#include "expr/op.h"
#include "pawl/error.h"

namespace pawl::kernel {

/// A value of one lane; assigned once.
struct Var {
  std::uint32_t index = UINT32_MAX;
  [[nodiscard]] bool valid() const { return index != UINT32_MAX; }
  bool operator==(const Var&) const = default;
};
/// The counter of a loop.
struct Counter {
  std::uint32_t index = UINT32_MAX;
  [[nodiscard]] bool valid() const { return index != UINT32_MAX; }
  bool operator==(const Counter&) const = default;
};
/// A number that is given when the kernel is called: an extent, a stride.
struct Param {
  std::uint32_t index = UINT32_MAX;
  [[nodiscard]] bool valid() const { return index != UINT32_MAX; }
  bool operator==(const Param&) const = default;
};

/// factor * param * counter; an invalid param or counter counts as 1.
struct Term {
  std::int64_t factor = 1;
  Param param;
  Counter counter;
};
/// The sum of its terms, as a 64-bit integer.
using Affine = std::vector<Term>;

enum class Access : std::uint8_t { in, out, inout };
struct Buffer {
  std::string name;
  DType dtype = DType::f32;
  Access access = Access::in;
};

struct Constant {
  Var result;
  DType dtype = DType::f32;
  /// Floats and integers that a double holds; other integers by their bits.
  std::variant<double, std::int64_t> value = 0.0;
};
/// The value of an affine form, as i64.
struct Number {
  Var result;
  Affine value;
};
struct Compute {
  Var result;
  expr::Op op = expr::Op::add;
  std::vector<Var> operands;
  DType to = DType::undefined;  ///< of cast and bits
};
struct Load {
  Var result;
  std::uint32_t buffer = 0;
  Affine at;  ///< in elements
};
/// Where two lanes store to one place, the program has no meaning, unless they store the same.
struct Store {
  Var value;
  std::uint32_t buffer = 0;
  Affine at;
  bool streaming = false;  ///< not read again soon: past the caches
};
/// Several calls may run one program side by side, each with a part of what the loops are told by params: none of them
/// goes on before all have come here. Not inside of lanes and sums.
struct Barrier {};
struct Loop;
using Statement = std::variant<Constant, Number, Compute, Load, Store, Barrier, std::unique_ptr<Loop>>;
using Block = std::vector<Statement>;

/// A value that goes from iteration to iteration.
struct Carried {
  Var initial;  ///< of the block around the loop
  Var inside;   ///< what it is in an iteration
  Var next;     ///< of the loop's block: what it is in the next one
  Var result;   ///< of the block around the loop: what it is after the last one; the initial one of no iterations
};

struct Loop {
  enum class Kind : std::uint8_t {
    steps,    ///< one after the other
    lanes,    ///< in any order, side by side: nothing is carried, no iteration reads what another one stores
    reduced,  ///< what is carried is summed up by `reduction`, in any order that is the same in every run
  };
  Kind kind = Kind::steps;
  Counter counter;  ///< 0, 1, …
  Affine extent;    ///< made of params and outer counters; below 0: no iterations
  std::vector<Carried> carried;
  /// Of a reduced loop, for each carried value: add, multiply, minimum or maximum. `next` is that operation on `inside`
  /// and a value that does not depend on `inside`; for add it may be a fma onto `inside` as well.
  std::vector<expr::Op> reduction;
  /// Of a lanes loop: vectors in lockstep, for chains of dependent operations.
  int unroll = 1;
  Block block;
};

struct Program {
  std::string name;
  std::vector<Buffer> buffers;
  std::vector<std::string> params;
  std::vector<std::string> counters;  ///< names, by index
  std::vector<DType> vars;            ///< types, by index
  Block block;
  /// Iterations of the outermost loop, which has kind lanes, may be given to different threads: the kernel is called
  /// with a range of it. false: it is called once.
  bool splits = false;
};

/// Errors: internal, saying what is wrong: a value used before it is there or outside of its loop, types that do not
/// fit, a reduced loop that is none.
Result<void> verify(const Program& program);

/// Whether what a reduced loop carries is summed up, and seen by its sums only. Errors: internal.
Result<void> verify_reduction(const Loop& loop);

/// As at the top of this file. Equal texts are equal kernels.
std::string print(const Program& program);

}  // namespace pawl::kernel
