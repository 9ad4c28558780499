// Tiles of few lanes: read and written as they lie in memory, through memory of the workgroup.
#include <algorithm>

#include "backend/wgsl/chunked_pass.h"
#include "expr/types.h"

namespace pawl::wgsl {

using expr::computed_type;

namespace {

struct Stages {
  std::vector<DType> types;
  std::vector<std::size_t> outputs;  ///< by output, also of those that are not wanted
};

/// Elements first; each output takes the place of an element of its type, as long as there are such.
Stages stages_of(const LaneLaws& laws) {
  Stages made;
  for (const LaneInput& each : laws.inputs)
    if (each.source == kernel::StepValue::Source::element) made.types.push_back(computed_type(each.dtype));
  std::vector<bool> is_taken(made.types.size(), false);
  for (const DType each : laws.outputs) {
    std::size_t at = 0;
    while (at < made.types.size() && (is_taken[at] || made.types[at] != computed_type(each))) ++at;
    made.outputs.push_back(at);
    if (each == DType::undefined) continue;
    if (at == made.types.size()) {
      made.types.push_back(computed_type(each));
      is_taken.push_back(true);
    }
    is_taken[at] = true;
  }
  return made;
}

std::size_t stage_of_output(const LaneLaws& laws, std::size_t k) { return stages_of(laws).outputs[k]; }

std::size_t stage_of_input(const LaneLaws& laws, std::size_t input) {
  std::size_t stage = 0;
  for (std::size_t i = 0; i < input; ++i)
    if (laws.inputs[i].source == kernel::StepValue::Source::element) ++stage;
  return stage;
}

}  // namespace

std::vector<DType> stage_types(const LaneLaws& laws, bool with_outputs) {
  std::vector<DType> types = stages_of(laws).types;
  const auto is_element = [](const LaneInput& each) { return each.source == kernel::StepValue::Source::element; };
  if (!with_outputs) types.resize(std::count_if(laws.inputs.begin(), laws.inputs.end(), is_element));
  return types;
}

void ChunkedPass::declare_stages(bool with_outputs) {
  const std::vector<DType> types = stage_types(laws_, with_outputs);
  for (std::size_t i = 0; i < types.size(); ++i)
    functions_ += fmt::format("var<workgroup> stage{}: array<{}, {}>;\n", i, type_word(types[i]), stage_words_);
}

/// Where the rows of a stage begin, how many there are, and where they lie.
void ChunkedPass::place_stage(const std::string& stage, bool inputs, bool outputs) {
  out_.line("let row0 = min((tile * {} + {}) * stage_rows, {});", number("stages"), stage, number("steps"));
  out_.line("let count = min(stage_rows, {} - row0);", number("steps"));
  out_.line("let words = count * {};", number("lanes"));
  const auto base = [&](std::size_t at, const std::string& name) {
    const Placement& place = placed(at).place;
    const std::string step = count(name + "_step", place.step);
    const std::string first = count(name + "_first", place.first);
    out_.line("let base_{0} = {1} + select(row0, row0 + count - 1, {2} < 0) * {2};", name, first, step);
  };
  for (std::size_t i = 0; inputs && i < laws_.inputs.size(); ++i)
    if (is_element(i)) base(input_at(i), fmt::format("v{}", i));
  for (std::size_t k = 0; outputs && k < laws_.outputs.size(); ++k)
    if (laws_.outputs[k] != DType::undefined) base(output_at(k), fmt::format("y{}", k));
}

void ChunkedPass::for_stage_words(const std::function<void(std::size_t input, int round)>& each) {
  for (int k = 0; k < stage_words_ / target_.workgroup_size; ++k)
    for (std::size_t i = 0; i < laws_.inputs.size(); ++i)
      if (is_element(i)) each(i, k);
}

/// The words of a stage, on their way to registers.
void ChunkedPass::fetch_stage(const std::string& stage) {
  out_.line("{{");
  out_.indent();
  place_stage(stage, true, false);
  for_stage_words([&](std::size_t i, int k) {
    const std::string word = fmt::format("clamp(local + {}, 0, words - 1)", k * target_.workgroup_size);
    out_.line("f{}_{} = {};", i, k, loaded(input_at(i), fmt::format("base_v{} + {}", i, word)));
  });
  out_.outdent();
  out_.line("}}");
}

/// Opens a loop over the stages of the tile. While one is worked on, the next one is on its way.
void ChunkedPass::begin_stage(bool with_outputs) {
  out_.line("let stage_rows = {} * {};", number("parts"), number("rows"));
  for_stage_words([&](std::size_t i, int k) {
    out_.line("var f{}_{}: {};", i, k, type_word(computed_type(laws_.inputs[i].dtype)));
  });
  fetch_stage("0");
  out_.line("for (var stage = 0; stage < {}; stage++) {{", number("stages"));
  out_.indent();
  place_stage("stage", false, with_outputs);
  out_.line("workgroupBarrier();");
  for_stage_words([&](std::size_t i, int k) {
    const int first = k * target_.workgroup_size;
    out_.line("if (local + {0} < words) {{ stage{1}[local + {0}] = f{2}_{3}; }}", first, stage_of_input(laws_, i), i,
              k);
  });
  out_.line("workgroupBarrier();");
  out_.line("if (stage + 1 < {}) {{", number("stages"));
  out_.indent();
  fetch_stage("(stage + 1)");
  out_.outdent();
  out_.line("}}");
}

void ChunkedPass::stage_out() {
  out_.line("workgroupBarrier();");
  for (int k = 0; k < stage_words_ / target_.workgroup_size; ++k) {
    out_.line("if (local + {} < words) {{", k * target_.workgroup_size);
    out_.indent();
    for (std::size_t y = 0; y < laws_.outputs.size(); ++y)
      if (laws_.outputs[y] != DType::undefined)
        store(output_at(y), fmt::format("base_y{} + local + {}", y, k * target_.workgroup_size),
              fmt::format("stage{}[local + {}]", stage_of_output(laws_, y), k * target_.workgroup_size));
    out_.outdent();
    out_.line("}}");
  }
}

/// The part's rows, one after the other; those of a block are read before the first is used.
void ChunkedPass::staged_rows(const Row& row) {
  const int most = std::min(policy_.unroll, 5);
  const std::string r = "r" + out_.fresh(), word = "word" + out_.fresh();
  const auto ahead = [&](int k) { return k == 0 ? word : fmt::format("{} + {} * word_step", word, k); };
  const auto block = [&](int size) {
    for (int k = 0; k < size; ++k)
      for (std::size_t i = 0; i < laws_.inputs.size(); ++i)
        if (is_element(i)) out_.line("let e{}_{} = stage{}[{}];", i, k, stage_of_input(laws_, i), ahead(k));
    for (int k = 0; k < size; ++k) {
      out_.line("{{");
      out_.indent();
      row(values_of([&](std::size_t i) { return fmt::format("e{}_{}", i, k); }), ahead(k));
      out_.outdent();
      out_.line("}}");
    }
    out_.line("{} += {} * word_step;", word, size);
  };
  out_.line("var {} = word_first;", word);
  out_.line("var {} = row_first;", r);
  for (const int size : {most, 1}) {
    out_.line("for (; {0} + {1} < row_last; {0} += {2}) {{", r, size - 1, size);
    out_.indent();
    block(size);
    out_.outdent();
    out_.line("}}");
  }
}

/// `sum` of all of the part's rows, and what the parts up to it make together.
void ChunkedPass::sum_up_stage() {
  std::size_t one = 0;
  while (one < laws_.inputs.size() && !is_element(one)) ++one;
  const std::string step = count(fmt::format("v{}_step", one), placed(input_at(one)).place.step);
  out_.line("let row_first = min(part * {}, count);", number("rows"));
  out_.line("let row_last = select(row_first, min(row_first + {}, count), is_here);", number("rows"));
  out_.line("let word_step = select({0}, -{0}, {1} < 0);", number("lanes"), step);
  out_.line("let word_first = select(row_first, count - 1 - row_first, {} < 0) * {} + beside;", step, number("lanes"));
  out_.line("var sum = unchanged();");
  staged_rows(
      [&](const std::string& values, const std::string&) { out_.line("sum = combine(sum, lift({}));", values); });
  scan_parts("sum");
  out_.line("let total = parts_total;");
}

void ChunkedPass::reduce_staged() {
  declare_stages(false);
  find_lane(false);
  find_places(false);
  clear_doubt();
  out_.line("var all = unchanged();");
  begin_stage(false);
  sum_up_stage();
  out_.line("all = combine(all, total);");
  out_.outdent();
  out_.line("}}");
  out_.line("if (is_here && part == 0) {{ keep_tile(tile, place, all); }}");
}

void ChunkedPass::scan_staged() {
  declare_stages(true);
  find_lane(true);
  find_places(true);
  read_states();
  if (call_.alone) {
    clear_doubt();
    if (doubts()) out_.line("storageBarrier();");
  } else {
    find_before();
    out_.line("states = act(before, states);");
    doubt("is_here", "before", "states");
  }
  out_.line("let initial = states;");
  out_.line("var start = initial;");
  out_.line("var has_last = {0} == 0 && tile == 0 && part == 0;", number("steps"));
  out_.line("var final_states = initial;");
  begin_stage(true);
  sum_up_stage();
  out_.line("states = start;");
  out_.line("if (part > 0) {{");
  out_.line("  states = act(parts_before, states);");
  doubt("is_here && row_first < row_last", "parts_before", "states");
  out_.line("}}");
  staged_rows([&](const std::string& values, const std::string& word) {
    one_step(values, [&](std::size_t k) { out_.line("stage{}[{}] = next.y{};", stage_of_output(laws_, k), word, k); });
  });
  out_.line("if (row_first < row_last && row0 + row_last == {}) {{", number("steps"));
  out_.line("  has_last = true;");
  out_.line("  final_states = states;");
  out_.line("}}");
  out_.line("start = act(total, start);");
  doubt("is_here", "total", "start");
  stage_out();
  out_.outdent();
  out_.line("}}");
  out_.line("states = final_states;");
  write_finals("is_here && has_last");
}

}  // namespace pawl::wgsl
