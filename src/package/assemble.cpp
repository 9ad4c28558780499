#include "package/assemble.h"

#include <fmt/format.h>

#include <algorithm>

#include "backend/wgsl/generate.h"
#include "backend/wgsl/plain_shaders.h"
#include "base/try.h"
#include "package/unify.h"

namespace pawl::package {
namespace {

using wgsl::Count;
using wgsl::Pass;
using wgsl::PassBuffer;

/// More than any device binds: what a package needs it says.
constexpr int kMostBuffers = 1000;

/// Invocations of a workgroup that has nothing in common: few, so that a device with many processors has work for all.
constexpr int kLanesTogether = 64;

/// Names that are not in the map stay as they are.
Count substitute(const Count& count, const std::map<std::string, Count>& by) {
  return with_names(count, [&](const std::string& name) {
    const auto found = by.find(name);
    return found == by.end() ? Count::named(name) : found->second;
  });
}

/// Whether a kernel computes with 16-bit floats.
bool has_f16(const kernel::Program& program) {
  const auto is_f16 = [](DType dtype) { return dtype == DType::f16; };
  return std::any_of(program.vars.begin(), program.vars.end(), is_f16) ||
         std::any_of(program.buffers.begin(), program.buffers.end(),
                     [&](const kernel::Buffer& buffer) { return is_f16(buffer.dtype); });
}

class Assembly {
 public:
  Assembly(const Points& points, std::vector<Draft> drafts, const std::vector<std::string>& names)
      : points_(points), drafts_(std::move(drafts)), names_(names) {}

  Result<Assembled> run() {
    TRY(hold("the shaders", [](const Draft& a, const Draft& b) {
      return a.buffers.size() == b.buffers.size() && a.passes.size() == b.passes.size();
    }));
    TRY(hold("a constant", [](const Draft& a, const Draft& b) { return a.constants == b.constants; }));
    TRY(add_names());
    for (std::size_t i = 0; i < drafts_[0].buffers.size(); ++i) TRY(add_buffer(i));
    add_constants();
    for (std::size_t i = 0; i < drafts_[0].passes.size(); ++i) {
      TRY_IN(drafts_[0].passes[i].id, add_pass(i));
    }
    drop_unused();
    return std::move(made_);
  }

 private:
  /// Errors: unsupported, where drafts differ in more than numbers.
  template <class Same>
  [[nodiscard]] Result<void> hold(std::string_view what, Same&& same) const {
    std::vector<bool> alike;
    for (const Draft& draft : drafts_) alike.push_back(same(drafts_[0], draft));
    return agree(what, alike);
  }
  [[nodiscard]] Result<void> agree(std::string_view what, const std::vector<bool>& alike) const {
    if (std::find(alike.begin(), alike.end(), false) == alike.end()) return {};
    return refusal(what, names_.at(points_.blamed(alike)));
  }
  [[nodiscard]] static Error refusal(std::string_view what, const std::string& name) {
    return fail(Code::unsupported, "{} would be another one for each {}: it must be given, as in --dim {}=512", what,
                name, name);
  }

  Result<Count> fit(std::string_view what, const std::vector<std::int64_t>& numbers) const {
    if (const std::optional<Polynomial> found = points_.fit(numbers)) return found->count(names_);
    std::vector<bool> alike;
    for (const std::int64_t each : numbers) alike.push_back(each == numbers[0]);
    return refusal(what, names_.at(points_.blamed(alike)));
  }

  Result<void> add_buffer(std::size_t i) {
    const DraftBuffer& first = drafts_[0].buffers[i];
    TRY(hold("the shaders", [&](const Draft& a, const Draft& b) {
      return a.buffers[i].name == b.buffers[i].name && a.buffers[i].kind == b.buffers[i].kind &&
             a.buffers[i].dtype == b.buffers[i].dtype && a.buffers[i].shape.size() == b.buffers[i].shape.size();
    }));
    PassBuffer buffer{first.kind, first.name, first.dtype, {}};
    for (std::size_t axis = 0; axis < first.shape.size(); ++axis) {
      std::vector<std::int64_t> numbers;
      for (const Draft& draft : drafts_) numbers.push_back(draft.buffers[i].shape[axis]);
      TRY_ASSIGN(Count extent, fit("the shape of " + first.name, numbers));
      buffer.shape.push_back(std::move(extent));
    }
    for (const Count& extent : first.counted) buffer.shape.push_back(substitute(extent, names_of_draft_));
    if (first.kind == PassBuffer::Kind::constant) buffer.kind = PassBuffer::Kind::scratch;
    made_.passes.buffers.push_back(std::move(buffer));
    return {};
  }

  void add_constants() {
    const std::vector<std::uint32_t>& words = drafts_[0].constants;
    for (std::size_t at = 0; at < words.size(); at += wgsl::kMostConstants) {
      const std::size_t count = std::min(words.size() - at, wgsl::kMostConstants);
      Pass pass;
      pass.id = at == 0 ? "constants" : fmt::format("constants_{}", at / wgsl::kMostConstants + 1);
      pass.text = wgsl::constants_shader(std::span(words).subspan(at, count), at);
      pass.buffers = {0};
      pass.writes = {true};
      made_.passes.passes.push_back(std::move(pass));
    }
  }

  Result<void> add_pass(std::size_t i) {
    const DraftPass& first = drafts_[0].passes[i];
    TRY(hold("the shader", [&](const Draft& a, const Draft& b) {
      const DraftPass &x = a.passes[i], &y = b.passes[i];
      return x.id == y.id && x.text == y.text && x.buffers == y.buffers && x.writes == y.writes &&
             x.numbers.size() == y.numbers.size() && x.program.has_value() == y.program.has_value();
    }));
    Pass pass;
    pass.id = first.id;
    pass.buffers = first.buffers;
    pass.writes = first.writes;
    if (first.program) {
      TRY(add_kernel(i, pass));
    } else {
      TRY(add_text(i, pass));
    }
    pass.workgroups = maximum(pass.workgroups, 1);
    made_.most_buffers = std::max(made_.most_buffers, pass.buffers.size());
    made_.passes.passes.push_back(std::move(pass));
    return {};
  }

  /// Numbers by name, as counts in extents.
  template <class Numbers>
  Result<void> add_numbers(const Numbers& of_draft, std::map<std::string, Count>& to) const {
    const auto& first = of_draft(drafts_[0]);
    for (std::size_t n = 0; n < first.size(); ++n) {
      std::vector<std::int64_t> numbers;
      for (const Draft& draft : drafts_) numbers.push_back(of_draft(draft)[n].second);
      TRY_ASSIGN(Count value, fit(first[n].first, numbers));
      to.insert_or_assign(first[n].first, std::move(value));
    }
    return {};
  }

  Result<void> add_names() {
    TRY(hold("the shaders", [](const Draft& a, const Draft& b) {
      return a.numbers.size() == b.numbers.size() && a.derived.size() == b.derived.size();
    }));
    TRY(add_numbers([](const Draft& draft) -> const auto& { return draft.numbers; }, names_of_draft_));
    for (const auto& [name, count] : drafts_[0].derived)
      made_.passes.derived.emplace_back(name, substitute(count, names_of_draft_));
    for (const auto& [at_least, least] : drafts_[0].conditions)
      made_.conditions.emplace_back(substitute(at_least, names_of_draft_), substitute(least, names_of_draft_));
    return {};
  }

  Result<void> add_text(std::size_t i, Pass& pass) {
    const DraftPass& first = drafts_[0].passes[i];
    std::map<std::string, Count> by = names_of_draft_;
    TRY(add_numbers([&](const Draft& draft) -> const auto& { return draft.passes[i].numbers; }, by));
    for (const auto& [name, count] : first.params) pass.params.emplace_back(name, substitute(count, by));
    pass.text = first.text;
    pass.workgroups = substitute(first.workgroups, by);
    made_.f16 = made_.f16 || pass.text.starts_with("enable f16");
    return {};
  }

  Result<void> add_kernel(std::size_t i, Pass& pass) {
    std::vector<Variant> variants;
    for (const Draft& draft : drafts_) variants.push_back({&*draft.passes[i].program, draft.passes[i].program_params});
    std::vector<bool> same;
    const std::optional<Unified> unified = unify(points_, variants, same);
    TRY(agree("the shader", same));
    if (!unified) return refusal("the shader", names_.empty() ? "extent" : names_[0]);
    std::vector<Count> values;
    for (std::size_t p = 0; p < unified->params.size(); ++p) {
      values.push_back(unified->params[p].count(names_));
      pass.params.emplace_back(unified->program.params[p], values.back());
    }
    const bool f16 = has_f16(unified->program);
    made_.f16 = made_.f16 || f16;
    wgsl::Target target{.f16 = f16, .buffers = kMostBuffers, .workgroup_size = kLanesTogether};
    TRY_ASSIGN(wgsl::Shader shader, wgsl::generate(unified->program, target));
    if (shader.is_one_workgroup) {
      target.workgroup_size = wgsl::Target().workgroup_size;
      TRY_ASSIGN(shader, wgsl::generate(unified->program, target));
    }
    pass.text = std::move(shader.text);
    if (shader.is_one_workgroup) return {};
    Count lanes(1);
    for (const kernel::Affine& extent : shader.lanes) lanes = lanes * number_of(extent, values);
    pass.workgroups = ceil_div(lanes, target.workgroup_size);
    return {};
  }

  static Count number_of(const kernel::Affine& form, const std::vector<Count>& params) {
    Count sum(0);
    for (const kernel::Term& term : form)
      sum = sum + Count(term.factor) * (term.param.valid() ? params[term.param.index] : Count(1));
    return sum;
  }

  /// Scratch that nothing uses.
  void drop_unused() {
    std::vector<PassBuffer>& buffers = made_.passes.buffers;
    std::vector<bool> used(buffers.size(), false);
    for (const Pass& pass : made_.passes.passes)
      for (const std::size_t each : pass.buffers) used[each] = true;
    std::vector<std::size_t> to(buffers.size());
    std::vector<PassBuffer> kept;
    for (std::size_t i = 0; i < buffers.size(); ++i) {
      to[i] = kept.size();
      if (used[i] || buffers[i].kind != PassBuffer::Kind::scratch) kept.push_back(std::move(buffers[i]));
    }
    buffers = std::move(kept);
    for (Pass& pass : made_.passes.passes)
      for (std::size_t& each : pass.buffers) each = to[each];
  }

  const Points& points_;
  std::vector<Draft> drafts_;
  const std::vector<std::string>& names_;
  std::map<std::string, Count> names_of_draft_;
  Assembled made_;
};

}  // namespace

Result<Assembled> assemble(const Points& points, std::vector<Draft> drafts, const std::vector<std::string>& names) {
  return Assembly(points, std::move(drafts), names).run();
}

}  // namespace pawl::package
