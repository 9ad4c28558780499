// One function per family file: its rows. table.cpp lists them all.
#pragma once

#include <span>

#include "ops/op.h"

namespace pawl::ops {

std::span<const OpDef> unary_ops();        // unary.cpp: one tensor in, one of the same shape out
std::span<const OpDef> activation_ops();   // activation.cpp: Relu, Gelu, PRelu, …
std::span<const OpDef> binary_ops();       // binary.cpp: arithmetic with broadcasting
std::span<const OpDef> logic_ops();        // logic.cpp: comparison, boolean logic, Where
std::span<const OpDef> bitwise_ops();      // bitwise.cpp: Bitwise*, BitShift
std::span<const OpDef> variadic_ops();     // variadic.cpp: Max, Min, Sum, Mean
std::span<const OpDef> cast_ops();         // cast.cpp: element type conversion
std::span<const OpDef> constant_ops();     // constant.cpp: Constant, ConstantOfShape, Range
std::span<const OpDef> shape_ops();        // shape.cpp: Shape, Size, Squeeze, Unsqueeze, Transpose, Expand
std::span<const OpDef> reshape_ops();      // reshape.cpp: Reshape, Flatten
std::span<const OpDef> slice_ops();        // slice.cpp: Slice, Split
std::span<const OpDef> concat_ops();       // concat.cpp: Concat, Tile
std::span<const OpDef> pad_ops();          // pad.cpp: Pad
std::span<const OpDef> gather_ops();       // gather.cpp: Gather, GatherElements, GatherND
std::span<const OpDef> scatter_ops();      // scatter.cpp: Scatter, ScatterElements, ScatterND, TensorScatter
std::span<const OpDef> rearrange_ops();    // rearrange.cpp: DepthToSpace, SpaceToDepth, ReverseSequence, CenterCropPad
std::span<const OpDef> diagonal_ops();     // diagonal.cpp: EyeLike, Trilu, OneHot
std::span<const OpDef> compress_ops();     // compress.cpp: Compress, NonZero
std::span<const OpDef> unique_ops();       // unique.cpp: Unique
std::span<const OpDef> cumulative_ops();   // cumulative.cpp: CumSum, CumProd
std::span<const OpDef> resize_ops();       // resize.cpp: Resize, Upsample
std::span<const OpDef> grid_sample_ops();  // grid_sample.cpp: GridSample
std::span<const OpDef> affine_grid_ops();  // affine_grid.cpp: AffineGrid
std::span<const OpDef> roi_ops();          // roi.cpp: RoiAlign, MaxRoiPool
std::span<const OpDef> non_max_suppression_ops();  // non_max_suppression.cpp: NonMaxSuppression
std::span<const OpDef> col2im_ops();               // col2im.cpp: Col2Im
std::span<const OpDef> reduce_ops();               // reduce.cpp: Reduce*
std::span<const OpDef> matmul_ops();               // matmul.cpp: MatMul
std::span<const OpDef> gemm_ops();                 // gemm.cpp: Gemm
std::span<const OpDef> einsum_ops();               // einsum.cpp: Einsum
std::span<const OpDef> conv_ops();                 // conv.cpp: Conv, ConvTranspose
std::span<const OpDef> deform_conv_ops();          // deform_conv.cpp: DeformConv
std::span<const OpDef> pool_ops();                 // pool.cpp: AveragePool, MaxPool, LpPool
std::span<const OpDef> global_pool_ops();          // global_pool.cpp: Global*Pool, MaxUnpool
std::span<const OpDef> quantized_ops();         // quantized.cpp: MatMulInteger, QLinearMatMul, ConvInteger, QLinearConv
std::span<const OpDef> normalization_ops();     // normalization.cpp: Layer-, RMS-, Instance-, GroupNormalization
std::span<const OpDef> batch_norm_ops();        // batch_norm.cpp: BatchNormalization
std::span<const OpDef> axis_norm_ops();         // axis_norm.cpp: LpNormalization, MeanVarianceNormalization, LRN
std::span<const OpDef> recurrent_ops();         // rnn.cpp: RNN, GRU, LSTM
std::span<const OpDef> attention_ops();         // attention.cpp: Attention
std::span<const OpDef> rotary_ops();            // rotary.cpp: RotaryEmbedding
std::span<const OpDef> linear_attention_ops();  // linear_attention.cpp: LinearAttention, CausalConvWithState
std::span<const OpDef> loss_ops();              // loss.cpp: NegativeLogLikelihoodLoss, SoftmaxCrossEntropyLoss
std::span<const OpDef> fourier_ops();           // fourier.cpp: DFT, STFT
std::span<const OpDef> signal_ops();            // signal.cpp: HannWindow, …, MelWeightMatrix, Det
std::span<const OpDef> softmax_ops();           // softmax.cpp: Softmax, LogSoftmax, Hardmax
std::span<const OpDef> select_ops();            // select.cpp: ArgMax, ArgMin, TopK
std::span<const OpDef> sequence_ops();          // sequence.cpp: Sequence*, SplitToSequence, ConcatFromSequence
std::span<const OpDef> optional_ops();          // optional.cpp: Optional, OptionalGetElement, OptionalHasElement
std::span<const OpDef> ml_feature_ops();        // ml_features.cpp: ArrayFeatureExtractor, Scaler, Normalizer, …
std::span<const OpDef> ml_category_ops();       // ml_categories.cpp: CategoryMapper, LabelEncoder, OneHotEncoder
std::span<const OpDef> ml_linear_ops();         // ml_linear.cpp: LinearClassifier, LinearRegressor
std::span<const OpDef> ml_svm_ops();            // ml_svm.cpp: SVMClassifier, SVMRegressor
std::span<const OpDef> ml_tree_ops();   // ml_tree_ops.cpp: TreeEnsemble, TreeEnsembleClassifier, TreeEnsembleRegressor
std::span<const OpDef> ml_map_ops();    // ml_maps.cpp: CastMap, DictVectorizer, ZipMap
std::span<const OpDef> quantize_ops();  // quantize.cpp: QuantizeLinear, DequantizeLinear, DynamicQuantizeLinear
std::span<const OpDef> random_ops();    // random.cpp: Random*, Bernoulli, Multinomial, Dropout
std::span<const OpDef> string_ops();    // string.cpp: String*, RegexFullMatch
std::span<const OpDef> tfidf_ops();     // tfidf.cpp: TfIdfVectorizer

}  // namespace pawl::ops
