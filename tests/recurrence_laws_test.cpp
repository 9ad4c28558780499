// The laws of every recurrence class, over every type that it claims, on random and extreme values, ties and NaN.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "backend/reference/evaluate.h"
#include "base/try.h"
#include "graph/builder.h"
#include "ops/convert.h"
#include "scan/recurrence.h"
#include "scan/recurrences/types.h"
#include "tensor/compare.h"

namespace pawl::scan {
namespace {

using graph::Builder;
using Values = std::vector<Tensor>;

constexpr std::int64_t kSide = 8;
constexpr std::int64_t kLanes = kSide * kSide;

/// Numbers of that type: small ones, which tie often, or extreme ones.
Tensor random_values(DType dtype, std::mt19937& random, bool extreme) {
  std::vector<double> values(static_cast<std::size_t>(kLanes));
  std::uniform_int_distribution<int> small(-3, 3);
  std::uniform_int_distribution<int> pick(0, 9);
  for (double& value : values) {
    value = small(random) * (is_real(dtype) ? 0.5 : 1.0);
    if (dtype == DType::boolean) value = value > 0 ? 1 : 0;
    if (!extreme || dtype == DType::boolean) continue;
    const int which = pick(random);
    if (is_real(dtype)) {
      constexpr double kInf = std::numeric_limits<double>::infinity();
      const double choices[] = {kInf, -kInf, std::numeric_limits<double>::quiet_NaN(), -0.0, 0.0};
      if (which < 5) value = choices[which];
    } else if (which < 3) {
      // Wraps to the type's limits and near them.
      value = which == 0 ? 127 : which == 1 ? -128 : 32767;
    }
  }
  return *ops::convert(Tensor::of<double>({kLanes}, std::span<const double>(values)), dtype);
}

/// Evaluates what `emit` makes of inputs.
template <class Emit>
Values evaluate(const std::vector<Values>& tuples, Emit emit) {
  Builder builder("law");
  std::vector<Tuple> inputs;
  std::vector<Value> given;
  for (const Values& tuple : tuples) {
    Tuple ids;
    for (const Tensor& tensor : tuple) {
      ids.push_back(builder.add_input({"x", {Type::tensor(tensor.dtype(), tensor.shape()), std::nullopt}, {}}));
      given.emplace_back(tensor);
    }
    inputs.push_back(ids);
  }
  const Result<Tuple> made = emit(builder, inputs);
  EXPECT_TRUE(made.ok()) << made.error().to_string();
  const graph::Graph graph = builder.finish(*made);
  const auto prepared = reference::prepare(graph);
  const auto results = reference::evaluate(**prepared, given, {});
  EXPECT_TRUE(results.ok()) << results.error().to_string();
  Values values;
  for (const Value& value : *results) values.push_back(value.tensor());
  return values;
}

/// A constant of one element stands for any shape.
Tensor in_all_lanes(const Tensor& tensor) {
  if (tensor.rank() > 0) return tensor;
  return tensor.view({kLanes}, {0});
}

class Laws {
 public:
  Laws(const Recurrence& recurrence, DType dtype, std::size_t states, std::uint32_t seed)
      : law_(recurrence), dtype_(dtype), states_(states), random_(seed) {}

  void check(bool extreme) {
    const std::size_t width = law_.width(states_);
    Values s;
    for (std::size_t i = 0; i < states_; ++i) s.push_back(whole(random_values(dtype_, random_, extreme)));
    const auto combine = law_.combine;
    const auto act = law_.act;
    const auto element = [&] {
      Values values;
      for (std::size_t i = 0; i < width; ++i) values.push_back(part(i, extreme));
      return normal(std::move(values), s);
    };
    const Values p = element();
    const Values q = element();
    const Values r = element();
    expect_same("associative",
                evaluate({p, q, r},
                         [&](Builder& to, const std::vector<Tuple>& in) -> Result<Tuple> {
                           TRY_ASSIGN(const Tuple qr, combine(to, in[1], in[2]));
                           return combine(to, in[0], qr);
                         }),
                evaluate({p, q, r}, [&](Builder& to, const std::vector<Tuple>& in) -> Result<Tuple> {
                  TRY_ASSIGN(const Tuple pq, combine(to, in[0], in[1]));
                  return combine(to, pq, in[2]);
                }));
    expect_same("act after act",
                evaluate({p, q, s},
                         [&](Builder& to, const std::vector<Tuple>& in) -> Result<Tuple> {
                           TRY_ASSIGN(const Tuple once, act(to, in[0], in[2]));
                           return act(to, in[1], once);
                         }),
                evaluate({p, q, s}, [&](Builder& to, const std::vector<Tuple>& in) -> Result<Tuple> {
                  TRY_ASSIGN(const Tuple pq, combine(to, in[0], in[1]));
                  return act(to, pq, in[2]);
                }));
    if (law_.commutative) {
      const auto two = [&](std::size_t first) {
        return evaluate({p, q}, [&, first](Builder& to, const std::vector<Tuple>& in) {
          return combine(to, in[first], in[1 - first]);
        });
      };
      expect_same("commutative", two(0), two(1));
    }
    if (law_.identity == nullptr && law_.unchanged == nullptr) return;
    const auto one = [&](Builder& to, const Tuple& beside) { return unchanged(law_, to, beside, types()); };
    expect_same_step("unchanged first", p, s,
                     evaluate({p}, [&](Builder& to, const std::vector<Tuple>& in) -> Result<Tuple> {
                       TRY_ASSIGN(const Tuple still, one(to, in[0]));
                       return combine(to, still, in[0]);
                     }));
    expect_same_step("unchanged last", p, s,
                     evaluate({p}, [&](Builder& to, const std::vector<Tuple>& in) -> Result<Tuple> {
                       TRY_ASSIGN(const Tuple still, one(to, in[0]));
                       return combine(to, in[0], still);
                     }));
    expect_same("unchanged acts", s, evaluate({p, s}, [&](Builder& to, const std::vector<Tuple>& in) -> Result<Tuple> {
                  TRY_ASSIGN(const Tuple still, one(to, in[0]));
                  return act(to, still, in[1]);
                }));
  }

 private:
  /// The class between resets, or the class itself.
  [[nodiscard]] const Recurrence& base() const { return law_.between != nullptr ? *law_.between : law_; }
  [[nodiscard]] std::vector<DType> types() const { return std::vector<DType>(states_, dtype_); }
  /// Parts before those of the base: whether the state starts anew, and as what.
  [[nodiscard]] std::size_t leading() const { return law_.between != nullptr ? 1 + states_ : 0; }

  [[nodiscard]] Tensor whole(const Tensor& values) const {
    return law_.multiplies_matrices ? values.reshaped({kSide, kSide}) : values;
  }
  /// Part i of an element.
  Tensor part(std::size_t i, bool extreme) {
    if (i == 0 && (law_.between != nullptr || &law_ == &kReset)) {
      const Tensor flags = random_values(DType::boolean, random_, false);
      // A state that is multiplied starts anew as a whole.
      return law_.multiplies_matrices ? flags.view({1, 1}, {1, 1}) : flags;
    }
    const Tensor values = whole(random_values(dtype_, random_, extreme));
    if (&law_ == &kDelayLine || &law_ == &kDelayLineFromFront) {
      if (i == 1) return Tensor::of<std::int64_t>({1}, {kLanes});
      return values.view({std::uniform_int_distribution<std::int64_t>(1, kLanes)(random_)}, {1});
    }
    // A decay is a column, and so is what a step of the delta rule reads and writes.
    const std::size_t own = i - leading();
    if (&base() == &kDelta && i >= leading() && own < 3) return columns(values, own == 0 ? 1 : 2);
    return values;
  }

  static double largest(const Tensor& tensor) {
    const Tensor values = *ops::convert(tensor, DType::f64);
    double most = 0;
    for (std::int64_t i = 0; i < values.size(); ++i) most = std::max(most, std::abs(values.data<double>()[i]));
    return most;
  }
  static Tensor columns(const Tensor& matrix, std::int64_t count) { return matrix.view({kSide, count}, {kSide, 1}); }

  /// A step whose parts fit each other, as those of real steps do (a lower bound is not above the upper one).
  Values normal(Values raw, const Values& s) {
    if (base().identity == nullptr) return raw;
    const auto first = raw.begin() + static_cast<std::ptrdiff_t>(leading());
    const Values own(first, raw.end());
    const Values fitting = evaluate({own}, [&](Builder& to, const std::vector<Tuple>& in) -> Result<Tuple> {
      TRY_ASSIGN(const Tuple one, base().identity(to, types()));
      return base().combine(to, one, in[0]);
    });
    const auto act = [&](Builder& to, const std::vector<Tuple>& in) { return base().act(to, in[0], in[1]); };
    expect_same("the same step", evaluate({own, s}, act), evaluate({fitting, s}, act));
    std::copy(fitting.begin(), fitting.end(), first);
    return raw;
  }

  /// Two elements that are equal, or, where an element can be written in more than one way, that act alike.
  void expect_same_step(const char* what, const Values& want, const Values& s, const Values& got) {
    if (law_.identity != nullptr) return expect_same(what, want, got);
    const auto act = [&](Builder& to, const std::vector<Tuple>& in) { return law_.act(to, in[0], in[1]); };
    expect_same(what, evaluate({want, s}, act), evaluate({got, s}, act));
  }

  void expect_same(const char* what, const Values& want, const Values& got) {
    const bool exact = !is_real(dtype_) || law_.float_exact;
    const auto may_round = [&](const Tensor& tensor) { return tensor.dtype() != DType::boolean && !exact; };
    const double rough = dtype_ == DType::bf16  ? 4e-2
                         : dtype_ == DType::f16 ? 4e-3
                         : dtype_ == DType::f32 ? 1e-5
                                                : 1e-13;
    ASSERT_EQ(want.size(), got.size());
    for (std::size_t i = 0; i < want.size(); ++i) {
      // Sums along an axis cancel: they are as exact as their terms, which are about as large as the largest result.
      const double size = law_.multiplies_matrices && may_round(want[i]) ? largest(want[i]) : 1;
      const Tolerance tolerance = exact ? Tolerance{0, 0} : Tolerance{rough, rough * std::max(1.0, size)};
      const auto difference = first_difference(in_all_lanes(got[i]), in_all_lanes(want[i]), tolerance);
      EXPECT_FALSE(difference) << law_.name << " of " << name(dtype_) << ", " << what << ", part " << i << ": "
                               << difference.value_or("");
    }
  }

  const Recurrence& law_;
  DType dtype_;
  std::size_t states_;
  std::mt19937 random_;
};

/// Infinities cancel in sums and products, and what cancels first depends on the order: classes that add or multiply
/// floats promise their laws for finite numbers.
bool holds_for_extremes(const Recurrence& recurrence, DType dtype) { return !is_real(dtype) || recurrence.float_exact; }

std::vector<const Recurrence*> all_classes() {
  std::vector<const Recurrence*> all(recurrences().begin(), recurrences().end());
  for (const Recurrence& each : with_resets()) all.push_back(&each);
  return all;
}

TEST(RecurrenceLaws, EveryClassButTheFreeOnesMayStartAnew) {
  const auto is_free = [](const Recurrence* each) {
    return each == &kDelay || each == &kDelayLine || each == &kDelayLineFromFront || each == &kReset;
  };
  for (const Recurrence* recurrence : recurrences())
    EXPECT_EQ(with_reset(*recurrence) == nullptr, is_free(recurrence)) << recurrence->name;
}

TEST(RecurrenceLaws, HoldForEveryClassAndType) {
  for (const Recurrence* recurrence : all_classes()) {
    const std::vector<DType> any{DType::f32, DType::i64};
    const std::span<const DType> types = recurrence->types.empty() ? std::span<const DType>(any) : recurrence->types;
    for (const DType dtype : types) {
      for (std::uint32_t seed = 0; seed < 8 && !HasFailure(); ++seed) {
        const std::size_t states = recurrence == &kMatrix || recurrence->between == &kMatrix ? 2 + seed % 3 : 1;
        Laws laws(*recurrence, dtype, states, seed);
        laws.check(false);
        if (holds_for_extremes(*recurrence, dtype)) laws.check(true);
      }
    }
  }
}

}  // namespace
}  // namespace pawl::scan
