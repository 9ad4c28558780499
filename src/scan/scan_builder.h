// Making a Scan in order: states, elements, the body's nodes, next states, outputs. Passes take a Scan apart and put
// the next one together here.
#pragma once

#include <unordered_map>

#include "graph/builder.h"

namespace pawl::scan {

using graph::Builder;
using graph::ValueId;
using graph::ValueInfo;

/// How a tensor is cut into elements, or put together from them.
struct Cut {
  std::int64_t axis = 0;  ///< negative counts from the end of the scanned tensor
  bool reversed = false;
};

/// Ids called outer are of the graph around the Scan, inner ones of the body.
class ScanBuilder {
 public:
  ScanBuilder(Builder& outer, std::string body_name) : outer_(outer), body_(std::move(body_name)) {}

  /// The body, for its nodes.
  Builder& body() { return body_; }

  /// A state that starts as outer value `initial`. All states come before the first element.
  ///   returns : the body input
  ValueId add_state(const ValueInfo& input, ValueId initial);
  /// An element of outer value `scanned`. The same cut of the same value is one element.
  Result<ValueId> add_element(const ValueInfo& input, ValueId scanned, Cut cut);
  /// An outer value, seen inside. Constants with few elements are copied into the body.
  ValueId capture(ValueId outer);

  /// The next value of state i, in order of add_state.
  void set_next(std::size_t state, ValueId next);
  /// Another scan output; `value` describes the stacked tensor.
  void add_output(ValueId inner, const ValueInfo& value, Cut cut);
  /// The names of the final states; one without a name is omitted.
  void set_final(std::size_t state, const ValueInfo& value);

  /// What the body's values are declared to be is not checked from now on: it came from a Loop, where it promises
  /// nothing.
  void drop_declarations() { keeps_declarations_ = false; }

  [[nodiscard]] std::size_t states() const { return initials_.size(); }
  [[nodiscard]] std::size_t elements() const { return scanned_.size(); }
  [[nodiscard]] std::size_t outputs() const { return outputs_.size(); }

  /// Emits the Scan into the outer graph.
  ///   returns : final states, then scan outputs
  Result<std::vector<ValueId>> finish(const std::string& name, const std::string& label);

 private:
  struct Output {
    ValueId inner;
    ValueInfo value;
    Cut cut;
  };

  Builder& outer_;
  Builder body_;
  bool keeps_declarations_ = true;
  std::vector<ValueId> initials_;
  std::vector<ValueId> nexts_;
  std::vector<ValueInfo> finals_;
  std::vector<ValueId> scanned_;
  std::vector<Cut> cuts_;
  std::vector<ValueId> element_inputs_;
  std::vector<graph::Capture> captures_;
  std::unordered_map<std::uint32_t, ValueId> captured_;  ///< by outer index
  std::vector<Output> outputs_;
};

}  // namespace pawl::scan
