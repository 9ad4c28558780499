#include "backend/wgsl/chunked_pass.h"

#include <algorithm>

#include "expr/types.h"

namespace pawl::wgsl {

using expr::computed_type;

namespace {

/// Functions that are so long are not repeated more often than elements are read ahead.
constexpr std::size_t kLong = 1200;

}  // namespace

DType item_type(const LaneLaws& laws, const ChunkedScanCall& call) {
  if (call.bits) return DType::u32;
  const bool is_one =
      std::all_of(laws.words.begin(), laws.words.end(), [&](DType each) { return each == laws.words[0]; });
  return is_one && laws.words[0] != DType::boolean ? laws.words[0] : DType::u32;
}

// --- declarations

const PlacedBuffer& ChunkedPass::placed(std::size_t at) const {
  if (at < initial_at(0)) return call_.inputs[at];
  if (at < final_at(0)) return call_.initial[at - initial_at(0)];
  if (at < output_at(0)) return call_.finals[at - final_at(0)];
  return call_.outputs[at - output_at(0)];
}

std::string ChunkedPass::buffer(std::size_t at, bool writes) {
  if (std::find(used_.begin(), used_.end(), at) == used_.end()) used_.push_back(at);
  if (writes) written_.insert(at);
  if (at == scratch_at(ChunkScratch::parts)) return "b_parts";
  if (at == scratch_at(ChunkScratch::tiles)) return "b_tiles";
  if (at == scratch_at(ChunkScratch::again)) return "b_again";
  return "b_" + placed(at).buffer.name;
}

std::string ChunkedPass::count(const std::string& name, const Count& value) {
  if (value.op() == Count::Op::number)
    return value.number() < 0 ? fmt::format("({})", value.number()) : fmt::format("{}", value.number());
  const auto is_known = [&](const auto& each) { return each.first == name; };
  if (std::none_of(params_.begin(), params_.end(), is_known)) params_.emplace_back(name, value);
  return "params." + name;
}

std::string ChunkedPass::declared(std::size_t at) const {
  if (at == scratch_at(ChunkScratch::parts))
    return fmt::format("b_parts: array<{}>", type_word(item_type(laws_, call_)));
  if (at == scratch_at(ChunkScratch::tiles))
    return fmt::format("b_tiles: array<{}>", type_word(item_type(laws_, call_)));
  if (at == scratch_at(ChunkScratch::again)) return "b_again: array<atomic<u32>>";
  const PassBuffer& own = placed(at).buffer;
  return fmt::format("b_{}: array<{}>", own.name, element_word(own.dtype));
}

Pass ChunkedPass::finish(const std::string& id, const Count& workgroups) {
  Pass made;
  made.id = id;
  if (target_.f16) made.text += "enable f16;\n\n";
  const bool has_subgroups = call_.subgroups && id != "again";
  if (has_subgroups) made.text += "enable subgroups;\n\n";
  std::string fields;
  if (params_.empty()) params_.emplace_back("none", Count(0));
  for (const auto& [name, value] : params_) fields += fmt::format("  {}: i32,\n", name);
  made.text += fmt::format("struct Params {{\n{}}}\n\n", fields);
  std::sort(used_.begin(), used_.end());
  for (std::size_t i = 0; i < used_.size(); ++i) {
    const bool is_again = used_[i] == scratch_at(ChunkScratch::again);
    const bool writes = written_.contains(used_[i]) || is_again;
    made.text += fmt::format("@group(0) @binding({}) var<storage, {}> {};\n", i, writes ? "read_write" : "read",
                             declared(used_[i]));
    made.buffers.push_back(used_[i]);
    made.writes.push_back(writes);
  }
  made.text += fmt::format("@group(0) @binding({}) var<uniform> params: Params;\n\n", used_.size());
  made.text += kHelpers;
  made.text += laws_.functions;
  made.text += functions_;
  made.text += fmt::format(
      "\n@compute @workgroup_size({})\nfn main(@builtin(workgroup_id) workgroup: vec3<u32>, "
      "@builtin(num_workgroups) workgroups: vec3<u32>,\n        @builtin(local_invocation_index) local_index: "
      "u32{}) {{\n",
      target_.workgroup_size,
      has_subgroups ? ",\n        @builtin(subgroup_invocation_id) subgroup_lane: u32, @builtin(subgroup_size) "
                      "subgroup_size: u32"
                    : "");
  made.text += body_ + "}\n";
  made.params = params_;
  made.workgroups = workgroups;
  return made;
}

/// Items in memory: [rows, words, lanes].
void ChunkedPass::write_items(ChunkScratch which, const std::string& name) {
  const std::size_t at = scratch_at(which);
  const bool writes = written_.contains(at);
  const std::string memory = buffer(at, writes);
  const DType type = item_type(laws_, call_);
  std::vector<std::string> words;
  std::string stores;
  for (std::size_t i = 0; i < laws_.words.size(); ++i) {
    const std::string place = fmt::format("{}[at + {} * {}]", memory, i, number("lanes"));
    const DType word = laws_.words[i];
    const std::string field = fmt::format("p.m{}", i);
    if (word == type && !call_.bits) {
      words.push_back(place);
      stores += fmt::format("  {} = {};\n", place, field);
    } else if (word == DType::boolean) {
      words.push_back(place + " != 0u");
      stores += fmt::format("  {} = select(0u, 1u, {});\n", place, field);
    } else {
      words.push_back(fmt::format("bitcast<{}>({})", type_word(word), place));
      stores += fmt::format("  {} = bitcast<u32>({});\n", place, field);
    }
  }
  const std::string index =
      fmt::format("  let at = row * {} + lane;\n", fmt::format("{} * {}", laws_.words.size(), number("lanes")));
  if (writes)
    functions_ += fmt::format("fn keep_{}(row: i32, lane: i32, p: Item) {{\n{}{}}}\n", name, index, stores);
  else
    functions_ += fmt::format("fn {}_item(row: i32, lane: i32) -> Item {{\n{}  return Item({});\n}}\n", name, index,
                              fmt::join(words, ", "));
}

void ChunkedPass::write_scan_parts() {
  std::vector<std::string> words;
  std::string stores;
  for (std::size_t i = 0; i < laws_.words.size(); ++i) {
    functions_ +=
        fmt::format("var<workgroup> held{}: array<{}, {}>;\n", i, type_word(laws_.words[i]), target_.workgroup_size);
    words.push_back(fmt::format("held{}[at]", i));
    stores += fmt::format("  held{0}[at] = p.m{0};\n", i);
  }
  functions_ += fmt::format("fn hold(at: i32, p: Item) {{\n{}}}\n", stores);
  functions_ += fmt::format("fn held(at: i32) -> Item {{ return Item({}); }}\n", fmt::join(words, ", "));
  functions_ += "var<private> parts_before: Item;\nvar<private> parts_total: Item;\n";
  if (call_.subgroups) return write_subgroup_scan();
  functions_ += fmt::format(R"(fn scan_parts(own: Item, local: i32, part: i32) {{
  var sum = own;
  workgroupBarrier();
  hold(local, sum);
  workgroupBarrier();
  for (var distance = 1; distance < {0}; distance *= 2) {{
    var earlier = sum;
    if (part >= distance) {{ earlier = held(local - distance * {1}); }}
    workgroupBarrier();
    if (part >= distance) {{
      sum = combine(earlier, sum);
      hold(local, sum);
    }}
    workgroupBarrier();
  }}
  parts_before = unchanged();
  if (part > 0) {{ parts_before = held(local - {1}); }}
  parts_total = held(({0} - 1) * {1} + local % {1});
}}
)",
                            number("parts"), number("group"));
}

/// The same where the lanes of a workgroup are a power of two that divides the size of subgroups, and their parts fill
/// the workgroup: one barrier where there were many.
void ChunkedPass::write_subgroup_scan() {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < laws_.words.size(); ++i)
    words.push_back(laws_.words[i] == DType::boolean
                        ? fmt::format("subgroupShuffleUp(select(0u, 1u, p.m{}), by) != 0u", i)
                        : fmt::format("subgroupShuffleUp(p.m{}, by)", i));
  functions_ += "var<workgroup> subgroups_there: atomic<u32>;\n";
  functions_ += fmt::format("fn from_below(p: Item, by: u32) -> Item {{ return Item({}); }}\n", fmt::join(words, ", "));
  functions_ += fmt::format(R"(fn scan_parts(own: Item, local: i32, lane: i32, size: i32) {{
  var sum = own;
  for (var distance = {0}; distance < size; distance *= 2) {{
    let earlier = from_below(sum, u32(distance));
    if (lane >= distance) {{ sum = combine(earlier, sum); }}
  }}
  let inside = from_below(sum, u32({0}));
  let subgroup = local / size;
  let beside = local % {0};
  workgroupBarrier();
  if (lane >= size - {0}) {{ hold(subgroup * {0} + beside, sum); }}
  workgroupBarrier();
  var all = unchanged();
  var before = all;
  for (var i = 0; i < {1} / size; i++) {{
    if (i == subgroup) {{ before = all; }}
    all = combine(all, held(i * {0} + beside));
  }}
  if (lane >= {0}) {{ before = combine(before, inside); }}
  parts_before = before;
  parts_total = all;
}}
)",
                            number("group"), target_.workgroup_size);
}

// --- what passes have in common

/// Which tile, part and lane an invocation has. Of more tiles than there are, the workgroup has none.
void ChunkedPass::find_lane(bool backward) {
  if (call_.subgroups) {
    // Which lanes are a subgroup is not said: they are numbered as they come. Who adds up what stays the same.
    out_.line("var own_subgroup = 0u;");
    out_.line("if (subgroup_lane == 0u) {{ own_subgroup = atomicAdd(&subgroups_there, 1u); }}");
    out_.line("let local = i32(subgroupBroadcastFirst(own_subgroup) * subgroup_size + subgroup_lane);");
  } else {
    out_.line("let local = i32(local_index);");
  }
  out_.line("let id = i32(workgroup.y * workgroups.x + workgroup.x);");
  if (call_.alone) {
    out_.line("let tile = 0;");
    out_.line("if (id >= {}) {{ return; }}", number("groups"));
  } else {
    // What was read last is still in the cache.
    out_.line("let tile = {}id / {};", backward ? number("tiles") + " - 1 - " : "", number("groups"));
    out_.line("if (id >= {} * {}) {{ return; }}", number("tiles"), number("groups"));
  }
  out_.line("let part = local / {};", number("group"));
  out_.line("let beside = local % {};", number("group"));
  out_.line("let lane = (id % {}) * {} + beside;", number("groups"), number("group"));
  out_.line("let is_here = part < {} && lane < {};", number("parts"), number("lanes"));
  out_.line("let place = min(lane, {} - 1);", number("lanes"));
}

void ChunkedPass::add_place(std::size_t at, const std::string& name) {
  const Placement& place = placed(at).place;
  std::string text;
  if (place.first.op() != Count::Op::number || place.first.number() != 0) text = count(name + "_first", place.first);
  for (std::size_t axis = 0; axis < place.along.size(); ++axis) {
    const Count& stride = place.along[axis];
    const bool is_number = stride.op() == Count::Op::number;
    if (is_number && stride.number() == 0) continue;
    text += fmt::format("{}p{}", text.empty() ? "" : " + ", axis);
    if (!is_number || stride.number() != 1) text += " * " + count(fmt::format("{}_along{}", name, axis), stride);
  }
  out_.line("let at_{} = {};", name, text.empty() ? "0" : text);
}

/// Coordinates of the lane, where its numbers are, and what it reads once.
void ChunkedPass::find_places(bool with_outputs) {
  const std::size_t axes = laws_.lanes.size();
  if (axes == 1) out_.line("let p0 = place;");
  std::string rest = "place";
  for (std::size_t axis = axes; axes > 1 && axis-- > 0;) {
    const Count extent = call_.extents.empty() ? Count(laws_.lanes[axis]) : call_.extents[axis];
    const std::string text = count(fmt::format("extent{}", axis), maximum(extent, 1));
    out_.line("let p{} = {} % {};", axis, rest, text);
    rest = fmt::format("{} / {}", rest, text);
  }
  for (std::size_t i = 0; i < laws_.inputs.size(); ++i) {
    const std::string name = fmt::format("v{}", i);
    add_place(input_at(i), name);
    if (!is_element(i)) out_.line("let once{} = {};", i, loaded(input_at(i), "at_" + name));
  }
  if (!with_outputs) return;
  for (std::size_t k = 0; k < laws_.outputs.size(); ++k)
    if (laws_.outputs[k] != DType::undefined) add_place(output_at(k), fmt::format("y{}", k));
}

std::string ChunkedPass::loaded(std::size_t at, const std::string& index) {
  const std::string element = fmt::format("{}[{}]", buffer(at, false), index);
  const DType dtype = placed(at).buffer.dtype;
  if (dtype == DType::boolean) return element + " != 0u";
  return dtype == DType::f16 ? fmt::format("f32({})", element) : element;
}

void ChunkedPass::store(std::size_t at, const std::string& index, const std::string& value) {
  const DType dtype = placed(at).buffer.dtype;
  std::string text = value;
  if (dtype == DType::boolean) text = fmt::format("select(0u, 1u, {})", value);
  if (dtype == DType::f16) text = fmt::format("f16({})", value);
  out_.line("{}[{}] = {};", buffer(at, true), index, text);
}

std::string ChunkedPass::values_of(const std::function<std::string(std::size_t input)>& element) const {
  std::vector<std::string> values;
  for (std::size_t i = 0; i < laws_.inputs.size(); ++i)
    values.push_back(is_element(i) ? element(i) : fmt::format("once{}", i));
  if (values.empty()) values.emplace_back("0");
  return fmt::format("Values({})", fmt::join(values, ", "));
}

/// `states`: the initial ones.
void ChunkedPass::read_states() {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < laws_.states.size(); ++i) {
    add_place(initial_at(i), fmt::format("s{}", i));
    all.push_back(loaded(initial_at(i), fmt::format("at_s{}", i)));
  }
  out_.line("var states = States({});", fmt::join(all, ", "));
}

void ChunkedPass::one_step(const std::string& values, const std::function<void(std::size_t k)>& give) {
  out_.line("let next = step(states, {});", values);
  std::vector<std::string> all;
  for (std::size_t i = 0; i < laws_.states.size(); ++i) all.push_back(fmt::format("next.s{}", i));
  out_.line("states = States({});", fmt::join(all, ", "));
  for (std::size_t k = 0; k < laws_.outputs.size(); ++k)
    if (laws_.outputs[k] != DType::undefined) give(k);
}

void ChunkedPass::write_finals(const std::string& condition) {
  for (std::size_t i = 0; i < laws_.states.size(); ++i) add_place(final_at(i), fmt::format("f{}", i));
  out_.line("if ({}) {{", condition);
  out_.indent();
  for (std::size_t i = 0; i < laws_.states.size(); ++i)
    store(final_at(i), fmt::format("at_f{}", i), fmt::format("states.s{}", i));
  out_.outdent();
  out_.line("}}");
}

void ChunkedPass::doubt(const std::string& condition, const std::string& item, const std::string& states) {
  if (!doubts()) return;
  out_.line("if ({} && is_doubtful({}, {})) {{ atomicStore(&{}[place], 1u); }}", condition, item, states,
            buffer(scratch_at(ChunkScratch::again), true));
}

void ChunkedPass::clear_doubt() {
  if (!doubts()) return;
  out_.line("if (is_here && tile == 0 && part == 0) {{ atomicStore(&{}[place], 0u); }}",
            buffer(scratch_at(ChunkScratch::again), true));
}

void ChunkedPass::scan_parts(const std::string& own) {
  if (call_.subgroups)
    out_.line("scan_parts({}, local, i32(subgroup_lane), i32(subgroup_size));", own);
  else
    out_.line("scan_parts({}, local, part);", own);
}

void ChunkedPass::find_before() {
  // Each waits for memory, and there is nothing else to do.
  const int unroll = policy_.unroll * (laws_.functions.size() > kLong ? 1 : 2);
  out_.line("let share = (tile + {0} - 1) / {0};", number("parts"));
  out_.line("let until = min(share * (part + 1), tile);");
  out_.line("var before = unchanged();");
  out_.line("for (var earlier = share * part; earlier < until; earlier += {}) {{", unroll);
  for (int k = 0; k < unroll; ++k) out_.line("  let item{0} = tile_item(min(earlier + {0}, until - 1), place);", k);
  out_.line("  before = combine(before, item0);");
  for (int k = 1; k < unroll; ++k)
    out_.line("  if (earlier + {0} < until) {{ before = combine(before, item{0}); }}", k);
  out_.line("}}");
  scan_parts("before");
  out_.line("before = parts_total;");
}

// --- passes

Pass ChunkedPass::reduce() {
  written_.insert(scratch_at(ChunkScratch::tiles));
  write_scan_parts();
  write_items(ChunkScratch::tiles, "tile");
  if (!call_.staged) {
    written_.insert(scratch_at(ChunkScratch::parts));
    write_items(ChunkScratch::parts, "part");
    reduce_direct();
  } else if (laws_.commutative) {
    reduce_interleaved();
  } else {
    reduce_staged();
  }
  return finish("reduce", Count::named("tiles") * Count::named("groups"));
}

Pass ChunkedPass::scan() {
  write_scan_parts();
  if (!call_.alone) {
    write_items(ChunkScratch::tiles, "tile");
    if (!call_.staged) write_items(ChunkScratch::parts, "part");
  }
  if (call_.staged)
    scan_staged();
  else
    scan_direct();
  return finish("scan", call_.alone ? Count::named("groups") : Count::named("tiles") * Count::named("groups"));
}

Pass ChunkedPass::again() {
  out_.line("let id = i32(workgroup.y * workgroups.x + workgroup.x);");
  out_.line("let lane = id * {} + i32(local_index);", target_.workgroup_size);
  out_.line("let place = min(lane, {} - 1);", number("lanes"));
  out_.line("if (lane >= {} || atomicLoad(&{}[place]) == 0u) {{ return; }}", number("lanes"),
            buffer(scratch_at(ChunkScratch::again), true));
  find_places(true);
  read_states();
  out_.line("let first = 0;");
  out_.line("let last = {};", number("steps"));
  step_rows();
  write_finals("true");
  return finish("again", ceil_div(Count::named("lanes"), target_.workgroup_size));
}

}  // namespace pawl::wgsl
