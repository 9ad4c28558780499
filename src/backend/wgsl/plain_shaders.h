// Shaders that are no kernels: they need places that are computed, or memory that a workgroup shares.
#pragma once

#include <span>
#include <string>

#include "pawl/dtype.h"

namespace pawl::wgsl {

/// Invocations of a workgroup of gather_shader.
inline constexpr int kPlainWorkgroup = 256;
/// Rows and columns of a workgroup of product_shader.
inline constexpr int kProductTile = 32;
/// Words that one constants_shader writes at most: compilers take time with the square of them (SwiftShader 25 s for
/// 16,384).
inline constexpr std::size_t kMostConstants = 1024;

/// made[o, k, i] = data[o, places[k], i]; places count from the end where they are negative, and are held inside.
///   buffers : data, places (i32), made
///   params  : elements (of `made`), places, inner, extent (of the axis of data)
std::string gather_shader(DType dtype, DType places);

/// Stacks of matrices, in tiles that a workgroup shares; a workgroup for each tile of each matrix.
///   buffers : left [batch, rows, inner], right, made [batch, rows, columns]; left and right are one, where `same`
///   params  : rows, inner, columns, batch, right (where the second operand begins), right_batch, right_row,
///   right_column
///             (its strides)
std::string product_shader(DType dtype, bool same);

/// Writes words from `first` on; one workgroup.
///   buffers : the words
std::string constants_shader(std::span<const std::uint32_t> words, std::size_t first);

}  // namespace pawl::wgsl
