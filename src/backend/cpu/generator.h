// The state of generating one kernel: which SSA values the program's variables have become, and in which vectors.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "backend/cpu/access.h"
#include "backend/cpu/instructions.h"
#include "backend/cpu/target.h"
#include "base/try.h"
#include "kernel/program.h"

namespace pawl::cpu {

/// What a variable is: one value for all copies, or one for each, or one for each of fewer copies that have since been
/// copied further. Each is a scalar that the lanes share, or a vector.
struct Value {
  std::vector<Ssa> parts;

  [[nodiscard]] const Ssa& part(std::size_t copy, std::size_t copies) const {
    return parts[copy * parts.size() / copies];
  }
};

/// How far a copy is ahead of the counters' first values.
struct Offset {
  kernel::Counter counter;
  std::int64_t by = 0;
};
using Copy = std::vector<Offset>;

/// The vectors of the loops around a statement.
struct Frame {
  int width = 1;
  kernel::Counter vector_counter;  ///< the lanes of a vector are its consecutive values
  std::vector<Copy> copies{Copy{}};
  std::optional<Ssa> mask;  ///< the lanes that there are; none: all
  /// Sums are added up one by one, as they are in the other lanes of this loop.
  bool in_order = false;
  int partial_sums = 4;  ///< vectors side by side of one that is not in order
};

class Generator {
 public:
  Generator(const kernel::Program& program, const Target& target) : program_(program), target_(target) {}
  Result<std::string> run();

 private:
  using Values = std::vector<Value>;

  // generator.cpp
  void load_arguments();
  Result<void> block(const kernel::Block& block);
  Result<void> statement(const kernel::Constant& constant);
  Result<void> statement(const kernel::Number& number);
  Result<void> statement(const kernel::Compute& compute);
  Result<void> statement(const kernel::Load& load);
  Result<void> statement(const kernel::Store& store);
  Result<void> statement(const kernel::Barrier& barrier);
  Result<void> statement(const std::unique_ptr<kernel::Loop>& loop);
  [[nodiscard]] std::string module_text() const;

  // memory.cpp
  /// The form's value in the first lane of the first copy.
  Ssa start_of(const kernel::Affine& form);
  /// What a copy adds to it.
  Ssa ahead_of(const kernel::Affine& form, const Copy& copy);
  Ssa slope_value(const Slope& slope);
  Ssa sum(const Ssa& a, const Ssa& b);
  Ssa product(const Ssa& a, const Ssa& b);
  /// 0, 1, 2, … times the slope.
  Ssa lane_offsets(const Slope& slope);
  /// All copies have the same.
  [[nodiscard]] bool is_shared(const kernel::Affine& form) const;
  Ssa load_part(const std::string& pointer, DType dtype, const Slope& slope, bool unchanging);
  void store_part(const std::string& pointer, const Ssa& value, DType dtype, const Slope& slope, bool streaming);
  void store_streaming(const std::string& pointer, const Ssa& value);
  Ssa reversed(const Ssa& value);
  std::string element_pointer(std::string_view element, const std::string& base, const Ssa& offset);

  // loops.cpp
  Result<void> steps(const kernel::Loop& loop);
  Result<void> lanes(const kernel::Loop& loop, const Ssa& begin, const Ssa& end);
  Result<void> reduced(const kernel::Loop& loop);
  Result<Values> reduced_part(const kernel::Loop& loop, const Ssa& begin, const Ssa& end, Shape shape, bool masked,
                              const Values& initial);
  /// Runs `body` for counter = begin, begin + step, … below end. It takes the carried values of an iteration and
  /// returns those of the next; the result is those after the last.
  template <class Body>
  Result<Values> counted(const Ssa& begin, const Ssa& end, int step, const kernel::Loop& loop, const Values& initial,
                         const Body& body);
  /// Before the first iteration, which there is: what every iteration loads from memory that does not change.
  Result<void> load_ahead(const kernel::Loop& loop);
  /// The frame inside `count` copies and vectors of a loop.
  [[nodiscard]] Frame inside(const kernel::Loop& loop, Shape shape) const;
  Ssa mask_of(const kernel::Loop& loop, int width, const Ssa& end);
  /// With a part for each copy if `copied`, and vectors if `wide`.
  Value spread(const Value& value, bool copied, bool wide);
  [[nodiscard]] bool masks(const kernel::Block& block) const;

  struct Spreading {
    bool copied = false;
    bool wide = false;
  };

  /// The loop's counter as a narrow integer that lanes choose or leave: counted up in a vector. Null: there is none.
  [[nodiscard]] const kernel::Compute* place_among(const kernel::Loop& loop,
                                                   const std::vector<Spreading>& spreading) const;

  // numbers.cpp
  /// Whether a loop is worth writing as if there were no NaN: it looks for them, and stores nothing.
  [[nodiscard]] bool looks_for_nan(const kernel::Loop& loop, const std::vector<Spreading>& spreading) const;
  /// The loop as if there were no NaN, and once more, as it is, where there was one.
  template <class Body>
  Result<Values> without_nan(const Ssa& end, const kernel::Loop& loop, const Values& initial, const Body& body);
  /// The statement without what it does about NaN; false where it does nothing.
  bool of_numbers(const kernel::Compute& compute);
  void note_numbers(const Value& value);

  // spreading.cpp
  /// Which of the variables differ between copies and lanes, for the variables of `loop` and those it can see.
  [[nodiscard]] std::vector<Spreading> spreading_in(const kernel::Loop& loop) const;

  const kernel::Program& program_;
  const Target& target_;
  Instructions out_;
  std::vector<Value> values_;
  std::vector<Ssa> counters_;
  std::vector<std::string> buffers_;
  std::vector<Ssa> params_;
  Frame frame_;
  std::set<const kernel::Load*> loaded_ahead_;
  const kernel::Compute* counted_up_ = nullptr;
  /// In a loop that is written as if all were numbers.
  bool takes_numbers_ = false;
  std::optional<Ssa> are_numbers_;  ///< by lane: whether what was taken for numbers in this iteration is; none: nothing
  bool has_streamed_ = false;
  int depth_ = 0;
};

}  // namespace pawl::cpu
