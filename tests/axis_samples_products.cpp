// Nodes of the operators that reduce axes or sum products over them.
#include <array>

#include "axis_samples.h"

namespace pawl::ops {
namespace {

Sample sample_reduced(Draw& draw, const Schema& schema) {
  Sample sample;
  const std::int64_t rank = draw.between(0, 4);
  sample.add(draw.tensor(draw.dtype(schema, 0), draw.shape(rank)));
  const bool named = draw.chance(0.75);
  const std::vector<std::int64_t> axes = draw.axes(rank, schema.since >= 11);
  if (schema.attribute("axes") != nullptr && named) sample.set("axes", axes);
  if (schema.attribute("axes") == nullptr && named) sample.add_parameter(list_of(axes));
  if (schema.attribute("noop_with_empty_axes") != nullptr && draw.chance(0.3))
    sample.set("noop_with_empty_axes", std::int64_t{1});
  if (draw.chance(0.6)) sample.set("keepdims", draw.between(0, 1));
  return sample;
}

Sample sample_arg(Draw& draw, const Schema& schema) {
  Sample sample;
  const std::int64_t rank = draw.between(1, 4);
  sample.add(draw.tensor(draw.dtype(schema, 0), draw.shape(rank)));
  if (draw.chance(0.8)) sample.set("axis", draw.axis(rank, schema.since >= 11));
  if (draw.chance(0.6)) sample.set("keepdims", draw.between(0, 1));
  if (schema.attribute("select_last_index") != nullptr && draw.chance(0.3))
    sample.set("select_last_index", std::int64_t{1});
  return sample;
}

/// Shapes that MatMul multiplies; a shape of rank 1 has neither rows nor columns.
std::pair<Dims, Dims> factor_shapes(Draw& draw) {
  // Some extents reach past the blocks in which products are computed.
  const std::int64_t most = draw.chance(0.2) ? 19 : 4;
  const std::int64_t depth = draw.extent(most);
  const std::int64_t rank_a = draw.between(1, 4), rank_b = draw.between(1, 4);
  const Dims stack = draw.shape(2, 3);
  const auto make = [&](std::int64_t rank, std::int64_t first, std::int64_t second) {
    Dims shape;
    for (std::int64_t i = 4 - rank; i < 2 && rank > 2; ++i)
      shape.push_back(draw.chance(0.2) ? 1 : stack[static_cast<std::size_t>(i)]);
    shape.push_back(first);
    shape.push_back(second);
    return shape;
  };
  std::pair<Dims, Dims> shapes = {{depth}, {depth}};
  if (rank_a > 1) shapes.first = make(rank_a, draw.extent(most), depth);
  if (rank_b > 1) shapes.second = make(rank_b, depth, draw.extent(most));
  return shapes;
}

Sample sample_matmul(Draw& draw, const Schema& schema) {
  Sample sample;
  const auto [a, b] = factor_shapes(draw);
  sample.add(draw.tensor(draw.dtype(schema, 0), a));
  sample.add(draw.tensor(draw.dtype(schema, 1), b));
  if (schema.name == "MatMul") return sample;
  const std::array<Dims, 2> shapes = {a, b};
  for (std::size_t i = 0; i < 2; ++i) {
    // One zero point for all, for each row of A, or for each column of B.
    const Dims& shape = shapes[i];
    const bool many = shape.size() > 1 && draw.chance(0.4);
    const Dims zeros = many ? Dims{shape[shape.size() - (i == 0 ? 2 : 1)]} : draw.chance(0.5) ? Dims{} : Dims{1};
    if (draw.chance(0.7))
      sample.add(draw.whole(draw.dtype(schema, 2 + i), zeros, 0, 5));
    else
      sample.omit();
    sample.parameter.back() = sample.parameter.back() || draw.chance(0.9);
  }
  return sample;
}

Sample sample_qlinear_matmul(Draw& draw, const Schema& schema) {
  Sample sample;
  const auto [a, b] = factor_shapes(draw);
  const auto bytes = mask_of({DType::i8, DType::u8});
  const bool many = a.size() > 1 && b.size() > 1 && draw.chance(0.4);
  const Dims one = draw.chance(0.5) ? Dims{} : Dims{1};
  const Dims rows = many ? Dims{a[a.size() - 2]} : one, columns = many ? Dims{b.back()} : one;
  const auto add = [&](std::size_t i, const Dims& shape) {
    sample.add(draw.whole(draw.dtype(schema, i, bytes), shape, 0, 99));
  };
  const auto add_scale = [&](std::size_t i, const Dims& shape) {
    sample.add(draw.reals(draw.dtype(schema, i), shape, 0.25, 2));
  };
  add(0, a);
  add_scale(1, rows);
  add(2, rows);
  add(3, b);
  add_scale(4, columns);
  add(5, columns);
  add_scale(6, rows);
  add(7, rows);
  for (const std::size_t i : {1, 2, 4, 5, 6, 7}) sample.parameter[i] = draw.chance(0.98);
  return sample;
}

Sample sample_gemm(Draw& draw, const Schema& schema) {
  Sample sample;
  const std::int64_t m = draw.extent(), k = draw.extent(draw.chance(0.2) ? 19 : 4), n = draw.extent();
  const bool first = draw.chance(0.4), second = draw.chance(0.4);
  if (first) sample.set("transA", std::int64_t{1});
  if (second) sample.set("transB", std::int64_t{1});
  if (draw.chance(0.5)) sample.set("alpha", draw.pick<float>({1.0F, 2.0F, 0.3F, -3.0F}));
  if (draw.chance(0.5)) sample.set("beta", draw.pick<float>({1.0F, 2.0F, 0.7F}));
  const DType dtype = draw.dtype(schema, 0);
  sample.add(draw.tensor(dtype, first ? Dims{k, m} : Dims{m, k}));
  sample.add(draw.tensor(dtype, second ? Dims{n, k} : Dims{k, n}));
  if (schema.since >= 11 && draw.chance(0.3)) return sample;
  Dims c = draw.pick<Dims>({{}, {1}, {n}, {1, n}, {m, 1}, {m, n}, {m, n}, {1, 1}});
  if (schema.since < 7) {
    if (draw.chance(0.7))
      sample.set("broadcast", std::int64_t{1});
    else
      c = {m, n};
  }
  return sample.add(draw.tensor(dtype, c));
}

Sample sample_einsum(Draw& draw, const Schema& schema) {
  struct Form {
    std::string equation;
    std::vector<std::string> terms;  ///< letters of each operand; 'X', 'Y': axes under the ellipsis
  };
  const Form form = draw.pick<Form>({{"ij,jk->ik", {"ij", "jk"}},
                                     {"ij , jk", {"ij", "jk"}},
                                     {"bhqd,bhkd->bhqk", {"bhqd", "bhkd"}},
                                     {"ij->ji", {"ij"}},
                                     {"ij->", {"ij"}},
                                     {"ii->i", {"ii"}},
                                     {"...ii->...i", {"Xii"}},
                                     {"...ij,...jk", {"XYij", "XYjk"}},
                                     {"i,j->ij", {"i", "j"}},
                                     {"tij,bij->b", {"tij", "bij"}},
                                     {"ij,ij->i", {"ij", "ij"}},
                                     {"ij,jk,kl->il", {"ij", "jk", "kl"}},
                                     {"...i,i->...", {"Xi", "i"}},
                                     {"ij,k->j", {"ij", "k"}}});
  Sample sample;
  sample.set("equation", form.equation);
  std::array<std::int64_t, 128> extents{};
  const std::int64_t most = draw.chance(0.3) ? 18 : 4;
  for (std::int64_t& extent : extents) extent = draw.extent(draw.chance(0.5) ? most : 3);
  const DType dtype = draw.dtype(schema, 0);
  for (const std::string& letters : form.terms) {
    Dims shape;
    for (const char letter : letters) shape.push_back(extents[static_cast<std::size_t>(letter)]);
    sample.add(draw.tensor(dtype, shape));
  }
  return sample;
}

constexpr SamplerRow kSamplers[] = {
    {"ReduceSum", sample_reduced},
    {"ReduceSumSquare", sample_reduced},
    {"ReduceMean", sample_reduced},
    {"ReduceProd", sample_reduced},
    {"ReduceL1", sample_reduced},
    {"ReduceL2", sample_reduced},
    {"ReduceLogSum", sample_reduced},
    {"ReduceLogSumExp", sample_reduced},
    {"ReduceMax", sample_reduced},
    {"ReduceMin", sample_reduced},
    {"ArgMax", sample_arg},
    {"ArgMin", sample_arg},
    {"MatMul", sample_matmul},
    {"MatMulInteger", sample_matmul},
    {"QLinearMatMul", sample_qlinear_matmul},
    {"Gemm", sample_gemm},
    {"Einsum", sample_einsum},
};

}  // namespace

std::span<const SamplerRow> product_samplers() { return kSamplers; }

}  // namespace pawl::ops
