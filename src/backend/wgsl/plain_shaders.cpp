#include "backend/wgsl/plain_shaders.h"

#include <fmt/format.h>

#include "backend/wgsl/operations.h"

namespace pawl::wgsl {
namespace {

std::string with_f16(DType dtype) { return dtype == DType::f16 ? "enable f16;\n\n" : ""; }

constexpr std::string_view kGather = R"(
@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
  let at = i32((workgroup.y * workgroups.x + workgroup.x) * 256u + local);
  if (at >= params.elements) {
    return;
  }
  let within = at % params.inner;
  let outer = at / params.inner / params.places;
  var place = i32(places[at / params.inner % params.places]);
  place = clamp(select(place, place + params.extent, place < 0), 0, params.extent - 1);
  made[at] = data[(outer * params.extent + place) * params.inner + within];
}
)";

/// 16 x 16 invocations; each has two rows and two columns of the tile.
constexpr std::string_view kProduct = R"(
var<workgroup> a: array<array<f32, 16>, 32>;
var<workgroup> b: array<array<f32, 32>, 16>;

@compute @workgroup_size(256)
fn main(@builtin(workgroup_id) workgroup: vec3<u32>, @builtin(num_workgroups) workgroups: vec3<u32>,
        @builtin(local_invocation_index) local: u32) {
  let tile_rows = (params.rows + 31) / 32;
  let tile_columns = (params.columns + 31) / 32;
  let number = i32(workgroup.y * workgroups.x + workgroup.x);
  let matrix = number / (tile_rows * tile_columns);
  let first_row = number / tile_columns % tile_rows * 32;
  let first_column = number % tile_columns * 32;
  let left_at = matrix * params.rows * params.inner;
  let right_at = params.right + matrix * params.right_batch;
  let inside = matrix < params.batch;
  let x = i32(local % 16u);
  let y = i32(local / 16u);
  var sum00 = 0f;
  var sum01 = 0f;
  var sum10 = 0f;
  var sum11 = 0f;
  for (var k = 0; k < params.inner; k += 16) {
    for (var half = 0; half < 2; half++) {
      let row = first_row + y + 16 * half;
      var value = 0f;
      if (inside && row < params.rows && k + x < params.inner) {
        value = LEFT[left_at + row * params.inner + k + x];
      }
      a[y + 16 * half][x] = value;
      let column = first_column + x + 16 * half;
      value = 0f;
      if (inside && column < params.columns && k + y < params.inner) {
        value = RIGHT[right_at + (k + y) * params.right_row + column * params.right_column];
      }
      b[y][x + 16 * half] = value;
    }
    workgroupBarrier();
    for (var i = 0; i < 16; i++) {
      let a0 = a[y][i];
      let a1 = a[y + 16][i];
      let b0 = b[i][x];
      let b1 = b[i][x + 16];
      sum00 = fma(a0, b0, sum00);
      sum01 = fma(a0, b1, sum01);
      sum10 = fma(a1, b0, sum10);
      sum11 = fma(a1, b1, sum11);
    }
    workgroupBarrier();
  }
  let made_at = matrix * params.rows * params.columns;
  for (var half = 0; half < 2; half++) {
    let row = first_row + y + 16 * half;
    if (inside && row < params.rows) {
      let at = made_at + row * params.columns + first_column + x;
      if (first_column + x < params.columns) {
        made[at] = select(sum10, sum00, half == 0);
      }
      if (first_column + x + 16 < params.columns) {
        made[at + 16] = select(sum11, sum01, half == 0);
      }
    }
  }
}
)";

std::string replaced(std::string text, std::string_view word, std::string_view by) {
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + by.size()))
    text.replace(at, word.size(), by);
  return text;
}

std::string params_of(std::span<const std::string_view> names) {
  std::string text = "struct Params {\n";
  for (const std::string_view name : names) text += fmt::format("  {}: i32,\n", name);
  return text + "}\n\n";
}

}  // namespace

std::string gather_shader(DType dtype, DType places) {
  static constexpr std::string_view kParams[] = {"elements", "places", "inner", "extent"};
  return fmt::format(
      "{}{}@group(0) @binding(0) var<storage, read> data: array<{}>;\n"
      "@group(0) @binding(1) var<storage, read> places: array<{}>;\n"
      "@group(0) @binding(2) var<storage, read_write> made: array<{}>;\n"
      "@group(0) @binding(3) var<uniform> params: Params;\n{}",
      with_f16(dtype), params_of(kParams), element_word(dtype), element_word(places), element_word(dtype), kGather);
}

std::string product_shader(DType dtype, bool same) {
  static constexpr std::string_view kParams[] = {"rows",  "inner",       "columns",   "batch",
                                                 "right", "right_batch", "right_row", "right_column"};
  std::string text = params_of(kParams);
  int binding = 0;
  const auto declare = [&](std::string_view access, std::string_view name) {
    text += fmt::format("@group(0) @binding({}) var<storage, {}> {}: array<{}>;\n", binding++, access, name,
                        element_word(dtype));
  };
  declare("read", "left");
  if (!same) declare("read", "right");
  declare("read_write", "made");
  text += fmt::format("@group(0) @binding({}) var<uniform> params: Params;\n", binding);
  return text + replaced(replaced(std::string(kProduct), "LEFT", "left"), "RIGHT", same ? "left" : "right");
}

std::string constants_shader(std::span<const std::uint32_t> words, std::size_t first) {
  std::string text =
      fmt::format("@group(0) @binding(0) var<storage, read_write> made: array<u32>;\n\nconst words = array<u32, {}>(",
                  words.size());
  constexpr std::size_t kPerLine = 10;
  for (std::size_t i = 0; i < words.size(); ++i)
    text += fmt::format("{}0x{:08x}u,", i % kPerLine == 0 ? "\n  " : " ", words[i]);
  text += fmt::format(R"(
);

@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) local: u32) {{
  for (var i = local; i < {0}u; i += 64u) {{
    made[{1}u + i] = words[i];
  }}
}}
)",
                      words.size(), first);
  return text;
}

}  // namespace pawl::wgsl
