#include "package/readme.h"

#include <fmt/format.h>

#include <algorithm>

#include "package/cases.h"

namespace pawl::package {
namespace {

std::string shown(const wgsl::Count& count) {
  std::string text = wgsl::expression(count);
  if (text.starts_with("(") && text.ends_with(")")) text = text.substr(1, text.size() - 2);
  return text;
}

std::string shown(const std::vector<wgsl::Count>& shape) {
  std::string text = "[";
  for (const wgsl::Count& extent : shape) text += (text.size() == 1 ? "" : ", ") + shown(extent);
  return text + "]";
}

std::string_view array_of(DType dtype) {
  switch (dtype) {
    case DType::f16: return "Uint16Array";
    case DType::i64:
    case DType::i32: return "Int32Array";
    case DType::u64:
    case DType::u32: return "Uint32Array";
    case DType::boolean: return "Uint8Array";
    default: return "Float32Array";
  }
}

std::string note_of(const PackagePort& port) {
  std::string note;
  if (port.key != port.name) note += fmt::format("`{}` in the model. ", port.name);
  if (port.weight.defined()) note += fmt::format("A weight, whose values are in `{}`. ", kWeightsFile);
  if (port.dtype == DType::i64 || port.dtype == DType::u64)
    note += fmt::format("{} in the model; 32 bits here. ", name(port.dtype));
  if (!note.empty()) note.pop_back();
  return note;
}

std::string rows(const std::vector<PackagePort>& ports) {
  std::string text = "| name | type | shape | |\n|---|---|---|---|\n";
  for (const PackagePort& port : ports)
    text +=
        fmt::format("| `{}` | {} | {} | {} |\n", port.key, manifest_type(port.dtype), shown(port.shape), note_of(port));
  return text;
}

std::string call_text(const Compiled& compiled) {
  std::string outputs, inputs;
  for (const PackagePort& port : compiled.outputs) outputs += (outputs.empty() ? "" : ", ") + port.key;
  for (const PackagePort& port : compiled.inputs)
    if (!port.weight.defined())
      inputs +=
          fmt::format("  {}: {{ data: new {}(…), shape: {} }},\n", port.key, array_of(port.dtype), shown(port.shape));
  return fmt::format(R"(```js
import {{ getKernel }} from "pawl-kernels";

const kernel = await getKernel("path or URL of this folder");
const {{ {} }} = await kernel({{
{}}});
```
)",
                     outputs, inputs);
}

std::string needs(const VariantEntry& variant) {
  std::string text;
  for (const std::string& condition : variant.when) text += fmt::format("- runs where `{}`\n", condition);
  for (const std::string& feature : variant.features) text += fmt::format("- the feature `{}`\n", feature);
  for (const auto& [limit, value] : variant.limits) text += fmt::format("- the limit `{}` of {}\n", limit, value);
  return text.empty() ? "" : text + "\n";
}

std::string passes(const VariantEntry& variant) {
  std::string text = "| pass | buffers | workgroups |\n|---|---|---|\n";
  for (const wgsl::Pass& pass : variant.passes.passes)
    text += fmt::format("| {} | {} | {} |\n", pass.id, pass.buffers.size(), shown(pass.workgroups));
  return text;
}

}  // namespace

std::string readme_text(const Compiled& compiled, const CardFacts& facts) {
  std::string text = fmt::format("# {}\n\nA WebGPU kernel package of spec 2.1, made by {} from the ONNX model `{}`.\n",
                                 compiled.contents.name, facts.tool, facts.model);
  if (!facts.scans.empty()) {
    text += "\nIts loops, which are shaders here:\n\n";
    for (const std::string& scan : facts.scans) text += fmt::format("- {}\n", scan);
  }
  text += "\n## Inputs\n\n" + rows(compiled.inputs) + "\n## Outputs\n\n" + rows(compiled.outputs);
  if (!compiled.extents.empty()) {
    text += "\nExtents that each call may choose:";
    for (const Extent& extent : compiled.extents)
      text += fmt::format(" `{}`{}", extent.name, &extent == &compiled.extents.back() ? ".\n" : ",");
  }
  for (const auto& [name, extent] : facts.dims) text += fmt::format("\n`{}` is {} in this package.\n", name, extent);
  text += "\n## Attributes\n\nNone.\n\n## Call\n\n" + call_text(compiled);
  if (std::any_of(compiled.inputs.begin(), compiled.inputs.end(),
                  [](const auto& port) { return port.weight.defined(); }))
    text += fmt::format(
        "\nWeights that are left out come from `build/webgpu/{}`, where they lie by their keys; loaders other than "
        "pawl-kernels are given them as all other inputs.\n",
        kWeightsFile);
  text += "\n## Passes\n";
  for (const VariantEntry& variant : compiled.contents.variants)
    text += fmt::format("\nVariant `{}`\n\n{}{}", variant.id, needs(variant), passes(variant));
  text +=
      "\n`build/webgpu/test.json` has calls with the results of pawl's reference evaluator, `bench.json` calls to be "
      "timed.\n";
  return text;
}

}  // namespace pawl::package
