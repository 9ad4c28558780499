// A class with steps in between in which the state starts anew, or is replaced: what a segmented scan does.
//   an element is (f, v, e): where f holds, the state has been v since; where not, e acts on it
//   combine((f, v, e), (g, w, h)) = (f or g, where(g, w, act(h, v)), combine(e, h))    the first one is earlier in time
#pragma once

#include "scan/arithmetic.h"
#include "scan/recurrence.h"

namespace pawl::scan {

template <const Recurrence& Base>
struct Segmented {
  static std::size_t width(std::size_t states) { return 1 + states + Base.width(states); }
  static std::size_t states_of(const Tuple& element) {
    std::size_t states = 1;
    while (width(states) < element.size()) ++states;
    return states;
  }
  static Tuple values(const Tuple& element) {
    return {element.begin() + 1, element.begin() + 1 + static_cast<std::ptrdiff_t>(states_of(element))};
  }
  static Tuple between(const Tuple& element) {
    return {element.begin() + 1 + static_cast<std::ptrdiff_t>(states_of(element)), element.end()};
  }
  static Tuple joined(graph::ValueId flag, const Tuple& values, const Tuple& between) {
    Tuple element{flag};
    element.insert(element.end(), values.begin(), values.end());
    element.insert(element.end(), between.begin(), between.end());
    return element;
  }
  static Result<Tuple> combine(graph::Builder& to, const Tuple& earlier, const Tuple& later) {
    TRY_ASSIGN(const Tuple since, act(to, later, values(earlier)));
    TRY_ASSIGN(const Tuple both, Base.combine(to, between(earlier), between(later)));
    Arithmetic make(to);
    return make.done(joined(make.call("Or", {earlier[0], later[0]}), since, both));
  }
  static Result<Tuple> act(graph::Builder& to, const Tuple& element, const Tuple& states) {
    TRY_ASSIGN(Tuple next, Base.act(to, between(element), states));
    Arithmetic make(to);
    for (std::size_t i = 0; i < next.size(); ++i) next[i] = make.where(element[0], element[1 + i], next[i]);
    return make.done(std::move(next));
  }
  static Result<Tuple> unchanged(graph::Builder& to, const Tuple& beside) {
    std::vector<DType> states;
    for (const graph::ValueId value : values(beside)) states.push_back(to.fact(value).type.dtype);
    TRY_ASSIGN(const Tuple kept, scan::unchanged(Base, to, between(beside), states));
    Arithmetic make(to);
    return make.done(joined(make.constant(DType::boolean, 0), values(beside), kept));
  }
};

}  // namespace pawl::scan
