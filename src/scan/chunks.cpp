#include "scan/chunks.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/try.h"
#include "graph/walk.h"
#include "scan/chunk_scans.h"
#include "scan/recurrences/types.h"
#include "tensor/walk.h"

namespace pawl::scan {
namespace {

using graph::Graph;
using graph::ScanOp;

/// A matrix of 4 by 4 and a vector are 5 times a vector; of 8 by 8 it is 9 times, and 8 times the work of a step.
constexpr double kLargeElements = 8;

double elements_in(const Type& type) {
  double count = 1;
  if (type.shape)
    for (const Dim& dim : *type.shape) count *= dim.known() ? static_cast<double>(dim.value) : 1;
  return count;
}

/// Whether the elements of a class are so much larger than its states that combining them costs more than the steps.
bool are_elements_large(const ScanFacts& facts, const ComponentFacts& component) {
  double size = 0, all = 0;
  const Graph& lift = *component.match->lift.graph;
  for (const graph::ValueId id : lift.outputs) size += elements_in(lift[id].fact.type);
  for (const std::size_t state : component.states) all += elements_in(facts.states[state].type);
  return size > kLargeElements * std::max(all, 1.0);
}

bool multiplies(const Recurrence& law) {
  static constexpr std::array kOrdinary = {&kSum, &kProduct, &kAffine, &kMatrix, &kTransition};
  const Recurrence* own = law.between != nullptr ? law.between : &law;
  return std::find(kOrdinary.begin(), kOrdinary.end(), own) != kOrdinary.end();
}

/// Components by how many others they wait for.
std::vector<std::vector<std::size_t>> levels_of(const ScanFacts& facts) {
  std::vector<std::size_t> level(facts.components.size(), 0);
  std::vector<std::vector<std::size_t>> levels;
  for (std::size_t c = 0; c < facts.components.size(); ++c) {
    for (const std::size_t earlier : facts.components[c].reads) level[c] = std::max(level[c], level[earlier] + 1);
    if (levels.size() <= level[c]) levels.resize(level[c] + 1);
    levels[level[c]].push_back(c);
  }
  return levels;
}

class Cutting {
 public:
  Cutting(std::int64_t rows, bool exact) : rows_(rows), exact_(exact) {}

  Result<Chunking> run(const ScanOp& scan, const std::vector<ops::Fact>& inputs,
                       const std::vector<ops::Fact>& captured) {
    TRY_ASSIGN(const Graph graph, specialised(scan, inputs, captured));
    const graph::Node& node = graph.nodes.back();
    scan_ = &std::get<ScanOp>(node.operation);
    TRY_ASSIGN(const std::vector<ScanFacts> all, analyse(graph));
    const auto own = std::find_if(all.begin(), all.end(), [&](const ScanFacts& each) { return each.node == &node; });
    CHECK(own != all.end());
    facts_ = &*own;
    ChunkScans made;
    TRY_ASSIGN(const bool is_made, make(made));
    if (!is_made) return Chunking{std::nullopt, std::move(refusal_)};
    return Chunking{std::move(made), {}};
  }

 private:
  bool refuse(std::string why) {
    refusal_ = std::move(why);
    return false;
  }

  Result<bool> make(ChunkScans& made) {
    if (std::string why = why_uncut(*facts_, exact_); !why.empty()) return refuse(std::move(why));
    const Graph& body = *scan_->body.graph;
    for (std::size_t k = 0; k < scan_->outputs; ++k) {
      const std::optional<Dims> shape = body[body.outputs[scan_->states + k]].fact.type.static_shape();
      if (!shape) return refuse("the shape of an output is not known");
      made.outputs.push_back(*shape);
    }
    std::vector<std::size_t> before;
    for (const std::vector<std::size_t>& components : levels_of(*facts_)) {
      ChunkLevel level;
      level.before = before;
      TRY_ASSIGN(const bool is_made, make_level(components, level));
      if (!is_made) return false;
      before.insert(before.end(), level.states.begin(), level.states.end());
      made.levels.push_back(std::move(level));
    }
    TRY_ASSIGN(std::optional<ChunkScan> rows, with_rows(*scan_, rows_));
    if (!rows) return refuse("the body has no form for many rows");
    made.body = std::move(*rows);
    for (std::size_t i = 0; i < scan_->elements; ++i) made.body.elements.push_back(i);
    return true;
  }

  Result<bool> make_level(const std::vector<std::size_t>& components, ChunkLevel& level) {
    std::vector<Type> elements;
    for (const std::size_t c : components) {
      const ComponentFacts& component = facts_->components[c];
      TRY_ASSIGN(const std::optional<std::vector<Type>> types, element_types(*component.match));
      if (!types) return refuse(fmt::format("the elements of {} have no fixed shape", component.word));
      std::vector<DType> dtypes;
      for (const std::size_t state : component.states) {
        dtypes.push_back(facts_->states[state].type.dtype);
        level.states.push_back(state);
        level.doubts.push_back(doubt_of(*component.match->recurrence, dtypes.back()));
      }
      TRY_ASSIGN(const std::optional<std::vector<Tensor>> unchanged,
                 unchanged_rows(*component.match, *types, dtypes, rows_));
      if (!unchanged)
        return refuse(
            fmt::format("no {} leaves state {} as it is", component.word, facts_->states[component.states[0]].name));
      const std::vector<bool> factors = factors_of(*component.match->recurrence, types->size(), dtypes);
      level.factors.insert(level.factors.end(), factors.begin(), factors.end());
      elements.insert(elements.end(), types->begin(), types->end());
      level.unchanged.insert(level.unchanged.end(), unchanged->begin(), unchanged->end());
    }
    std::vector<std::size_t> used;
    TRY_ASSIGN(const ScanOp summary, summary_scan(*scan_, *facts_, components, level.before, used));
    TRY_ASSIGN(std::optional<ChunkScan> rows, with_rows(summary, rows_));
    if (!rows) return refuse("combining has no form for many rows");
    level.summary = std::move(*rows);
    level.summary.elements = std::move(used);
    Result<ChunkScan> starts = starts_scan(*facts_, components, elements);
    if (!starts.ok() && starts.error().code == Code::unsupported) return refuse(starts.error().message);
    TRY_ASSIGN(level.starts, std::move(starts));
    return true;
  }

  std::int64_t rows_;
  bool exact_;
  const ScanOp* scan_ = nullptr;
  const ScanFacts* facts_ = nullptr;
  std::string refusal_;
};

}  // namespace

Doubt doubt_of(const Recurrence& law, DType state) {
  if (!is_real(state) || law.float_exact) return Doubt::none;
  return multiplies(law) ? Doubt::not_finite : Doubt::not_a_number;
}

std::vector<bool> factors_of(const Recurrence& law, std::size_t width, const std::vector<DType>& states) {
  std::vector<bool> factors(width, false);
  const Recurrence* own = law.between != nullptr ? law.between : &law;
  if (!is_real(states[0]) || !multiplies(law) || own == &kSum) return factors;
  // What the states start anew with comes before the element of the steps in between.
  const std::size_t first = law.between != nullptr ? 1 + states.size() : 0;
  const std::size_t summands = own == &kProduct ? 0 : own == &kMatrix ? states.size() : 1;
  for (std::size_t i = first; i + summands < width; ++i) factors[i] = true;
  return factors;
}

std::string why_uncut(const ScanFacts& facts, bool exact) {
  if (facts.states.empty()) return "there is no state";
  for (const ComponentFacts& component : facts.components) {
    const StateFacts& first = facts.states[component.states[0]];
    if (!component.match) return fmt::format("state {} has no class: {}", first.name, component.refusal);
    const Recurrence& law = *component.match->recurrence;
    if (exact && is_real(first.type.dtype) && !law.float_exact)
      return fmt::format("exact: {} of floats depends on the order", component.word);
    // After a delay nothing is left of what came before the step.
    if (law.identity == nullptr && law.unchanged == nullptr && &law != &kDelay)
      return fmt::format("no step leaves state {} as it is", first.name);
    if (&law == &kDelta || law.between == &kDelta)
      return fmt::format("what steps of state {} do grows with their number", first.name);
    if (are_elements_large(facts, component))
      return fmt::format("to combine two steps of state {} costs more than to do them", first.name);
  }
  return {};
}

std::size_t count_levels(const ScanFacts& facts) { return levels_of(facts).size(); }

std::optional<std::int64_t> lanes_of_step(const ScanFacts& facts) {
  std::int64_t lanes = 0;
  for (const StateFacts& state : facts.states) {
    const std::optional<Dims> shape = state.type.static_shape();
    const std::optional<std::int64_t> size = shape ? checked_size(*shape) : std::nullopt;
    if (!size) return std::nullopt;
    lanes = std::max(lanes, *size);
  }
  return lanes;
}

Result<Chunking> cut_into_chunks(const ScanOp& scan, const std::vector<ops::Fact>& inputs,
                                 const std::vector<ops::Fact>& captured, std::int64_t rows, bool exact) {
  return Cutting(rows, exact).run(scan, inputs, captured);
}

}  // namespace pawl::scan
