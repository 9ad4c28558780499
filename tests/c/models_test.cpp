// Models, ports, explanations and options through the C interface.
#include "c_fixture.h"

namespace {

TEST(CModel, SaysWhatItNeedsAndGives) {
  const ModelHandle model = model_of(R"(<ir_version: 8, opset_import: ["" : 17]>
g (float[N, 3] x, seq(int64[2]) s, float unknown, float weight) => (float[N, 3] y) <float weight = {2}> { y = Mul(x, weight) })");
  ASSERT_EQ(pawl_model_input_count(model.get()), 4U);
  ASSERT_EQ(pawl_model_output_count(model.get()), 1U);
  const pawl_port* x = pawl_model_input(model.get(), 0);
  EXPECT_STREQ(pawl_port_name(x), "x");
  EXPECT_STREQ(pawl_port_type(x), "float[N,3]");
  EXPECT_EQ(pawl_port_dtype(x), PAWL_FLOAT);
  EXPECT_EQ(pawl_port_rank(x), 2);
  EXPECT_EQ(pawl_port_extent(x, 0), PAWL_UNKNOWN);
  EXPECT_STREQ(pawl_port_symbol(x, 0), "N");
  EXPECT_EQ(pawl_port_extent(x, 1), 3);
  EXPECT_STREQ(pawl_port_symbol(x, 1), "");
  EXPECT_EQ(pawl_port_extent(x, 2), PAWL_UNKNOWN);
  EXPECT_EQ(pawl_port_has_default(x), 0);
  const pawl_port* s = pawl_model_input(model.get(), 1);
  EXPECT_STREQ(pawl_port_type(s), "seq(int64[2])");
  EXPECT_EQ(pawl_port_dtype(s), 0);
  EXPECT_EQ(pawl_port_rank(s), PAWL_UNKNOWN);
  EXPECT_EQ(pawl_port_rank(pawl_model_input(model.get(), 2)), 0);
  EXPECT_EQ(pawl_port_has_default(pawl_model_input(model.get(), 3)), 1);
  EXPECT_EQ(pawl_model_input(model.get(), 4), nullptr);
  EXPECT_EQ(pawl_model_output(model.get(), 1), nullptr);
}

TEST(CModel, IsRefusedWithACodeAndWords) {
  pawl_model* model = nullptr;
  EXPECT_FAILS(pawl_model_load("/nowhere/m.onnx", &model), "io", "/nowhere/m.onnx");
  EXPECT_FAILS(pawl_model_load(nullptr, &model), "bad_argument", "path is NULL");
  EXPECT_FAILS(pawl_model_load("m.onnx", nullptr), "bad_argument", "model is NULL");
  EXPECT_FAILS(pawl_model_from_bytes("\xff\xff", 2, nullptr, &model), "bad_file", "");
  EXPECT_FAILS(pawl_model_from_bytes(nullptr, 0, nullptr, &model), "bad_argument", "bytes is NULL");
  EXPECT_FAILS(pawl_model_from_text("nonsense", 8, nullptr, &model), "bad_file", "");
  EXPECT_FAILS(pawl_model_from_text(nullptr, 8, nullptr, &model), "bad_argument", "text is NULL");
  const std::string shapes = R"(<ir_version: 8, opset_import: ["" : 17]>
    g (float[2] a, float[3] b) => (float[3] y) { y = Add(a, b) })";
  EXPECT_FAILS(pawl_model_from_text(shapes.data(), shapes.size(), nullptr, &model), "bad_shape", "cannot be broadcast");
  const std::string nothing = R"(<ir_version: 8, opset_import: ["" : 17]> g (float a) => (float y) { y = Nothing(a) })";
  EXPECT_FAILS(pawl_model_from_text(nothing.data(), nothing.size(), nullptr, &model), "unsupported", "Nothing");
  EXPECT_EQ(model, nullptr);
}

TEST(CModel, IsExplainedAndRewritten) {
  const ModelHandle model = model_of(kPrefixSum);
  const char* const symbols[] = {"T", "C"};
  const int64_t extents[] = {64, 4};
  pawl_plan_options options = PAWL_PLAN_OPTIONS_INIT;
  options.symbols = symbols;
  options.extents = extents;
  options.dim_count = 2;
  pawl_text* text = nullptr;
  for (const auto& [format, words] :
       {std::pair(PAWL_TEXT, "sum"), std::pair(PAWL_SVG, "<svg"), std::pair(PAWL_JSON, "{")}) {
    EXPECT_DONE(pawl_model_explain(model.get(), &options, format, &text));
    const TextHandle owned(text);
    EXPECT_NE(std::string(pawl_text_data(text), pawl_text_size(text)).find(words), std::string::npos);
  }
  pawl_text* notes = nullptr;
  EXPECT_DONE(pawl_model_optimize(model.get(), nullptr, &text, &notes));
  const TextHandle bytes(text);
  const TextHandle lines(notes);
  pawl_model* again = nullptr;
  EXPECT_DONE(pawl_model_from_bytes(pawl_text_data(text), pawl_text_size(text), nullptr, &again));
  EXPECT_EQ(pawl_model_output_count(ModelHandle(again).get()), 2U);
}

TEST(CModel, PlansForWhatItHas) {
  const ModelHandle model = model_of(kPrefixSum);
  pawl_text* text = nullptr;
  const char* const symbols[] = {"Q"};
  const int64_t extents[] = {64};
  pawl_plan_options options = PAWL_PLAN_OPTIONS_INIT;
  options.dim_count = 1;
  EXPECT_FAILS(pawl_model_explain(model.get(), &options, PAWL_TEXT, &text), "bad_argument", "symbols is NULL");
  options.symbols = symbols;
  EXPECT_FAILS(pawl_model_explain(model.get(), &options, PAWL_TEXT, &text), "bad_argument", "extents is NULL");
  options.extents = extents;
  EXPECT_FAILS(pawl_model_explain(model.get(), &options, PAWL_TEXT, &text), "bad_argument", "Q");
  options.dim_count = 0;
  EXPECT_FAILS(pawl_model_explain(model.get(), &options, static_cast<pawl_format>(3), &text), "bad_argument",
               "3 is no format");
  options.threads = 0;
  EXPECT_FAILS(pawl_model_explain(model.get(), &options, PAWL_TEXT, &text), "bad_argument", "threads");
  EXPECT_FAILS(pawl_model_explain(nullptr, nullptr, PAWL_TEXT, &text), "bad_argument", "model is NULL");
  EXPECT_FAILS(pawl_model_explain(model.get(), nullptr, PAWL_TEXT, nullptr), "bad_argument", "text is NULL");
  EXPECT_FAILS(pawl_model_optimize(model.get(), nullptr, nullptr, nullptr), "bad_argument", "bytes is NULL");
  options = PAWL_PLAN_OPTIONS_INIT;
  options.exact = options.parallel_scan = 1;
  EXPECT_FAILS(pawl_model_optimize(model.get(), &options, &text, nullptr), "bad_argument", "exact");
  EXPECT_EQ(text, nullptr);
}

TEST(COptions, OfANewerCallerAreRefusedOnlyWhereTheyAreSet) {
  struct {
    pawl_compile_options known = PAWL_COMPILE_OPTIONS_INIT;
    uint64_t later = 0;
  } newer;
  newer.known.struct_size = sizeof newer;
  const ModelHandle model = model_of(kPrefixSum);
  pawl_program* program = nullptr;
  EXPECT_DONE(pawl_program_compile(model.get(), &newer.known, &program));
  pawl_program_free(program);
  program = nullptr;
  newer.later = 1;
  EXPECT_FAILS(pawl_program_compile(model.get(), &newer.known, &program), "unsupported", "does not know");
  pawl_compile_options options = PAWL_COMPILE_OPTIONS_INIT;
  options.struct_size = 0;
  EXPECT_FAILS(pawl_program_compile(model.get(), &options, &program), "bad_argument", "struct_size");
  EXPECT_EQ(program, nullptr);
}

TEST(COptions, OfAnOlderCallerLeaveTheRestAsItWas) {
  pawl_compile_options options = PAWL_COMPILE_OPTIONS_INIT;
  options.struct_size = offsetof(pawl_compile_options, exact);
  options.kernels = 77;  // beyond what this caller has
  EXPECT_NE(program_of(kPrefixSum, &options), nullptr);
}

TEST(COptions, MakeSense) {
  const ModelHandle model = model_of(kPrefixSum);
  pawl_program* program = nullptr;
  pawl_compile_options options = PAWL_COMPILE_OPTIONS_INIT;
  options.kernels = 77;
  EXPECT_FAILS(pawl_program_compile(model.get(), &options, &program), "bad_argument", "77");
  options = PAWL_COMPILE_OPTIONS_INIT;
  options.threads = -1;
  EXPECT_FAILS(pawl_program_compile(model.get(), &options, &program), "bad_argument", "threads is -1");
  EXPECT_FAILS(pawl_program_compile(nullptr, nullptr, &program), "bad_argument", "model is NULL");
  EXPECT_FAILS(pawl_program_compile(model.get(), nullptr, nullptr), "bad_argument", "program is NULL");
}

TEST(CNames, AreKnownForEveryNumber) {
  EXPECT_STREQ(pawl_code_name(PAWL_BAD_SHAPE), "bad_shape");
  EXPECT_STREQ(pawl_dtype_name(PAWL_FLOAT8E4M3FN), "float8e4m3fn");
  EXPECT_STREQ(pawl_dtype_name(0), "undefined");
  EXPECT_STREQ(pawl_dtype_name(-5), "undefined");
  EXPECT_STREQ(pawl_dtype_name(1 << 20), "undefined");
  EXPECT_EQ(pawl_dtype_size(PAWL_DOUBLE), 8U);
  EXPECT_EQ(pawl_dtype_size(PAWL_INT4), 1U);
  EXPECT_EQ(pawl_dtype_size(PAWL_STRING), 0U);
  EXPECT_EQ(pawl_dtype_size(29), 0U);
  EXPECT_EQ(pawl_api_version(), static_cast<uint32_t>(PAWL_API_VERSION));
  EXPECT_EQ(std::string(pawl_version()).substr(0, 2), "0.");
}

TEST(CHandles, ThatAreNullAreFreedByDoingNothing) {
  pawl_error_free(nullptr);
  pawl_text_free(nullptr);
  pawl_model_free(nullptr);
  pawl_value_free(nullptr);
  pawl_program_free(nullptr);
  pawl_stop_free(nullptr);
}

}  // namespace
