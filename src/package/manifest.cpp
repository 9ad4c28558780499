#include <fmt/format.h>

#include <algorithm>

#include "base/try.h"
#include "package/contents.h"
#include "package/sha256.h"

namespace pawl::package {
namespace {

using wgsl::Count;
using wgsl::Pass;
using wgsl::PassBuffer;

/// A variable that a shader declares.
struct Declared {
  std::string name;
  std::string type;  ///< of elements; of a uniform its struct
  bool is_uniform = false;
};

/// A shader as a template, and what it declared.
struct Template {
  std::string text;
  std::vector<Declared> declared;
};

constexpr std::string_view kDeclarations = "{{ env.wgsl.resourceDeclarations }}\n";

/// "@group(0) @binding(1) var<storage, read> x: array<f32>;"
std::optional<Declared> declaration(std::string_view line) {
  if (!line.starts_with("@group(0) @binding(")) return std::nullopt;
  const std::size_t open = line.find("var<"), close = line.find("> ", open), colon = line.find(": ", close);
  if (colon == std::string_view::npos || !line.ends_with(";")) return std::nullopt;
  Declared made;
  made.name = line.substr(close + 2, colon - close - 2);
  made.type = line.substr(colon + 2, line.size() - colon - 3);
  made.is_uniform = line.substr(open).starts_with("var<uniform");
  if (made.is_uniform) return made;
  if (!made.type.starts_with("array<") || !made.type.ends_with(">")) return std::nullopt;
  made.type = made.type.substr(6, made.type.size() - 7);
  return made;
}

/// Without the struct of that name.
std::string without_struct(const std::string& text, const std::string& name) {
  const std::size_t begin = text.find("struct " + name + " {");
  if (begin == std::string::npos) return text;
  std::size_t end = text.find('}', begin) + 1;
  while (end < text.size() && text[end] == '\n') ++end;
  return text.substr(0, begin) + text.substr(end);
}

Result<Template> template_of(const Pass& pass, bool has_jinja) {
  if (!has_jinja)
    for (const std::string_view mark : {"{{", "{%", "{#"})
      if (pass.text.find(mark) != std::string::npos)
        return fail(Code::internal, "the shader {} has {} in it", pass.id, mark);
  Template made;
  std::size_t at = 0;
  while (at < pass.text.size()) {
    const std::size_t end = std::min(pass.text.find('\n', at), pass.text.size());
    const std::string_view line(pass.text.data() + at, end - at);
    if (std::optional<Declared> found = declaration(line)) {
      if (made.declared.empty()) made.text += kDeclarations;
      made.declared.push_back(std::move(*found));
    } else {
      made.text += fmt::format("{}\n", line);
    }
    at = end + 1;
  }
  const std::size_t wanted = pass.buffers.size() + (pass.params.empty() ? 0 : 1);
  if (made.declared.size() != wanted)
    return fail(Code::internal, "the shader {} declares {} bindings, not {}", pass.id, made.declared.size(), wanted);
  for (const Declared& each : made.declared)
    if (each.is_uniform) made.text = without_struct(made.text, each.type);
  return made;
}

Json expressions(const std::vector<std::string>& all) {
  Json made = Json::array();
  for (const std::string& each : all) made.add(each);
  return made;
}

Json named(const std::vector<std::pair<std::string, std::string>>& all) {
  Json made = Json::object();
  for (const auto& [name, expression] : all) made.set(name, expression);
  return made;
}

std::string shape_expression(const std::vector<Count>& shape) {
  std::string text = "[";
  for (const Count& extent : shape) text += (text.size() == 1 ? "" : ", ") + wgsl::expression(extent);
  return text + "]";
}

std::string_view dtype_word(DType dtype) {
  switch (dtype) {
    case DType::f16: return "float16";
    case DType::i32: return "int32";
    case DType::u32:
    case DType::boolean: return "uint32";
    default: return "float32";
  }
}

class ManifestWriter {
 public:
  explicit ManifestWriter(const Contents& contents) : contents_(contents) {}

  Result<Manifest> run() {
    for (const VariantEntry& variant : contents_.variants) TRY(add(variant));
    Json manifest = Json::object();
    manifest.set("domain", contents_.domain).set("name", contents_.name);
    if (contents_.since_version) manifest.set("sinceVersion", *contents_.since_version);
    if (!contents_.conformance.empty()) manifest.set("conformance", contents_.conformance);
    if (!contents_.type_constraints.empty()) {
      Json types = Json::object();
      for (const auto& [name, allowed] : contents_.type_constraints) types.set(name, expressions(allowed));
      manifest.set("typeConstraints", std::move(types));
    }
    manifest.set("inputs", tensors(contents_.inputs)).set("outputs", tensors(contents_.outputs));
    if (!contents_.attributes.empty()) {
      Json attributes = Json::object(), constraints = Json::object();
      for (const AttributeEntry& each : contents_.attributes) {
        attributes.set(each.name, Json::object().set("default", each.otherwise));
        Json values = Json::array();
        for (const std::int64_t value : each.values) values.add(value);
        if (!values.empty()) constraints.set(each.name, Json::object().set("values", std::move(values)));
      }
      manifest.set("attributes", std::move(attributes));
      if (!constraints.empty()) manifest.set("attributeConstraints", std::move(constraints));
    }
    if (!contents_.derive.empty()) manifest.set("derive", named(contents_.derive));
    manifest.set("variants", std::move(variants_));
    made_.files.emplace("manifest.json", manifest.text());
    return std::move(made_);
  }

 private:
  static Json tensors(const std::vector<TensorEntry>& all) {
    Json made = Json::object();
    for (const TensorEntry& each : all) {
      Json entry = Json::object();
      if (!each.onnx.empty()) entry.set("onnx", each.onnx);
      entry.set("dtype", each.dtype);
      if (each.rank) entry.set("rank", *each.rank);
      if (!each.shape.empty()) entry.set("shape", each.shape);
      made.set(each.key, std::move(entry));
    }
    return made;
  }

  Result<void> add(const VariantEntry& variant) {
    Json made = Json::object();
    made.set("id", variant.id);
    if (variant.priority != 0) made.set("priority", variant.priority);
    if (!variant.when.empty()) made.set("when", expressions(variant.when));
    if (!variant.features.empty() || !variant.limits.empty()) {
      Json needed = Json::object();
      if (!variant.features.empty()) needed.set("features", expressions(variant.features));
      if (!variant.limits.empty()) needed.set("limits", named(variant.limits));
      made.set("requires", std::move(needed));
    }
    std::vector<std::pair<std::string, std::string>> derive = variant.derive;
    for (const auto& [name, count] : variant.passes.derived) derive.emplace_back(name, wgsl::expression(count));
    if (!derive.empty()) made.set("derive", named(derive));
    Json intermediates = Json::array();
    for (const PassBuffer& buffer : variant.passes.buffers)
      if (buffer.kind == PassBuffer::Kind::scratch || buffer.kind == PassBuffer::Kind::constant)
        intermediates.add(Json::object()
                              .set("id", buffer.name)
                              .set("dtype", dtype_word(buffer.dtype))
                              .set("shape", shape_expression(buffer.shape)));
    if (!intermediates.empty()) made.set("intermediates", std::move(intermediates));
    made_.templates.emplace_back(variant.id, std::vector<std::string>());
    Json passes = Json::array();
    for (const Pass& pass : variant.passes.passes) {
      TRY_ASSIGN(Json entry, add(variant, pass));
      passes.add(std::move(entry));
    }
    made.set("passes", std::move(passes));
    variants_.add(std::move(made));
    return {};
  }

  Result<Json> add(const VariantEntry& variant, const Pass& pass) {
    TRY_ASSIGN(const Template made, template_of(pass, variant.is_template));
    const std::string id = contents_.variants.size() == 1 ? pass.id : variant.id + "-" + pass.id;
    Json bindings = Json::array();
    for (std::size_t i = 0; i < made.declared.size(); ++i) {
      const Declared& declared = made.declared[i];
      Json binding = Json::object();
      if (declared.is_uniform) {
        bindings.add(std::move(binding.set("name", declared.name).set("struct", fields_of(pass))));
        continue;
      }
      binding.set("arg", variant.passes.buffers[pass.buffers[i]].name).set("name", declared.name);
      binding.set("buffer", pass.writes[i] ? "storage" : "read-only-storage").set("elementType", declared.type);
      bindings.add(std::move(binding));
    }
    const std::string groups = wgsl::expression(pass.workgroups);
    Json dispatch = Json::object();
    if (pass.workgroups.op() == Count::Op::number && pass.workgroups.number() <= kFold) {
      dispatch.set("x", pass.workgroups.number());
    } else {
      dispatch.set("x", fmt::format("min({}, {})", groups, kFold));
      dispatch.set("y", fmt::format("max(ceilDiv({}, {}), 1)", groups, kFold));
    }
    Json entry = Json::object();
    entry.set("id", id).set("name", id).set("shader", file_of(id, made.text)).set("bindings", std::move(bindings));
    return std::move(entry.set("dispatch", std::move(dispatch)));
  }

  static Json fields_of(const Pass& pass) {
    Json fields = Json::array();
    for (const auto& [name, value] : pass.params)
      fields.add(Json::object().set("name", name).set("type", "i32").set("value", wgsl::expression(value)));
    return fields;
  }

  /// Equal shaders are one file.
  std::string file_of(const std::string& id, const std::string& text) {
    std::string name = id + ".wgsl.jinja";
    const auto same =
        std::find_if(made_.files.begin(), made_.files.end(), [&](const auto& file) { return file.second == text; });
    if (same == made_.files.end())
      made_.files.emplace(name, text);
    else
      name = same->first;
    std::vector<std::string>& listed = made_.templates.back().second;
    if (std::find(listed.begin(), listed.end(), name) == listed.end()) listed.push_back(name);
    return name;
  }

  static constexpr std::int64_t kFold = 65535;

  const Contents& contents_;
  Manifest made_;
  Json variants_ = Json::array();
};

/// "ai.onnx.Scan" as "_ai_onnx_scan".
std::string id_of(const std::string& name) {
  std::string made = "_";
  bool was_small = false;
  for (const char c : name) {
    const bool is_large = c >= 'A' && c <= 'Z', is_word = is_large || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if ((is_large && was_small) || (!is_word && made.back() != '_')) made += '_';
    if (is_word) made += is_large ? static_cast<char>(c - 'A' + 'a') : c;
    was_small = is_word && !is_large;
  }
  return made;
}

}  // namespace

Result<Manifest> make_manifest(const Contents& contents) { return ManifestWriter(contents).run(); }

std::string metadata_text(const Metadata& metadata, const Manifest& manifest) {
  Json digests = Json::object(), variants = Json::object();
  for (const auto& [name, bytes] : manifest.files) digests.set(name, base64(sha256(bytes)));
  for (const auto& [id, templates] : manifest.templates) variants.set(id, expressions(templates));
  Json made = Json::object();
  made.set("name", metadata.name)
      .set("id", fmt::format("{}_webgpu_{}", id_of(metadata.name), metadata.sha.substr(0, 7)))
      .set("version", metadata.version)
      .set("license", metadata.license)
      .set("backend", Json::object().set("type", "webgpu"))
      .set("digest", Json::object().set("algorithm", "sha256").set("files", std::move(digests)))
      .set("provenance", Json::object()
                             .set("kernel", Json::object().set("sha", metadata.sha).set("dirty", false))
                             .set("tool", metadata.tool))
      .set("webgpu", Json::object().set("manifestSpec", "2.1").set("variants", std::move(variants)));
  return made.text();
}

}  // namespace pawl::package
