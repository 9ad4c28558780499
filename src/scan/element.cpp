// What no state reaches is computed for all steps at once, before the loop: a product of each element with a weight
// becomes one product of all of them.
#include <algorithm>
#include <cmath>

#include "base/try.h"
#include "scan/over_time.h"
#include "scan/pass.h"
#include "scan/policy.h"
#include "scan/remake.h"

namespace pawl::scan {
namespace {

/// Nodes that can be computed for all steps at once, and those of them that are.
class Hoist {
 public:
  explicit Hoist(const Site& site)
      : site_(site),
        dependence_(site.scan),
        all_(site, dependence_),
        needed_(graph::values_behind(site.body, site.body.outputs)),
        producer_(site.body.values.size(), kNone),
        programs_(site.body.nodes.size()),
        chosen_(site.body.nodes.size(), false) {}

  Rewritten run() {
    if (!agree_on_length(site_)) return {std::nullopt};
    find_programs();
    for (std::size_t n = 0; n < programs_.size(); ++n)
      if (programs_[n] && pays(n)) choose(n);
    const bool any =
        std::any_of(chosen_.begin(), chosen_.end(), [](bool flag) { return flag; }) || passes_elements_through();
    if (!any) return {std::nullopt};
    return rewrite();
  }

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

  [[nodiscard]] bool is_element(ValueId id) const { return dependence_.on_element(id) && !dependence_.on_state(id); }
  /// An element, or a value that a program makes.
  [[nodiscard]] bool is_able(ValueId id) const {
    return all_.has(id) || (producer_[id.index] != kNone && programs_[producer_[id.index]].has_value());
  }

  void find_programs() {
    const auto& nodes = site_.body.nodes;
    for (std::size_t n = 0; n < nodes.size(); ++n) {
      bool able = std::any_of(nodes[n].outputs.begin(), nodes[n].outputs.end(),
                              [&](ValueId id) { return id.valid() && needed_[id.index]; });
      for_each_read(nodes[n],
                    [&](ValueId id) { able = able && (dependence_.invariant(id) || (is_element(id) && is_able(id))); });
      if (!able) continue;
      programs_[n] = all_.program(nodes[n], [&](ValueId id) { return dependence_.on_element(id); });
      for (const ValueId id : nodes[n].outputs)
        if (id.valid()) producer_[id.index] = n;
    }
  }

  /// The outputs' elements, in units of the largest input that differs from step to step; with `and_written`, or of the
  /// largest scan output.
  [[nodiscard]] double growth(const graph::Node& node, bool and_written = false) const {
    std::vector<const Type*> bases;
    for_each_read(node, [&](ValueId id) {
      if (dependence_.on_element(id)) bases.push_back(&site_.body[id].fact.type);
    });
    for (std::size_t k = 0; and_written && k < site_.scan.outputs; ++k)
      if (!site_.outputs[site_.scan.states + k].name.empty()) bases.push_back(&site_.body[site_.output(k)].fact.type);
    double grown = 0;
    for (const ValueId id : node.outputs) {
      if (!id.valid() || !needed_[id.index]) continue;
      double least = std::numeric_limits<double>::infinity();
      for (const Type* base : bases) least = std::min(least, times_as_large(site_.body[id].fact.type, *base));
      grown += least;
    }
    return grown;
  }

  /// For its own sake. Where the growth is not known, only a policy without a limit says yes.
  [[nodiscard]] bool pays(std::size_t n) const {
    const graph::Node& node = site_.body.nodes[n];
    const double most = most_growth(node);
    return most > 0 && (growth(node) <= most || is_small_without_states(node)) && inputs_pay(node);
  }

  /// Where no state holds the loop together, all of it may go, if it is not much larger than what is read or written.
  [[nodiscard]] bool is_small_without_states(const graph::Node& node) const {
    return site_.scan.states == 0 && growth(node, true) <= growth_without_states(site_.runner);
  }

  [[nodiscard]] double most_growth(const graph::Node& node) const {
    const auto* call = std::get_if<graph::OpCall>(&node.operation);
    if (call == nullptr && !stays_narrow(site_.body, node)) return 0;
    // Where no state is left, the loop around the loop goes.
    if (call == nullptr && site_.scan.states == 0) return std::numeric_limits<double>::infinity();
    if (call == nullptr) return limit(policy_for_loop(), site_.runner);
    const bool with_weights = std::any_of(node.inputs.begin(), node.inputs.end(),
                                          [&](ValueId id) { return id.valid() && dependence_.invariant(id); });
    return limit(policy_for(*call->def, with_weights), site_.runner);
  }

  /// A node's inputs move with it; none of them may be larger than what it is made of, or, before a loop, than what the
  /// loop reads and writes anyway.
  [[nodiscard]] bool inputs_pay(const graph::Node& node) const {
    const double room = std::holds_alternative<graph::OpCall>(node.operation) ? 0 : largest_around(node);
    std::vector<bool> seen(site_.body.nodes.size(), false);
    std::vector<const graph::Node*> open{&node};
    bool pay = true;
    while (pay && !open.empty()) {
      const graph::Node& each = *open.back();
      open.pop_back();
      for_each_read(each, [&](ValueId id) {
        const std::size_t maker = producer_[id.index];
        if (maker == kNone || chosen_[maker] || seen[maker]) return;
        seen[maker] = true;
        const graph::Node& input = site_.body.nodes[maker];
        pay = pay && (growth(input) <= 1 || is_small_without_states(input) ||
                      elements_in(site_.body[id].fact.type).value_or(room + 1) <= room);
        open.push_back(&input);
      });
    }
    return pay;
  }

  /// The elements of the largest element that a node reads, or output that it makes.
  [[nodiscard]] double largest_around(const graph::Node& node) const {
    double largest = 0;
    const auto see = [&](ValueId id) {
      largest = std::max(largest, elements_in(site_.body[id].fact.type).value_or(0));
    };
    for_each_read(node, [&](ValueId id) {
      if (all_.has(id)) see(id);
    });
    for (const ValueId id : node.outputs)
      if (id.valid()) see(id);
    return largest;
  }

  void choose(std::size_t n) {
    std::vector<std::size_t> open{n};
    while (!open.empty()) {
      const std::size_t each = open.back();
      open.pop_back();
      if (chosen_[each]) continue;
      chosen_[each] = true;
      for_each_read(site_.body.nodes[each], [&](ValueId id) {
        if (producer_[id.index] != kNone) open.push_back(producer_[id.index]);
      });
    }
  }

  /// A scan output that is an element, for which no loop is needed.
  [[nodiscard]] bool passes_elements_through() const {
    for (std::size_t k = 0; k < site_.scan.outputs; ++k)
      if (!site_.outputs[site_.scan.states + k].name.empty() && all_.has(site_.output(k))) return true;
    return false;
  }

  Rewritten rewrite() {
    std::vector<ValueId> hoisted;
    for (std::size_t n = 0; n < chosen_.size(); ++n) {
      if (!chosen_[n]) continue;
      const graph::Node& node = site_.body.nodes[n];
      std::optional<bool> order;
      for_each_read(node, [&](ValueId id) {
        if (!order && dependence_.on_element(id)) order = all_.order_of(id);
      });
      const bool reversed = order.value_or(false);
      TRY(all_.emit(node, *programs_[n], reversed));
      if (std::string product = product_of(node); !product.empty())
        site_.note_product(node.label, "one GEMM of " + product, product);
      else
        site_.note("hoisted", node.label, "for all steps at once: " + result_of(node));
      for (const ValueId id : node.outputs)
        if (id.valid()) hoisted.push_back(id);
    }
    return finish(hoisted);
  }

  /// "512x160x640", of a product of elements with one weight matrix: rows of all steps, inner extent, columns.
  [[nodiscard]] std::string product_of(const graph::Node& node) {
    const auto* call = std::get_if<graph::OpCall>(&node.operation);
    if (call == nullptr || call->def->axes.kind != ops::AxisKind::contracted || node.inputs.size() < 2) return {};
    const std::size_t side = dependence_.on_element(node.inputs[0]) ? 0 : 1;
    const Type& weight = site_.body[node.inputs[1 - side]].fact.type;
    if (dependence_.on_element(node.inputs[1 - side]) || !weight.shape || weight.shape->size() != 2) return {};
    const std::optional<Dims> a = site_.body[node.inputs[side]].fact.type.static_shape();
    const std::optional<Dims> b = weight.static_shape();
    const std::optional<Dims> c = site_.body[node.outputs[0]].fact.type.static_shape();
    if (!a || !b || !c) return {};
    const auto count = [](const Dims& dims) {
      double product = 1;
      for (const std::int64_t extent : dims) product *= static_cast<double>(extent);
      return product;
    };
    if (count(*a) == 0 || count(*b) == 0 || count(*c) == 0) return {};
    // (m k)(k n) / (m n) = k^2
    const double inner = std::round(std::sqrt(count(*a) * count(*b) / count(*c)));
    const double rows = count(*a) / inner;
    const Dim trips = site_.trips();
    const std::string all = trips.known()          ? fmt::format("{:.0f}", rows * static_cast<double>(trips.value))
                            : trips.symbol.empty() ? "?"
                            : rows == 1            ? trips.symbol
                                                   : fmt::format("{:.0f}{}", rows, trips.symbol);
    return fmt::format("{}x{:.0f}x{:.0f}", all, inner, count(*b) / inner);
  }

  /// "[T,16] float"
  [[nodiscard]] std::string result_of(const graph::Node& node) {
    for (const ValueId id : node.outputs)
      if (id.valid() && all_.has(id)) return to_string(site_.outer.fact(all_.outside(id)).type);
    return {};
  }

  Rewritten finish(const std::vector<ValueId>& hoisted) {
    const graph::ScanOp& scan = site_.scan;
    std::vector<ValueId> results(site_.outputs.size());
    std::vector<bool> keeps(scan.outputs, false);
    bool empty = scan.states == 0;
    for (std::size_t k = 0; k < scan.outputs; ++k) {
      const std::string& name = site_.outputs[scan.states + k].name;
      if (name.empty()) continue;
      const ValueId id = site_.output(k);
      keeps[k] = !all_.has(id);
      empty = empty && !keeps[k];
      if (keeps[k]) continue;
      const bool reversed = all_.order_of(id);
      TRY_ASSIGN(const ValueId stacked, all_.get(id, reversed));
      TRY_ASSIGN(results[scan.states + k], all_.as_output({stacked, reversed}, k, name));
    }
    if (empty) return {std::move(results)};
    Remake made(site_, std::vector<bool>(scan.states, true), keeps);
    const std::vector<bool> read = read_by_rest(keeps);
    for (const ValueId id : hoisted) {
      if (!read[id.index]) continue;
      const bool reversed = all_.order_of(id);
      TRY_ASSIGN(const ValueId stacked, all_.get(id, reversed));
      TRY_ASSIGN(made.mapping()[id], made.scan().add_element(site_.body[id], stacked, {0, reversed}));
    }
    TRY_ASSIGN(const std::vector<ValueId> kept, made.finish());
    for (std::size_t i = 0; i < kept.size(); ++i)
      if (kept[i].valid()) results[i] = kept[i];
    return {std::move(results)};
  }

  /// By value: what the nodes that stay in the loop, the next states and the kept outputs read.
  [[nodiscard]] std::vector<bool> read_by_rest(const std::vector<bool>& keeps) const {
    std::vector<bool> read(site_.body.values.size(), false);
    for (std::size_t i = 0; i < site_.scan.states; ++i) read[site_.next(i).index] = true;
    for (std::size_t k = 0; k < keeps.size(); ++k)
      if (keeps[k]) read[site_.output(k).index] = true;
    for (std::size_t n = site_.body.nodes.size(); n-- > 0;) {
      const graph::Node& node = site_.body.nodes[n];
      if (chosen_[n]) continue;
      if (std::any_of(node.outputs.begin(), node.outputs.end(),
                      [&](ValueId id) { return id.valid() && read[id.index]; }))
        for_each_read(node, [&](ValueId id) { read[id.index] = true; });
    }
    return read;
  }

  const Site& site_;
  const Dependence dependence_;
  OverTime all_;
  const std::vector<bool> needed_;
  std::vector<std::size_t> producer_;                 ///< by value: the able node that makes it
  std::vector<std::optional<NodeProgram>> programs_;  ///< by node
  std::vector<bool> chosen_;                          ///< by node
};

}  // namespace

Rewritten move_elements(const Site& site) { return Hoist(site).run(); }

}  // namespace pawl::scan
