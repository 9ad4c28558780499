// Writing protobuf messages into one string, bounded by the size that protobuf allows.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>

#include "base/try.h"

namespace pawl::onnx {

using protozero::pbf_writer;

/// The largest message that protobuf's own readers take.
inline constexpr std::size_t kMaxMessageBytes = 0x7fffffff;

/// Writes the sub-message `field` of `parent`, filled by fill(writer). An empty one is written too: it can mean
/// something (an unknown extent, an empty graph), and protozero drops it.
///   bytes : the string that `parent` writes to
template <class Fill>
Result<void> write_message(std::string& bytes, pbf_writer& parent, std::uint32_t field, Fill&& fill) {
  const std::size_t before = bytes.size();
  {
    pbf_writer message(parent, field);
    TRY(fill(message));
  }
  if (bytes.size() == before) parent.add_message(field, "", 0);
  if (bytes.size() > kMaxMessageBytes)
    return fail(Code::limit, "the result passes the 2 GiB that a protobuf message may have");
  return {};
}

}  // namespace pawl::onnx
