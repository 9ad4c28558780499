// The .case files of tests/cases: a model in text syntax, its inputs, and what must come out.
//
//   === title
//   # a comment, where the expected values come from
//   --- model
//   <ir_version: 8, opset_import: ["" : 11]> g (float[2] x) => (float[2] y) { y = Neg(x) }
//   --- input
//   x = [1, 2]
//   --- output
//   y = [-1, -2]
// The model may be in a file of its own: --- model "PATH", from the folder of the case.
//
// A file holds one or more cases. A case may have several pairs of input and output. In the place of an output,
// `--- error bad_shape "words"` says how the run must fail; without an input, how the model must be refused. Also:
// `--- warning "words"`, `--- expect …` (evals, optimized, class, plan, …: see Case), `--- dims`, and `--- tolerance
// rtol=1e-3 atol=1e-3`.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pawl/error.h"
#include "tensor/compare.h"

namespace pawl::tests {

/// The lines below a section's head.
struct Section {
  std::string text;
  int line = 0;  ///< where the head stands, from 1
};

/// A failure that must come: its code, and words that its message must have.
struct ExpectedError {
  Code code = Code::internal;
  std::vector<std::string> words;
};

/// One run of a model: it gives the outputs, or the error.
struct CaseRun {
  Section inputs;
  Section outputs;
  std::optional<ExpectedError> error;
};

struct Case {
  std::string title;
  int line = 0;
  Section model;
  std::string model_file;  ///< `--- model "PATH"`, from the case's folder; whoever reads the case fills `model`
  std::vector<CaseRun> runs;
  std::optional<ExpectedError> refusal;  ///< the model must not load; there are no runs
  std::vector<std::string> warnings;     ///< words that the model's warnings must have
  Tolerance tolerance;
  /// `--- expect evals { MatMul: 1  Add: 3 }`: how often operators are evaluated in the last run before it.
  std::vector<std::pair<std::string, std::int64_t>> evaluations;
  /// `--- expect optimized { CumSum: 1  Scan: 0 }`: how many nodes of an operator `optimize` leaves, in bodies too.
  std::vector<std::pair<std::string, std::int64_t>> optimized;
  /// `--- expect parallel_scan { Scan: 0 }`: the same with chains in place of loops, for the extents of the last run.
  std::vector<std::pair<std::string, std::int64_t>> parallel_scan;
  /// `--- expect class affine sum`: the classes of all components of all Scans, in order.
  std::vector<std::string> classes;
  /// `--- expect plan fused_loop`: the strategy of each Scan, in order.
  std::vector<std::string> plans;
  /// `--- expect explain "words"`: what `explain` says in words.
  std::vector<std::string> explanations;
  /// `--- expect kernel "one kernel"`: words about each Scan that is run, in the order of their labels.
  std::vector<std::string> kernels;
  /// `--- dims T=4096 C=64`: numbers for symbols that classes, plans and refusals are expected for.
  std::vector<std::pair<std::string, std::int64_t>> dims;
  /// `--- expect refusal chunked_scan "words"`: why a strategy, or a class ("class"), is not for the first Scan.
  std::vector<std::pair<std::string, std::string>> refusals;
};

/// Errors: bad_file, naming the line: no case at all, an unknown section, a section missing or too many.
Result<std::vector<Case>> parse_case_file(std::string_view text);

}  // namespace pawl::tests
