#include "backend/wgsl/generate.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "backend/wgsl/statements.h"
#include "base/try.h"
#include "expr/types.h"
#include "kernel/constant.h"

namespace pawl::wgsl {
namespace {

using kernel::Affine;
using kernel::Block;
using kernel::Loop;
using kernel::Var;

class Generator {
 public:
  Generator(const kernel::Program& program, const Target& target)
      : program_(program), target_(target), vars_(program.vars.size()) {}

  Result<Shader> run() {
    find_numbers(program_.block);
    TRY(find_types());
    is_one_workgroup_ = has_barrier(program_.block);
    TRY(block(program_.block));
    return Shader{head() + body_ + "}\n", is_one_workgroup_, std::move(first_nest_)};
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_.line(format, std::forward<Args>(args)...);
  }

  // --- what is declared

  [[nodiscard]] Result<void> find_types() const {
    if (program_.buffers.size() > static_cast<std::size_t>(target_.buffers))
      return fail(Code::unsupported, "the kernel has {} buffers, the device binds {} (maxStorageBuffersPerShaderStage)",
                  program_.buffers.size(), target_.buffers);
    for (const kernel::Buffer& buffer : program_.buffers) TRY(check(buffer.dtype));
    for (std::size_t i = 0; i < program_.vars.size(); ++i)
      if (!numbers_.contains(static_cast<std::uint32_t>(i))) TRY(check(program_.vars[i]));
    return {};
  }
  [[nodiscard]] Result<void> check(DType dtype) const {
    if (type_word(dtype).empty()) return fail(Code::unsupported, "WGSL has no type {}", name(dtype));
    if (dtype == DType::f16 && !target_.f16)
      return fail(Code::unsupported, "the device lacks shader-f16, which float16 takes");
    return {};
  }

  /// Numbers of forms, which have 32 bits here.
  void find_numbers(const Block& block) {
    for (const kernel::Statement& statement : block) {
      if (const auto* number = std::get_if<kernel::Number>(&statement)) numbers_.insert(number->result.index);
      if (const auto* loop = std::get_if<std::unique_ptr<Loop>>(&statement)) find_numbers((*loop)->block);
    }
  }

  static bool has_barrier(const Block& block) {
    return std::any_of(block.begin(), block.end(), [](const kernel::Statement& statement) {
      const auto* loop = std::get_if<std::unique_ptr<Loop>>(&statement);
      return std::holds_alternative<kernel::Barrier>(statement) || (loop != nullptr && has_barrier((*loop)->block));
    });
  }

  [[nodiscard]] std::string head() const {
    std::string text;
    if (target_.f16) text += "enable f16;\n\n";
    std::string fields;
    for (const std::string& param : program_.params) fields += fmt::format("  {}: i32,\n", param);
    if (!fields.empty()) text += fmt::format("struct Params {{\n{}}}\n\n", fields);
    for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
      const kernel::Buffer& buffer = program_.buffers[i];
      text += fmt::format("@group(0) @binding({}) var<storage, {}> {}: array<{}>;\n", i,
                          buffer.access == kernel::Access::in ? "read" : "read_write", buffer_name(i),
                          element_word(buffer.dtype));
    }
    if (!fields.empty())
      text += fmt::format("@group(0) @binding({}) var<uniform> params: Params;\n", program_.buffers.size());
    text += '\n';
    text += kHelpers;
    text += fmt::format(
        "@compute @workgroup_size({})\nfn main(@builtin(workgroup_id) workgroup: vec3<u32>, "
        "@builtin(num_workgroups) workgroups: vec3<u32>,\n        @builtin(local_invocation_index) local: u32) {{\n",
        target_.workgroup_size);
    if (is_one_workgroup_)
      text += "  let invocation = i32(local);\n";
    else
      text += fmt::format("  let invocation = i32((workgroup.y * workgroups.x + workgroup.x) * {}u + local);\n",
                          target_.workgroup_size);
    return text;
  }

  [[nodiscard]] std::string buffer_name(std::size_t index) const { return "b_" + program_.buffers[index].name; }
  [[nodiscard]] std::string counter_name(std::uint32_t index) const { return "c_" + program_.counters[index]; }

  // --- forms

  [[nodiscard]] std::string form(const Affine& terms) const {
    if (terms.empty()) return "0";
    std::string text;
    for (const kernel::Term& term : terms) {
      std::string product;
      const auto times = [&](const std::string& factor) { product += (product.empty() ? "" : " * ") + factor; };
      if (term.factor != 1 || (!term.param.valid() && !term.counter.valid()))
        times(fmt::format("{}", static_cast<std::int32_t>(term.factor)));
      if (term.param.valid()) times("params." + program_.params[term.param.index]);
      if (term.counter.valid()) times(counter_name(term.counter.index));
      text += (text.empty() ? "" : " + ") + product;
    }
    return text;
  }

  // --- statements

  [[nodiscard]] Term term(Var var) const {
    return {vars_[var.index], numbers_.contains(var.index) ? DType::i32 : program_.vars[var.index]};
  }

  void define(Var var, const std::string& value) {
    vars_[var.index] = fmt::format("v{}", var.index);
    line("let {} = {};", vars_[var.index], value);
  }

  Result<void> block(const Block& statements) {
    for (const kernel::Statement& statement : statements)
      TRY(std::visit([&](const auto& one) { return write(one); }, statement));
    return {};
  }

  Result<void> write(const kernel::Constant& constant) {
    const DType dtype = constant.dtype;
    const auto* number = std::get_if<double>(&constant.value);
    vars_[constant.result.index] =
        number != nullptr ? literal(dtype, *number) : literal_bits(dtype, std::get<std::int64_t>(constant.value));
    return {};
  }

  Result<void> write(const kernel::Number& number) {
    define(number.result, form(number.value));
    return {};
  }

  Result<void> write(const kernel::Compute& compute) {
    std::vector<Term> operands;
    for (const Var operand : compute.operands) operands.push_back(term(operand));
    const std::string name = fmt::format("v{}", compute.result.index);
    TRY_ASSIGN(const Term made,
               out_.compute(name, compute.op, operands, compute.to, program_.vars[compute.result.index]));
    vars_[compute.result.index] = made.text;
    return {};
  }

  Result<void> write(const kernel::Load& load) {
    const std::string element = fmt::format("{}[{}]", buffer_name(load.buffer), form(load.at));
    define(load.result, program_.buffers[load.buffer].dtype == DType::boolean ? element + " != 0u" : element);
    return {};
  }

  Result<void> write(const kernel::Store& store) {
    const std::string& value = vars_[store.value.index];
    const bool is_bool = program_.buffers[store.buffer].dtype == DType::boolean;
    // Outside of lanes all invocations would store the same.
    const bool guarded = lanes_ == 0;
    if (guarded) line("if (invocation == 0) {{");
    line("{}[{}] = {};", buffer_name(store.buffer), form(store.at),
         is_bool ? fmt::format("select(0u, 1u, {})", value) : value);
    if (guarded) line("}}");
    return {};
  }

  Result<void> write(const kernel::Barrier& /*barrier*/) {
    line("storageBarrier();");
    line("workgroupBarrier();");
    return {};
  }

  Result<void> write(const std::unique_ptr<Loop>& held) {
    const Loop& loop = *held;
    if (loop.kind == Loop::Kind::lanes && lanes_ == 0) return shared_lanes(loop);
    lanes_ += loop.kind == Loop::Kind::lanes ? 1 : 0;
    TRY(counted(loop));
    lanes_ -= loop.kind == Loop::Kind::lanes ? 1 : 0;
    return {};
  }

  /// One after the other; what is carried are variables.
  Result<void> counted(const Loop& loop) {
    for (const kernel::Carried& carried : loop.carried) {
      const std::string inside = fmt::format("v{}", carried.inside.index);
      line("var {}: {} = {};", inside, type_word(program_.vars[carried.inside.index]), vars_[carried.initial.index]);
      vars_[carried.inside.index] = inside;
      vars_[carried.result.index] = inside;
    }
    const std::string counter = counter_name(loop.counter.index);
    line("for (var {0} = 0; {0} < {1}; {0}++) {{", counter, form(loop.extent));
    out_.indent();
    TRY(block(loop.block));
    // All at once: two values may change places.
    for (const kernel::Carried& carried : loop.carried)
      line("let n{} = {};", carried.inside.index, vars_[carried.next.index]);
    for (const kernel::Carried& carried : loop.carried)
      line("{} = n{};", vars_[carried.inside.index], carried.inside.index);
    out_.outdent();
    line("}}");
    return {};
  }

  /// A nest of lanes: invocations share them, the last axis's neighbours side by side.
  Result<void> shared_lanes(const Loop& outer) {
    std::vector<const Loop*> nest{&outer};
    while (const Loop* inner = only_lanes(nest.back()->block)) nest.push_back(inner);
    std::string total;
    const int number = nests_++;
    if (number == 0)
      for (const Loop* each : nest) first_nest_.push_back(each->extent);
    for (std::size_t i = 0; i < nest.size(); ++i) {
      line("let extent{}_{} = max({}, 0);", number, i, form(nest[i]->extent));
      total += fmt::format("{}extent{}_{}", i == 0 ? "" : " * ", number, i);
    }
    const std::string lane = fmt::format("lane{}", number);
    const std::string stride = is_one_workgroup_
                                   ? fmt::format("{}", target_.workgroup_size)
                                   : fmt::format("i32(workgroups.x * workgroups.y) * {}", target_.workgroup_size);
    line("for (var {0} = invocation; {0} < {1}; {0} += {2}) {{", lane, total, stride);
    out_.indent();
    std::string rest = lane;
    for (std::size_t i = nest.size(); i-- > 0;) {
      const std::string counter = counter_name(nest[i]->counter.index);
      line("let {} = {};", counter, i == 0 ? rest : fmt::format("{} % extent{}_{}", rest, number, i));
      if (i == 0) break;
      const std::string next = fmt::format("rest{}_{}", number, i);
      line("let {} = {} / extent{}_{};", next, rest, number, i);
      rest = next;
    }
    ++lanes_;
    for (std::size_t i = 0; i + 1 < nest.size(); ++i)
      for (const kernel::Statement& statement : nest[i]->block)
        if (!std::holds_alternative<std::unique_ptr<Loop>>(statement))
          TRY(std::visit([&](const auto& one) { return write(one); }, statement));
    TRY(block(nest.back()->block));
    --lanes_;
    out_.outdent();
    line("}}");
    return {};
  }

  /// The loop of lanes that is all there is in a block besides values that are computed before it; its extent must not
  /// depend on the lanes around.
  [[nodiscard]] static const Loop* only_lanes(const Block& block) {
    const Loop* found = nullptr;
    for (std::size_t i = 0; i < block.size(); ++i) {
      if (std::holds_alternative<kernel::Store>(block[i])) return nullptr;
      const auto* loop = std::get_if<std::unique_ptr<Loop>>(&block[i]);
      if (loop == nullptr) continue;
      const bool has_counter =
          std::any_of((*loop)->extent.begin(), (*loop)->extent.end(), [](const auto& t) { return t.counter.valid(); });
      if ((*loop)->kind != Loop::Kind::lanes || has_counter || i + 1 != block.size()) return nullptr;
      found = loop->get();
    }
    return found;
  }

  const kernel::Program& program_;
  const Target& target_;
  std::vector<std::string> vars_;
  std::string body_;
  Statements out_{body_};
  std::vector<Affine> first_nest_;
  std::set<std::uint32_t> numbers_;
  bool is_one_workgroup_ = false;
  int lanes_ = 0;  ///< loops of lanes around
  int nests_ = 0;
};

}  // namespace

Result<Shader> generate(const kernel::Program& program, const Target& target) {
  TRY(kernel::verify(program));
  return Generator(program, target).run();
}

}  // namespace pawl::wgsl
