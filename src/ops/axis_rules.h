// The axis rules that rows of the operator table state. Each axis_*.cpp holds those of one kind.
#pragma once

#include "ops/axis_rule.h"

namespace pawl::ops {

// axis_pointwise.cpp
Batching batch_pointwise(const NodeFacts& node, std::span<const bool> batched);
Ties relate_pointwise(const NodeFacts& node);
Batching batch_clip(const NodeFacts& node, std::span<const bool> batched);
Ties relate_first(const NodeFacts& node);
Batching batch_slope(const NodeFacts& node, std::span<const bool> batched);
Ties relate_slope(const NodeFacts& node);
Batching batch_same_shapes(const NodeFacts& node, std::span<const bool> batched);
Batching batch_cast_like(const NodeFacts& node, std::span<const bool> batched);
/// Any number of inputs, broadcast together; in the versions that have the attribute `broadcast`, B placed by `axis`.
inline constexpr AxisRule kPointwiseAxes{AxisKind::pointwise, batch_pointwise, relate_pointwise};
/// Clip: bounds of one element.
inline constexpr AxisRule kClipAxes{AxisKind::pointwise, batch_clip, relate_first};
/// PRelu: only the slope is stretched.
inline constexpr AxisRule kSlopeAxes{AxisKind::pointwise, batch_slope, relate_slope};
/// SwiGLU: nothing is stretched.
inline constexpr AxisRule kSameShapesAxes{AxisKind::pointwise, batch_same_shapes, relate_pointwise};
/// CastLike: of input 1 only the type counts.
inline constexpr AxisRule kCastLikeAxes{AxisKind::pointwise, batch_cast_like, relate_first};

// axis_quantize.cpp
Batching batch_quantize(const NodeFacts& node, std::span<const bool> batched);
Ties relate_quantize(const NodeFacts& node);
/// QuantizeLinear, DequantizeLinear: scales for the whole, an axis or blocks.
inline constexpr AxisRule kQuantizeAxes{AxisKind::pointwise, batch_quantize, relate_quantize};

// axis_reduced.cpp
Batching batch_reduced(const NodeFacts& node, std::span<const bool> batched);
Ties relate_reduced(const NodeFacts& node);
Batching batch_arg(const NodeFacts& node, std::span<const bool> batched);
Ties relate_arg(const NodeFacts& node);
/// Reduce*
inline constexpr AxisRule kReducedAxes{AxisKind::reduced, batch_reduced, relate_reduced};
/// ArgMax, ArgMin
inline constexpr AxisRule kArgAxes{AxisKind::reduced, batch_arg, relate_arg};

// axis_contracted.cpp
Batching batch_matmul(const NodeFacts& node, std::span<const bool> batched);
Ties relate_matmul(const NodeFacts& node);
Batching batch_qlinear_matmul(const NodeFacts& node, std::span<const bool> batched);
Ties relate_qlinear_matmul(const NodeFacts& node);
Batching batch_gemm(const NodeFacts& node, std::span<const bool> batched);
Ties relate_gemm(const NodeFacts& node);
Batching batch_einsum(const NodeFacts& node, std::span<const bool> batched);
Ties relate_einsum(const NodeFacts& node);
/// MatMul and MatMulInteger: inputs 0 and 1.
inline constexpr AxisRule kMatMulAxes{AxisKind::contracted, batch_matmul, relate_matmul};
/// QLinearMatMul: inputs 0 and 3.
inline constexpr AxisRule kQLinearMatMulAxes{AxisKind::contracted, batch_qlinear_matmul, relate_qlinear_matmul};
inline constexpr AxisRule kGemmAxes{AxisKind::contracted, batch_gemm, relate_gemm};
inline constexpr AxisRule kEinsumAxes{AxisKind::contracted, batch_einsum, relate_einsum};

// axis_moved.cpp
Batching batch_transpose(const NodeFacts& node, std::span<const bool> batched);
Ties relate_transpose(const NodeFacts& node);
Batching batch_squeeze(const NodeFacts& node, std::span<const bool> batched);
Ties relate_squeeze(const NodeFacts& node);
Batching batch_unsqueeze(const NodeFacts& node, std::span<const bool> batched);
Ties relate_unsqueeze(const NodeFacts& node);
Batching batch_expand(const NodeFacts& node, std::span<const bool> batched);
Ties relate_expand(const NodeFacts& node);
Batching batch_tile(const NodeFacts& node, std::span<const bool> batched);
Ties relate_tile(const NodeFacts& node);
Batching batch_concat(const NodeFacts& node, std::span<const bool> batched);
Ties relate_concat(const NodeFacts& node);
Batching batch_split(const NodeFacts& node, std::span<const bool> batched);
Ties relate_split(const NodeFacts& node);
Batching batch_shape(const NodeFacts& node, std::span<const bool> batched);
Batching batch_size(const NodeFacts& node, std::span<const bool> batched);
Ties relate_nothing(const NodeFacts& node);
inline constexpr AxisRule kTransposeAxes{AxisKind::moved, batch_transpose, relate_transpose};
inline constexpr AxisRule kSqueezeAxes{AxisKind::moved, batch_squeeze, relate_squeeze};
inline constexpr AxisRule kUnsqueezeAxes{AxisKind::moved, batch_unsqueeze, relate_unsqueeze};
inline constexpr AxisRule kExpandAxes{AxisKind::moved, batch_expand, relate_expand};
inline constexpr AxisRule kTileAxes{AxisKind::moved, batch_tile, relate_tile};
inline constexpr AxisRule kConcatAxes{AxisKind::moved, batch_concat, relate_concat};
inline constexpr AxisRule kSplitAxes{AxisKind::moved, batch_split, relate_split};
inline constexpr AxisRule kShapeAxes{AxisKind::moved, batch_shape, relate_nothing};
inline constexpr AxisRule kSizeAxes{AxisKind::moved, batch_size, relate_nothing};

// axis_part.cpp
Batching batch_slice(const NodeFacts& node, std::span<const bool> batched);
Ties relate_slice(const NodeFacts& node);
Batching batch_pad(const NodeFacts& node, std::span<const bool> batched);
Ties relate_pad(const NodeFacts& node);
Batching batch_center(const NodeFacts& node, std::span<const bool> batched);
Ties relate_center(const NodeFacts& node);
inline constexpr AxisRule kSliceAxes{AxisKind::moved, batch_slice, relate_slice};
inline constexpr AxisRule kPadAxes{AxisKind::moved, batch_pad, relate_pad};
/// CenterCropPad
inline constexpr AxisRule kCenterAxes{AxisKind::moved, batch_center, relate_center};

// axis_reshape.cpp
Batching batch_reshape(const NodeFacts& node, std::span<const bool> batched);
Ties relate_reshape(const NodeFacts& node);
Batching batch_flatten(const NodeFacts& node, std::span<const bool> batched);
inline constexpr AxisRule kReshapeAxes{AxisKind::moved, batch_reshape, relate_reshape};
inline constexpr AxisRule kFlattenAxes{AxisKind::moved, batch_flatten, relate_reshape};

// axis_gather.cpp
Batching batch_gather(const NodeFacts& node, std::span<const bool> batched);
Ties relate_gather(const NodeFacts& node);
Batching batch_at_elements(const NodeFacts& node, std::span<const bool> batched);
Ties relate_at_elements(const NodeFacts& node);
Batching batch_gather_nd(const NodeFacts& node, std::span<const bool> batched);
Ties relate_gather_nd(const NodeFacts& node);
Batching batch_scatter_nd(const NodeFacts& node, std::span<const bool> batched);
Ties relate_scatter_nd(const NodeFacts& node);
inline constexpr AxisRule kGatherAxes{AxisKind::moved, batch_gather, relate_gather};
/// GatherElements, Scatter, ScatterElements
inline constexpr AxisRule kAtElementsAxes{AxisKind::moved, batch_at_elements, relate_at_elements};
inline constexpr AxisRule kGatherNDAxes{AxisKind::moved, batch_gather_nd, relate_gather_nd};
inline constexpr AxisRule kScatterNDAxes{AxisKind::moved, batch_scatter_nd, relate_scatter_nd};

// axis_along.cpp
template <std::int64_t Default>
Batching batch_along(const NodeFacts& node, std::span<const bool> batched);
template <std::int64_t Default>
Ties relate_along(const NodeFacts& node);
template <std::size_t Input>
Batching batch_axis_input(const NodeFacts& node, std::span<const bool> batched);
Batching batch_softmax(const NodeFacts& node, std::span<const bool> batched);
Ties relate_softmax(const NodeFacts& node);
Batching batch_one_hot(const NodeFacts& node, std::span<const bool> batched);
Ties relate_one_hot(const NodeFacts& node);
Ties relate_cumulative(const NodeFacts& node);
Ties relate_dft(const NodeFacts& node);
Batching batch_layer(const NodeFacts& node, std::span<const bool> batched);
Ties relate_layer(const NodeFacts& node);
Batching batch_mean_variance(const NodeFacts& node, std::span<const bool> batched);
Ties relate_mean_variance(const NodeFacts& node);
Batching batch_reverse(const NodeFacts& node, std::span<const bool> batched);
Ties relate_reverse(const NodeFacts& node);
Batching batch_leading(const NodeFacts& node, std::span<const bool> batched);
Ties relate_matrices(const NodeFacts& node);
Ties relate_features(const NodeFacts& node);
Ties relate_categories(const NodeFacts& node);
Batching batch_eye(const NodeFacts& node, std::span<const bool> batched);
/// TopK, LpNormalization: the attribute `axis`, the last one where it is absent.
inline constexpr AxisRule kAlongAxes{AxisKind::along, batch_along<-1>, relate_along<-1>};
/// Softmax, LogSoftmax, Hardmax
inline constexpr AxisRule kSoftmaxAxes{AxisKind::along, batch_softmax, relate_softmax};
inline constexpr AxisRule kOneHotAxes{AxisKind::along, batch_one_hot, relate_one_hot};
/// CumSum, CumProd
inline constexpr AxisRule kCumulativeAxes{AxisKind::along, batch_axis_input<1>, relate_cumulative};
/// DFT
inline constexpr AxisRule kFourierAxes{AxisKind::along, batch_axis_input<2>, relate_dft};
/// LayerNormalization, RMSNormalization
inline constexpr AxisRule kLayerAxes{AxisKind::along, batch_layer, relate_layer};
inline constexpr AxisRule kMeanVarianceAxes{AxisKind::along, batch_mean_variance, relate_mean_variance};
/// ReverseSequence
inline constexpr AxisRule kReverseAxes{AxisKind::along, batch_reverse, relate_reverse};
/// Trilu, Det: the last two axes.
inline constexpr AxisRule kMatricesAxes{AxisKind::along, batch_leading, relate_matrices};
/// Scaler, Imputer: the last axis, each place of it in a way of its own.
inline constexpr AxisRule kFeaturesAxes{AxisKind::along, batch_leading, relate_features};
/// OneHotEncoder: one more axis behind.
inline constexpr AxisRule kCategoriesAxes{AxisKind::along, batch_leading, relate_categories};
/// EyeLike
inline constexpr AxisRule kEyeAxes{AxisKind::along, batch_eye, relate_nothing};

// axis_resize.cpp
Batching batch_resize(const NodeFacts& node, std::span<const bool> batched);
Ties relate_resize(const NodeFacts& node);
/// Resize, Upsample
inline constexpr AxisRule kResizeAxes{AxisKind::along, batch_resize, relate_resize};

// axis_recurrent.cpp
Batching batch_recurrent(const NodeFacts& node, std::span<const bool> batched);
Ties relate_recurrent(const NodeFacts& node);
/// RNN, GRU, LSTM: the batch entries.
inline constexpr AxisRule kRecurrentAxes{AxisKind::rows, batch_recurrent, relate_recurrent};

// axis_rows.cpp and axis_row_ties.cpp. Bit i of Rows: input i has rows along axis 0; the others are shared by all rows.
template <std::uint32_t Rows>
Batching batch_rows(const NodeFacts& node, std::span<const bool> batched);
template <std::uint32_t Rows>
Ties relate_rows(const NodeFacts& node);
Batching batch_pool(const NodeFacts& node, std::span<const bool> batched);
Batching batch_batch_norm(const NodeFacts& node, std::span<const bool> batched);
Batching batch_loss(const NodeFacts& node, std::span<const bool> batched);
Batching batch_rotary(const NodeFacts& node, std::span<const bool> batched);
Batching batch_attention(const NodeFacts& node, std::span<const bool> batched);
Batching batch_affine_grid(const NodeFacts& node, std::span<const bool> batched);
Ties relate_channels(const NodeFacts& node);
Ties relate_conv(const NodeFacts& node);
Ties relate_conv_transpose(const NodeFacts& node);
Ties relate_conv_integer(const NodeFacts& node);
Ties relate_deform_conv(const NodeFacts& node);
Ties relate_instance(const NodeFacts& node);
Ties relate_batch_norm(const NodeFacts& node);
Ties relate_around_channels(const NodeFacts& node);
Ties relate_tensor_scatter(const NodeFacts& node);
Ties relate_grid_sample(const NodeFacts& node);
Ties relate_affine_grid(const NodeFacts& node);
Ties relate_regions(const NodeFacts& node);
Ties relate_loss(const NodeFacts& node);
Ties relate_attention(const NodeFacts& node);
Ties relate_rotary(const NodeFacts& node);
Ties relate_causal_conv(const NodeFacts& node);
/// Input 0 has rows, and nothing more is said: GroupNormalization, DepthToSpace, SpaceToDepth, Col2Im, STFT,
/// QLinearConv.
inline constexpr AxisRule kRowsAxes{AxisKind::rows, batch_rows<0b1>, relate_rows<0b1>};
/// MaxPool, AveragePool, LpPool, Global*Pool
inline constexpr AxisRule kPoolAxes{AxisKind::rows, batch_pool, relate_channels};
inline constexpr AxisRule kConvAxes{AxisKind::rows, batch_rows<0b1>, relate_conv};
inline constexpr AxisRule kConvTransposeAxes{AxisKind::rows, batch_rows<0b1>, relate_conv_transpose};
inline constexpr AxisRule kConvIntegerAxes{AxisKind::rows, batch_rows<0b1>, relate_conv_integer};
inline constexpr AxisRule kDeformConvAxes{AxisKind::rows, batch_rows<0b10101>, relate_deform_conv};
/// InstanceNormalization
inline constexpr AxisRule kInstanceAxes{AxisKind::rows, batch_rows<0b1>, relate_instance};
/// BatchNormalization with given statistics.
inline constexpr AxisRule kBatchNormAxes{AxisKind::rows, batch_batch_norm, relate_batch_norm};
/// LRN
inline constexpr AxisRule kAroundChannelsAxes{AxisKind::rows, batch_rows<0b1>, relate_around_channels};
inline constexpr AxisRule kTensorScatterAxes{AxisKind::rows, batch_rows<0b111>, relate_tensor_scatter};
inline constexpr AxisRule kGridSampleAxes{AxisKind::rows, batch_rows<0b11>, relate_grid_sample};
inline constexpr AxisRule kAffineGridAxes{AxisKind::rows, batch_affine_grid, relate_affine_grid};
/// RoiAlign: the rows are the regions.
inline constexpr AxisRule kAlignAxes{AxisKind::rows, batch_rows<0b110>, relate_regions};
/// MaxRoiPool: the rows are the regions.
inline constexpr AxisRule kRegionsAxes{AxisKind::rows, batch_rows<0b10>, relate_regions};
/// The losses, where they are not reduced.
inline constexpr AxisRule kLossAxes{AxisKind::rows, batch_loss, relate_loss};
inline constexpr AxisRule kAttentionAxes{AxisKind::rows, batch_attention, relate_attention};
/// RotaryEmbedding
inline constexpr AxisRule kRotaryAxes{AxisKind::rows, batch_rotary, relate_rotary};
inline constexpr AxisRule kLinearAttentionAxes{AxisKind::rows, batch_rows<0b111111>, relate_rows<0b111111>};
/// CausalConvWithState
inline constexpr AxisRule kCausalConvAxes{AxisKind::rows, batch_rows<0b1001>, relate_causal_conv};

}  // namespace pawl::ops
