// What pointwise operators compute in one lane, in scalar operations: the same bits as their evaluation.
#pragma once

#include <optional>

#include "expr/emitter.h"
#include "ops/op.h"
#include "ops/schema.h"

namespace pawl::ops {

/// One node whose lanes are computed.
struct LaneNode {
  const Schema& schema;
  const Attributes& attributes;
  std::span<const Fact* const> inputs;  ///< null where omitted
  expr::Emitter& emit;
  /// One value per input, of its type; 16-bit floats as f32. Unset where omitted.
  std::span<const expr::Value> values;

  [[nodiscard]] int since() const { return schema.since; }
  [[nodiscard]] bool has(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  /// The type that input i is computed with.
  [[nodiscard]] DType computed(std::size_t i) const;
};

/// The value of output 0, in the type that it is computed with; nullopt where it has no such form (an integer divisor
/// that may be 0, say).
using LowerFn = std::optional<expr::Value> (*)(const LaneNode& node);

/// Null for operators that are not computed lane by lane.
LowerFn find_lowering(const OpDef& op);

}  // namespace pawl::ops
