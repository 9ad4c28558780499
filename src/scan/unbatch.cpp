// A Scan of version 8 runs its body for each row of a batch. Where all rows take all steps, it is a Scan of the later
// versions over states and elements that have the batch as their leading axis.
#include <algorithm>

#include "base/try.h"
#include "graph/infer.h"
#include "scan/motion.h"
#include "scan/node_program.h"
#include "scan/pass.h"
#include "scan/scan_builder.h"

namespace pawl::scan {
namespace {

using graph::Graph;
using graph::Node;
using graph::ScanOp;

class Unbatch {
 public:
  Unbatch(Builder& outer, const Node& node, const ScanOp& scan, std::span<const ValueInfo> outputs,
          std::vector<Note>* notes)
      : outer_(outer), node_(node), scan_(scan), body_(*scan.body.graph), outputs_(outputs), notes_(notes) {}

  Rewritten run() {
    if (!is_settled(body_) || !has_one_batch() || !has_one_length() || !takes_all_steps() || !has_steady_states())
      return {std::nullopt};
    const std::vector<bool> all(body_.inputs.size(), true);
    const auto program = scan_program(scan_, all, [](ValueId) { return false; }, batch());
    if (!program || !gives_all_rows(*program)) return {std::nullopt};
    return emit(*program);
  }

 private:
  /// Of state or scan input i.
  [[nodiscard]] ValueId given(std::size_t i) const { return node_.inputs[1 + i]; }
  [[nodiscard]] const Type& type(std::size_t i) const { return outer_.fact(given(i)).type; }
  [[nodiscard]] const Dim& batch() const { return (*type(0).shape)[0]; }
  [[nodiscard]] const Dim& length() const { return (*type(scan_.states).shape)[1]; }

  [[nodiscard]] bool has_one_batch() const {
    for (std::size_t i = 0; i < scan_.states + scan_.elements; ++i) {
      const std::size_t least = i < scan_.states ? 1 : 2;
      if (!type(i).is_tensor() || !type(i).shape || type(i).shape->size() < least) return false;
      if (!(*type(i).shape)[0].same(batch())) return false;
    }
    return true;
  }

  [[nodiscard]] bool has_one_length() const {
    for (std::size_t i = 0; i < scan_.elements; ++i)
      if (!(*type(scan_.states + i).shape)[1].same(length())) return false;
    return true;
  }

  /// No lengths are given, or they are all the length that there is.
  [[nodiscard]] bool takes_all_steps() const {
    if (!node_.inputs[0].valid()) return true;
    const Tensor* lengths = outer_.fact(node_.inputs[0]).tensor();
    if (lengths == nullptr || lengths->dtype() != DType::i64 || !length().known()) return false;
    const Result<Tensor> dense = lengths->to_dense();
    if (!dense.ok() || !batch().known() || dense->size() != batch().value) return false;
    const auto* first = dense->data<std::int64_t>();
    return std::all_of(first, first + dense->size(), [&](std::int64_t each) { return each == length().value; });
  }

  [[nodiscard]] bool has_steady_states() const {
    for (std::size_t i = 0; i < scan_.states; ++i) {
      Type row = type(i);
      row.shape->erase(row.shape->begin());
      if (!graph::implies(body_[body_.outputs[i]].fact.type, row)) return false;
    }
    return true;
  }

  /// Outputs that are the same for all rows are repeated.
  [[nodiscard]] bool gives_all_rows(const ScanProgram& program) const {
    return std::all_of(body_.outputs.begin(), body_.outputs.end(), [&](ValueId id) {
      return body_[id].fact.type.shape &&
             (program.has_rows[id.index] ||
              can_be_repeated(body_[id].fact.type, body_[body_.inputs[0]].fact.type, batch()));
    });
  }

  Rewritten emit(const ScanProgram& program) {
    ScanBuilder made(outer_, body_.name);
    graph::Mapping inside(body_);
    for (std::size_t i = 0; i < body_.inputs.size(); ++i) {
      ValueInfo value;
      value.name = body_[body_.inputs[i]].name;
      value.fact.type = type(i);
      if (i < scan_.states) {
        inside[body_.inputs[i]] = made.add_state(value, given(i));
        continue;
      }
      const std::size_t element = i - scan_.states;
      TRY_ASSIGN(inside[body_.inputs[i]],
                 made.add_element(value, given(i), {scan_.input_axes[element] + 1, scan_.input_reversed[element]}));
    }
    for (const graph::Capture& capture : scan_.body.captures) inside[capture.inner] = made.capture(capture.outer);
    TRY(emit_body(scan_, program, inside, made.body()));
    const ValueId row = inside(body_.inputs[0]);
    for (std::size_t i = 0; i < body_.outputs.size(); ++i) {
      ValueId output = inside(body_.outputs[i]);
      if (!program.has_rows[body_.outputs[i].index]) {
        TRY_ASSIGN(output, repeated(made.body(), output, row, batch(), body_[body_.outputs[i]].name));
      }
      if (i < scan_.states) {
        made.set_next(i, output);
        made.set_final(i, outputs_[i]);
      } else {
        const std::size_t k = i - scan_.states;
        made.add_output(output, outputs_[i], {scan_.output_axes[k] + 1, scan_.output_reversed[k]});
      }
    }
    if (notes_ != nullptr)
      notes_->push_back({node_.label, "raised", "Scan", "version 8: the batch is an axis of the body"});
    TRY_ASSIGN(std::vector<ValueId> results, made.finish(node_.name, node_.label));
    return {std::move(results)};
  }

  Builder& outer_;
  const Node& node_;
  const ScanOp& scan_;
  const Graph& body_;
  std::span<const ValueInfo> outputs_;
  std::vector<Note>* notes_;
};

}  // namespace

Rewritten unbatch_scan(Builder& outer, const Node& node, const ScanOp& scan, std::span<const ValueInfo> outputs,
                       std::vector<Note>* notes) {
  return Unbatch(outer, node, scan, outputs, notes).run();
}

}  // namespace pawl::scan
