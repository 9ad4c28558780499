#include "package/products.h"

#include "pawl/dims.h"

namespace pawl::package {
namespace {

/// With fewer rows or columns a tile is mostly empty.
constexpr std::int64_t kFewRows = 4;

std::optional<Product> product_of(Product made, const Dims& a, const Dims& b) {
  if (a.size() < 2 || b.size() < 2) return std::nullopt;
  made.inner = b[b.size() - 2];
  made.columns = b.back();
  made.rows = a[a.size() - 2];
  made.right_row = made.columns;
  if (made.inner != a.back()) return std::nullopt;
  std::int64_t batch = 1;
  for (std::size_t i = 0; i + 2 < a.size(); ++i) batch *= a[i];
  if (b.size() == 2) {
    made.rows *= batch;
  } else {
    if (b.size() != a.size()) return std::nullopt;
    for (std::size_t i = 0; i + 2 < a.size(); ++i)
      if (a[i] != b[i]) return std::nullopt;
    made.batch = batch;
    made.right_batch = made.inner * made.columns;
  }
  return made.rows < kFewRows || made.columns < kFewRows || made.inner == 0 ? std::nullopt : std::optional(made);
}

}  // namespace

std::optional<Product> product_of(const graph::Graph& graph, const graph::Node& node) {
  const auto* call = std::get_if<graph::OpCall>(&node.operation);
  if (call == nullptr || !call->def->domain.empty()) return std::nullopt;
  const bool is_gemm = call->def->name == "Gemm";
  if (call->def->name != "MatMul" && !is_gemm) return std::nullopt;
  Product made{node.inputs[0], node.inputs[1]};
  const Type &a = graph[made.a].fact.type, &b = graph[made.b].fact.type;
  if (a.dtype != DType::f32 || !a.static_shape() || !b.static_shape()) return std::nullopt;
  Dims right = *b.static_shape();
  if (!is_gemm) return product_of(made, *a.static_shape(), right);
  const bool is_plain = (node.inputs.size() < 3 || !node.inputs[2].valid()) && call->attributes.real("alpha", 1) == 1 &&
                        call->attributes.integer("transA", 0) == 0;
  if (!is_plain || right.size() != 2) return std::nullopt;
  const bool turned = call->attributes.integer("transB", 0) != 0;
  if (turned) std::swap(right[0], right[1]);
  std::optional<Product> product = product_of(made, *a.static_shape(), right);
  if (product && turned) {
    product->right_column = product->inner;
    product->right_row = 1;
  }
  return product;
}

}  // namespace pawl::package
