// Handles of the C interface that free themselves, and what most tests of it begin with.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "pawl/pawl.h"

template <class T, void (*Free)(T*)>
struct Freeing {
  void operator()(T* handle) const { Free(handle); }
};

using ModelHandle = std::unique_ptr<pawl_model, Freeing<pawl_model, pawl_model_free>>;
using ProgramHandle = std::unique_ptr<pawl_program, Freeing<pawl_program, pawl_program_free>>;
using ValueHandle = std::unique_ptr<pawl_value, Freeing<pawl_value, pawl_value_free>>;
using TextHandle = std::unique_ptr<pawl_text, Freeing<pawl_text, pawl_text_free>>;
using StopHandle = std::unique_ptr<pawl_stop, Freeing<pawl_stop, pawl_stop_free>>;

inline constexpr const char* kPrefixSum = R"(<ir_version: 8, opset_import: ["" : 17]>
prefix_sum (float[C] start, float[T, C] x) => (float[C] total, float[T, C] sums) {
  total, sums = Scan <num_scan_inputs = 1,
    body = step (float[C] s, float[C] v) => (float[C] next, float[C] sum) { next = Add(s, v)  sum = Identity(next) }> (start, x)
})";

/// What a call did: the code's name, or "done"; and the message.
struct Outcome {
  std::string code = "done";
  std::string message;
};

inline Outcome outcome(pawl_error* error) {
  if (error == nullptr) return {};
  Outcome result{pawl_code_name(pawl_error_code(error)), pawl_error_message(error)};
  pawl_error_free(error);
  return result;
}

inline void PrintTo(const Outcome& result, std::ostream* out) { *out << result.code << ": " << result.message; }

#define EXPECT_DONE(call)                         \
  do {                                            \
    const Outcome said = outcome(call);           \
    EXPECT_EQ(said.code, "done") << said.message; \
  } while (false)
#define EXPECT_FAILS(call, wanted_code, words)                              \
  do {                                                                      \
    const Outcome said = outcome(call);                                     \
    EXPECT_EQ(said.code, wanted_code) << said.message;                      \
    EXPECT_NE(said.message.find(words), std::string::npos) << said.message; \
  } while (false)

inline ModelHandle model_of(const std::string& text) {
  pawl_model* model = nullptr;
  EXPECT_DONE(pawl_model_from_text(text.data(), text.size(), nullptr, &model));
  return ModelHandle(model);
}

inline ProgramHandle program_of(const std::string& text, const pawl_compile_options* options = nullptr) {
  const ModelHandle model = model_of(text);
  pawl_program* program = nullptr;
  EXPECT_DONE(pawl_program_compile(model.get(), options, &program));
  return ProgramHandle(program);
}

/// A tensor with numbers of its own.
template <class T>
ValueHandle tensor_of(pawl_dtype dtype, const std::vector<int64_t>& shape, const std::vector<T>& numbers) {
  pawl_value* value = nullptr;
  EXPECT_DONE(pawl_value_allocate(dtype, shape.size(), shape.data(), &value));
  std::copy(numbers.begin(), numbers.end(), static_cast<T*>(pawl_value_mutable_data(value)));
  return ValueHandle(value);
}

inline ValueHandle floats(const std::vector<int64_t>& shape, const std::vector<float>& numbers) {
  return tensor_of<float>(PAWL_FLOAT, shape, numbers);
}

inline std::vector<float> list(const pawl_value* value) {
  const auto* data = static_cast<const float*>(pawl_value_data(value));
  return {data, data + pawl_value_size(value)};
}

/// Runs with as many outputs as there are; what was made is kept in `outputs`.
inline Outcome run(const pawl_program* program, const std::vector<const pawl_value*>& inputs,
                   std::vector<ValueHandle>& outputs, const pawl_run_options* options = nullptr) {
  // What is there before counts for nothing.
  std::vector<pawl_value*> results(pawl_program_output_count(program), reinterpret_cast<pawl_value*>(8));
  const Outcome result =
      outcome(pawl_program_run(program, inputs.data(), inputs.size(), options, results.data(), results.size()));
  outputs.clear();
  for (pawl_value* value : results) outputs.emplace_back(value);
  return result;
}
