// Tiles whose lanes are read side by side, straight from memory.
#include "backend/wgsl/chunked_pass.h"

namespace pawl::wgsl {

/// Steps `from`, `from` + `stride`, … below `to`; elements of several are read before the first is used.
void ChunkedPass::read_rows(const std::string& from, const std::string& to, const std::string& stride, const Row& row) {
  const std::string t = "t" + out_.fresh();
  const auto one = [&](int k, const std::string& at) {
    for (std::size_t i = 0; i < laws_.inputs.size(); ++i) {
      if (!is_element(i)) continue;
      const std::string step = count(fmt::format("v{}_step", i), placed(input_at(i)).place.step);
      out_.line("let e{}_{} = {};", i, k, loaded(input_at(i), fmt::format("at_v{} + ({}) * {}", i, at, step)));
    }
  };
  const auto use = [&](int k, const std::string& at) {
    out_.line("{{");
    out_.indent();
    row(values_of([&](std::size_t i) { return fmt::format("e{}_{}", i, k); }), at);
    out_.outdent();
    out_.line("}}");
  };
  const auto ahead = [&](int k) {
    if (k == 0) return t;
    return stride == "1" ? fmt::format("{} + {}", t, k) : fmt::format("{} + {} * {}", t, k, stride);
  };
  const int unroll = policy_.unroll;
  out_.line("var {} = {};", t, from);
  out_.line("for (; {} < {}; {} += {} * {}) {{", ahead(unroll - 1), to, t, unroll, stride);
  out_.indent();
  for (int k = 0; k < unroll; ++k) one(k, ahead(k));
  for (int k = 0; k < unroll; ++k) use(k, ahead(k));
  out_.outdent();
  out_.line("}}");
  out_.line("for (; {0} < {1}; {0} += {2}) {{", t, to, stride);
  out_.indent();
  one(0, t);
  use(0, t);
  out_.outdent();
  out_.line("}}");
}

void ChunkedPass::step_rows() {
  read_rows("first", "last", "1", [&](const std::string& values, const std::string& t) {
    one_step(values, [&](std::size_t k) {
      const std::string step = count(fmt::format("y{}_step", k), placed(output_at(k)).place.step);
      store(output_at(k), fmt::format("at_y{} + ({}) * {}", k, t, step), fmt::format("next.y{}", k));
    });
  });
}

void ChunkedPass::reduce_direct() {
  find_lane(false);
  find_places(false);
  clear_doubt();
  out_.line("let first = min((tile * {} + part) * {}, {});", number("parts"), number("rows"), number("steps"));
  out_.line("let last = select(first, min(first + {}, {}), is_here);", number("rows"), number("steps"));
  out_.line("var sum = unchanged();");
  read_rows("first", "last", "1",
            [&](const std::string& values, const std::string&) { out_.line("sum = combine(sum, lift({}));", values); });
  out_.line("if (is_here) {{ keep_part(tile * {} + part, place, sum); }}", number("parts"));
  scan_parts("sum");
  out_.line("if (is_here && part == 0) {{ keep_tile(tile, place, parts_total); }}");
}

/// Where the order does not count, neighbours read neighbouring steps.
void ChunkedPass::reduce_interleaved() {
  find_lane(false);
  find_places(false);
  clear_doubt();
  const std::string rows = fmt::format("{} * {} * {}", number("stages"), number("parts"), number("rows"));
  out_.line("let first = tile * {};", rows);
  out_.line("let last = select(0, min(first + {}, {}), is_here);", rows, number("steps"));
  out_.line("var sum = unchanged();");
  read_rows("first + part", "last", number("parts"),
            [&](const std::string& values, const std::string&) { out_.line("sum = combine(sum, lift({}));", values); });
  scan_parts("sum");
  out_.line("if (is_here && part == 0) {{ keep_tile(tile, place, parts_total); }}");
}

void ChunkedPass::scan_direct() {
  find_lane(true);
  find_places(true);
  read_states();
  out_.line("let first = min((tile * {} + part) * {}, {});", number("parts"), number("rows"), number("steps"));
  out_.line("let last = select(first, min(first + {}, {}), is_here);", number("rows"), number("steps"));
  if (call_.alone) {
    clear_doubt();
    // Of one part nothing needs to be known before.
    out_.line("if ({} > 1) {{", number("parts"));
    out_.indent();
    out_.line("var sum = unchanged();");
    read_rows("first", "last", "1", [&](const std::string& values, const std::string&) {
      out_.line("sum = combine(sum, lift({}));", values);
    });
    if (doubts()) out_.line("storageBarrier();");
  } else {
    find_before();
    out_.line("var sum = unchanged();");
    out_.line("if (is_here) {{ sum = part_item(tile * {} + part, place); }}", number("parts"));
  }
  scan_parts("sum");
  out_.line("let all = {};", call_.alone ? "parts_before" : "combine(before, parts_before)");
  out_.line("states = act(all, states);");
  doubt("is_here && first < last", "all", "states");
  if (call_.alone) {
    out_.outdent();
    out_.line("}}");
  }
  step_rows();
  write_finals(fmt::format("is_here && ((first < last && last == {0}) || ({0} == 0 && tile == 0 && part == 0))",
                           number("steps")));
}

}  // namespace pawl::wgsl
