#include "tensor/npy_header.h"

#include <fmt/format.h>

#include <charconv>
#include <string_view>

#include "base/try.h"

namespace pawl {
namespace {

constexpr std::string_view kMagic = "\x93NUMPY";
/// What numpy.load itself accepts at most; a rank of 64 takes a fraction of it.
constexpr std::size_t kMaxHeader = 10000;
constexpr std::size_t kMaxRank = 64;

/// Reads the header's dictionary, a literal of Python: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Result<NpyHeader> parse() {
    NpyHeader header;
    unsigned seen = 0;
    TRY(expect('{'));
    while (!accept('}')) {
      TRY_ASSIGN(const std::string key, string());
      TRY(expect(':'));
      const unsigned bit = key == "descr" ? 1 : key == "fortran_order" ? 2 : key == "shape" ? 4 : 0;
      if (bit == 0 || (seen & bit) != 0) return wrong(fmt::format("key \"{}\"", key));
      seen |= bit;
      TRY(value(bit, header));
      if (!accept(',') && !at('}')) return wrong("what follows a value");
    }
    skip_space();
    if (at_ != text_.size() || seen != 7 || header.descr.empty()) return wrong("the set of keys");
    return header;
  }

 private:
  Result<void> value(unsigned key, NpyHeader& header) {
    if (key == 1) {
      if (at('[')) return fail(Code::unsupported, "the .npy file holds structured elements");
      TRY_ASSIGN(header.descr, string());
      return {};
    }
    return key == 2 ? boolean(header.fortran_order) : shape(header.shape);
  }

  Result<std::string> string() {
    skip_space();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return wrong("a string");
    const std::size_t end = text_.find(text_[at_], at_ + 1);
    if (end == std::string_view::npos) return wrong("a string");
    const std::string_view content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return std::string(content);
  }

  Result<void> boolean(bool& target) {
    skip_space();
    target = text_.substr(at_, 4) == "True";
    if (!target && text_.substr(at_, 5) != "False") return wrong("fortran_order");
    at_ += target ? 4 : 5;
    return {};
  }

  /// "()", "(2,)", "(2, 3)"; Python 2 wrote "(2L, 3L)".
  Result<void> shape(std::vector<std::int64_t>& target) {
    TRY(expect('('));
    while (!accept(')')) {
      skip_space();
      std::int64_t extent = 0;
      const char* const end = text_.data() + text_.size();
      const auto [stop, problem] = std::from_chars(text_.data() + at_, end, extent);
      if (problem != std::errc() || extent < 0 || target.size() == kMaxRank) return wrong("shape");
      at_ = static_cast<std::size_t>(stop - text_.data());
      target.push_back(extent);
      accept('L');
      if (!accept(',') && !at(')')) return wrong("shape");
    }
    return {};
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos) ++at_;
  }
  bool at(char c) {
    skip_space();
    return at_ < text_.size() && text_[at_] == c;
  }
  bool accept(char c) {
    const bool found = at(c);
    if (found) ++at_;
    return found;
  }
  Result<void> expect(char c) { return accept(c) ? Result<void>() : wrong(fmt::format("'{}'", c)); }

  [[nodiscard]] Error wrong(const std::string& what) const {
    return fail(Code::bad_file, "the header of the .npy file is damaged at byte {}: {}", at_, what);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

Result<NpyHeader> parse_npy_header(std::span<const std::byte> file) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  if (text.substr(0, kMagic.size()) != kMagic || text.size() < kMagic.size() + 2)
    return fail(Code::bad_file, "not an .npy file");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(text[i])); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3)
    return fail(Code::unsupported, "the .npy file has format version {}; 1 to 3 are known", version);
  const std::size_t start = version == 1 ? 10 : 12;
  if (text.size() < start) return fail(Code::bad_file, "the .npy file ends within its header");
  const std::size_t length =
      version == 1 ? byte(8) + (byte(9) << 8) : byte(8) + (byte(9) << 8) + (byte(10) << 16) + (byte(11) << 24);
  if (length > text.size() - start) return fail(Code::bad_file, "the .npy file ends within its header");
  if (length > kMaxHeader)
    return fail(Code::limit, "the header of the .npy file has {} bytes; {} is the most", length, kMaxHeader);
  TRY_ASSIGN(NpyHeader header, Parser(text.substr(start, length)).parse());
  header.data_offset = start + length;
  return header;
}

std::string make_npy_header(const std::string& descr, std::span<const std::int64_t> shape) {
  const std::string extents =
      fmt::format("{}{}", fmt::join(shape.begin(), shape.end(), ", "), shape.size() == 1 ? "," : "");
  std::string dictionary = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}", descr, extents);
  const bool is_long = dictionary.size() > 0xff00;
  const std::size_t start = is_long ? 12 : 10;
  dictionary.append(63 - (start + dictionary.size()) % 64, ' ');
  dictionary += '\n';
  std::string header(kMagic);
  header += is_long ? '\x02' : '\x01';
  header += '\0';
  for (std::size_t i = 0; i < start - 8; ++i) header += static_cast<char>(dictionary.size() >> (8 * i) & 0xff);
  return header + dictionary;
}

}  // namespace pawl
