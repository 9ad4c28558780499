// Every operator that pawl knows, family after family.
#include <array>

#include "ops/families.h"

namespace pawl::ops {

std::span<const std::span<const OpDef>> op_table() {
  // clang-format off
  static const std::array table = {
      unary_ops(),
      activation_ops(),
      binary_ops(),
      variadic_ops(),
      bitwise_ops(),
      logic_ops(),
      cast_ops(),
      constant_ops(),
      shape_ops(),
      reshape_ops(),
      slice_ops(),
      concat_ops(),
      pad_ops(),
      gather_ops(),
      scatter_ops(),
      rearrange_ops(),
      diagonal_ops(),
      compress_ops(),
      unique_ops(),
      cumulative_ops(),
      resize_ops(),
      grid_sample_ops(),
      affine_grid_ops(),
      roi_ops(),
      non_max_suppression_ops(),
      col2im_ops(),
      reduce_ops(),
      matmul_ops(),
      gemm_ops(),
      einsum_ops(),
      conv_ops(),
      deform_conv_ops(),
      pool_ops(),
      global_pool_ops(),
      quantized_ops(),
      normalization_ops(),
      batch_norm_ops(),
      axis_norm_ops(),
      recurrent_ops(),
      attention_ops(),
      rotary_ops(),
      linear_attention_ops(),
      loss_ops(),
      fourier_ops(),
      signal_ops(),
      softmax_ops(),
      select_ops(),
      sequence_ops(),
      optional_ops(),
      ml_feature_ops(),
      ml_category_ops(),
      ml_linear_ops(),
      ml_svm_ops(),
      ml_tree_ops(),
      ml_map_ops(),
      quantize_ops(),
      random_ops(),
      string_ops(),
      tfidf_ops(),
  };
  // clang-format on
  return table;
}

const OpDef* find_op(std::string_view domain, std::string_view name) {
  if (domain == "ai.onnx") domain = "";
  for (const std::span<const OpDef> family : op_table())
    for (const OpDef& row : family)
      if (row.name == name && row.domain == domain) return &row;
  return nullptr;
}

}  // namespace pawl::ops
