// States that need each other: strongly connected components of "the next value of one reads the other".
#include <algorithm>

#include "scan/facts.h"

namespace pawl::scan {
namespace {

/// Tarjan's algorithm: a component is finished after all that it reads.
class Walk {
 public:
  Walk(const graph::ScanOp& scan, const Dependence& dependence)
      : scan_(scan), dependence_(dependence), order_(scan.states, 0), low_(scan.states, 0), open_(scan.states, false) {}

  std::vector<std::vector<std::size_t>> run() {
    for (std::size_t i = 0; i < order_.size(); ++i)
      if (order_[i] == 0) visit(i);
    return std::move(found_);
  }

 private:
  struct Frame {
    std::size_t state;
    std::size_t next = 0;  ///< the next state to look at
  };

  /// With a stack of its own: chains of states are as long as a file wants.
  void visit(std::size_t first) {
    std::vector<Frame> frames;
    const auto enter = [&](std::size_t i) {
      order_[i] = low_[i] = ++count_;
      stack_.push_back(i);
      open_[i] = true;
      frames.push_back({i});
    };
    enter(first);
    while (!frames.empty()) {
      Frame& frame = frames.back();
      const std::size_t i = frame.state;
      if (frame.next < order_.size()) {
        const std::size_t j = frame.next++;
        if (!dependence_.on_state(scan_.body.graph->outputs[i], j)) continue;
        if (order_[j] == 0)
          enter(j);
        else if (open_[j])
          low_[i] = std::min(low_[i], order_[j]);
        continue;
      }
      frames.pop_back();
      if (!frames.empty()) low_[frames.back().state] = std::min(low_[frames.back().state], low_[i]);
      if (low_[i] == order_[i]) close(i);
    }
  }

  void close(std::size_t i) {
    std::vector<std::size_t> component;
    for (std::size_t j = order_.size(); j != i;) {
      j = stack_.back();
      stack_.pop_back();
      open_[j] = false;
      component.push_back(j);
    }
    std::sort(component.begin(), component.end());
    found_.push_back(std::move(component));
  }

  const graph::ScanOp& scan_;
  const Dependence& dependence_;
  std::vector<std::size_t> order_;
  std::vector<std::size_t> low_;
  std::vector<bool> open_;
  std::vector<std::size_t> stack_;
  std::size_t count_ = 0;
  std::vector<std::vector<std::size_t>> found_;
};

}  // namespace

std::vector<std::vector<std::size_t>> components_of(const graph::ScanOp& scan, const Dependence& dependence) {
  return Walk(scan, dependence).run();
}

}  // namespace pawl::scan
