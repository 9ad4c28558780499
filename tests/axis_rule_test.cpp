// What the rows of the operator table say of axes, against evaluation slice by slice.
#include "ops/axis_rule.h"

#include <gtest/gtest.h>

#include "axis_program.h"
#include "graph/infer.h"
#include "ops/axis_rules.h"

namespace pawl::ops {
namespace {

constexpr std::uint64_t kSamples = 72;

/// One node with the elements of several time steps.
struct Case {
  const OpDef& row;
  const Schema& schema;
  std::vector<Sample> steps;  ///< alike but for their elements
  std::uint64_t seed;

  [[nodiscard]] const Sample& first() const { return steps.front(); }
  [[nodiscard]] std::string shown() const {
    std::string text =
        std::string(schema.name) + "-" + std::to_string(schema.since) + " (sample " + std::to_string(seed) + ") of";
    for (const Value& input : first().inputs) text += " " + describe(input);
    return text;
  }
};

std::uint64_t seed_of(const Schema& schema, std::uint64_t sample) {
  std::uint64_t seed = static_cast<std::uint64_t>(schema.since) * 1000003 + sample;
  for (const char c : schema.name) seed = seed * 131 + static_cast<unsigned char>(c);
  return seed;
}

Case draw_case(const OpDef& row, const Schema& schema, std::uint64_t sample, std::size_t steps) {
  Case made{row, schema, {}, sample};
  const std::uint64_t seed = seed_of(schema, sample);
  for (std::size_t t = 0; t < steps; ++t) {
    Draw draw(seed, seed * 7 + t);
    made.steps.push_back(sampler_of(row)(draw, schema));
  }
  return made;
}

/// Calls f(row, schema) for every version of every row that states a rule.
template <class F>
void for_each_version(F f) {
  for (const std::span<const OpDef> family : op_table())
    for (const OpDef& row : family)
      for (const Schema& schema : all_schemas())
        if (row.axes.kind != AxisKind::opaque && schema.name == row.name && schema.domain == row.domain &&
            std::find(row.since.begin(), row.since.end(), schema.since) != row.since.end())
          f(row, schema);
}

/// Forgets some extents.
void blur(Type& type, std::mt19937_64& random) {
  for (Dim& dim : *type.shape)
    if (random() % 3 == 0) dim = random() % 2 == 0 ? Dim() : Dim::named("n" + std::to_string(random() % 1000));
}

struct Outcome {
  bool ran = false;  ///< every slice has a result
  bool accepted = false;
  bool failed = false;
};

/// Compares the program of a case with its slices, for some choice of batched inputs.
Outcome check_batch(const Case& it) {
  std::mt19937_64 random(seed_of(it.schema, it.seed) + 17);
  const Sample& first = it.first();
  const std::size_t count = first.inputs.size();
  const auto batched = std::make_unique<bool[]>(count + 1);
  bool any = false;
  for (int attempt = 0; attempt < 20 && !any; ++attempt)
    for (std::size_t i = 0; i < count; ++i) {
      const bool wanted = first.parameter[i] ? random() % 20 == 0 : random() % 3 != 0;
      batched[i] = wanted && !first.inputs[i].is_none();
      any = any || batched[i];
    }
  if (!any) return {};
  std::vector<Fact> facts = facts_of(first, first.inputs);
  const bool blurred = random() % 3 == 0, open = random() % 8 == 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (blurred && facts[i].type.shape && !first.parameter[i]) blur(facts[i].type, random);
    if (batched[i] || open) facts[i].constant.reset();
  }
  const std::vector<const Fact*> pointers = pointers_to(facts, first.inputs);
  const graph::OpCall call{&it.row, &it.schema, first.attributes};
  Result<std::vector<Fact>> outputs = graph::infer_call(call, pointers, first.outputs);
  Outcome outcome;
  if (!outputs.ok()) return outcome;
  std::vector<Type> types;
  for (const Fact& fact : *outputs) types.push_back(fact.type);

  std::vector<std::vector<Tensor>> slices(first.outputs);
  std::vector<Value> inputs = first.inputs;
  for (std::size_t t = 0; t < it.steps.size(); ++t) {
    for (std::size_t i = 0; i < count; ++i)
      if (batched[i]) inputs[i] = it.steps[t].inputs[i];
    const auto results = evaluate(it.row, it.schema, first.attributes, inputs, first.outputs);
    if (!results.ok()) return outcome;
    for (std::size_t k = 0; k < first.outputs; ++k) slices[k].push_back((*results)[k].tensor());
  }
  outcome.ran = true;
  const Batching batching =
      batch(it.row, NodeFacts{it.schema, first.attributes, pointers, types}, {batched.get(), count});
  if (!batching.accepted()) return outcome;
  outcome.accepted = true;

  for (std::size_t i = 0; i < count; ++i) {
    if (!batched[i]) continue;
    std::vector<Tensor> all;
    for (const Sample& step : it.steps) all.push_back(step.inputs[i].tensor());
    inputs[i] = stacked(all);
    facts[i].type.shape->insert(facts[i].type.shape->begin(), Dim::named("T"));
  }
  std::string which;
  for (std::size_t i = 0; i < count; ++i) which += batched[i] ? '*' : '.';
  const auto got = run_program(batching, facts, inputs);
  EXPECT_TRUE(got.ok() && got->size() == first.outputs)
      << it.shown() << " batched " << which << ": " << (got.ok() ? "" : got.error().to_string());
  outcome.failed = !got.ok() || got->size() != first.outputs;
  for (std::size_t k = 0; k < first.outputs && !outcome.failed; ++k) {
    const Tensor want = stacked(slices[k]);
    outcome.failed = !same_bits((*got)[k].tensor(), want);
    EXPECT_FALSE(outcome.failed) << it.shown() << " batched " << which << ", output " << k << ": got "
                                 << describe((*got)[k]) << ", want " << describe(want);
  }
  return outcome;
}

/// The inputs of a node, each changed by f(tensor, axis) where the tie gives it an axis that is longer than 1.
template <class F>
std::vector<Value> changed(const std::vector<Value>& inputs, const Tie& tie, F f) {
  std::vector<Value> result = inputs;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].is_none() || tie.inputs[i] < 0) continue;
    const auto axis = static_cast<std::size_t>(tie.inputs[i]);
    if (inputs[i].tensor().shape()[axis] != 1) result[i] = f(i, axis);
  }
  return result;
}

/// What a tie says, for each of its three ways to be wrong.
void check_tie(const Case& it, const Tie& tie, bool by_elements, const std::vector<Value>& results) {
  const Sample &first = it.first(), &other = it.steps.back();
  const Tensor& whole = results[tie.output].tensor();
  ASSERT_EQ(tie.inputs.size(), first.inputs.size()) << it.shown();
  ASSERT_LT(tie.axis, whole.shape().size()) << it.shown();
  const std::int64_t extent = whole.shape()[tie.axis];
  const std::string where = it.shown() + ", output " + std::to_string(tie.output) + " axis " + std::to_string(tie.axis);
  const auto tensor_of = [&](std::size_t i) { return first.inputs[i].tensor(); };
  const auto run = [&](const std::vector<Value>& inputs) {
    return evaluate(it.row, it.schema, first.attributes, inputs, first.outputs);
  };
  bool moves = false;
  for (std::size_t i = 0; i < first.inputs.size(); ++i) {
    if (first.inputs[i].is_none() || tie.inputs[i] < 0) continue;
    ASSERT_LT(tie.inputs[i], tensor_of(i).rank()) << where;
    const std::int64_t own = tensor_of(i).shape()[static_cast<std::size_t>(tie.inputs[i])];
    ASSERT_TRUE(own == extent || own == 1) << where << ": input " << i;
    moves = moves || own == extent;
  }
  const auto backwards =
      run(changed(first.inputs, tie, [&](std::size_t i, std::size_t axis) { return reversed(tensor_of(i), axis); }));
  ASSERT_TRUE(backwards.ok()) << where << ": " << backwards.error().to_string();
  EXPECT_TRUE(same_bits((*backwards)[tie.output].tensor(), reversed(whole, tie.axis)))
      << where << ": slices in reverse order";
  for (std::int64_t j = 0; j < extent; ++j) {
    const Tensor want = part(whole, tie.axis, j);
    const auto mixed = run(changed(first.inputs, tie, [&](std::size_t i, std::size_t axis) {
      return spliced(tensor_of(i), other.inputs[i].tensor(), axis, j);
    }));
    ASSERT_TRUE(mixed.ok()) << where << ": " << mixed.error().to_string();
    EXPECT_TRUE(same_bits(part((*mixed)[tie.output].tensor(), tie.axis, j), want))
        << where << ": slice " << j << " needs another one";
    if (by_elements || !moves) continue;
    const auto alone =
        run(changed(first.inputs, tie, [&](std::size_t i, std::size_t axis) { return part(tensor_of(i), axis, j); }));
    ASSERT_TRUE(alone.ok()) << where << ": " << alone.error().to_string();
    EXPECT_TRUE(same_bits((*alone)[tie.output].tensor(), want)) << where << ": slice " << j << " alone";
  }
}

/// Checks all ties of a case; how many there are.
std::size_t check_ties(const Case& it) {
  const Sample& first = it.first();
  const std::vector<Fact> facts = facts_of(first, first.inputs);
  const std::vector<const Fact*> pointers = pointers_to(facts, first.inputs);
  const auto inferred = graph::infer_call({&it.row, &it.schema, first.attributes}, pointers, first.outputs);
  const auto results = evaluate(it.row, it.schema, first.attributes, first.inputs, first.outputs);
  if (!inferred.ok() || !results.ok()) return 0;
  std::vector<Type> types;
  for (const Fact& fact : *inferred) types.push_back(fact.type);
  const Ties ties = relate(it.row, NodeFacts{it.schema, first.attributes, pointers, types});
  for (const Tie& tie : ties.list) {
    EXPECT_EQ(ties.find(tie.output, tie.axis), &tie) << it.shown();
    check_tie(it, tie, ties.by_elements, *results);
  }
  return ties.list.size();
}

int failures() { return testing::UnitTest::GetInstance()->current_test_info()->result()->total_part_count(); }

TEST(AxisRule, EveryRuleHasSamples) {
  for_each_version([](const OpDef& row, const Schema&) {
    EXPECT_NE(sampler_of(row), nullptr) << row.name;
    EXPECT_TRUE(row.axes.batch != nullptr && row.axes.relate != nullptr) << row.name;
    EXPECT_FALSE(row.random) << row.name;
  });
}

TEST(AxisRule, BatchedNodesGiveTheBitsOfTheirSlices) {
  for_each_version([](const OpDef& row, const Schema& schema) {
    if (sampler_of(row) == nullptr) return;
    std::size_t ran = 0, accepted = 0;
    for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
      const Outcome outcome = check_batch(draw_case(row, schema, sample, 1 + sample % 3));
      ran += outcome.ran ? 1 : 0;
      accepted += outcome.accepted ? 1 : 0;
      if (outcome.failed) return;
    }
    EXPECT_GE(ran, kSamples / 3) << row.name << "-" << schema.since << ": few of its samples run";
    EXPECT_GE(accepted, kSamples / 10) << row.name << "-" << schema.since << ": few of its samples are accepted";
  });
}

TEST(AxisRule, TiedSlicesAreIndependent) {
  for_each_version([](const OpDef& row, const Schema& schema) {
    if (sampler_of(row) == nullptr || row.axes.relate == relate_nothing) return;
    std::size_t tied = 0;
    const int before = failures();
    for (std::uint64_t sample = 0; sample < kSamples; ++sample) {
      tied += check_ties(draw_case(row, schema, sample, 2)) > 0 ? 1 : 0;
      if (failures() > before) return;
    }
    EXPECT_GE(tied, kSamples / 12) << row.name << "-" << schema.since << ": few of its samples have ties";
  });
}

}  // namespace
}  // namespace pawl::ops
