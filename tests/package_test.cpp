// Kernel packages: digests, numbers as polynomials of extents, kernels of one form, and what the files say. That they
// compute what the evaluator does is tested by tools/test_packages, on a device.
#include <gtest/gtest.h>

#include "kernel/builder.h"
#include "package/contents.h"
#include "package/polynomial.h"
#include "package/sha256.h"
#include "package/unify.h"
#include "pawl/export.h"

namespace pawl::package {
namespace {

using kernel::Access;
using kernel::BufferId;
using kernel::Builder;
using kernel::Counter;

TEST(Package, DigestsAreThoseOfTheStandard) {
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(hex(sha256(std::string(1'000'000, 'a'))),
            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
  // RFC 4648's vectors.
  const auto encoded = [](std::string_view text) {
    return base64({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
  };
  EXPECT_EQ(encoded(""), "");
  EXPECT_EQ(encoded("f"), "Zg==");
  EXPECT_EQ(encoded("fo"), "Zm8=");
  EXPECT_EQ(encoded("foobar"), "Zm9vYmFy");
}

std::vector<std::int64_t> at_all(const Points& points, std::int64_t (*f)(std::int64_t, std::int64_t)) {
  std::vector<std::int64_t> numbers;
  for (const auto& point : points.all()) numbers.push_back(f(point[0], point[1]));
  return numbers;
}

TEST(Package, FindsPolynomials) {
  const Points points(2);
  const std::vector<std::string> names = {"T", "C"};
  const auto text = [&](std::int64_t (*f)(std::int64_t, std::int64_t)) {
    const std::optional<Polynomial> found = points.fit(at_all(points, f));
    return found ? wgsl::expression(found->count(names)) : "none";
  };
  EXPECT_EQ(text([](std::int64_t, std::int64_t) -> std::int64_t { return 12; }), "12");
  EXPECT_EQ(text([](std::int64_t t, std::int64_t) { return t; }), "T");
  EXPECT_EQ(text([](std::int64_t t, std::int64_t c) { return (t - 1) * c; }), "((T * C) - C)");
  EXPECT_EQ(text([](std::int64_t t, std::int64_t c) { return 3 * t * t * c + 5; }), "((((3 * T) * T) * C) + 5)");
  EXPECT_EQ(text([](std::int64_t t, std::int64_t) { return -t; }), "(0 - T)");
  EXPECT_EQ(text([](std::int64_t t, std::int64_t) { return t / 2; }), "none");
  EXPECT_EQ(text([](std::int64_t t, std::int64_t c) { return t < 100 ? t * c : 0; }), "none");
}

/// lanes c < extent: y[c * stride] = x[c] * factor
kernel::Program scaled(std::int64_t extent, std::int64_t stride, double factor) {
  Builder b("scaled");
  const BufferId x = b.buffer("x", DType::f32, Access::in), y = b.buffer("y", DType::f32, Access::out);
  b.lanes(extent, [&](Counter c) {
    b.store(y, kernel::Form(stride) * c, b.compute(expr::Op::multiply, {b.load(x, c), b.constant(DType::f32, factor)}));
  });
  return std::move(b).finish();
}

std::optional<Unified> unified(const Points& points, double (*factor)(std::int64_t)) {
  std::vector<kernel::Program> programs;
  std::vector<Variant> variants;
  for (const auto& point : points.all()) programs.push_back(scaled(point[0], 2 * point[0], factor(point[0])));
  for (const kernel::Program& program : programs) variants.push_back({&program, {}});
  std::vector<bool> same;
  return unify(points, variants, same);
}

TEST(Package, NumbersThatDifferBecomeParams) {
  const Points points(1);
  const std::optional<Unified> same = unified(points, [](std::int64_t) { return 0.5; });
  ASSERT_TRUE(same);
  ASSERT_EQ(same->program.params.size(), 2U);
  EXPECT_EQ(wgsl::expression(same->params[0].count({"C"})), "C");
  EXPECT_EQ(wgsl::expression(same->params[1].count({"C"})), "(2 * C)");
  EXPECT_TRUE(kernel::verify(same->program).ok());
  // An extent that is computed with is a number still; a part of it is none.
  const std::optional<Unified> whole = unified(points, [](std::int64_t c) { return static_cast<double>(c); });
  ASSERT_TRUE(whole);
  EXPECT_TRUE(kernel::verify(whole->program).ok());
  EXPECT_FALSE(unified(points, [](std::int64_t c) { return 1 / static_cast<double>(c); }));
}

TEST(Package, StagesAreKernels) {
  Builder b("stages");
  const BufferId s = b.buffer("s", DType::f32, Access::inout), y = b.buffer("y", DType::f32, Access::out);
  b.steps(1, {}, [&](Counter, std::span<const kernel::Var>) {
    b.lanes(8, [&](Counter c) { b.store(s, c, b.constant(DType::f32, 1)); });
    b.barrier();
    const kernel::Var twice = b.compute(expr::Op::add, {b.load(s, 0), b.load(s, 1)});
    b.store(y, 0, twice);
    b.barrier();
    return std::vector<kernel::Var>();
  });
  const std::vector<kernel::Program> parts = split_at_barriers(std::move(b).finish());
  ASSERT_EQ(parts.size(), 2U);
  for (const kernel::Program& part : parts) EXPECT_TRUE(kernel::verify(part).ok());
  EXPECT_EQ(uses_of(parts[0]).stores, (std::vector<bool>{true, false}));
  EXPECT_EQ(uses_of(parts[1]).stores, (std::vector<bool>{false, true}));
  EXPECT_EQ(uses_of(parts[1]).loads, (std::vector<bool>{true, false}));
}

TEST(Package, SixtyFourBitsBecomeThirtyTwo) {
  const auto store = [](std::int64_t value) {
    Builder b("store");
    const BufferId y = b.buffer("y", DType::i64, Access::out);
    b.store(y, 0, b.integer(DType::i64, value));
    return std::move(b).finish();
  };
  kernel::Program fits = store(-7), greatest = store(INT64_MAX), large = store(std::int64_t{1} << 40);
  ASSERT_TRUE(narrow(fits).ok());
  EXPECT_EQ(fits.buffers[0].dtype, DType::i32);
  EXPECT_TRUE(kernel::verify(fits).ok());
  EXPECT_TRUE(narrow(greatest).ok());
  EXPECT_FALSE(narrow(large).ok());
}

using Exported = std::map<std::string, std::string>;

constexpr const char* kAverage = R"(<ir_version: 8, opset_import: ["" : 17]>
average (float[C] s0, float[T,C] x) => (float[C] s, float[T,C] y) <float decay = {0.9}> {
  s, y = Scan <num_scan_inputs = 1, body = step (float[C] p, float[C] e) => (float[C] n, float[C] o) {
    k = Mul(p, decay)  n = Add(k, e)  o = Identity(n) }> (s0, x) })";

Result<Exported> exported(const std::string& text, std::vector<std::pair<std::string, std::int64_t>> dims = {}) {
  const Result<Model> model = Model::from_text(text);
  EXPECT_TRUE(model.ok()) << model.error().to_string();
  ExportOptions options;
  options.name = "tested";
  options.dims = std::move(dims);
  return export_webgpu(*model, options);
}

TEST(Package, HasTheFilesOfTheSpec) {
  const Result<Exported> files = exported(kAverage);
  ASSERT_TRUE(files.ok()) << files.error().to_string();
  for (const char* name : {"README.md", "build/webgpu/manifest.json", "build/webgpu/metadata.json",
                           "build/webgpu/test.json", "build/webgpu/bench.json"})
    EXPECT_TRUE(files->contains(name)) << name;
  const std::string& manifest = files->at("build/webgpu/manifest.json");
  for (const char* words : {R"("x": { "dtype": "float32", "rank": 2, "shape": "[T, C]" })",
                            R"e("T": "dim(shapes.x, 0)")e", R"e("C": "dim(shapes.s0, 0)")e"})
    EXPECT_NE(manifest.find(words), std::string::npos) << words << " in " << manifest;
  const std::string& metadata = files->at("build/webgpu/metadata.json");
  std::size_t shaders = 0;
  for (const auto& [path, bytes] : *files) {
    if (!path.starts_with("build/webgpu/") || path.ends_with("metadata.json")) continue;
    const std::string digest = "\"" + path.substr(13) + "\": \"" + base64(sha256(bytes)) + "\"";
    EXPECT_NE(metadata.find(digest), std::string::npos) << digest;
    if (!path.ends_with(".wgsl.jinja")) continue;
    ++shaders;
    EXPECT_EQ(bytes.find("@group"), std::string::npos) << bytes;
    EXPECT_NE(bytes.find("{{ env.wgsl.resourceDeclarations }}"), std::string::npos) << bytes;
  }
  // The states are copied, and the loop; chunks are more.
  EXPECT_GE(shaders, 2U);
  EXPECT_EQ(exported(kAverage)->at("build/webgpu/metadata.json"), metadata);
}

TEST(Package, KeepsGivenExtents) {
  const Result<Exported> files = exported(kAverage, {{"C", 33}});
  ASSERT_TRUE(files.ok()) << files.error().to_string();
  EXPECT_NE(files->at("build/webgpu/manifest.json").find(R"("shape": "[T, 33]")"), std::string::npos);
}

void expect_refused(const std::string& text, const std::vector<std::string>& words) {
  const Result<Exported> files = exported(text);
  ASSERT_FALSE(files.ok()) << text;
  for (const std::string& each : words)
    EXPECT_NE(files.error().to_string().find(each), std::string::npos) << each << " in " << files.error().to_string();
}

TEST(Package, SaysWhatHasNoFormInShaders) {
  const std::string head = "<ir_version: 8, opset_import: [\"\" : 17]>\n";
  expect_refused(head + "m (double[3] x) => (double[3] y) { y = Neg(x) }", {"x", "WGSL has no type double"});
  expect_refused(head + "m (int64[3] x) => (int64[3] y) { y = Add(x, x) }", {"Add", "int64", "32 bits"});
  expect_refused(
      head +
          "m (bool c, float[3] x) => (float[3] y) { y = If <then_branch = a () => (float[3] p) { p = Neg(x) },"
          " else_branch = b () => (float[3] q) { q = Abs(x) }> (c) }",
      {"If", "no form in shaders"});
  expect_refused(head + "m (float[N] x) => (float[M] y) { k = NonZero(x)  y = Cast <to = 1> (k) }", {"NonZero"});
  // An extent that must be a multiple of four, which the types do not say.
  expect_refused(head +
                     "m (float[G] x) => (float[H] a, float[H] b, float[H] c, float[H] d) "
                     "{ a, b, c, d = Split <axis = 0> (x) }",
                 {"--dim", "G=", "Split"});
  expect_refused(
      head +
          "m (float[N] x) => (float y) { n = Size(x)  f = Cast <to = 1> (n)  r = Reciprocal(f)  s = ReduceSum "
          "<keepdims = 0> (x)  y = Mul(s, r) }",
      {"N", "--dim N="});
}

}  // namespace
}  // namespace pawl::package
