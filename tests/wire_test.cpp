// Models in binary form. Field numbers are those of onnx.proto.
#include <gtest/gtest.h>

#include <random>

#include "onnx/read.h"
#include "onnx/write.h"
#include "same_model.h"
#include "tensor/scalar.h"
#include "wire_bytes.h"

namespace pawl::onnx {
namespace {

Result<Model> decoded(const Message& message) { return decode(owned_bytes(message.bytes()), {}); }

Error error_of(const Message& message) {
  const Result<Model> model = decoded(message);
  return model.ok() ? Error{Code::internal, "it was accepted", {}} : model.error();
}

void expect_error(const Message& message, Code code, const std::string& words) {
  const Error error = error_of(message);
  EXPECT_EQ(error.code, code) << error.to_string();
  EXPECT_NE(error.to_string().find(words), std::string::npos) << error.to_string();
}

Message attribute_model(const Message& attribute) {
  return model_of(Message().message(1, Message().text(4, "Op").message(5, attribute)));
}

Attribute attribute_of(const Message& attribute) {
  const Result<Model> model = decoded(attribute_model(attribute));
  EXPECT_TRUE(model.ok()) << model.error().to_string();
  return model->graph.nodes.at(0).attributes.at(0);
}

Message scalar_tensor() { return Message().varint(2, 1).fixed32(4, 1.5F).text(8, "t"); }

TEST(Wire, EveryFieldOfAModelIsRead) {
  const Message dim_value = Message().varint(1, 3);
  const Message dim_param = Message().text(2, "N");
  const Message shape = Message().message(1, dim_value).message(1, dim_param).message(1, Message());
  const Message type = Message().message(1, Message().varint(1, 1).message(2, shape));
  const Message node =
      Message().text(1, "x").text(1, "").text(2, "y").text(3, "n").text(4, "Op").text(6, "doc").text(7, "d").text(8,
                                                                                                                  "o");
  const Message graph = Message()
                            .message(1, node)
                            .text(2, "g")
                            .message(5, scalar_tensor())
                            .message(11, Message().text(1, "x").message(2, type))
                            .message(12, Message().text(1, "y"))
                            .message(13, Message().text(1, "z"));
  const Message function = Message()
                               .text(1, "f")
                               .text(4, "a")
                               .text(5, "b")
                               .text(6, "alpha")
                               .message(7, node)
                               .message(9, Message().varint(2, 18))
                               .text(10, "local")
                               .message(11, Message().text(1, "beta").varint(3, 7).varint(20, 2))
                               .message(12, Message().text(1, "a"))
                               .text(13, "over");
  const Result<Model> model = decoded(Message()
                                          .varint(1, 10)
                                          .text(2, "p")
                                          .text(3, "pv")
                                          .text(4, "dom")
                                          .varint(5, -2)
                                          .text(6, "doc")
                                          .message(7, graph)
                                          .message(8, Message().text(1, "ai.onnx").varint(2, 21))
                                          .message(14, Message().text(1, "k").text(2, "v"))
                                          .text(20, "skipped")
                                          .message(25, function));
  ASSERT_TRUE(model.ok()) << model.error().to_string();
  EXPECT_EQ(model->ir_version, 10);
  EXPECT_EQ(model->producer_name + model->producer_version + model->domain, "ppvdom");
  EXPECT_EQ(model->model_version, -2);
  EXPECT_EQ(model->opset_imports.at(0).domain, "ai.onnx");
  EXPECT_EQ(model->opset_imports.at(0).version, 21);
  EXPECT_EQ(model->metadata.at(0).second, "v");
  const Node& n = model->graph.nodes.at(0);
  EXPECT_EQ(n.inputs, (std::vector<std::string>{"x", ""}));
  EXPECT_EQ(n.outputs, std::vector<std::string>{"y"});
  EXPECT_EQ(n.name + n.op_type + n.domain + n.overload, "nOpdo");
  EXPECT_EQ(model->graph.initializers.at(0).name, "t");
  EXPECT_EQ(to_string(model->graph.inputs.at(0).type), "float[3,N,?]");
  EXPECT_FALSE(model->graph.outputs.at(0).type.known());
  const Function& f = model->functions.at(0);
  EXPECT_EQ(f.name + f.domain + f.overload, "flocalover");
  EXPECT_EQ(f.inputs.at(0) + f.outputs.at(0) + f.attributes.at(0), "abalpha");
  EXPECT_EQ(std::get<std::int64_t>(f.attribute_defaults.at(0).payload), 7);
  EXPECT_EQ(f.opset_imports.at(0).version, 18);
  EXPECT_EQ(f.value_infos.size(), 1U);
  EXPECT_EQ(f.nodes.size(), 1U);
}

TEST(Wire, EveryTypeIsRead) {
  const Message floats = Message().message(1, Message().varint(1, 1));
  const auto type = [](const Message& message) {
    const Result<Model> model = decoded(model_of(Message().message(13, Message().text(1, "v").message(2, message))));
    EXPECT_TRUE(model.ok());
    return to_string(model->graph.value_infos.at(0).type);
  };
  EXPECT_EQ(type(floats), "float[]");
  EXPECT_EQ(type(Message().message(1, Message().varint(1, 7).message(2, Message()))), "int64");
  EXPECT_EQ(type(Message().message(4, Message().message(1, floats))), "seq(float[])");
  EXPECT_EQ(type(Message().message(9, Message().message(1, floats))), "optional(float[])");
  EXPECT_EQ(type(Message().message(5, Message().varint(1, 8).message(2, floats))), "map(string, float[])");
  // An extent of -1, as some exporters write an unknown one.
  EXPECT_EQ(
      type(Message().message(1, Message().varint(1, 1).message(2, Message().message(1, Message().varint(1, -1))))),
      "float[?]");
  expect_error(model_of(Message().message(13, Message().message(2, Message().message(7, Message())))),
               Code::unsupported, "opaque");
  expect_error(model_of(Message().message(13, Message().message(2, Message().message(1, Message().varint(1, 29))))),
               Code::bad_file, "elem_type 29");
}

TEST(Wire, EveryKindOfAttributeIsRead) {
  const Message body = Message().text(2, "body");
  const Message sparse = Message()
                             .message(1, Message().varint(1, 1).varint(2, 1).fixed32(4, 5.0F))
                             .message(2, Message().varint(1, 1).varint(2, 7).varint(7, 2))
                             .varint(3, 4);
  const auto with = [](std::int64_t type) { return Message().text(1, "a").varint(20, type); };
  EXPECT_EQ(std::get<float>(attribute_of(with(1).fixed32(2, 0.5F)).payload), 0.5F);
  EXPECT_EQ(std::get<std::int64_t>(attribute_of(with(2).varint(3, -4)).payload), -4);
  EXPECT_EQ(std::get<std::string>(attribute_of(with(3).text(4, "s")).payload), "s");
  EXPECT_TRUE(
      same(std::get<Tensor>(attribute_of(with(4).message(5, scalar_tensor())).payload), Tensor::scalar<float>(1.5F)));
  EXPECT_EQ(std::get<std::shared_ptr<const Graph>>(attribute_of(with(5).message(6, body)).payload)->name, "body");
  EXPECT_EQ(std::get<std::vector<float>>(attribute_of(with(6).fixed32(7, 1).fixed32(7, 2)).payload),
            (std::vector<float>{1, 2}));
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(attribute_of(with(7).varint(8, 1).text(8, "\x02\x03")).payload),
            (std::vector<std::int64_t>{1, 2, 3}));
  EXPECT_EQ(std::get<std::vector<std::string>>(attribute_of(with(8).text(9, "x").text(9, "")).payload),
            (std::vector<std::string>{"x", ""}));
  EXPECT_EQ(std::get<std::vector<Tensor>>(attribute_of(with(9).message(10, scalar_tensor())).payload).size(), 1U);
  EXPECT_EQ(
      std::get<std::vector<std::shared_ptr<const Graph>>>(attribute_of(with(10).message(11, body)).payload).at(0)->name,
      "body");
  const Attribute made_dense = attribute_of(with(11).message(22, sparse));
  EXPECT_EQ(made_dense.declared_type, 11);
  EXPECT_TRUE(same(std::get<Tensor>(made_dense.payload), Tensor::of<float>({4}, {0, 0, 5, 0})));
  EXPECT_EQ(std::get<std::vector<Tensor>>(attribute_of(with(12).message(23, sparse)).payload).at(0).size(), 4);
  EXPECT_TRUE(std::get<Type>(attribute_of(with(13).message(14, Message().message(1, Message().varint(1, 1)))).payload)
                  .is_tensor());
  EXPECT_EQ(std::get<std::vector<Type>>(attribute_of(with(14).message(15, Message())).payload).size(), 1U);
}

TEST(Wire, AnAttributeWithoutATypeHasThatOfItsValue) {
  const Attribute inferred = attribute_of(Message().text(1, "a").varint(8, 1));
  EXPECT_EQ(inferred.declared_type, 0);
  EXPECT_EQ(std::get<std::vector<std::int64_t>>(inferred.payload), std::vector<std::int64_t>{1});
  expect_error(attribute_model(Message().text(1, "a")), Code::bad_model,
               "attribute \"a\" of type undefined has no value");
}

TEST(Wire, ZerosMayBeLeftOutOfATypedAttribute) {
  EXPECT_EQ(std::get<std::int64_t>(attribute_of(Message().varint(20, 2)).payload), 0);
  EXPECT_EQ(std::get<float>(attribute_of(Message().varint(20, 1)).payload), 0.0F);
  EXPECT_EQ(std::get<std::string>(attribute_of(Message().varint(20, 3)).payload), "");
  EXPECT_TRUE(std::get<std::vector<std::int64_t>>(attribute_of(Message().varint(20, 7)).payload).empty());
  expect_error(attribute_model(Message().text(1, "a").varint(20, 4)), Code::bad_model, "has no value");
}

TEST(Wire, AnAttributeMayReferToThatOfTheCall) {
  const Attribute reference = attribute_of(Message().text(1, "a").text(21, "b").varint(20, 2));
  EXPECT_EQ(reference.ref_attr_name, "b");
  EXPECT_EQ(reference.declared_type, 2);
  EXPECT_TRUE(std::holds_alternative<std::monostate>(reference.payload));
  expect_error(attribute_model(Message().text(1, "a").text(21, "b").varint(3, 1)), Code::bad_model,
               "has a value of its own");
}

TEST(Wire, ContradictoryAttributesAreRefused) {
  expect_error(attribute_model(Message().text(1, "a").varint(20, 2).fixed32(2, 1)), Code::bad_model,
               "of type int has a value of type float");
  expect_error(attribute_model(Message().text(1, "a").varint(3, 2).fixed32(2, 1)), Code::bad_model, "attribute \"a\"");
  expect_error(attribute_model(Message().text(1, "a").varint(20, 15)), Code::bad_model, "type 15");
  expect_error(attribute_model(Message().text(1, "a").varint(20, -1)), Code::bad_model, "type -1");
}

TEST(Wire, AWrongWireTypeNamesMessageAndField) {
  expect_error(model_of(Message().message(1, Message().varint(1, 5))), Code::bad_file,
               "NodeProto.input is a varint where a length and bytes should be");
  expect_error(Message().text(1, "x"), Code::bad_file,
               "ModelProto.ir_version is a length and bytes where a varint should be");
  expect_error(model_of(Message().fixed64(5, 1)), Code::bad_file, "GraphProto.initializer is 8 bytes");
  expect_error(attribute_model(Message().fixed64(7, 1)), Code::bad_file,
               "AttributeProto.floats is 8 bytes where 4 bytes should be");
  expect_error(attribute_model(Message().text(7, "abc")), Code::bad_file, "AttributeProto.floats is damaged");
  expect_error(attribute_model(Message().text(8, "\x80")), Code::bad_file, "AttributeProto.ints is damaged");
  expect_error(attribute_model(Message().text(8, std::string(10, '\x80') + '\x01')), Code::bad_file,
               "AttributeProto.ints is damaged");
}

TEST(Wire, ThePlaceOfAnErrorIsNamed) {
  const Error error = error_of(attribute_model(Message().message(5, Message().varint(2, 99).text(8, "w"))));
  EXPECT_EQ(error.to_string(),
            "graph / node 0 / attribute 0 / t: tensor \"w\" has data_type 99, which is not an element type of ONNX");
}

TEST(Wire, UnknownFieldsAreSkipped) {
  const Message node = Message().varint(10, 1).text(99, "x").fixed32(100, 1).fixed64(101, 1).text(4, "Op");
  const Result<Model> model = decoded(model_of(Message().message(1, node)));
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(model->graph.nodes.at(0).op_type, "Op");
}

TEST(Wire, WhatIsNoModelIsRefused) {
  expect_error(Message(), Code::bad_file, "no graph");
  expect_error(Message().varint(1, 8), Code::bad_file, "no graph");
  expect_error(Message().message(7, Message()), Code::bad_file, "no ir_version");
  expect_error(Message().varint(1, 8).message(7, Message()).message(7, Message()), Code::bad_file, "two graphs");
  for (const std::string& text : {std::string("hello, world\n"), std::string(100, '\0'),
                                  std::string("\xff\xff\xff\xff", 4), scalar_tensor().bytes(), std::string("<html>")}) {
    const Result<Model> model = decode(owned_bytes(text), {});
    ASSERT_FALSE(model.ok());
    EXPECT_EQ(model.error().code, Code::bad_file) << model.error().to_string();
  }
}

Message nested_graphs(int depth) {
  Message graph = Message().text(2, "innermost");
  for (int i = 1; i < depth; ++i)
    graph = Message().message(1, Message().message(5, Message().text(1, "body").varint(20, 5).message(6, graph)));
  return graph;
}

TEST(Wire, NestingIsBounded) {
  EXPECT_TRUE(decoded(model_of(nested_graphs(kMaxNesting))).ok());
  expect_error(model_of(nested_graphs(kMaxNesting + 1)), Code::limit, "graphs are nested deeper than 64");
  Message type = Message().message(1, Message().varint(1, 1));
  for (int i = 1; i < kMaxNesting; ++i) type = Message().message(4, Message().message(1, type));
  EXPECT_TRUE(decoded(model_of(Message().message(13, Message().message(2, type)))).ok());
  type = Message().message(9, Message().message(1, type));
  expect_error(model_of(Message().message(13, Message().message(2, type))), Code::limit,
               "types are nested deeper than 64");
}

/// A model with one of everything.
Model rich_model() {
  const auto body = std::make_shared<const Graph>(Graph{"body", {}, {}, {}, {}, {}});
  const auto attribute = [](const char* name, int type, decltype(Attribute::payload) payload) {
    return Attribute{name, "", type, std::move(payload)};
  };
  Node node{"n", "d", "Op", "o", {"x", "", "y"}, {"", "z"}, {}};
  node.attributes = {attribute("f", 1, -0.0F),
                     attribute("i", 2, std::int64_t{-5}),
                     attribute("s", 3, std::string("a\0b", 3)),
                     attribute("t", 4, Tensor::of<std::int16_t>({2, 0}, {})),
                     attribute("g", 5, body),
                     attribute("floats", 6, std::vector<float>{1, -2}),
                     attribute("ints", 7, std::vector<std::int64_t>{}),
                     attribute("strings", 8, std::vector<std::string>{"", "x"}),
                     attribute("tensors", 9, std::vector<Tensor>{Tensor::scalar<std::string>("text")}),
                     attribute("graphs", 10, std::vector<std::shared_ptr<const Graph>>{body, body}),
                     attribute("sparse", 11, Tensor::of<std::string>({2, 2}, {"", "a", "", "b"})),
                     attribute("sparses", 12, std::vector<Tensor>{Tensor::of<double>({3}, {0, -0.0, 2})}),
                     attribute("type", 13, Type::sequence(Type::tensor(DType::f16))),
                     attribute("types", 14, std::vector<Type>{Type(), Type::optional(Type())}),
                     attribute("untyped", 0, std::int64_t{3}),
                     Attribute{"reference", "outer", 2, {}}};
  Model model;
  model.ir_version = 10;
  model.producer_name = "producer";
  model.producer_version = "1";
  model.domain = "domain";
  model.model_version = 3;
  model.opset_imports = {{"", 21}, {"local", 1}};
  model.metadata = {{"key", "value"}, {"", ""}};
  model.graph.name = "g";
  model.graph.inputs = {{"x", Type::tensor(DType::f32, SymbolicShape{Dim(2), Dim::named("N"), Dim()})},
                        {"m", Type::map(DType::i64, Type::tensor(DType::f32))}};
  model.graph.outputs = {{"z", Type::tensor(DType::i4, SymbolicShape{})}};
  model.graph.value_infos = {{"unknown", Type()}};
  model.graph.initializers = {{"w", Tensor::of<U2>({5}, {U2(1), U2(2), U2(3), U2(0), U2(1)}), ""}};
  model.graph.nodes = {node, Node{}};
  model.functions = {{"f",
                      "local",
                      "over",
                      {"a"},
                      {"b"},
                      {"alpha"},
                      {attribute("beta", 1, 2.5F)},
                      {{"", 18}},
                      {{"a", Type()}},
                      {node}}};
  return model;
}

TEST(Wire, EncodedModelsDecodeToTheSame) {
  const Model model = rich_model();
  const Result<std::string> bytes = encode(model);
  ASSERT_TRUE(bytes.ok());
  const Result<Model> again = decode(owned_bytes(*bytes), {});
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_TRUE(same(*again, model));
}

/// Whatever the bytes are: no crash, and what is accepted survives a round trip.
void expect_sound(const std::string& bytes) {
  const Result<Model> model = decode(owned_bytes(bytes), {});
  if (!model.ok()) return;
  const Result<std::string> encoded = encode(*model);
  ASSERT_TRUE(encoded.ok()) << encoded.error().to_string();
  const Result<Model> again = decode(owned_bytes(*encoded), {});
  ASSERT_TRUE(again.ok()) << again.error().to_string();
  EXPECT_TRUE(same(*model, *again));
}

TEST(Wire, TruncatedModelsAreHandled) {
  const std::string bytes = encode(rich_model()).value();
  for (std::size_t length = 0; length < bytes.size(); ++length) expect_sound(bytes.substr(0, length));
}

TEST(Wire, FlippedBitsAreHandled) {
  const std::string bytes = encode(rich_model()).value();
  std::minstd_rand random(20240229);
  for (int i = 0; i < 2000; ++i) {
    std::string damaged = bytes;
    for (auto flips = 1 + random() % 3; flips > 0; --flips) {
      const std::size_t at = random() % damaged.size();
      damaged[at] = static_cast<char>(damaged[at] ^ (1 << random() % 8));
    }
    expect_sound(damaged);
  }
}

TEST(Wire, RealModelsSurviveARoundTrip) {
  const char* const named = std::getenv("PAWL_SHARED");
  const auto folder = std::filesystem::path(named == nullptr ? PAWL_SOURCE "/../shared" : named) / "models";
  if (!std::filesystem::is_directory(folder)) GTEST_SKIP() << "no models: PAWL_SHARED names no folder that has them";
  int count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() != ".onnx") continue;
    const Result<Model> model = read_model(entry.path());
    ASSERT_TRUE(model.ok()) << entry.path() << ": " << model.error().to_string();
    const Result<std::string> bytes = encode(*model);
    ASSERT_TRUE(bytes.ok()) << entry.path();
    const Result<Model> again = decode(owned_bytes(*bytes), {});
    ASSERT_TRUE(again.ok()) << entry.path() << ": " << again.error().to_string();
    EXPECT_TRUE(same(*model, *again)) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0);
}

}  // namespace
}  // namespace pawl::onnx
