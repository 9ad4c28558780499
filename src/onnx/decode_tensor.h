// TensorProto and SparseTensorProto to tensors.
#pragma once

#include "onnx/model.h"
#include "onnx/source.h"
#include "onnx/wire.h"

namespace pawl::onnx {

/// A TensorProto. raw_data of whole bytes and packed float data are views of the file; everything else is copied.
/// Errors: bad_file (naming the tensor), unsupported (segments), limit, io.
Result<NamedTensor> decode_tensor(Fields fields, Source& source);

/// A SparseTensorProto made dense; its name is that of its values. Errors: as above.
Result<NamedTensor> decode_sparse_tensor(Fields fields, Source& source);

}  // namespace pawl::onnx
