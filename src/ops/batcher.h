// Writing the program of a batched node, call by call.
#pragma once

#include <initializer_list>

#include "ops/axis_rule.h"

namespace pawl::ops {

/// Attributes with one more, or with another value where the name is there already.
Attributes with(const Attributes& attributes, std::string_view name, Attribute::Payload payload);
/// Attributes without one.
Attributes without(const Attributes& attributes, std::string_view name);
/// One attribute.
Attributes only(std::string_view name, Attribute::Payload payload);

/// 0, 1, …, count - 1, each plus `first`.
std::vector<std::int64_t> consecutive(std::size_t count, std::int64_t first = 0);

/// The program under construction. Ranks below count without the new axis. Everything works whatever the extents are,
/// 0 included.
class Batcher {
 public:
  Batcher(const NodeFacts& node_facts, std::span<const bool> batched_inputs)
      : node(node_facts), batched_(batched_inputs) {}

  const NodeFacts& node;

  [[nodiscard]] bool batched(std::size_t i) const { return i < batched_.size() && batched_[i] && node.has_input(i); }
  /// True when an input beside those of the list is batched.
  [[nodiscard]] bool others_batched(std::initializer_list<std::size_t> allowed) const;

  /// Input i as it is, or omitted.
  [[nodiscard]] Operand input(std::size_t i) const;
  [[nodiscard]] std::vector<Operand> inputs() const;
  /// Input i with the new axis; where it does not have it, repeated along it.
  Operand lifted(std::size_t i);
  /// A value of that type and rank without the new axis, repeated along it. The program is refused where no operator
  /// repeats that type.
  Operand repeated(Operand value, DType dtype, std::size_t rank);
  /// Input i, ready to be broadcast to `rank` axes: a batched one gets axes of 1 behind the new one, any other stays.
  Operand aligned(std::size_t i, std::size_t rank);

  static Operand constant(Tensor value);
  /// A list of int64.
  static Operand integers(std::span<const std::int64_t> values);
  static Operand integers(std::initializer_list<std::int64_t> values) {
    return integers(std::span(values.begin(), values.size()));
  }

  /// The first output of another operator, in its newest version.
  Operand call(std::string_view name, std::vector<Operand> operands, Attributes attributes = {},
               std::size_t outputs = 1);
  /// The node's own operator in its own version, with all its outputs.
  Operand again(std::vector<Operand> operands, Attributes attributes);
  Operand again(std::vector<Operand> operands) { return again(std::move(operands), node.attributes); }
  /// The node's own operator in its newest version.
  Operand newest(std::vector<Operand> operands, Attributes attributes);
  /// Output k of the call whose first output that is.
  static Operand output(Operand first, std::size_t k);

  Operand unsqueeze(Operand x, std::span<const std::int64_t> axes);
  Operand squeeze(Operand x, std::int64_t axis);
  Operand transpose(Operand x, std::vector<std::int64_t> perm);
  /// 0 copies the extent at the same place, -1 stands for the rest.
  Operand reshape(Operand x, std::span<const std::int64_t> shape);
  /// The shape comes from a list of int64, where 0 is 0.
  Operand reshape_to(Operand x, Operand shape);
  /// The extents of axes [start, end) as a list of int64; to the last axis where there is no end.
  Operand extents(Operand x, std::int64_t start, std::optional<std::int64_t> end = std::nullopt);
  Operand concat(std::vector<Operand> lists);

  /// A value [T, d0, d1, …] as [T·d0, d1, …]; `shape` is [d0, d1, …].
  Operand merge(Operand x, const SymbolicShape& shape);
  /// A value [T·d0, …] as [T, d0, …]. `shape` is [d0, …], of the result without the new axis, as far as it is known;
  /// `like` is a value [T, d0, …].
  Operand unmerge(Operand y, const std::optional<SymbolicShape>& shape, Operand like);

  Batching refuse(std::string_view reason) const;
  Batching done(std::vector<Operand> outputs);
  /// All outputs of one call.
  Batching done(Operand first);

 private:
  Operand add(Call call);

  std::span<const bool> batched_;
  std::vector<Call> calls_;
  std::string_view refusal_;
};

}  // namespace pawl::ops
