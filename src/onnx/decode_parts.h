// The decoders of messages that several files of this folder need.
#pragma once

#include "onnx/model.h"
#include "onnx/source.h"
#include "onnx/wire.h"

namespace pawl::onnx {

/// A TypeProto. `depth` counts the types around it. Errors: bad_file, unsupported (opaque), limit (nesting).
Result<Type> decode_type(Fields fields, int depth);

/// An AttributeProto; `depth` counts the graphs around it. A type that the file omits is inferred from the value.
/// Errors: bad_file, bad_model (no value, several, or another one than the type says), and those of what is inside.
Result<Attribute> decode_attribute(Fields fields, Source& source, int depth);

/// A GraphProto; `depth` counts the graphs around it. Errors: those of what is inside; limit (nesting).
Result<Graph> decode_graph(Fields fields, Source& source, int depth);

}  // namespace pawl::onnx
