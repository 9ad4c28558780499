// Writing step graphs: the operators of a body as lanes, views and sums.
#pragma once

#include <map>
#include <span>
#include <string_view>

#include "kernel/step_graph.h"

namespace pawl::kernel {

/// Whether a Conv is a sum of a few products for each of its elements: each channel has a filter of its own, nothing is
/// padded.
bool is_sum_of_taps(const graph::OpCall& conv, const Type& weights);

/// What an operator is worth in a kernel of nodes outside of loops.
enum class Role : std::uint8_t {
  none,   ///< others do it better, or it has no form in kernels
  works,  ///< computes
  moves,  ///< says where elements are: nothing by itself
};

/// Follows the values of a body back and writes what they are. A method that gives an invalid id has said why.
class StepBuilder {
 public:
  StepBuilder(const graph::ScanOp& scan, const std::vector<ops::Fact>& facts, bool exact)
      : scan_(scan), body_(*scan.body.graph), facts_(facts), exact_(exact) {}

  StepId value(graph::ValueId id);
  StepGraph finish() && { return std::move(graph_); }
  static Role role_outside(const graph::OpCall& call);
  [[nodiscard]] const std::string& refusal() const { return refusal_; }

 private:
  using Node = graph::Node;
  using OpCall = graph::OpCall;
  struct Row;
  /// Null for operators that are computed lane by lane, and those that have no form.
  static const Row* find_row(std::string_view name);

  StepId refuse(std::string why);
  [[nodiscard]] const StepValue& at(StepId id) const { return graph_[id]; }
  [[nodiscard]] const ops::Fact& fact(graph::ValueId id) const { return facts_[id.index]; }
  /// Of a value whose shape is known: what value() has given a step for.
  [[nodiscard]] Dims shape(graph::ValueId id) const {
    std::optional<Dims> known = fact(id).type.static_shape();
    CHECK(known);
    return *std::move(known);
  }
  StepId add(StepValue value);

  // step_builder.cpp: the kinds of values
  StepId source(graph::ValueId id);
  [[nodiscard]] bool is_known(graph::ValueId id, const Dims& shape) const;
  StepId lane(std::string name, DType dtype, std::vector<StepId> operands, StepValue::Lane fn);
  StepId trimmed(StepId operand);
  StepId op(expr::Op op, const std::vector<StepId>& operands);
  StepId number(DType dtype, double value);
  StepId cast(StepId operand, DType to);
  StepId product(StepId a, StepId b);
  StepId view(StepId operand, Dims shape, Indices indices);
  StepId reshape(StepId operand, Dims shape);
  StepId reduce(StepId operand, std::vector<std::size_t> axes, Fold fold, double start);
  /// Reduced axes come back with extent 1.
  StepId keep_axes(StepId reduced, const Dims& shape, const std::vector<std::size_t>& axes);
  /// What sums of a type are kept in.
  [[nodiscard]] DType sum_type(DType dtype) const;
  StepId call(const Node& node, const OpCall& call, std::size_t output);
  StepId pointwise(const Node& node, const OpCall& call);

  // step_movement.cpp
  StepId moved(const Node& node, const OpCall& call, std::size_t output);
  StepId selected(const Node& node, const OpCall& call, std::size_t output);
  StepId joined(const Node& node, const OpCall& call, std::size_t output);

  // step_sums.cpp
  [[nodiscard]] std::optional<std::vector<std::size_t>> reduced_axes(const Node& node, const OpCall& call) const;
  StepId reduction(const Node& node, const OpCall& call, std::size_t output);
  StepId extreme_index(const Node& node, const OpCall& call, std::size_t output);
  StepId softmax(const Node& node, const OpCall& call, std::size_t output);
  StepId matmul(const Node& node, const OpCall& call, std::size_t output);
  /// numpy's product of two stacks of matrices.
  StepId multiply(StepId a, StepId b);
  StepId gemm(const Node& node, const OpCall& call, std::size_t output);
  StepId einsum(const Node& node, const OpCall& call, std::size_t output);
  /// The sum of products over the labels that the result lacks. Labels are one per axis of each operand.
  StepId contract(const std::vector<StepId>& operands, const std::vector<std::vector<int>>& labels,
                  const std::vector<int>& result);

  // step_convolution.cpp
  /// Conv with a filter for each channel, or filters of all of them.
  StepId conv(const Node& node, const OpCall& call, std::size_t output);
  /// Zeros before and after along an axis.
  StepId padded(StepId x, std::size_t axis, std::int64_t before, std::int64_t after);

  // step_quantized.cpp
  StepId shifted(const Node& node, std::size_t x, std::size_t zero);
  StepId parameter(const Node& node, std::size_t input, DType dtype);
  StepId quantized(const Node& node, StepId sum, std::size_t scale_x, std::size_t scale_w, std::size_t scale_y);
  StepId matmul_integer(const Node& node, const OpCall& call, std::size_t output);
  StepId qlinear_matmul(const Node& node, const OpCall& call, std::size_t output);
  StepId qlinear_conv(const Node& node, const OpCall& call, std::size_t output);

  const graph::ScanOp& scan_;
  const graph::Graph& body_;
  const std::vector<ops::Fact>& facts_;
  bool exact_;
  StepGraph graph_;
  std::map<std::uint32_t, StepId> made_;
  std::string refusal_;
};

}  // namespace pawl::kernel
