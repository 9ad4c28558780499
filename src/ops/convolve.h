// Convolution over any number of spatial axes, one position inside of the kernel after the other.
#pragma once

#include "ops/wide.h"
#include "ops/window.h"
#include "tensor/walk.h"

namespace pawl::ops {

/// One position inside of the kernel, along one axis: the windows that find an element of the input there, not padding.
struct Tap {
  std::int64_t input = 0;    ///< offset of the first element read, within a channel
  std::int64_t output = 0;   ///< offset of the window that reads it
  std::int64_t windows = 0;  ///< how many there are
};

/// Shapes of y[n, m] = sum over c of x[n, c] * w[m, c], of `groups` independent parts.
struct Convolution {
  std::int64_t groups = 1;
  std::int64_t channels = 0;    ///< of one group
  std::int64_t filters = 0;     ///< of one group
  std::int64_t input_size = 0;  ///< elements of one channel
  std::int64_t kernel_size = 0;
  std::int64_t output_size = 0;
  Dims shape;                          ///< of y: [N, M, spatial]
  std::vector<std::vector<Tap>> taps;  ///< for each axis and each position along it
  Dims input_steps, output_steps;      ///< from one window to the next
  bool transposed = false;             ///< w is [C, M/group, …] instead of [M, C/group, …]

  /// Where the kernel for channel c and filter f of group g stands in w, counted in kernels.
  [[nodiscard]] std::int64_t kernel_at(std::int64_t g, std::int64_t f, std::int64_t c) const {
    return transposed ? (g * channels + c) * filters + f : (g * filters + f) * channels + c;
  }
};

/// Errors: bad_shape, bad_value.
Result<Convolution> plan_convolution(const Attributes& attributes, const Dims& x, const Dims& w);
/// The adjoint, for w [C, M/group, …]: each element of x adds a copy of the kernel to y. Errors: the same.
Result<Convolution> plan_transposed(const Attributes& attributes, const Dims& x, const Dims& w);

/// Rule for x [N, C, …], w [M, C/group, …] and an optional bias (input 2 or, quantized, `bias`) of shape [M].
Result<void> infer_convolution(InferContext& context, std::size_t x, std::size_t w, std::optional<std::size_t> bias);

/// The same for ConvTranspose.
Result<void> infer_transposed(InferContext& context);

/// sums += one channel [input_size], seen through one channel of a filter [kernel_size].
template <class W>
void convolve_channel(const Convolution& plan, const W* x, const W* w, W* sums) {
  const std::size_t rank = plan.taps.size();
  Dims position(rank, 0), windows(rank, 0);
  for (std::int64_t k = 0; k < plan.kernel_size; ++k) {
    const W* from = x;
    W* to = sums;
    for (std::size_t i = 0; i < rank; ++i) {
      const Tap& tap = plan.taps[i][static_cast<std::size_t>(position[i])];
      from += tap.input;
      to += tap.output;
      windows[i] = tap.windows;
    }
    const W weight = w[k];
    walk<2>(windows, {&plan.input_steps, &plan.output_steps},
            [&](std::int64_t i, std::int64_t o) { to[o] += weight * from[i]; });
    for (std::size_t i = rank; i-- > 0;) {
      if (++position[i] < static_cast<std::int64_t>(plan.taps[i].size())) break;
      position[i] = 0;
    }
  }
}

/// Runs every filter over every batch entry. load_x(first, W*, n) and load_w(first, W*, n) convert n elements from
/// offset `first` of the whole x and w; emit(first, m, sums, n) takes the n outputs of filter m from offset `first` of
/// y.
template <class W, class LoadX, class LoadW, class Emit>
Result<void> convolve_all(const Convolution& plan, LoadX load_x, LoadW load_w, Emit emit) {
  const std::int64_t group_input = plan.channels * plan.input_size;
  TRY_ASSIGN(Tensor x, Tensor::allocate(dtype_of<W>, {group_input}));
  TRY_ASSIGN(Tensor w, Tensor::allocate(dtype_of<W>, {plan.kernel_size}));
  TRY_ASSIGN(Tensor sums, Tensor::allocate(dtype_of<W>, {plan.output_size}));
  std::int64_t first = 0;
  for (std::int64_t n = 0; n < plan.shape[0]; ++n)
    for (std::int64_t g = 0; g < plan.groups; ++g) {
      load_x((n * plan.groups + g) * group_input, x.mutable_data<W>(), group_input);
      for (std::int64_t f = 0; f < plan.filters; ++f) {
        W* sum = sums.mutable_data<W>();
        std::fill_n(sum, plan.output_size, W{0});
        for (std::int64_t c = 0; c < plan.channels; ++c) {
          load_w(plan.kernel_at(g, f, c) * plan.kernel_size, w.mutable_data<W>(), plan.kernel_size);
          convolve_channel(plan, x.data<W>() + c * plan.input_size, w.data<W>(), sum);
        }
        emit(first, g * plan.filters + f, sum, plan.output_size);
        first += plan.output_size;
      }
    }
  return {};
}

}  // namespace pawl::ops
