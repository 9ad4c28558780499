// The axis rule of an operator: how the axes of its outputs relate to those of its inputs. A row of the operator table
// states one (OpDef::axes); it has two functions.
//
//   batch    one node for many time steps at once: some inputs get a new LEADING axis of extent T, and so do all
//            outputs, for every T >= 1:
//              out[t] = node(batched inputs at [t], the other inputs as they are)     for every t in [0, T)
//            The answer is a program of calls with the same bits as OpDef::eval slice by slice (of NaNs any), or a
//            refusal. It never needs to know T.
//   relate   which axes are independent of each other: an output axis is tied to axes of the inputs when its slices
//            can be computed one by one, all in the same way, from the slices of those.
//            What is not tied is not promised.
//
// Neither looks at values that are not constant, and neither promises that a node can run: where it would fail on some
// slice, the program fails too, or gives what it gives for the others.
#pragma once

#include "ops/op.h"

namespace pawl::ops {

/// What is known of a node before the run. Types are those without the new axis.
struct NodeFacts {
  const Schema& schema;  ///< the version in force
  const Attributes& attributes;
  std::span<const Fact* const> inputs;  ///< null where an optional input is omitted
  std::span<const Type> outputs;        ///< as inferred; as many as the node has

  [[nodiscard]] int since() const;
  [[nodiscard]] bool has_input(std::size_t i) const { return i < inputs.size() && inputs[i] != nullptr; }
  /// The shape of tensor input i, or null when its rank is unknown or the input is omitted.
  [[nodiscard]] const SymbolicShape* shape(std::size_t i) const {
    return has_input(i) && inputs[i]->type.shape ? &*inputs[i]->type.shape : nullptr;
  }
  /// The rank of tensor input i; 0 when it is omitted or unknown. batch() and relate() call no rule while one is
  /// unknown.
  [[nodiscard]] std::size_t rank(std::size_t i) const { return shape(i) == nullptr ? 0 : shape(i)->size(); }
  /// The elements of an integer input that is constant; nullopt when it is omitted, not constant, or no list of
  /// integers.
  [[nodiscard]] std::optional<Dims> integers(std::size_t i) const;
};

/// What goes into a call of a program, or comes out of the program.
struct Operand {
  enum class Kind : std::uint8_t { omitted, input, result, constant };
  Kind kind = Kind::omitted;
  std::size_t index = 0;   ///< input: of the node, with its new axis where it is batched. result: of the call
  std::size_t output = 0;  ///< result: which output of that call
  Tensor constant;
};

/// One operator applied to operands. Its version is the schema's, and has a row in the operator table.
struct Call {
  const Schema* schema = nullptr;
  Attributes attributes;
  std::vector<Operand> operands;  ///< results are those of earlier calls
  std::size_t outputs = 1;
};

/// A program for all time steps, or the reason why there is none.
struct Batching {
  std::vector<Call> calls;
  std::vector<Operand> outputs;  ///< one for each output of the node, with the new leading axis
  std::string_view refusal;      ///< a phrase, of static storage; empty: there is a program

  [[nodiscard]] bool accepted() const { return refusal.empty(); }
};

/// The program for the node with new leading axes on the inputs that `batched` marks (as many flags as inputs). Facts
/// of batched inputs must hold no constants. Refuses when no input is batched, when a rank is unknown that the rule
/// needs, for operators that draw random numbers, and for values that are not tensors.
Batching batch(const OpDef& row, const NodeFacts& node, std::span<const bool> batched);

/// One output axis, tied: slice j of the output along `axis` is what the node makes of the slices j of the inputs.
///   inputs[i] >= 0  input i takes part with its slice j along that axis, or as a whole where it has extent 1 there
///   inputs[i] == -1 input i takes part as a whole, or is omitted
/// The extents of the tied axes are that of the output axis, or 1. Where all inputs take part as a whole, all slices of
/// the output are equal. Ties of different axes hold one at a time and together.
struct Tie {
  std::size_t output = 0;
  std::size_t axis = 0;
  std::vector<int> inputs;
};

struct Ties {
  std::vector<Tie>
      list;  ///< an output axis that is not here is tied to nothing: its slices need each other, or it is not known
  /// False: the node itself, given slices [j, j+1) of the tied inputs and the others as they are, makes slice [j, j+1).
  /// True: it would need other constants or attributes, which hold the extents of tied axes (Reshape, Expand, depthwise
  /// Conv), so the tie holds in the sense of elements: slice j of the output depends on nothing of a tied input but its
  /// slice j, and taking the slices of the inputs in another order gives the slices of the output in that order.
  bool by_elements = false;

  [[nodiscard]] const Tie* find(std::size_t output, std::size_t axis) const;
};

/// The ties of a node; none when a rank is unknown, for random operators and for values that are not tensors.
Ties relate(const OpDef& row, const NodeFacts& node);

/// "pointwise", …: the word of an AxisKind.
std::string_view name(AxisKind kind);

}  // namespace pawl::ops
