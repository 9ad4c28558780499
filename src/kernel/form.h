// Affine forms as one writes them: t * C + c - 1.
#pragma once

#include <span>

#include "kernel/program.h"

namespace pawl::kernel {

/// An affine form with like terms put together, in an order of its own, without terms of factor 0.
class Form {
 public:
  Form() = default;
  Form(std::int64_t number) : Form(Affine{{number, {}, {}}}) {}
  Form(Param param) : Form(Affine{{1, param, {}}}) {}
  Form(Counter counter) : Form(Affine{{1, {}, counter}}) {}
  Form(const Affine& terms);

  [[nodiscard]] const Affine& terms() const { return terms_; }

 private:
  Affine terms_;
};

/// Numbers wrap.
Form operator+(const Form& a, const Form& b);
Form operator-(const Form& a, const Form& b);
Form operator-(const Form& a);
/// Of two params, or of two counters, there is no product: InternalError.
Form operator*(const Form& a, const Form& b);

/// The form's value; `params` and `counters` by index.
std::int64_t value_of(const Affine& form, std::span<const std::int64_t> params, std::span<const std::int64_t> counters);

}  // namespace pawl::kernel
