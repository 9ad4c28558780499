// Integers of the graph around a loop, as sums: offset + factor * value + …  Two spellings of one number are one sum.
#pragma once

#include <optional>
#include <unordered_map>

#include "graph/builder.h"

namespace pawl::scan {

using graph::ValueId;

struct Linear {
  struct Term {
    std::string symbol;  ///< of an extent, which is never negative; empty: just a value
    ValueId value;       ///< outer, one integer; invalid where only the symbol is known
    std::int64_t factor = 1;
  };
  std::int64_t offset = 0;
  std::vector<Term> terms;  ///< in an order of their own; no factor is 0

  Linear() = default;
  explicit Linear(std::int64_t constant) : offset(constant) {}
  [[nodiscard]] bool constant() const { return terms.empty(); }
};

/// a + factor * b; nothing where numbers become large.
std::optional<Linear> plus(const Linear& a, const Linear& b, std::int64_t factor = 1);
std::optional<Linear> minus(const Linear& a, const Linear& b);
/// a - b, where that is a number.
std::optional<std::int64_t> difference(const Linear& a, const Linear& b);
bool same(const Linear& a, const Linear& b);

/// Reads integers of a graph, and emits sums of them into it.
class Integers {
 public:
  explicit Integers(graph::Builder& outer) : outer_(outer) {}

  /// One integer of the graph; nothing where the value is another thing.
  std::optional<Linear> of(ValueId id);
  /// An extent of a tensor; nothing where its rank is not known.
  std::optional<Linear> extent(ValueId tensor, std::size_t axis);
  /// The type of a value, in which each extent of a tensor is a number or has a name: nothing else is called by the
  /// names that are made up here.
  Type type(ValueId id);
  /// A type without these names.
  [[nodiscard]] Type without_names(Type type) const;

  /// From now on `sum` counts as at least 1.
  void assume_positive(const Linear& sum) { positive_.push_back(sum); }
  /// For sure.
  [[nodiscard]] bool never_negative(const Linear& sum) const;

  /// The sum as an int64 scalar.
  Result<ValueId> emit(const Linear& sum, const std::string& name);
  /// A value of one integer as an int64 scalar.
  Result<ValueId> scalar(ValueId id, const std::string& name);

 private:
  struct Extent {
    ValueId tensor;
    std::size_t axis = 0;
  };
  std::optional<Linear> read(ValueId id);
  std::optional<Linear> extent_of(const graph::Node& gather, const graph::OpCall& call);
  [[nodiscard]] std::optional<Extent> find_extent(const std::string& symbol) const;
  std::optional<Linear> call(const graph::Node& node, const graph::OpCall& call);
  Result<ValueId> term(const Linear::Term& term, const std::string& name);

  graph::Builder& outer_;
  std::unordered_map<std::uint32_t, std::optional<Linear>> known_;
  std::vector<Linear> positive_;
  std::unordered_map<std::string, Extent> named_;  ///< extents by their made up names
};

}  // namespace pawl::scan
