#include "package/json.h"

#include <fmt/format.h>

#include <cmath>

namespace pawl::package {
namespace {

std::string quoted(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\')
      made += fmt::format("\\{}", c);
    else if (c == '\n')
      made += "\\n";
    else if (code < 0x20)
      made += fmt::format("\\u{:04x}", code);
    else
      made += c;
  }
  return made + '"';
}

template <class T>
std::string number_text(T number) {
  if (std::isnan(number)) return "\"NaN\"";
  if (std::isinf(number)) return number > 0 ? "\"Infinity\"" : "\"-Infinity\"";
  if (number == 0) return std::signbit(number) ? "-0.0" : "0";
  return fmt::format("{}", number);
}

}  // namespace

Json::Json(std::string_view text) : scalar_(quoted(text)) {}
Json::Json(std::int64_t number) : scalar_(fmt::format("{}", number)) {}
Json::Json(double number) : scalar_(number_text(number)) {}
Json::Json(float number) : scalar_(number_text(number)) {}
Json::Json(bool value) : scalar_(value ? "true" : "false") {}

Json& Json::set(std::string key, Json value) {
  items_.emplace_back(std::move(key), std::move(value));
  return *this;
}
Json& Json::add(Json value) { return set({}, std::move(value)); }

std::string Json::text() const {
  std::string made;
  write(made, 0, 0);
  return made + '\n';
}

void Json::write_line(std::string& to) const {
  if (kind_ == Kind::scalar) {
    to += scalar_;
    return;
  }
  const bool is_object = kind_ == Kind::object;
  to += is_object ? "{" : "[";
  bool first = true;
  for (const auto& [key, value] : items_) {
    to += first ? (is_object ? " " : "") : ", ";
    first = false;
    if (is_object) to += quoted(key) + ": ";
    value.write_line(to);
  }
  if (is_object && !items_.empty()) to += ' ';
  to += is_object ? "}" : "]";
}

void Json::write(std::string& to, std::size_t indent, std::size_t column) const {
  constexpr std::size_t kLine = 100;
  std::string line;
  write_line(line);
  if (kind_ == Kind::scalar || items_.empty() || column + line.size() <= kLine) {
    to += line;
    return;
  }
  const bool is_object = kind_ == Kind::object;
  to += is_object ? "{" : "[";
  bool first = true;
  for (const auto& [key, value] : items_) {
    to += first ? "\n" : ",\n";
    first = false;
    to.append(indent + 2, ' ');
    const std::string name = is_object ? quoted(key) + ": " : "";
    to += name;
    value.write(to, indent + 2, indent + 2 + name.size());
  }
  to += '\n';
  to.append(indent, ' ');
  to += is_object ? "}" : "]";
}

}  // namespace pawl::package
