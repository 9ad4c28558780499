// Shaders one after the other, for any extents of what they read: what a native run dispatches and a package holds.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "pawl/dtype.h"

namespace pawl::wgsl {

/// A number that is known when the shaders are called: a tree of names, numbers and operations, immutable.
class Count {
 public:
  enum class Op : std::uint8_t { number, name, add, subtract, multiply, ceil_div, floor_div, modulo, minimum, maximum };

  Count(std::int64_t number);
  /// Something of a call: an extent, an attribute, a tunable; what a package calls it.
  static Count named(std::string name);

  [[nodiscard]] Op op() const;
  [[nodiscard]] std::int64_t number() const;
  [[nodiscard]] const std::string& name() const;
  [[nodiscard]] const Count& left() const;
  [[nodiscard]] const Count& right() const;

  /// An operation of two counts; of two numbers it is a number.
  static Count made(Op op, const Count& left, const Count& right);

  friend Count operator+(const Count& a, const Count& b);
  friend Count operator-(const Count& a, const Count& b);
  friend Count operator*(const Count& a, const Count& b);
  friend Count ceil_div(const Count& a, const Count& b);
  friend Count floor_div(const Count& a, const Count& b);
  friend Count modulo(const Count& a, const Count& b);
  friend Count minimum(const Count& a, const Count& b);
  friend Count maximum(const Count& a, const Count& b);

 private:
  struct Node;
  Count(Op op, const Count& left, const Count& right);
  std::shared_ptr<const Node> node_;
};

/// Its value, given those of its names.
std::int64_t value_of(const Count& count, const std::function<std::int64_t(const std::string& name)>& named);

/// As an expression of package manifests (Jinja's): `ceilDiv(steps, 256) * dim`.
std::string expression(const Count& count);

/// Something that shaders read or write: `size` elements of its type.
struct PassBuffer {
  enum class Kind : std::uint8_t { input, output, constant, scratch };
  Kind kind = Kind::scratch;
  std::string name;
  DType dtype = DType::f32;
  std::vector<Count> shape;
};

/// One dispatch. Group 0 of the shader: the buffers in the order of `buffers`, behind them the params as a uniform
/// struct of i32, where there are any.
struct Pass {
  std::string id;
  std::string text;                  ///< WGSL whole, entry point `main`
  std::vector<std::size_t> buffers;  ///< of Passes::buffers
  std::vector<bool> writes;          ///< by those: it writes them
  std::vector<std::pair<std::string, Count>> params;
  Count workgroups = 1;  ///< along x; of more than 65,535 the rest is along y, which the shader looks after
};

struct Passes {
  std::vector<PassBuffer> buffers;
  std::vector<Pass> passes;
  /// Names that all counts here see, in order: a later one sees the earlier ones.
  std::vector<std::pair<std::string, Count>> derived;
};

}  // namespace pawl::wgsl
