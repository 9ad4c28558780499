#include "backend/reference/seen_views.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace pawl::reference {
namespace {

constexpr std::array<std::string_view, 9> kMoving = {"Flatten", "Gather",  "Identity",  "Reshape",  "Slice",
                                                     "Split",   "Squeeze", "Transpose", "Unsqueeze"};

/// From the first element to behind the last one, in elements; 0 where elements lie before the first one, or are none.
std::int64_t reach(const Tensor& tensor) {
  std::int64_t reach = 1;
  for (std::size_t axis = 0; axis < tensor.shape().size(); ++axis) {
    if (tensor.shape()[axis] == 0 || tensor.strides()[axis] < 0) return 0;
    reach += (tensor.shape()[axis] - 1) * tensor.strides()[axis];
  }
  return reach;
}

}  // namespace

bool only_moves(const graph::Node& node, const std::vector<bool>& constant) {
  const auto* call = std::get_if<graph::OpCall>(&node.operation);
  if (call == nullptr || !call->def->domain.empty() || node.inputs.empty() || !node.inputs[0].valid()) return false;
  if (std::find(kMoving.begin(), kMoving.end(), call->def->name) == kMoving.end()) return false;
  return std::all_of(node.inputs.begin() + 1, node.inputs.end(),
                     [&](graph::ValueId id) { return !id.valid() || constant[id.index]; });
}

bool SeenViews::recall(const Tensor& input, std::span<Value> results) const {
  if (views_.size() != results.size() || input.dtype() != dtype_ || !(input.shape() == shape_) ||
      !(input.strides() == strides_))
    return false;
  for (std::size_t i = 0; i < views_.size(); ++i)
    if (views_[i].wanted) results[i] = input.view(views_[i].shape, views_[i].strides, views_[i].offset);
  return true;
}

void SeenViews::remember(const Tensor& input, std::span<const Value> results) {
  views_.clear();
  const std::int64_t end = reach(input);
  if (end == 0 || input.dtype() == DType::string) return;
  const auto size = static_cast<std::int64_t>(size_of(input.dtype()));
  std::vector<View> views;
  for (const Value& result : results) {
    views.emplace_back();
    if (result.is_none()) continue;
    const Tensor& tensor = result.tensor();
    const std::int64_t offset = tensor.bytes() - input.bytes();
    if (tensor.dtype() != input.dtype() || offset < 0 || offset >= end * size || offset % size != 0) return;
    views.back() = {true, tensor.shape(), tensor.strides(), offset / size};
  }
  shape_ = input.shape();
  strides_ = input.strides();
  dtype_ = input.dtype();
  views_ = std::move(views);
}

}  // namespace pawl::reference
