// Bytes to onnx::Model: the binary wire format, and tensors, sequences and optionals in files of their own.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>

#include "onnx/model.h"
#include "pawl/error.h"

namespace pawl::onnx {

/// A file mapped into memory, or any other bytes; views of it hold the owner.
struct Bytes {
  std::span<const std::byte> data;
  std::shared_ptr<const void> owner;
  bool mapped = false;  ///< the memory is a file's: its pages can be given back and come again when somebody reads them
};

/// Maps a whole file read-only. Errors: io.
Result<Bytes> map_file(const std::filesystem::path& path);

/// Gives back the pages that [begin, end) of a mapped file covers whole. What the file holds does not change: the next
/// read of them brings them again. Does nothing when `bytes` is not a mapped file.
void release_pages(const Bytes& bytes, std::size_t begin, std::size_t end);

/// Decodes a serialized ModelProto. Nothing of it is trusted: wire types, lengths, nesting (at most kMaxNesting), dims
/// and offsets are checked, unknown fields are skipped. Tensors view `bytes` where they can.
///   folder : where external data lies; paths that leave it are refused. Empty: external data is refused.
/// Errors: bad_file, bad_model, unsupported, limit; io (external data).
Result<Model> decode(const Bytes& bytes, const std::filesystem::path& folder);

/// Reads a model file of either form: the text syntax when the name ends in .onnxtxt or .txt, or the bytes look like
/// it.
Result<Model> read_model(const std::filesystem::path& path);

/// Decode a file that holds one TensorProto, SequenceProto or OptionalProto. The three are not told apart by their
/// bytes: `type` says which is meant (a tensor, where it is unknown).
Result<Value> decode_value(const Bytes& bytes, const Type& type);

inline constexpr int kMaxNesting = 64;

}  // namespace pawl::onnx
