// What inference knows of the operators that move data: symbols that pass through, extents that follow, and nothing
// that is not certain. Expected types by hand, from the operators' meanings.
#include <gtest/gtest.h>

#include "graph/import.h"
#include "onnx/text.h"

namespace pawl {
namespace {

/// The inferred type of the only output of "g (INPUTS) => (y) { BODY }".
std::string inferred(const std::string& inputs, const std::string& body, int opset = 18) {
  const std::string text = "<ir_version: 8, opset_import: [\"\" : " + std::to_string(opset) + "]> g (" + inputs +
                           ") => (y) { " + body + " }";
  const Result<onnx::Model> model = onnx::parse_text(text);
  if (!model.ok()) return model.error().to_string();
  const Result<graph::Imported> imported = graph::import(*model);
  if (!imported.ok()) return imported.error().to_string();
  const graph::Graph& graph = *imported->graph;
  return to_string(graph[graph.outputs[0]].fact.type);
}

std::string ints(const std::string& name, const std::string& values, std::size_t count) {
  return name + " = Constant <value = int64[" + std::to_string(count) + "] {" + values + "}> () ";
}

TEST(MovementInfer, SymbolsPassThroughViews) {
  EXPECT_EQ(inferred("float[N,3,M] x", "y = Transpose <perm = [2, 0, 1]> (x)"), "float[M,N,3]");
  EXPECT_EQ(inferred("float[N,1,M] x", ints("a", "1", 1) + "y = Squeeze (x, a)"), "float[N,M]");
  EXPECT_EQ(inferred("float[N,M] x", ints("a", "0, -1", 2) + "y = Unsqueeze (x, a)"), "float[1,N,M,1]");
  EXPECT_EQ(inferred("float[N,1] x", ints("s", "1, 7", 2) + "y = Expand (x, s)"), "float[N,7]");
  EXPECT_EQ(inferred("float[N,2,3] x", "y = Flatten (x)"), "float[N,6]");
  EXPECT_EQ(inferred("float[N,M] x", "y = Flatten <axis = 0> (x)"), "float[1,?]");
}

TEST(MovementInfer, SqueezeWithoutAxesIsCertainOnlyOfNumbers) {
  EXPECT_EQ(inferred("float[2,1,3] x", "y = Squeeze (x)"), "float[2,3]");
  EXPECT_EQ(inferred("float[N,1] x", "y = Squeeze (x)"), "float[]");
}

TEST(MovementInfer, ReshapeCancelsWhatBothSidesHave) {
  EXPECT_EQ(inferred("float[N,3,4] x", ints("s", "0, -1", 2) + "y = Reshape (x, s)"), "float[N,12]");
  EXPECT_EQ(inferred("float[N,3,4] x", ints("s", "-1, 12", 2) + "y = Reshape (x, s)"), "float[N,12]");
  EXPECT_EQ(inferred("float[N,M,4] x", ints("s", "0, 0, -1, 2", 4) + "y = Reshape (x, s)"), "float[N,M,2,2]");
  EXPECT_EQ(inferred("float[N,3] x", ints("s", "-1, 2", 2) + "y = Reshape (x, s)"), "float[?,2]");
  EXPECT_EQ(inferred("float[N,M] x", ints("s", "-1", 1) + "y = Reshape (x, s)"), "float[?]");
  EXPECT_EQ(inferred("float[N,3] x, int64[4] s", "y = Reshape (x, s)"), "float[?,?,?,?]");
}

TEST(MovementInfer, SlicesKeepWholeAxes) {
  const std::string whole = ints("s", "0", 1) + ints("e", "9223372036854775807", 1) + ints("a", "0", 1);
  EXPECT_EQ(inferred("float[N,3] x", whole + "y = Slice (x, s, e, a)"), "float[N,3]");
  const std::string back =
      ints("s", "-1", 1) + ints("e", "-9223372036854775808", 1) + ints("a", "0", 1) + ints("t", "-1", 1);
  EXPECT_EQ(inferred("float[N,3] x", back + "y = Slice (x, s, e, a, t)"), "float[N,3]");
  const std::string last = ints("s", "-1", 1) + ints("e", "9223372036854775807", 1) + ints("a", "0", 1);
  EXPECT_EQ(inferred("float[N,3] x", last + "y = Slice (x, s, e, a)"), "float[?,3]");
  EXPECT_EQ(inferred("float[5,M] x", last + "y = Slice (x, s, e, a)"), "float[1,M]");
  EXPECT_EQ(inferred("float[N,M] x, int64[1] s, int64[1] e", "y = Slice (x, s, e)"), "float[?,M]");
}

TEST(MovementInfer, ConcatAndSplitAddUp) {
  EXPECT_EQ(inferred("float[2,M] x, float[3,M] z", "y = Concat <axis = 0> (x, z)"), "float[5,M]");
  EXPECT_EQ(inferred("float[N,M] x, float[3,4] z", "y = Concat <axis = 0> (x, z)"), "float[?,4]");
  EXPECT_EQ(inferred("float[N,7] x", "y, z = Split <axis = 1, num_outputs = 2> (x)"), "float[N,4]");
  EXPECT_EQ(inferred("float[N,M] x", ints("s", "2, 3", 2) + "y, z = Split <axis = 0> (x, s)"), "float[2,M]");
}

TEST(MovementInfer, PadAndTileChangeWhatTheyTouch) {
  EXPECT_EQ(inferred("float[N,3] x", ints("p", "0, 1, 0, 2", 4) + "y = Pad (x, p)"), "float[N,6]");
  EXPECT_EQ(inferred("float[N,3] x, int64[2] p", ints("a", "0", 1) + "y = Pad (x, p, , a)"), "float[?,3]");
  EXPECT_EQ(inferred("float[N,3] x", ints("r", "1, 2", 2) + "y = Tile (x, r)"), "float[N,6]");
}

TEST(MovementInfer, GatherReplacesAnAxis) {
  EXPECT_EQ(inferred("float[N,M,4] x, int64[K,2] i", "y = Gather <axis = 1> (x, i)"), "float[N,K,2,4]");
  EXPECT_EQ(inferred("float[N,M] x, int64 i", "y = Gather (x, i)"), "float[M]");
  EXPECT_EQ(inferred("float[N,M,4] x, int64[K,2] i", "y = GatherND (x, i)"), "float[K,4]");
  EXPECT_EQ(inferred("float[N,M] x, int64[K,L] i", "y = GatherElements (x, i)"), "float[K,L]");
}

TEST(MovementInfer, ShapesBecomeConstants) {
  EXPECT_EQ(inferred("float[N,3,4] x", "s = Shape <start = 1> (x) y = ConstantOfShape (s)"), "float[3,4]");
  EXPECT_EQ(inferred("float[N,3] x", "s = Shape (x) y = ConstantOfShape (s)"), "float[N,3]");
  EXPECT_EQ(inferred("float[N,3] x, int64[2] s", "y = ConstantOfShape (s)"), "float[?,?]");
  EXPECT_EQ(
      inferred("float[2,3] x", "n = Size (x) " + ints("o", "1", 1) + "s = Reshape (n, o) y = ConstantOfShape (s)"),
      "float[6]");
}

TEST(MovementInfer, ExtentsPassThroughComputedShapes) {
  const std::string places = ints("zero", "0", 1) + ints("one", "1", 1) + ints("minus", "-1", 1) + ints("big", "99", 1);
  const std::string shape = places + "s = Shape (x) ";
  EXPECT_EQ(inferred("float[N,3] x", shape + "n = Gather (s, zero) t = Concat <axis = 0> (one, n) "
                                             "y = ConstantOfShape (t)"),
            "float[1,N]");
  EXPECT_EQ(inferred("float[N,3] x, float[1,3] v", shape + "y = Expand (v, s)"), "float[N,3]");
  EXPECT_EQ(
      inferred("float[N,3] x, float[N,3] v", shape + "r = Slice (s, one, big) t = Concat <axis = 0> (one, minus, r) "
                                                     "y = Reshape (v, t)"),
      "float[1,N,3]");
  EXPECT_EQ(inferred("float[N,M] x, float[M,N] v", shape + "y = Reshape (v, s)"), "float[?,?]");
  EXPECT_EQ(inferred("float[N,3] x", shape + ints("ones", "1, 1", 2) +
                                         "e = Equal (s, minus) t = Where (e, ones, s) "
                                         "y = ConstantOfShape (t)"),
            "float[N,3]");
  EXPECT_EQ(inferred("float[N,3] x", places + "s = Shape (x) n = Gather (s, zero) m = Squeeze (n, zero) "
                                              "z = Squeeze (zero, zero) o = Squeeze (one, zero) y = Range (z, m, o)"),
            "int64[N]");
}

TEST(MovementInfer, SequencesKnowWhatTheirTensorsHaveInCommon) {
  EXPECT_EQ(inferred("float[N,3] x, float[N,4] z", "y = SequenceConstruct (x, z)"), "seq(float[N,?])");
  EXPECT_EQ(inferred("float[N,3] x, int64 p", "s = SequenceConstruct (x) y = SequenceAt (s, p)"), "float[N,3]");
  EXPECT_EQ(
      inferred("float[N,3] x", "s = SequenceConstruct (x, x) y = ConcatFromSequence <axis = 0, new_axis = 1> (s)"),
      "float[?,N,3]");
  EXPECT_EQ(inferred("float[N,3] x", "y = SplitToSequence <axis = 0, keepdims = 0> (x)"), "seq(float[3])");
}

TEST(MovementInfer, OptionalsKeepTheirElement) {
  EXPECT_EQ(inferred("float[N] x", "y = Optional (x)"), "optional(float[N])");
  EXPECT_EQ(inferred("float[N] x", "o = Optional (x) y = OptionalGetElement (o)"), "float[N]");
}

}  // namespace
}  // namespace pawl
