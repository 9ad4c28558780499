#include "pawl/error.h"

#include "base/try.h"

namespace pawl {

std::string_view name(Code code) {
  switch (code) {
    case Code::io: return "io";
    case Code::bad_file: return "bad_file";
    case Code::bad_model: return "bad_model";
    case Code::bad_shape: return "bad_shape";
    case Code::bad_type: return "bad_type";
    case Code::bad_value: return "bad_value";
    case Code::bad_argument: return "bad_argument";
    case Code::unsupported: return "unsupported";
    case Code::limit: return "limit";
    case Code::interrupted: return "interrupted";
    case Code::internal: return "internal";
  }
  return "unknown";
}

std::string Error::to_string() const {
  std::string text;
  for (std::size_t i = 0; i < where.size(); ++i) {
    text += where[i];
    if (text.empty() || text.back() == ':')
      text += ' ';
    else
      text += i + 1 < where.size() ? " / " : ": ";
  }
  text += message;
  // Names come from files: one error stays one line.
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  return text;
}

void check_failed(const char* file, int line, const char* condition) {
  throw InternalError(fmt::format("internal error at {}:{}: {}", file, line, condition));
}

}  // namespace pawl
