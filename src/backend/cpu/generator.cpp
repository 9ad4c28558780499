#include "backend/cpu/generator.h"

#include <algorithm>

#include "backend/cpu/generate.h"
#include "backend/cpu/operations.h"

namespace pawl::cpu {
namespace {

bool is_symbol_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

std::string entry_name(const kernel::Program& program) {
  std::string name = "pawl_" + program.name;
  std::replace_if(name.begin(), name.end(), [](char c) { return !is_symbol_letter(c); }, '_');
  return name;
}

Result<std::string> generate(const kernel::Program& program, const Target& target) {
  TRY(kernel::verify(program));
  return Generator(program, target).run();
}

Result<std::string> Generator::run() {
  values_.resize(program_.vars.size());
  counters_.resize(program_.counters.size(), index(0));
  load_arguments();
  TRY(block(program_.block));
  // What went past the caches is seen by whoever is told that this is done.
  if (has_streamed_ && target_.triple.starts_with("x86_64")) {
    out_.declare("declare void @llvm.x86.sse.sfence()");
    out_.line("call void @llvm.x86.sse.sfence()");
  }
  out_.line("ret void");
  return module_text();
}

std::string Generator::module_text() const {
  std::string text = fmt::format("target triple = \"{}\"\n\n", target_.triple);
  text += fmt::format("define void @{}(ptr %buffers, ptr %params, i64 %begin, i64 %end) #0 {{\nentry:\n",
                      entry_name(program_));
  text += out_.text();
  text += "}\n\n";
  for (const std::string& declaration : out_.declarations()) text += declaration + "\n";
  text += fmt::format(
      "\nattributes #0 = {{ nounwind \"target-cpu\"=\"{}\" \"target-features\"=\"{}\" \"prefer-vector-width\"=\"{}\" "
      "\"min-legal-vector-width\"=\"{}\" }}\n",
      target_.cpu, target_.features, 8 * target_.vector_bytes, 8 * target_.vector_bytes);
  text += "!0 = !{i32 1}\n!1 = !{}\n";
  return text;
}

void Generator::load_arguments() {
  for (std::size_t i = 0; i < program_.buffers.size(); ++i) {
    const std::string place = out_.pointer("ptr", "%buffers", index(static_cast<std::int64_t>(i)));
    buffers_.push_back(fmt::format("%b{}", i));
    out_.line("{} = load ptr, ptr {}, align 8", buffers_.back(), place);
  }
  for (std::size_t i = 0; i < program_.params.size(); ++i) {
    const std::string place = out_.pointer("i64", "%params", index(static_cast<std::int64_t>(i)));
    params_.push_back(out_.emit(DType::i64, 1, "load i64, ptr {}, align 8", place));
  }
}

Result<void> Generator::block(const kernel::Block& block) {
  for (const kernel::Statement& each : block)
    TRY(std::visit([this](const auto& statement) { return this->statement(statement); }, each));
  return {};
}

Result<void> Generator::statement(const kernel::Constant& constant) {
  const auto* number = std::get_if<double>(&constant.value);
  const Ssa value = number != nullptr ? literal(constant.dtype, *number)
                                      : literal_bits(constant.dtype, std::get<std::int64_t>(constant.value));
  values_[constant.result.index] = {{value}};
  return {};
}

Result<void> Generator::statement(const kernel::Number& number) {
  const Ssa start = start_of(number.value);
  const std::size_t count = is_shared(number.value) ? 1 : frame_.copies.size();
  const Slope slope = frame_.width > 1 ? slope_of(number.value, frame_.vector_counter) : Slope{};
  Value value;
  for (std::size_t i = 0; i < count; ++i) {
    Ssa part = sum(start, ahead_of(number.value, frame_.copies[i]));
    if (!slope.is_zero()) {
      const Ssa first = out_.splat(part, frame_.width);
      part = out_.binary("add", first, lane_offsets(slope));
    }
    value.parts.push_back(part);
  }
  values_[number.result.index] = std::move(value);
  return {};
}

Result<void> Generator::statement(const kernel::Compute& compute) {
  if (counted_up_ == &compute || (takes_numbers_ && of_numbers(compute))) return {};
  std::size_t count = 1;
  int width = 1;
  for (const kernel::Var var : compute.operands) {
    count = std::max(count, values_[var.index].parts.size());
    width = std::max(width, values_[var.index].parts[0].width);
  }
  Value value;
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<Ssa> operands;
    for (const kernel::Var var : compute.operands)
      operands.push_back(out_.splat(values_[var.index].part(i, count), width));
    TRY_ASSIGN(Ssa result, cpu::compute(out_, target_, compute.op, operands, compute.to));
    value.parts.push_back(std::move(result));
  }
  values_[compute.result.index] = std::move(value);
  return {};
}

Result<void> Generator::statement(const kernel::Barrier& /*barrier*/) {
  // Behind the last buffer: a Meeting, or null.
  const std::string place = out_.pointer("ptr", "%buffers", index(static_cast<std::int64_t>(program_.buffers.size())));
  const std::string meeting = out_.fresh(), function = out_.fresh(), wait = out_.fresh_label(),
                    after = out_.fresh_label();
  out_.line("{} = load ptr, ptr {}, align 8", meeting, place);
  const Ssa is_there = out_.emit(DType::boolean, 1, "icmp ne ptr {}, null", meeting);
  out_.branch(is_there, wait, after);
  out_.begin_block(wait);
  out_.line("{} = load ptr, ptr {}, align 8", function, meeting);
  out_.line("call void {}(ptr {})", function, meeting);
  out_.branch(after);
  out_.begin_block(after);
  return {};
}

Result<void> Generator::statement(const std::unique_ptr<kernel::Loop>& loop) {
  const bool is_range = program_.splits && depth_ == 0;
  if (is_range && loop->kind != kernel::Loop::Kind::lanes)
    return fail(Code::internal, "kernel {}: splits, and its outermost loop is not of kind lanes", program_.name);
  ++depth_;
  Result<void> done;
  if (loop->kind == kernel::Loop::Kind::steps) {
    done = steps(*loop);
  } else if (loop->kind == kernel::Loop::Kind::reduced) {
    done = reduced(*loop);
  } else {
    Ssa begin = index(0), end = start_of(loop->extent);
    if (is_range) {
      begin = out_.intrinsic("smax", {{"%begin", DType::i64, 1, false}, begin});
      end = out_.intrinsic("smin", {{"%end", DType::i64, 1, false}, end});
    }
    done = lanes(*loop, begin, end);
  }
  --depth_;
  return done;
}

}  // namespace pawl::cpu
