// Matrix products outside of loops that are worth a shader of their own.
#pragma once

#include <optional>

#include "graph/graph.h"

namespace pawl::package {

/// `batch` times [rows, inner] by [inner, columns]; the first and the result are dense.
struct Product {
  graph::ValueId a;
  graph::ValueId b;
  std::int64_t batch = 1;
  std::int64_t rows = 0;
  std::int64_t inner = 0;
  std::int64_t columns = 0;
  std::int64_t right_batch = 0;  ///< strides of the second, in elements
  std::int64_t right_row = 0;
  std::int64_t right_column = 1;
};

/// Of MatMuls of float32 with several rows, and of Gemms without a third operand that scale nothing.
std::optional<Product> product_of(const graph::Graph& graph, const graph::Node& node);

}  // namespace pawl::package
