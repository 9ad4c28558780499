// Where the tensors of a Scan lie, seen from its kernel.
#pragma once

#include <map>

#include "kernel/builder.h"
#include "kernel/fused_loop.h"
#include "kernel/step_plan.h"

namespace pawl::kernel {

/// In which order the axes of a tensor had better lie: by what a binding is.
using TensorKey = std::tuple<Binding::Kind, std::size_t, std::uint32_t>;
struct Layout {
  std::vector<std::size_t> order;
  std::int64_t tile = 0;  ///< as a Binding's
};
using Layouts = std::map<TensorKey, Layout>;

/// Where in time an access is.
struct Moment {
  Counter visit;  ///< may be invalid, as may be
  Counter step;
};

/// An axis that is gone through block by block: `width` * `block` + `lane`, both counted from 0.
struct LaneBlock {
  std::size_t axis = SIZE_MAX;
  std::int64_t width = 0;
  Form block;
  Form lane;
};

/// A lane of a stage.
struct Lane {
  std::map<std::size_t, Form> places;  ///< by axis, those of loops inside of it too
  LaneBlock block;
  std::vector<std::size_t> splits;  ///< by lane axis: the axis that is split with it, or SIZE_MAX
  std::size_t vectors = SIZE_MAX;   ///< the axis that vectors should go along
  int beside = 1;                   ///< so many go side by side, as vectors
};

/// The bindings of a kernel that is being written, and the places of its accesses.
class StepMemory {
 public:
  StepMemory(const TimeAxes& times, Builder& builder, Layouts layouts, bool open)
      : times_(times), builder_(builder), layouts_(std::move(layouts)), open_(open) {}

  /// The binding of a tensor; `shape` is that of one step.
  std::size_t bind(Binding::Kind kind, std::size_t index, graph::ValueId constant, DType dtype, const Dims& shape);
  [[nodiscard]] const Binding& operator[](std::size_t binding) const { return bindings_[binding]; }
  [[nodiscard]] BufferId buffer(std::size_t binding) const { return {bindings_[binding].buffer}; }

  /// The place of an access.
  ///   shape : the tensor's, where it is read with another one than its own
  Form place(std::size_t binding, const Indices& indices, const Moment& moment, const Lane& lane,
             const Dims* shape = nullptr);

  /// Layouts in which vectors go along neighbours, as far as all accesses so far agree.
  ///   tiles  : those of matrices may be in tiles
  ///   states : and so may states
  [[nodiscard]] Layouts better(bool tiles, bool states) const;
  /// Whether a place has no form: where what threads share meets a stride that is a param.
  [[nodiscard]] bool has_gone_wrong() const { return has_gone_wrong_; }
  /// The bindings, with their strides along the axes that can be split; those along which accesses differ cannot.
  std::vector<Binding> finish(std::vector<FusedLoop::Axis>& axes);

 private:
  [[nodiscard]] static std::int64_t dense_stride(const Binding& binding, std::size_t axis, const Dims& shape);
  [[nodiscard]] Binding::Stride stride(std::size_t binding, std::size_t axis, const Dims& shape) const;
  void note(std::size_t binding, const Indices& indices, const Lane& lane, const Dims& shape);
  void note_tile(std::size_t binding, const Indices& indices, const Lane& lane);
  void add(Affine& at, std::int64_t factor, Param stride, const Form& place);
  [[nodiscard]] static std::int64_t tile_size(const Binding& of);
  void add_tiled(Affine& at, const Binding& of, const AxisIndex& index, const Lane& lane);

  struct Access {
    std::vector<Binding::Stride> along;  ///< by split axis, as far as it is known
    bool is_plain = true;
  };
  struct Votes {
    std::map<std::size_t, int> axes;
    bool fixed = false;
    std::optional<std::pair<std::size_t, std::int64_t>> tile{};  ///< an axis and a width that all accesses agree on
    bool has_tile = true;
  };

  const TimeAxes& times_;
  Builder& builder_;
  Layouts layouts_;
  bool open_;
  bool has_gone_wrong_ = false;
  std::vector<Binding> bindings_;
  std::vector<std::vector<Access>> accesses_;  ///< by binding
  std::map<TensorKey, Votes> votes_;
};

}  // namespace pawl::kernel
