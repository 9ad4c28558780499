#include "base/try.h"
#include "onnx/read.h"
#include "onnx/text.h"

namespace pawl::onnx {
namespace {

/// True for text syntax: after white space and comments it starts with '<', which no ModelProto does.
bool looks_like_text(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    const char c = bytes[at];
    if (c == '#') {
      at = bytes.find('\n', at);
      if (at == std::string_view::npos) return false;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      return c == '<';
    }
    ++at;
  }
  return false;
}

}  // namespace

Result<Model> read_model(const std::filesystem::path& path) {
  TRY_ASSIGN(const Bytes bytes, map_file(path));
  const std::string_view text(reinterpret_cast<const char*>(bytes.data.data()), bytes.data.size());
  std::filesystem::path folder = path.parent_path();
  if (folder.empty()) folder = ".";
  const std::filesystem::path extension = path.extension();
  if (extension == ".onnxtxt" || extension == ".txt" || looks_like_text(text)) return parse_text(text, folder);
  return decode(bytes, folder);
}

}  // namespace pawl::onnx
