// What the programs of batched nodes look like, and why some are refused.
#include <gtest/gtest.h>

#include "graph/infer.h"
#include "ops/axis_rule.h"
#include "ops/batcher.h"
#include "ops/schema.h"

namespace pawl::ops {
namespace {

/// A node on float tensors: shapes of its inputs, and which of them are batched.
struct Node {
  std::string_view name;
  std::vector<Dims> shapes;
  std::vector<int> batched;
  Attributes attributes;
  std::vector<std::optional<Tensor>> constants = {};
};

std::string shown(const Operand& operand) {
  switch (operand.kind) {
    case Operand::Kind::omitted: return "-";
    case Operand::Kind::input: return "in" + std::to_string(operand.index);
    case Operand::Kind::result: return "r" + std::to_string(operand.index);
    case Operand::Kind::constant: break;
  }
  const Tensor& constant = operand.constant;
  return constant.dtype() == DType::i64 ? to_string(constant.values<std::int64_t>()) : "constant";
}

/// "r0 = Unsqueeze(in0, [1]) r1 = Add(r0, in1)", or the refusal.
std::string program_of(const Node& node) {
  const OpDef* row = find_op("", node.name);
  const Schema* schema = find_schema("", node.name, kNewestOpset);
  std::vector<Fact> facts;
  const auto batched = std::make_unique<bool[]>(node.shapes.size());
  for (std::size_t i = 0; i < node.shapes.size(); ++i) {
    const bool known = i < node.constants.size() && node.constants[i];
    if (known)
      facts.push_back({type_of(*node.constants[i]), *node.constants[i]});
    else
      facts.push_back({Type::tensor(DType::f32, node.shapes[i]), std::nullopt});
    batched[i] = node.batched[i] != 0;
  }
  std::vector<const Fact*> pointers;
  for (const Fact& fact : facts) pointers.push_back(&fact);
  const auto outputs = graph::infer_call({row, schema, node.attributes}, pointers, 1);
  if (!outputs.ok()) return outputs.error().to_string();
  const Type type = (*outputs)[0].type;
  const Batching batching =
      batch(*row, {*schema, node.attributes, pointers, {&type, 1}}, {batched.get(), facts.size()});
  if (!batching.accepted()) return std::string(batching.refusal);
  std::string text;
  for (std::size_t k = 0; k < batching.calls.size(); ++k) {
    text += (k == 0 ? "r" : " r") + std::to_string(k) + " = " + std::string(batching.calls[k].schema->name) + "(";
    for (const Operand& operand : batching.calls[k].operands) text += (text.back() == '(' ? "" : ", ") + shown(operand);
    text += ")";
  }
  return text;
}

TEST(AxisPrograms, VectorsOfAllStepsAreOneProductWithAWeight) {
  EXPECT_EQ(program_of({"MatMul", {{4}, {4, 3}}, {1, 0}, {}}), "r0 = MatMul(in0, in1)");
  EXPECT_EQ(program_of({"MatMul", {{2, 4}, {4, 3}}, {1, 0}, {}}), "r0 = MatMul(in0, in1)");
  EXPECT_EQ(program_of({"MatMul", {{4}, {4, 3}}, {1, 1}, {}}),
            "r0 = Unsqueeze(in0, [1]) r1 = MatMul(r0, in1) r2 = Squeeze(r1, [-2])");
  EXPECT_EQ(program_of({"Gemm", {{2, 4}, {4, 3}, {3}}, {1, 0, 0}, {}}),
            "r0 = Reshape(in0, [-1,4]) r1 = Gemm(r0, in1, in2) r2 = Reshape(r1, [-1,2,3])");
}

TEST(AxisPrograms, OperandsAreLinedUpOnlyWhereTheyMustBe) {
  EXPECT_EQ(program_of({"Add", {{2, 3}, {2, 3}}, {1, 1}, {}}), "r0 = Add(in0, in1)");
  EXPECT_EQ(program_of({"Add", {{2, 3}, {3}}, {1, 0}, {}}), "r0 = Add(in0, in1)");
  EXPECT_EQ(program_of({"Add", {{3}, {2, 3}}, {1, 0}, {}}), "r0 = Unsqueeze(in0, [1]) r1 = Add(r0, in1)");
  EXPECT_EQ(program_of({"Softmax", {{2, 3}}, {1}, {}}), "r0 = Softmax(in0)");
  EXPECT_EQ(program_of({"Concat", {{2}, {3}}, {1, 1}, only("axis", std::int64_t{0})}), "r0 = Concat(in0, in1)");
  EXPECT_EQ(program_of({"Transpose", {{2, 3}}, {1}, {}}), "r0 = Transpose(in0)");
}

TEST(AxisPrograms, ShapesAreReadAtRunTimeWhereAnExtentIsZero) {
  const Attributes pool = only("kernel_shape", std::vector<std::int64_t>{1});
  EXPECT_EQ(program_of({"MaxPool", {{2, 3, 4}}, {1}, pool}),
            "r0 = Reshape(in0, [-1,3,4]) r1 = MaxPool(r0) r2 = Reshape(r1, [-1,2,3,4])");
  EXPECT_NE(program_of({"MaxPool", {{0, 3, 4}}, {1}, pool}).find("Shape(in0)"), std::string::npos);
}

TEST(AxisPrograms, RefusalsSayWhy) {
  EXPECT_EQ(program_of({"Add", {{3}, {3}}, {0, 0}, {}}), "no input has the new axis");
  EXPECT_EQ(program_of({"NonZero", {{3}}, {1}, {}}), "nothing is known of its axes");
  EXPECT_EQ(program_of({"RandomNormalLike", {{3}}, {1}, {}}), "it draws random numbers");
  EXPECT_EQ(program_of({"Gemm", {{2, 4}, {4, 3}, {3}}, {0, 1, 0}, {}}),
            "B differs from step to step, and a result is rounded only once");
  EXPECT_EQ(
      program_of({"SoftmaxCrossEntropyLoss", {{2, 4}, {2}}, {1, 0}, {}, {{}, Tensor::of<std::int64_t>({2}, {0, 1})}}),
      "its loss is that of the whole batch");
}

}  // namespace
}  // namespace pawl::ops
