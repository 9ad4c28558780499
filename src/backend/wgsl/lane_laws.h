// The laws of a Scan's chunks as functions of a shader, lane by lane.
#pragma once

#include "backend/wgsl/lane_function.h"
#include "scan/chunk_laws.h"

namespace pawl::wgsl {

/// What steps read besides states.
struct LaneInput {
  kernel::StepValue::Source source = kernel::StepValue::Source::element;  ///< an element, captured, or a constant
  std::size_t index = 0;                                                  ///< of the Scan's elements or captured values
  graph::ValueId constant;                                                ///< of the body of `ChunkLaws::scan()`
  DType dtype = DType::undefined;
  Dims shape;  ///< of one step
};

/// Structs and functions, with v0, … for inputs, m0, … for the monoid's element, s0, … for states, y0, … for outputs:
///   fn lift(x: Values) -> Item            fn combine(p: Item, q: Item) -> Item     p is earlier in time than q
///   fn act(p: Item, s: States) -> States  fn step(s: States, x: Values) -> Next    Next: states, then outputs
///   fn unchanged() -> Item                fn is_doubtful(p: Item, s: States) -> bool, where `doubts`
struct LaneLaws {
  Dims lanes;  ///< extents of every state
  std::vector<LaneInput> inputs;
  std::vector<DType> states;   ///< as stored
  std::vector<DType> words;    ///< of Item, as computed with
  std::vector<DType> outputs;  ///< as stored; undefined where an output is not wanted
  std::vector<Dims> output_shapes;
  bool commutative = false;
  bool doubts = false;  ///< what was combined may not be what the steps do
  std::string functions;
};

///   wanted : by output of the Scan's body
///   Errors : unsupported, where states have different extents or a lane needs others
Result<LaneLaws> lane_laws(const scan::ChunkLaws& laws, const std::vector<bool>& wanted);

}  // namespace pawl::wgsl
