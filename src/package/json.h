// JSON as text: objects in the order in which they were filled.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pawl::package {

class Json {
 public:
  static Json object() { return Json(Kind::object); }
  static Json array() { return Json(Kind::array); }
  Json(std::string_view text);
  Json(const char* text) : Json(std::string_view(text)) {}
  Json(const std::string& text) : Json(std::string_view(text)) {}
  Json(std::int64_t number);
  Json(int number) : Json(static_cast<std::int64_t>(number)) {}
  Json(double number);  ///< infinities and NaN as "Infinity", "-Infinity", "NaN"
  Json(float number);   ///< with the digits that give the same float32
  Json(bool value);

  /// Of an object, which keeps the order.
  Json& set(std::string key, Json value);
  /// Of an array.
  Json& add(Json value);
  [[nodiscard]] bool empty() const { return items_.empty(); }

  /// What fits a line of 100 characters is one.
  [[nodiscard]] std::string text() const;

 private:
  enum class Kind : std::uint8_t { scalar, array, object };
  explicit Json(Kind kind) : kind_(kind) {}
  void write(std::string& to, std::size_t indent, std::size_t column) const;
  void write_line(std::string& to) const;

  Kind kind_ = Kind::scalar;
  std::string scalar_;
  std::vector<std::pair<std::string, Json>> items_;
};

}  // namespace pawl::package
