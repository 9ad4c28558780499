#include "backend/wgsl/lane_laws.h"

#include <algorithm>

#include "base/try.h"
#include "expr/types.h"
#include "ops/convert.h"

namespace pawl::wgsl {
namespace {

using expr::computed_type;
using kernel::StepValue;
using scan::ComponentLaw;
using Source = StepValue::Source;

class Functions {
 public:
  Functions(const scan::ChunkLaws& laws, const std::vector<bool>& wanted) : laws_(laws), wanted_(wanted) {}

  Result<LaneLaws> run() && {
    TRY(find_lanes());
    std::string lift, combine, act, step;
    TRY_ASSIGN(lift, write_lift());
    TRY_ASSIGN(combine, write_combine());
    TRY_ASSIGN(act, write_act());
    TRY_ASSIGN(step, write_step());
    TRY_ASSIGN(const std::string unchanged, write_unchanged());
    made_.functions = structs() + unchanged + lift + combine + act + step + doubt();
    return std::move(made_);
  }

 private:
  [[nodiscard]] const graph::Graph& body() const { return *laws_.scan().body.graph; }

  Result<void> check(DType dtype) const {
    if (type_word(computed_type(dtype)).empty()) return fail(Code::unsupported, "WGSL has no type {}", name(dtype));
    return {};
  }

  Result<void> find_lanes() {
    const graph::ScanOp& scan = laws_.scan();
    for (std::size_t i = 0; i < body().outputs.size(); ++i) {
      const Type& type = body()[i < scan.states ? body().inputs[i] : body().outputs[i]].fact.type;
      const std::optional<Dims> shape = type.static_shape();
      if (!shape) return fail(Code::unsupported, "a shape is not known");
      TRY(check(type.dtype));
      if (i >= scan.states) {
        made_.outputs.push_back(wanted_[i] ? type.dtype : DType::undefined);
        made_.output_shapes.push_back(*shape);
        if (wanted_[i] && *shape != made_.lanes)
          return fail(Code::unsupported, "an output has other extents than the states");
        continue;
      }
      if (i == 0) made_.lanes = *shape;
      if (*shape != made_.lanes) return fail(Code::unsupported, "states have different extents");
      made_.states.push_back(type.dtype);
    }
    for (const ComponentLaw& law : laws_.components) {
      first_.push_back(made_.words.size());
      for (const Type& type : law.element) {
        TRY(check(type.dtype));
        made_.words.push_back(computed_type(type.dtype));
      }
      // Whether there was a step at all.
      if (law.unchanged.empty()) made_.words.push_back(DType::boolean);
    }
    made_.commutative = std::all_of(laws_.components.begin(), laws_.components.end(),
                                    [](const ComponentLaw& law) { return law.commutative; });
    return {};
  }

  /// A field of Values.
  Result<Term> input(Source source, std::size_t index, graph::ValueId constant, const StepValue& value) {
    TRY(check(value.dtype));
    std::size_t at = 0;
    const auto is_same = [&](const LaneInput& each) {
      return each.source == source && (source == Source::constant ? each.constant == constant : each.index == index);
    };
    while (at < made_.inputs.size() && !is_same(made_.inputs[at])) ++at;
    if (at == made_.inputs.size()) made_.inputs.push_back({source, index, constant, value.dtype, value.shape});
    return Term{fmt::format("x.v{}", at), computed_type(value.dtype)};
  }

  Result<Term> input_of_body(const StepValue& value, std::size_t place) {
    const std::size_t states = laws_.scan().states;
    if (place < states) return fail(Code::internal, "a lift reads a state");
    return input(Source::element, place - states, {}, value);
  }

  Result<std::string> write_lift() {
    std::string text = "fn lift(x: Values) -> Item {\n";
    Statements out(text);
    std::vector<std::string> words;
    for (const ComponentLaw& law : laws_.components) {
      const ReadSource read = [&](const StepValue& value) -> Result<Term> {
        if (value.source == Source::element) return input_of_body(value, value.index);
        if (value.source == Source::captured) return input(Source::captured, value.index, {}, value);
        return fail(Code::unsupported, "a constant of many elements in a lift");
      };
      TRY(append(law.lift, read, out, words));
      if (law.unchanged.empty()) words.emplace_back("true");
    }
    return text + fmt::format("  return Item({});\n}}\n", fmt::join(words, ", "));
  }

  Result<void> append(const graph::ScanOp& scan, const ReadSource& read, Statements& out,
                      std::vector<std::string>& words) {
    const std::vector<bool> all(scan.body.graph->outputs.size(), true);
    TRY_ASSIGN(const std::vector<Term> terms, write_lane(scan, all, made_.lanes, read, out));
    for (const Term& term : terms) words.push_back(term.text);
    return {};
  }

  Result<std::string> write_combine() {
    std::string text = "fn combine(p: Item, q: Item) -> Item {\n";
    Statements out(text);
    std::vector<std::string> words;
    for (std::size_t c = 0; c < laws_.components.size(); ++c) {
      const ComponentLaw& law = laws_.components[c];
      const std::size_t width = law.element.size();
      const ReadSource read = [&](const StepValue& value) -> Result<Term> {
        const bool is_later = value.index >= width;
        return Term{fmt::format("{}.m{}", is_later ? "q" : "p", first_[c] + value.index - (is_later ? width : 0)),
                    computed_type(value.dtype)};
      };
      TRY(append(law.combine, read, out, words));
      if (!law.unchanged.empty()) continue;
      const std::size_t some = first_[c] + width;
      for (std::size_t i = 0; i < width; ++i) {
        std::string& word = words[first_[c] + i];
        word = fmt::format("select(p.m{}, {}, q.m{})", first_[c] + i, word, some);
      }
      words.push_back(fmt::format("p.m{0} || q.m{0}", some));
    }
    return text + fmt::format("  return Item({});\n}}\n", fmt::join(words, ", "));
  }

  Result<std::string> write_act() {
    std::string text = "fn act(p: Item, s: States) -> States {\n";
    Statements out(text);
    std::vector<std::string> next(made_.states.size());
    for (std::size_t c = 0; c < laws_.components.size(); ++c) {
      const ComponentLaw& law = laws_.components[c];
      const std::size_t width = law.element.size();
      const ReadSource read = [&](const StepValue& value) -> Result<Term> {
        if (value.index < width) return Term{fmt::format("p.m{}", first_[c] + value.index), computed_type(value.dtype)};
        return Term{fmt::format("s.s{}", law.states[value.index - width]), computed_type(value.dtype)};
      };
      std::vector<std::string> made;
      TRY(append(law.act, read, out, made));
      for (std::size_t i = 0; i < law.states.size(); ++i) {
        next[law.states[i]] = std::move(made[i]);
        if (law.unchanged.empty())
          next[law.states[i]] =
              fmt::format("select(s.s{0}, {1}, p.m{2})", law.states[i], next[law.states[i]], first_[c] + width);
      }
    }
    return text + fmt::format("  return States({});\n}}\n", fmt::join(next, ", "));
  }

  Result<std::string> write_step() {
    std::string text = "fn step(s: States, x: Values) -> Next {\n";
    Statements out(text);
    const ReadSource read = [&](const StepValue& value) -> Result<Term> {
      switch (value.source) {
        case Source::state: return Term{fmt::format("s.s{}", value.index), computed_type(value.dtype)};
        case Source::element: return input(Source::element, value.index, {}, value);
        case Source::captured: return input(Source::captured, value.index, {}, value);
        case Source::constant: return input(Source::constant, 0, value.constant, value);
      }
      return fail(Code::internal, "a value without a source");
    };
    TRY_ASSIGN(const std::vector<Term> terms, write_lane(laws_.scan(), wanted_, made_.lanes, read, out));
    std::vector<std::string> words;
    for (std::size_t i = 0; i < terms.size(); ++i)
      if (wanted_[i]) words.push_back(terms[i].text);
    return text + fmt::format("  return Next({});\n}}\n", fmt::join(words, ", "));
  }

  Result<std::string> write_unchanged() const {
    std::vector<std::string> words;
    for (const ComponentLaw& law : laws_.components) {
      for (const Tensor& each : law.unchanged) {
        const DType dtype = each.dtype();
        const Tensor first = each.view({}, {});
        const std::optional<double> number = ops::only_number(&first);
        if (!number) return fail(Code::unsupported, "what changes nothing is no number");
        words.push_back(literal(computed_type(dtype), *number));
      }
      if (!law.unchanged.empty()) continue;
      for (const Type& type : law.element) words.push_back(literal(computed_type(type.dtype), 0));
      words.emplace_back("false");
    }
    return fmt::format("fn unchanged() -> Item {{ return Item({}); }}\n", fmt::join(words, ", "));
  }

  [[nodiscard]] std::string structs() const {
    std::string text;
    const auto write = [&](std::string_view name, char field, const auto& types) {
      text += fmt::format("struct {} {{", name);
      for (std::size_t i = 0; i < types.size(); ++i)
        text += fmt::format(" {}{}: {},", field, i, type_word(computed_type(types[i])));
      text += " }\n";
    };
    std::vector<DType> inputs;
    for (const LaneInput& each : made_.inputs) inputs.push_back(each.dtype);
    if (inputs.empty()) inputs.push_back(DType::i32);
    write("Values", 'v', inputs);
    write("Item", 'm', made_.words);
    write("States", 's', made_.states);
    text += "struct Next {";
    for (std::size_t i = 0; i < made_.states.size(); ++i)
      text += fmt::format(" s{}: {},", i, type_word(computed_type(made_.states[i])));
    for (std::size_t k = 0; k < made_.outputs.size(); ++k)
      if (made_.outputs[k] != DType::undefined)
        text += fmt::format(" y{}: {},", k, type_word(computed_type(made_.outputs[k])));
    return text + " }\n";
  }

  /// Numbers that a state before a chunk must not be, and factors of which a few bring back what had vanished.
  std::string doubt() {
    std::vector<std::string> any;
    const auto reaches = [&](const std::string& value, std::string_view bits) {
      any.push_back(fmt::format("(bitcast<u32>({}) & 0x7fffffffu) >= {}", value, bits));
    };
    for (std::size_t c = 0; c < laws_.components.size(); ++c) {
      const ComponentLaw& law = laws_.components[c];
      for (std::size_t i = 0; i < law.states.size(); ++i) {
        if (computed_type(made_.states[law.states[i]]) != DType::f32 || law.doubts[i] == scan::Doubt::none) continue;
        reaches(fmt::format("s.s{}", law.states[i]),
                law.doubts[i] == scan::Doubt::not_a_number ? "0x7f800001u" : "0x7f800000u");
      }
      for (std::size_t i = 0; i < law.factors.size(); ++i)
        if (law.factors[i] && made_.words[first_[c] + i] == DType::f32)
          reaches(fmt::format("p.m{}", first_[c] + i), "0x4f800000u");
    }
    made_.doubts = !any.empty();
    if (any.empty()) return {};
    return fmt::format("fn is_doubtful(p: Item, s: States) -> bool {{\n  return {};\n}}\n", fmt::join(any, " || "));
  }

  const scan::ChunkLaws& laws_;
  const std::vector<bool>& wanted_;
  LaneLaws made_;
  std::vector<std::size_t> first_;  ///< by component: its first word of Item
};

}  // namespace

Result<LaneLaws> lane_laws(const scan::ChunkLaws& laws, const std::vector<bool>& wanted) {
  return Functions(laws, wanted).run();
}

}  // namespace pawl::wgsl
