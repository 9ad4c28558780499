#include "kernel/form.h"

#include <algorithm>

namespace pawl::kernel {
namespace {

std::int64_t wrapped_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}
std::int64_t wrapped_product(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b));
}

/// Strides first, the number last.
bool comes_before(const Term& a, const Term& b) {
  if (a.param != b.param) return a.param.index < b.param.index;
  return a.counter.index < b.counter.index;
}

Term product(const Term& a, const Term& b) {
  CHECK(!a.param.valid() || !b.param.valid());
  CHECK(!a.counter.valid() || !b.counter.valid());
  return {wrapped_product(a.factor, b.factor), a.param.valid() ? a.param : b.param,
          a.counter.valid() ? a.counter : b.counter};
}

}  // namespace

Form::Form(const Affine& terms) {
  Affine sorted = terms;
  std::sort(sorted.begin(), sorted.end(), comes_before);
  for (const Term& term : sorted) {
    if (!terms_.empty() && !comes_before(terms_.back(), term))
      terms_.back().factor = wrapped_sum(terms_.back().factor, term.factor);
    else
      terms_.push_back(term);
  }
  std::erase_if(terms_, [](const Term& term) { return term.factor == 0; });
}

Form operator+(const Form& a, const Form& b) {
  Affine terms = a.terms();
  terms.insert(terms.end(), b.terms().begin(), b.terms().end());
  return Form(terms);
}

Form operator-(const Form& a) { return Form(-1) * a; }

Form operator-(const Form& a, const Form& b) { return a + -b; }

Form operator*(const Form& a, const Form& b) {
  Affine terms;
  for (const Term& x : a.terms())
    for (const Term& y : b.terms()) terms.push_back(product(x, y));
  return Form(terms);
}

std::int64_t value_of(const Affine& form, std::span<const std::int64_t> params,
                      std::span<const std::int64_t> counters) {
  std::int64_t sum = 0;
  for (const Term& term : form) {
    std::int64_t value = term.factor;
    if (term.param.valid()) value = wrapped_product(value, params[term.param.index]);
    if (term.counter.valid()) value = wrapped_product(value, counters[term.counter.index]);
    sum = wrapped_sum(sum, value);
  }
  return sum;
}

}  // namespace pawl::kernel
