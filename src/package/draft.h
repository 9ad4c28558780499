// A model as shaders for one set of extents: all numbers are known. Drafts for several extents become wgsl::Passes.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backend/wgsl/passes.h"
#include "kernel/program.h"
#include "pawl/dims.h"

namespace pawl::package {

/// The count with each name as `made` says.
wgsl::Count with_names(const wgsl::Count& count, const std::function<wgsl::Count(const std::string& name)>& made);

struct DraftBuffer {
  wgsl::PassBuffer::Kind kind = wgsl::PassBuffer::Kind::scratch;
  std::string name;
  DType dtype = DType::f32;  ///< as shaders have it: 32 bits of 64-bit integers
  Dims shape;
  std::vector<wgsl::Count> counted;  ///< the shape instead, in the draft's names
};

/// One dispatch: a kernel, or a shader that is there already.
struct DraftPass {
  std::string id;
  std::optional<kernel::Program> program;    ///< its buffers are `buffers`
  std::vector<std::int64_t> program_params;  ///< by its params
  std::string text;
  std::vector<std::size_t> buffers;  ///< of the draft
  std::vector<bool> writes;
  /// Of a text: numbers that it alone knows by these names, and its params and workgroups in these names and the
  /// draft's.
  std::vector<std::pair<std::string, std::int64_t>> numbers;
  std::vector<std::pair<std::string, wgsl::Count>> params;
  wgsl::Count workgroups = 1;
};

struct Draft {
  std::vector<DraftBuffer> buffers;
  std::vector<DraftPass> passes;
  std::vector<std::uint32_t> constants;                       ///< words of the buffer of constants, which is buffer 0
  std::vector<std::pair<std::string, std::int64_t>> numbers;  ///< by names of their own
  std::vector<std::pair<std::string, wgsl::Count>> derived;   ///< from these numbers and each other, in order
  /// What must hold: the first is at least the second, in the draft's names.
  std::vector<std::pair<wgsl::Count, wgsl::Count>> conditions;
};

}  // namespace pawl::package
