// What stands behind the handles of the C interface, and how its functions begin and end.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstring>
#include <string>
#include <vector>

#include "base/guard.h"
#include "pawl/model.h"
#include "pawl/pawl.h"
#include "pawl/program.h"

struct pawl_error {
  pawl_code code = PAWL_INTERNAL;
  std::string message;
};

struct pawl_text {
  std::string bytes;
};

struct pawl_port {
  pawl::Port port;
  std::string type;
};

struct pawl_model {
  pawl::Model model;
  std::vector<pawl_port> inputs;
  std::vector<pawl_port> outputs;
};

struct pawl_program {
  pawl::Program program;
  std::vector<pawl_port> inputs;
  std::vector<pawl_port> outputs;
};

struct pawl_value {
  pawl::Value value;
};

struct pawl_stop {
  std::atomic<bool> requested{false};
};

namespace pawl::c {

/// The error as a handle; one that says so when there is no memory for it.
pawl_error* to_handle(const Error& error) noexcept;
pawl_error* out_of_memory() noexcept;

/// Runs f, which returns a Result<void>: nothing is thrown beyond this.
template <class F>
pawl_error* attempt(const F& f) noexcept {
  try {
    const Result<void> done = guard(f);
    return done.ok() ? nullptr : to_handle(done.error());
  } catch (...) {  // while the error was put into words
    return out_of_memory();
  }
}

/// Errors: bad_argument, when the pointer of that name is NULL.
template <class T>
Result<void> expect(const T* pointer, const char* name) {
  if (pointer == nullptr) return fail(Code::bad_argument, "{} is NULL", name);
  return {};
}

/// The caller's options in the library's struct. Errors: bad_argument; unsupported, where a newer caller sets what this
/// library does not have.
template <class Options>
Result<Options> read_options(const Options* given, Options otherwise, const char* name) {
  if (given == nullptr) return otherwise;
  const std::size_t size = given->struct_size;
  if (size <= sizeof size)
    return fail(Code::bad_argument, "{}.struct_size is {}: options begin as their initialiser", name, size);
  const auto* bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(Options) &&
      std::any_of(bytes + sizeof(Options), bytes + size, [](unsigned char b) { return b != 0; }))
    return fail(Code::unsupported, "{} has options that this version of the library does not know", name);
  std::memcpy(&otherwise, given, std::min(size, sizeof(Options)));
  otherwise.struct_size = sizeof(Options);
  return otherwise;
}

std::vector<pawl_port> to_handles(const std::vector<Port>& ports);
const pawl_port* port_at(const std::vector<pawl_port>& ports, std::size_t index);

}  // namespace pawl::c
