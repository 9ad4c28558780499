// What can run a case: pawl, ONNX Runtime, a hand-written kernel, and a copy of as many bytes.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "case.h"
#include "ort.h"
#include "pawl/program.h"
#include "team.h"

namespace pawl::bench {

struct Candidate {
  std::string name;
  std::function<Result<void>()> run;
  std::function<std::vector<NamedTensor>()> results;  ///< of the last run; empty when there are none to look at
  std::function<std::vector<std::string>()> plan;     ///< how it goes about it, in lines; may be empty
};

/// Errors: those of Model::load and Program::compile.
Result<Candidate> pawl_candidate(const Case& c, const std::string& name, Kernels kernels, int threads);
/// Errors: unsupported, in ONNX Runtime's words.
Result<Candidate> ort_candidate(const Case& c, const std::string& name, const OnnxRuntime& runtime,
                                const std::filesystem::path& model, int threads);
/// Whether there is a hand-written kernel: they know float32, forward, time on the first axis.
bool can_by_hand(const Case& c);
/// The case and the team outlive it. Errors: unsupported (there is no kernel), limit.
Result<Candidate> hand_candidate(const Case& c, Team& team);
/// Reads and writes as many bytes as the case has in all, past the caches where the kernels would. Errors: limit.
Result<Candidate> copy_candidate(const Case& c, Team& team);

}  // namespace pawl::bench
