// ONNX text syntax: what it reads, what it refuses and where, and that what is printed reads back the same.
#include "onnx/text.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "onnx/attribute_types.h"
#include "tensor/scalar.h"

namespace pawl::onnx {
namespace {

Model parsed(std::string_view text) {
  Result<Model> model = parse_text(text);
  if (model.ok()) return std::move(*model);
  ADD_FAILURE() << model.error().to_string() << "\n" << text;
  return {};
}

std::string refusal(std::string_view text) {
  const Result<Model> model = parse_text(text);
  if (model.ok()) return "accepted: " + print_text(*model);
  return std::string(name(model.error().code)) + " " + model.error().to_string();
}

/// The attributes of "y = Op <…> (x)".
std::vector<Attribute> attributes(std::string_view list) {
  Model model = parsed("g (x) => (y) { y = Op <" + std::string(list) + "> (x) }");
  return model.graph.nodes.empty() ? std::vector<Attribute>() : model.graph.nodes[0].attributes;
}

template <class T>
T payload(std::string_view text, int type) {
  const std::vector<Attribute> all = attributes("a " + std::string(text));
  if (all.size() != 1) return {};
  EXPECT_EQ(all[0].declared_type, type) << text;
  const T* value = std::get_if<T>(&all[0].payload);
  if (value) return *value;
  ADD_FAILURE() << text << " has another type";
  return {};
}

/// The type of the only input of "g (TYPE x) => () {}", printed again.
std::string type_again(std::string_view type) {
  const Model model = parsed("g (" + std::string(type) + " x) => () {}");
  return model.graph.inputs.size() == 1 ? to_string(model.graph.inputs[0].type) : "?";
}

Tensor initializer(std::string_view type_and_elements) {
  const std::string text(type_and_elements);
  const std::size_t brace = text.find('{');
  Model model = parsed("g () => () <" + text.substr(0, brace) + " w = " + text.substr(brace) + "> {}");
  return model.graph.initializers.size() == 1 ? model.graph.initializers[0].tensor : Tensor();
}

template <class T>
std::vector<T> elements(std::string_view literal) {
  const Tensor tensor = initializer(literal);
  EXPECT_EQ(tensor.dtype(), dtype_of<T>);
  if (tensor.dtype() != dtype_of<T>) return {};
  return std::vector<T>(tensor.data<T>(), tensor.data<T>() + tensor.size());
}

void expect_fixed_point(std::string_view text) {
  const std::string once = print_text(parsed(text));
  EXPECT_EQ(print_text(parsed(once)), once);
}

TEST(Text, ModelHeader) {
  const Model model = parsed(R"(
    <ir_version: 7, opset_import: [ "" : 10, "ai.onnx.ml" : 2 ], producer_name: "Parser\"Test", producer_version: "1.0",
     domain: "ai.onnx.ml", model_version: -3, doc_string: "ignored", metadata_props: [ "k" : "v", "k2" : "" ]>
    agraph () => () {})");
  EXPECT_EQ(model.ir_version, 7);
  ASSERT_EQ(model.opset_imports.size(), 2U);
  EXPECT_EQ(model.opset_imports[1].domain, "ai.onnx.ml");
  EXPECT_EQ(model.opset_imports[1].version, 2);
  EXPECT_EQ(model.producer_name, "Parser\"Test");
  EXPECT_EQ(model.producer_version, "1.0");
  EXPECT_EQ(model.domain, "ai.onnx.ml");
  EXPECT_EQ(model.model_version, -3);
  ASSERT_EQ(model.metadata.size(), 2U);
  EXPECT_EQ(model.metadata[1], (std::pair<std::string, std::string>("k2", "")));
  EXPECT_EQ(model.graph.name, "agraph");
}

TEST(Text, Types) {
  for (const std::string_view type : {"float", "float[]", "float[N]", "float[N,2,?]", "seq(float[])", "optional(float)",
                                      "map(int64, float[N])", "seq(map(string, optional(seq(int8[?]))))",
                                      "sparse_tensor(float[1000])", "sparse_tensor(double)", "?", "?[2]", "seq(?)"})
    EXPECT_EQ(type_again(type), type);
  EXPECT_EQ(type_again("float [ N , 3 ]"), "float[N,3]");
  EXPECT_EQ(type_again("float[\"a b\"]"), "float[a b]");
  EXPECT_EQ(type_again("float[-1]"), "float[?]");
  for (int number = 1; number < kDTypeCount; ++number) {
    const std::string type(name(static_cast<DType>(number)));
    EXPECT_EQ(type_again(type + "[2]"), type + "[2]");
  }
}

TEST(Text, GraphValues) {
  const Model model = parsed(R"(
    agraph (float y = {1.0}, float[N] z, untyped) => (float[N] w, v)
    <float[2] w1 = {1.0, 2.0}, float[3] w2 = {4.0, 5.0, 6.0}, float[N] x>  # a comment
    {
      x = foo(y, z, w1) # another
      w = bar(x, y, w2)
    })");
  const Graph& graph = model.graph;
  ASSERT_EQ(graph.inputs.size(), 3U);
  EXPECT_FALSE(graph.inputs[2].type.known());
  ASSERT_EQ(graph.outputs.size(), 2U);
  EXPECT_EQ(graph.outputs[1].name, "v");
  ASSERT_EQ(graph.initializers.size(), 3U);
  EXPECT_EQ(graph.initializers[0].name, "y");
  EXPECT_EQ(graph.initializers[2].tensor.values<float>()[2], 6.0F);
  ASSERT_EQ(graph.value_infos.size(), 1U);
  EXPECT_EQ(graph.nodes.size(), 2U);
}

TEST(Text, Nodes) {
  const Model model = parsed(R"(g (x) => (y) {
    a = com.example.foo:ov (x)
    ["node 1"] , b = Op1(x, , "", y)
    [node2] c, d, = Op2 (x,)
    = Op3()
    "/blocks.0/Scan:0" = Op4 <i = 1> ("a:0")
    e = Op5 (x) <i = 2, j = 3>
    f = "my-domain"."odd op" (,)
  })");
  const std::vector<Node>& nodes = model.graph.nodes;
  using Names = std::vector<std::string>;
  ASSERT_EQ(nodes.size(), 7U);
  EXPECT_EQ(nodes[0].domain, "com.example");
  EXPECT_EQ(nodes[0].op_type, "foo");
  EXPECT_EQ(nodes[0].overload, "ov");
  EXPECT_EQ(nodes[1].name, "node 1");
  EXPECT_EQ(nodes[1].outputs, Names({"", "b"}));
  EXPECT_EQ(nodes[1].inputs, Names({"x", "", "", "y"}));
  EXPECT_EQ(nodes[2].name, "node2");
  EXPECT_EQ(nodes[2].outputs, Names({"c", "d"}));
  EXPECT_EQ(nodes[2].inputs, Names({"x"}));
  EXPECT_TRUE(nodes[3].outputs.empty());
  EXPECT_TRUE(nodes[3].inputs.empty());
  EXPECT_EQ(nodes[4].outputs, Names({"/blocks.0/Scan:0"}));
  EXPECT_EQ(nodes[5].attributes.size(), 2U);
  EXPECT_EQ(nodes[6].domain, "my-domain");
  EXPECT_EQ(nodes[6].op_type, "odd op");
  EXPECT_EQ(nodes[6].inputs, Names({""}));
}

TEST(Text, Attributes) {
  using namespace attribute_type;
  EXPECT_EQ(payload<std::int64_t>("= 2", kInt), 2);
  EXPECT_EQ(payload<std::int64_t>("= -9223372036854775808", kInt), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(payload<float>("= 0.625", kFloat), 0.625F);
  EXPECT_EQ(payload<float>(": float = 1", kFloat), 1.0F);
  EXPECT_TRUE(std::signbit(payload<float>(": float = -0", kFloat)));
  EXPECT_EQ(payload<float>(": float = 100000000000000000000", kFloat), 1e20F);
  EXPECT_EQ(payload<float>("= -inf", kFloat), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(payload<float>("= Infinity", kFloat), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(payload<float>("= NaN", kFloat)));
  EXPECT_EQ(payload<std::string>("= \"a\\\"\\\\b\"", kString), "a\"\\b");
  EXPECT_EQ(payload<std::vector<std::int64_t>>("= [2, -4]", kInts), (std::vector<std::int64_t>{2, -4}));
  EXPECT_EQ(payload<std::vector<std::int64_t>>(": ints = []", kInts), std::vector<std::int64_t>());
  EXPECT_EQ(payload<std::vector<float>>("= [0.5, 1e1]", kFloats), (std::vector<float>{0.5F, 10.0F}));
  EXPECT_EQ(payload<std::vector<float>>(": floats = [1, 2]", kFloats), (std::vector<float>{1, 2}));
  EXPECT_EQ(payload<std::vector<float>>("= [1, 2.5, 3]", kFloats), (std::vector<float>{1, 2.5, 3}));
  EXPECT_EQ(payload<std::vector<std::string>>("= [\"a\", \"\"]", kStrings), (std::vector<std::string>{"a", ""}));
  EXPECT_EQ(payload<Tensor>("= float[3] {2.1, 4.1, 6.1}", kTensor).values<float>()[1], 4.1F);
  EXPECT_EQ(payload<Tensor>("= int32 name = {7}", kTensor).values<std::int32_t>()[0], 7);
  EXPECT_EQ(payload<std::vector<Tensor>>("= [int8 {7}, int8[0] {}]", kTensors).size(), 2U);
  EXPECT_EQ(to_string(payload<Type>("= seq(float[N])", kTypeProto)), "seq(float[N])");
  EXPECT_EQ(payload<std::vector<Type>>("= [float, int8[2]]", kTypeProtos).size(), 2U);
  EXPECT_EQ(payload<std::vector<Tensor>>(": sparse_tensors = []", kSparseTensors).size(), 0U);
}

TEST(Text, AttributeReferences) {
  const std::vector<Attribute> all = attributes("a = @b, c : ints = @\"d e\"");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].ref_attr_name, "b");
  EXPECT_EQ(all[0].declared_type, 0);
  EXPECT_EQ(all[1].ref_attr_name, "d e");
  EXPECT_EQ(all[1].declared_type, attribute_type::kInts);
  EXPECT_EQ(all[1].payload.index(), 0U);
}

TEST(Text, GraphAttributes) {
  using Pointer = std::shared_ptr<const Graph>;
  const auto body =
      payload<Pointer>("= b (float p) => (float q) <float[1] w = {1}, float t> { q = Neg(p) }", attribute_type::kGraph);
  ASSERT_TRUE(body);
  EXPECT_EQ(body->name, "b");
  EXPECT_EQ(body->initializers.size(), 1U);
  EXPECT_EQ(body->value_infos.size(), 1U);
  EXPECT_EQ(payload<Pointer>("= \"a/b\" () => () {}", attribute_type::kGraph)->name, "a/b");
  EXPECT_EQ(payload<Pointer>("= g => () {}", attribute_type::kGraph)->name, "g");
  EXPECT_EQ(payload<Pointer>("= undefined () => () {}", attribute_type::kGraph)->name, "undefined");
  EXPECT_EQ(payload<std::vector<Pointer>>("= [g1 () => () {}, g2 () => () {}]", attribute_type::kGraphs).size(), 2U);
}

TEST(Text, Functions) {
  const Model model = parsed(R"(
    <ir_version: 9, opset_import: [ "" : 15, "custom" : 1]>
    agraph (float[N] x) => (float[N] out) { out = custom.foo <alpha = 2.0, gamma = 3.0> (x) }
    <domain: "custom", opset_import: [ "" : 15], overload: "v1", doc_string: "function foo">
    foo <alpha: float = 4.0, gamma> (X, float[N] W) => (float[N] C) <float Q> {
      constant_alpha = Constant <value_float: float = @alpha> ()
      C = Mul(constant_alpha, X)
    }
    bar (X) => (Y) { Y = Neg(X) })");
  ASSERT_EQ(model.functions.size(), 2U);
  const Function& foo = model.functions[0];
  EXPECT_EQ(foo.domain, "custom");
  EXPECT_EQ(foo.overload, "v1");
  EXPECT_EQ(foo.attributes, std::vector<std::string>{"gamma"});
  ASSERT_EQ(foo.attribute_defaults.size(), 1U);
  EXPECT_EQ(std::get<float>(foo.attribute_defaults[0].payload), 4.0F);
  EXPECT_EQ(foo.inputs, (std::vector<std::string>{"X", "W"}));
  ASSERT_EQ(foo.value_infos.size(), 3U);
  EXPECT_EQ(foo.value_infos[1].name, "C");
  EXPECT_EQ(foo.nodes[0].attributes[0].ref_attr_name, "alpha");
  EXPECT_EQ(model.functions[1].name, "bar");
}

TEST(Text, TensorElements) {
  EXPECT_EQ(elements<float>("float[5] {1e1, 2.0e-1, 3.1E-1, 4E+1, 5.}"), (std::vector<float>{10, 0.2F, 0.31F, 40, 5}));
  EXPECT_EQ(elements<double>("double {0.1}"), std::vector<double>{0.1});
  EXPECT_EQ(elements<std::uint64_t>("uint64[1] {18446744073709551615}"), std::vector<std::uint64_t>{UINT64_MAX});
  EXPECT_EQ(elements<std::int8_t>("int8[2] {-128, 127}"), (std::vector<std::int8_t>{-128, 127}));
  EXPECT_EQ(elements<std::string>("string[2] {\"Hello\", \"\"}"), (std::vector<std::string>{"Hello", ""}));
  EXPECT_EQ(elements<std::complex<float>>("complex64[2] {1, -2, (3, 4)}"),
            (std::vector<std::complex<float>>{{1, -2}, {3, 4}}));
  EXPECT_EQ(elements<bool>("bool[4] {0, 1, true, false}"), (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(initializer("float[0,3] {}").shape(), Dims({0, 3}));
  EXPECT_EQ(elements<I4>("int4[2] {-8, 7}")[0].value, -8);
}

TEST(Text, SmallFloatsAreBitsOrValues) {
  EXPECT_EQ(elements<F16>("float16[1] {15360}")[0].code, 0x3c00);
  EXPECT_EQ(elements<F16>("float16[1] {1.0}")[0].code, 0x3c00);
  EXPECT_EQ(elements<F16>("float16[1] {-inf}")[0].code, 0xfc00);
  EXPECT_EQ(elements<F4E2M1>("float4e2m1[2] {7, 6.0}")[1].code, 7);
  EXPECT_EQ(parse_tensor("float16[1] {1}")->values<F16>()[0].code, 0x3c00);
  EXPECT_EQ(refusal("g () => () <float16 w = {-1}> {}"),
            "bad_file 1:26: an integer stands for the bits of a float16 (0 … 65535): write a value with a point, -1.0");
  for (const std::string_view literal :
       {"float16 w = {1e6}", "float4e2m1 w = {8.0}", "float4e2m1 w = {nan}", "float6e2m3 w = {inf}",
        "float8e4m3fn w = {inf}", "float8e8m0 w = {-1.0}", "float6e3m2 w = {40.0}"})
    EXPECT_NE(refusal("g () => () <" + std::string(literal) + "> {}").find("does not fit into"), std::string::npos)
        << literal;
}

TEST(Text, FloatsAtTheEdges) {
  EXPECT_EQ(elements<float>("float[4] {1e-60, -1e-999999999999, 0e99999999999, 1e-45}"),
            (std::vector<float>{0, -0.0F, 0, 1e-45F}));
  EXPECT_EQ(elements<float>("float {0.00000000000000000000000000000000000000000000000000001e60}")[0], 1e7F);
  for (const std::string_view number : {"1e39", "-1e999999999999", "3.5e38"})
    EXPECT_NE(refusal("g () => () <float w = {" + std::string(number) + "}> {}").find("does not fit into a float"),
              std::string::npos);
  EXPECT_EQ(std::bit_cast<std::uint32_t>(elements<float>("float {nan(0x7f800001)}")[0]), 0x7f800001U);
}

TEST(Text, PrintedFloatsReadBackToTheBit) {
  for (const std::uint32_t bits : {0U, 0x80000000U, 1U, 0x7f7fffffU, 0x7f800000U, 0xff800000U, 0x7fc00000U, 0xffc00000U,
                                   0x7f800001U, 0x3dcccccdU, 0x4b000001U, 0xffffffffU}) {
    Model model;
    const auto value = std::bit_cast<float>(bits);
    model.graph.name = "g";
    model.graph.initializers.push_back({"w", Tensor::scalar(value), ""});
    model.graph.nodes.push_back({"", "", "Op", "", {}, {}, {{"a", "", attribute_type::kFloat, value}}});
    const Model again = parsed(print_text(model));
    EXPECT_EQ(std::bit_cast<std::uint32_t>(again.graph.initializers.at(0).tensor.values<float>()[0]), bits);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(std::get<float>(again.graph.nodes.at(0).attributes.at(0).payload)), bits);
  }
}

TEST(Text, EveryCodeOfASmallFloatReadsBack) {
  for (const DType dtype : {DType::f16, DType::bf16, DType::f8e4m3fn, DType::f8e4m3fnuz, DType::f8e5m2,
                            DType::f8e5m2fnuz, DType::f8e8m0, DType::f6e2m3, DType::f6e3m2, DType::f4e2m1}) {
    const std::int64_t count = std::int64_t{1} << file_bits(dtype);
    Tensor all = Tensor::allocate(dtype, {count}).value();
    for (std::int64_t code = 0; code < count; ++code) {
      if (size_of(dtype) == 1)
        all.mutable_data<std::uint8_t>()[code] = static_cast<std::uint8_t>(code);
      else
        all.mutable_data<std::uint16_t>()[code] = static_cast<std::uint16_t>(code);
    }
    Model model;
    model.graph.initializers.push_back({"w", all, ""});
    const Model again = parsed(print_text(model));
    const Tensor& read = again.graph.initializers.at(0).tensor;
    ASSERT_EQ(read.shape(), all.shape());
    EXPECT_EQ(std::memcmp(read.bytes(), all.bytes(), static_cast<std::size_t>(count) * size_of(dtype)), 0)
        << name(dtype);
  }
}

TEST(Text, PrintIsAFixedPoint) {
  expect_fixed_point("g () => () {}");
  expect_fixed_point(R"(<ir_version: 8, opset_import: ["" : 11, "x": 1], metadata_props: ["k":"v\""]>
    "g g" (float[2] s0 = {1.0, -0}, float[3,"a b"] x, z, map(int64, float) mm, undefined[2] t, undefined, "float", "inf") => (y)
    <float16[2] h = {15360, 1.5}, string[1] st = {"a\\b"}, complex64[1] c = {1, 2}, uint4[2] u4 = {15, 0}, sparse_tensor(undefined)  q> {
      [n] a = Op <a : undefined = 1, b : undefined = @"", tp = undefined, tp2 = ?, body = "nan" () => () {}, s : sparse_tensor = int8 {1},
                  "a b" = 2, list : type_protos = []> (x)
      = "a..b"."c d":"e f" ()
      , b = "." (, c)
    }
    <domain: "d"> f <a, "b c", d = [1.5]> ("x y") => (z) <float w, u> {})");
}

TEST(Text, LongTensorsAreCutOnRequest) {
  const Model model = parsed("g () => () <int8[4] w = {1, 2, 3, 4}> {}");
  EXPECT_NE(print_text(model, 2).find("int8[4] w = {1, 2, … 2 more}"), std::string::npos);
  EXPECT_NE(print_text(model, 4).find("{1, 2, 3, 4}"), std::string::npos);
}

TEST(Text, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(refusal("<ir_version: 8,\n  opset: []>"),
            "bad_file 2:3: expected ir_version, opset_import, producer_name, producer_version, domain, model_version, "
            "doc_string or metadata_props, found 'opset'");
  EXPECT_EQ(refusal("g (x) => (y) {\n  y = Neg(x\n}"), "bad_file 3:1: expected ')', found '}'");
  EXPECT_EQ(refusal("g (x) => (y) { Neg(x) }"), "bad_file 1:19: expected '=' or ',', found '('");
  EXPECT_EQ(refusal("g (x) => (y) { é = Neg(x) }"), "bad_file 1:16: expected a node or '}', found 'é'");
  EXPECT_EQ(refusal(""), "bad_file 1:1: expected the name of a graph, found the end of the text");
  EXPECT_EQ(refusal("g (x) = > (y) {}"), "bad_file 1:7: expected '=>', found '='");
  EXPECT_EQ(refusal("g (x) => (y) { y = Op <a = \"b> (x) }"), "bad_file 1:28: this string has no closing quote");
  EXPECT_EQ(refusal("g (x) => (y) { y = Op <a = []> (x) }"),
            "bad_file 1:29: expected a value: an empty list needs a type, as in \"axes : ints = []\", found ']'");
  EXPECT_EQ(refusal("g (x) => (y) { y = Op <a : ints = 2> (x) }"),
            "bad_file 1:36: attribute \"a\" is declared as ints, and its value is of type int");
  EXPECT_EQ(refusal("g (x) => (y) { y = Op <a : int = [2]> (x) }"),
            "bad_file 1:37: attribute \"a\" is declared as int, and its value is of type ints");
  EXPECT_EQ(refusal("g (x) => (y) { y = Op <a = [2, \"b\"]> (x) }"),
            "bad_file 1:32: a value of type string in a list of type ints");
  EXPECT_EQ(refusal("g (x) => (y) { y = Op <a = 9223372036854775808> (x) }"),
            "bad_file 1:28: 9223372036854775808 is out of range");
  EXPECT_EQ(refusal("g (x) => (y) <float[2] w = {1}> {}"),
            "bad_file 1:28: float[2] has not the 1 elements that are given");
  EXPECT_EQ(refusal("g (x) => (y) <float[N] w = {1}> {}"),
            "bad_file 1:28: expected a tensor type with numbers for all extents before its elements, found '{'");
  EXPECT_EQ(refusal("g (x) => (y) <int8 w = {128}> {}"), "bad_file 1:25: 128 does not fit into int8 (-128 … 127)");
  EXPECT_EQ(refusal("g (x) => (y) <int8 w = {1.5}> {}"), "bad_file 1:25: expected an integer, found 1.5");
  EXPECT_EQ(refusal("g (opaque(a) x) => () {}"), "unsupported 1:4: opaque types are not supported");
}

TEST(Text, ExternalData) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "pawl_text_external";
  std::filesystem::create_directories(folder);
  const std::array<float, 3> stored = {7, 1, 2};
  std::ofstream(folder / "w.bin", std::ios::binary).write(reinterpret_cast<const char*>(stored.data()), sizeof(stored));
  const auto parse = [&](std::string_view type, std::string_view location) {
    return parse_text("g () => () <" + std::string(type) + " w = [\"location\": \"" + std::string(location) +
                          "\", \"offset\": \"4\", \"length\": \"8\"]> {}",
                      folder);
  };
  const Result<Model> model = parse("float[2]", "w.bin");
  ASSERT_TRUE(model.ok()) << model.error().to_string();
  const NamedTensor& w = model->graph.initializers.at(0);
  EXPECT_EQ(w.external_location, "w.bin");
  EXPECT_EQ(w.tensor.to_dense()->values<float>()[1], 2.0F);
  EXPECT_EQ(parse("float[2]", "../w.bin").error().code, Code::bad_file);
  EXPECT_EQ(parse("float[3]", "w.bin").error().message.substr(0, 6), "1:26: ");
  EXPECT_EQ(parse("float[2]", "none.bin").error().code, Code::io);
  EXPECT_EQ(parse("float[N]", "w.bin").error().code, Code::bad_file);
}

TEST(Text, NestingAndSizesAreBounded) {
  std::string types;
  for (int i = 0; i < 100'000; ++i) types += "seq(";
  EXPECT_EQ(refusal("g (" + types), "limit types are nested more than 64 deep");
  std::string graphs;
  for (int i = 0; i < 100'000; ++i) graphs += "g () => () { = A <a = ";
  EXPECT_EQ(refusal(graphs), "limit graphs are nested more than 64 deep");
  EXPECT_NE(refusal("g () => () <float[9223372036854775807,9223372036854775807] w = {1}> {}").find("bad_file"),
            std::string::npos);
  EXPECT_NE(refusal("g () => () <float[4611686018427387904] w = {1}> {}").find("bad_file"), std::string::npos);
  EXPECT_EQ(initializer("float[0,9223372036854775807] {}").size(), 0);
}

}  // namespace
}  // namespace pawl::onnx
