// What a Loop writes into values that it carries for that alone: outputs of a Scan.
//   a sequence that gets one tensor more in each step
//   a tensor that is concatenated with something in each step
//   a tensor of which each step replaces, or adds to, other entries
#pragma once

#include <variant>

#include "scan/raise/reads.h"

namespace pawl::scan {

/// SequenceInsert of one tensor at the end, or at the front.
struct Pushed {
  ValueId item;        ///< inner
  ValueId position{};  ///< inner; invalid: the end
  bool in_front = false;
  std::vector<ValueId> before{};  ///< outer: what the sequence starts with
  ValueId copied{};               ///< outer: a sequence that this becomes, item by item; invalid: none
};

/// Concat of the carried value with others along an axis, itself first or last.
struct Grown {
  std::vector<ValueId> parts;  ///< inner, in order
  std::size_t axis = 0;
  bool in_front = false;  ///< the new parts come before the old ones
};

/// ScatterND, or ScatterElements along an axis, from first to last.
struct Scattered {
  std::vector<const graph::Node*> nodes;
  std::size_t axis = 0;  ///< along which each step has entries of its own
  IndexForm at{};        ///< which
};

/// Concat of the entries before one, another one in its place, and the entries behind it.
struct Spliced {
  const graph::Node* concat;
  std::size_t axis = 0;
  IndexForm at{};
};

/// Which entries along which axis steps write, each step others.
struct Places {
  std::size_t axis = 0;
  IndexForm at;
};

/// One whole entry of what is written: an inner value, and its axes of extent 1 that the entry has not.
struct Entry {
  ValueId value;
  std::vector<std::int64_t> ones{};
};

using Write = std::variant<std::monostate, Pushed, Grown, Scattered, Spliced>;

/// How each carried value is written, by its place; monostate: it is a state, or stays the same.
class Writes {
 public:
  Writes(LoopSite& site, IndexForms& forms)
      : site_(site), forms_(forms), writes_(site.loop.carried), entries_(site.loop.carried) {}

  /// By the body's nodes alone.
  void find();
  /// The types of carried values that grow, for inference.
  [[nodiscard]] std::vector<std::optional<Type>> grown_types();
  /// With types and the number of steps: what does not mean what it seems to is a state.
  Result<void> settle(const Steps& steps);
  /// The carried value is read otherwise too.
  void make_state(std::size_t i) {
    writes_[i] = std::monostate();
    entries_[i].reset();
  }

  [[nodiscard]] bool is_written(std::size_t i) const { return !std::holds_alternative<std::monostate>(writes_[i]); }
  template <class W>
  [[nodiscard]] const W* get(std::size_t i) const {
    return std::get_if<W>(&writes_[i]);
  }
  /// Where entries of a carried value are replaced; nothing for what grows.
  [[nodiscard]] std::optional<Places> places(std::size_t i) const;
  /// The inner values that the written ones are made of.
  [[nodiscard]] std::vector<ValueId> sources(std::size_t i) const;
  /// What each step writes, where it writes one entry and nothing else. After settle().
  [[nodiscard]] const std::optional<Entry>& entry(std::size_t i) const { return entries_[i]; }

 private:
  [[nodiscard]] Write pushed(std::size_t i) const;
  [[nodiscard]] Write grown(std::size_t i) const;
  [[nodiscard]] bool reaches(ValueId id, std::size_t i, int depth) const;
  [[nodiscard]] Write scattered(std::size_t i) const;
  [[nodiscard]] Write spliced(std::size_t i) const;
  Result<bool> fits(std::size_t i, Pushed& write, const Steps& steps);
  Result<ValueId> copied(const Pushed& write, const Steps& steps);
  [[nodiscard]] bool fits(std::size_t i, const Grown& write);
  Result<bool> fits(std::size_t i, Scattered& write);
  Result<bool> fits(std::size_t i, Spliced& write);
  /// Whether a node is Slice(…, from, to) along an axis, and from where to where.
  Result<std::optional<std::pair<IndexForm, IndexForm>>> sliced(const graph::Node& node, std::size_t axis);
  [[nodiscard]] bool fits(std::size_t i, const graph::Node& scatter);
  Result<bool> find_axis(const graph::Node& scatter, std::size_t rank, Scattered& write);
  Result<std::optional<IndexForm>> component(ValueId indices, std::int64_t place);
  [[nodiscard]] bool is_steady(const IndexForm& form) const;
  Result<std::optional<Entry>> find_entry(std::size_t i);
  Result<std::optional<Entry>> scattered_entry(std::size_t i, const Scattered& write);
  [[nodiscard]] std::optional<std::vector<ValueId>> places_of(ValueId indices) const;
  Result<std::optional<std::size_t>> counted_axis(ValueId place, const Linear& extent);
  Result<bool> counts_up(ValueId value, const Linear& extent);
  [[nodiscard]] bool has_as_many(ValueId a, ValueId b) const;

  LoopSite& site_;
  IndexForms& forms_;
  std::vector<Write> writes_;
  std::vector<std::optional<Entry>> entries_;
};

/// Whether a node is a Scatter along an axis, rather than by places.
bool is_along_axis(const graph::Node& scatter);
/// Whether extents are equal for sure, but for those of one axis.
bool equal_beside(const SymbolicShape& a, const SymbolicShape& b, std::size_t axis);
bool equal(const SymbolicShape& a, const SymbolicShape& b);

}  // namespace pawl::scan
