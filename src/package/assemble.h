// Drafts for several extents as shaders for all of them.
#pragma once

#include "package/draft.h"
#include "package/polynomial.h"
#include "pawl/error.h"

namespace pawl::package {

struct Assembled {
  wgsl::Passes passes;
  bool f16 = false;              ///< a shader needs the feature shader-f16
  std::size_t most_buffers = 0;  ///< storage buffers of a shader
  /// What must hold: the first is at least the second.
  std::vector<std::pair<wgsl::Count, wgsl::Count>> conditions;
};

/// Constants are written by passes of their own, before all others.
///   drafts : by point
///   names  : by unknown, what expressions call it
/// Errors: unsupported, naming an extent that must be given because shaders depend on it, or saying what WGSL lacks.
Result<Assembled> assemble(const Points& points, std::vector<Draft> drafts, const std::vector<std::string>& names);

}  // namespace pawl::package
