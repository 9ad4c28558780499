#include "backend/wgsl/lane_function.h"

#include <algorithm>
#include <map>

#include "base/try.h"
#include "expr/types.h"
#include "kernel/step_plan.h"

namespace pawl::wgsl {
namespace {

using kernel::Indices;
using kernel::StepGraph;
using kernel::StepId;
using kernel::StepValue;

/// Scalar operations into statements. The first one that has no shader is kept.
class StatementEmitter final : public expr::Emitter {
 public:
  explicit StatementEmitter(Statements& out) : out_(out) {}

  expr::Value constant(DType dtype, double value) override { return add({literal(dtype, value), dtype}); }
  expr::Value apply(expr::Op op, std::span<const expr::Value> operands, DType to) override {
    std::vector<Term> terms;
    std::vector<DType> types;
    for (const expr::Value each : operands) {
      terms.push_back(terms_[each.index]);
      types.push_back(terms.back().dtype);
    }
    // 16-bit floats are f32 that was rounded.
    if (op == expr::Op::cast && (to == DType::f16 || types[0] == DType::f16)) return halves(terms[0], to);
    const DType result = expr::result_type(op, types, to);
    Result<Term> made = out_.compute(out_.fresh(), op, terms, to, result);
    if (made.ok()) return add(std::move(made).value());
    if (!lacking_) lacking_ = made.error();
    return add({literal(result, 0), result});
  }
  [[nodiscard]] DType type_of(expr::Value value) const override { return terms_[value.index].dtype; }

  expr::Value add(Term term) {
    terms_.push_back(std::move(term));
    return {static_cast<std::uint32_t>(terms_.size() - 1)};
  }
  [[nodiscard]] const Term& term(expr::Value value) const { return terms_[value.index]; }
  [[nodiscard]] const std::optional<Error>& lacking() const { return lacking_; }

 private:
  expr::Value halves(const Term& value, DType to) {
    const std::string made = out_.fresh();
    out_.line("let {} = {}({});", made, type_word(to), value.text);
    return add({made, to});
  }

  Statements& out_;
  std::vector<Term> terms_;
  std::optional<Error> lacking_;
};

class Writer {
 public:
  Writer(const StepGraph& graph, const Dims& lanes, const ReadSource& read, Statements& out)
      : graph_(graph), lanes_(lanes), read_(read), emit_(out) {}

  Result<Term> output(StepId id) {
    const Dims& shape = graph_[id].shape;
    if (shape.size() > lanes_.size()) return fail(Code::unsupported, "{} has more axes than states", graph_[id].name);
    Indices all = kernel::identity(lanes_);
    all.erase(all.begin(), all.end() - static_cast<std::ptrdiff_t>(shape.size()));
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
      const std::int64_t extent = lanes_[lanes_.size() - shape.size() + axis];
      if (shape[axis] != 1 && shape[axis] != extent)
        return fail(Code::unsupported, "{} has other extents than states", graph_[id].name);
      if (shape[axis] == 1) all[axis] = {};
    }
    TRY_ASSIGN(const expr::Value made, pull(id, all));
    if (emit_.lacking()) return *emit_.lacking();
    return emit_.term(made);
  }

 private:
  Result<expr::Value> pull(StepId id, const Indices& indices) {
    const auto key = std::pair(id, indices);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
    TRY_ASSIGN(const expr::Value made, make(id, indices));
    known_.emplace(key, made);
    return made;
  }

  Result<expr::Value> make(StepId id, const Indices& indices) {
    const StepValue& value = graph_[id];
    switch (value.kind) {
      case StepValue::Kind::source: return source(value, indices);
      case StepValue::Kind::view: {
        const StepId operand = value.operands[0];
        if (!value.is_reshape) return pull(operand, kernel::operand_indices(graph_, value, operand, indices));
        if (graph_[operand].shape != value.shape) break;
        return pull(operand, indices);
      }
      case StepValue::Kind::lane: {
        std::vector<expr::Value> operands;
        for (const StepId operand : value.operands) {
          TRY_ASSIGN(const expr::Value each, pull(operand, kernel::operand_indices(graph_, value, operand, indices)));
          operands.push_back(each);
        }
        const std::optional<expr::Value> made = value.lane(emit_, operands);
        if (!made) return fail(Code::unsupported, "{} has no form in kernels", value.name);
        return *made;
      }
      default: break;
    }
    return fail(Code::unsupported, "a lane of {} needs others", value.name);
  }

  Result<expr::Value> source(const StepValue& value, const Indices& indices) {
    if (value.number) return emit_.constant(expr::computed_type(value.dtype), *value.number);
    if (indices.size() > lanes_.size()) return fail(Code::unsupported, "{} has more axes than states", value.name);
    const std::size_t first = lanes_.size() - indices.size();
    for (std::size_t axis = 0; axis < indices.size(); ++axis) {
      const bool is_own = indices[axis].offset == 0 && indices[axis].terms.size() == 1 &&
                          indices[axis].terms[0].factor == 1 && indices[axis].terms[0].axis == first + axis &&
                          value.shape[axis] == lanes_[first + axis];
      const bool is_single = value.shape[axis] == 1 && indices[axis].offset == 0;
      if (!is_own && !is_single) return fail(Code::unsupported, "a lane needs others' {}", value.name);
    }
    TRY_ASSIGN(Term term, read_(value));
    return emit_.add(std::move(term));
  }

  const StepGraph& graph_;
  const Dims& lanes_;
  const ReadSource& read_;
  StatementEmitter emit_;
  std::map<std::pair<StepId, Indices>, expr::Value> known_;
};

}  // namespace

Result<std::vector<Term>> write_lane(const graph::ScanOp& scan, const std::vector<bool>& wanted, const Dims& lanes,
                                     const ReadSource& read, Statements& out) {
  std::vector<ops::Fact> facts;
  for (const graph::ValueInfo& value : scan.body.graph->values) facts.push_back(value.fact);
  const kernel::StepGraphResult made = kernel::make_step_graph(scan, facts, wanted, false);
  if (!made.graph) return fail(Code::unsupported, "{}", made.refusal);
  Writer writer(*made.graph, lanes, read, out);
  std::vector<Term> terms(wanted.size());
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (wanted[i]) {
      TRY_ASSIGN(terms[i], writer.output(made.graph->outputs[i]));
    }
  return terms;
}

}  // namespace pawl::wgsl
