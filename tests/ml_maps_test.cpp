// ZipMap, DictVectorizer and CastMap of ai.onnx.ml: maps have no form in .case files. Expected values by hand.
#include <gtest/gtest.h>

#include "pawl/model.h"
#include "pawl/program.h"

namespace pawl {
namespace {

Result<std::vector<Value>> run(std::string_view model, const std::vector<Value>& inputs) {
  Result<Model> loaded = Model::from_text(model);
  if (!loaded.ok()) return loaded.error();
  Result<Program> program = Program::compile(*loaded);
  if (!program.ok()) return program.error();
  return program->run(std::span<const Value>(inputs));
}

template <class T>
std::vector<T> list(const Tensor& tensor) {
  const auto values = tensor.values<T>();
  return {values.begin(), values.end()};
}

Map string_map() {
  return {Tensor::of<std::string>({2}, {std::string("a"), std::string("c")}), Tensor::of<float>({2}, {4.0F, 8.0F})};
}

TEST(MlMaps, ZipMapOrdersItsKeys) {
  const auto result = run(R"(<ir_version: 8, opset_import: ["" : 15, "ai.onnx.ml" : 3]>
    g (float[2,3] x) => (z) { z = ai.onnx.ml.ZipMap <classlabels_strings = ["b", "c", "a"]> (x) })",
                          {Tensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  const Sequence& maps = (*result)[0].sequence();
  ASSERT_EQ(maps.size(), 2U);
  EXPECT_EQ(list<std::string>(maps[0].map().keys), (std::vector<std::string>{"a", "b", "c"}));
  EXPECT_EQ(list<float>(maps[0].map().values), (std::vector<float>{3, 1, 2}));
  EXPECT_EQ(list<float>(maps[1].map().values), (std::vector<float>{6, 4, 5}));
}

TEST(MlMaps, ZipMapOfOneRowWithNumbers) {
  const auto result = run(R"(<ir_version: 8, opset_import: ["" : 15, "ai.onnx.ml" : 3]>
    g (float[2] x) => (z) { z = ai.onnx.ml.ZipMap <classlabels_int64s = [7, -7]> (x) })",
                          {Tensor::of<float>({2}, {1, 2})});
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  const Map& map = (*result)[0].sequence()[0].map();
  EXPECT_EQ(list<std::int64_t>(map.keys), (std::vector<std::int64_t>{-7, 7}));
  EXPECT_EQ(list<float>(map.values), (std::vector<float>{2, 1}));
}

TEST(MlMaps, ZipMapNeedsAColumnForEachKey) {
  const auto result = run(R"(<ir_version: 8, opset_import: ["" : 15, "ai.onnx.ml" : 3]>
    g (float[1,3] x) => (z) { z = ai.onnx.ml.ZipMap <classlabels_int64s = [7, 8]> (x) })",
                          {Tensor::of<float>({1, 3}, {1, 2, 3})});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::bad_shape);
}

TEST(MlMaps, DictVectorizerFollowsTheVocabulary) {
  const auto result = run(R"(<ir_version: 8, opset_import: ["" : 15, "ai.onnx.ml" : 3]>
    g (map(string, float) x) => (float[1,4] y) {
      y = ai.onnx.ml.DictVectorizer <string_vocabulary = ["a", "c", "b", "z"]> (x) })",
                          {string_map()});
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(list<float>((*result)[0].tensor()), (std::vector<float>{4, 8, 0, 0}));
}

TEST(MlMaps, DictVectorizerKnowsEveryKey) {
  const auto result = run(R"(<ir_version: 8, opset_import: ["" : 15, "ai.onnx.ml" : 3]>
    g (map(string, float) x) => (float[1,1] y) { y = ai.onnx.ml.DictVectorizer <string_vocabulary = ["a"]> (x) })",
                          {string_map()});
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().code, Code::bad_value);
}

TEST(MlMaps, CastMapIsDenseOrSparse) {
  const Map map{Tensor::of<std::int64_t>({2}, {1, 3}), Tensor::of<float>({2}, {1.5F, -2.5F})};
  const auto result = run(R"(<ir_version: 8, opset_import: ["" : 15, "ai.onnx.ml" : 3]>
    g (map(int64, float) x) => (float[1,2] dense, int64[1,5] sparse) {
      dense = ai.onnx.ml.CastMap (x)
      sparse = ai.onnx.ml.CastMap <cast_to = "TO_INT64", map_form = "SPARSE", max_map = 5> (x) })",
                          {map});
  ASSERT_TRUE(result.ok()) << result.error().to_string();
  EXPECT_EQ(list<float>((*result)[0].tensor()), (std::vector<float>{1.5F, -2.5F}));
  EXPECT_EQ(list<std::int64_t>((*result)[1].tensor()), (std::vector<std::int64_t>{0, 1, 0, -2, 0}));
}

}  // namespace
}  // namespace pawl
