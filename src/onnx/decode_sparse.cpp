#include <cstring>

#include "onnx/decode_tensor.h"
#include "onnx/tensor_data.h"
#include "tensor/walk.h"

namespace pawl::onnx {
namespace {

struct SparseFields {
  NamedTensor values;
  NamedTensor indices;
  std::vector<std::int64_t> dims;
};

Result<SparseFields> gather_sparse(Fields fields, Source& source) {
  SparseFields sparse;
  const auto tensor = [&](Fields sub) { return decode_tensor(sub, source); };
  TRY(fields.each([&](std::uint32_t number) -> Result<void> {
    switch (number) {
      case 1: return fields.read("values", "TensorProto", sparse.values, tensor);
      case 2: return fields.read("indices", "TensorProto", sparse.indices, tensor);
      case 3: return fields.read("dims", sparse.dims);
      default: return fields.skip();
    }
  }));
  const std::string& name = sparse.values.name;
  if (!sparse.values.tensor.defined()) return fail(Code::bad_file, "a sparse tensor has no values");
  if (sparse.values.tensor.rank() != 1)
    return fail(Code::bad_file, "sparse tensor \"{}\": the values have shape {}; one axis is expected", name,
                pawl::to_string(sparse.values.tensor.shape()));
  if (!sparse.indices.tensor.defined() && sparse.values.tensor.size() == 0)
    sparse.indices.tensor = Tensor::of<std::int64_t>({0}, {});
  if (sparse.indices.tensor.dtype() != DType::i64)
    return fail(Code::bad_file, "sparse tensor \"{}\": the indices must be int64 and are {}", name,
                pawl::name(sparse.indices.tensor.dtype()));
  TRY_ASSIGN(sparse.indices.tensor, sparse.indices.tensor.to_dense());
  return sparse;
}

/// Where in the dense tensor each value goes. Errors: bad_file, when an index is outside of it or they do not ascend.
Result<std::vector<std::size_t>> positions_of(const SparseFields& sparse, const Dims& shape) {
  const std::string& name = sparse.values.name;
  const Tensor& indices = sparse.indices.tensor;
  const auto count = static_cast<std::size_t>(sparse.values.tensor.size());
  const std::int64_t* index = indices.data<std::int64_t>();
  const bool linear = indices.rank() == 1;
  const Dims wanted = linear ? Dims{sparse.values.tensor.size()}
                             : Dims{sparse.values.tensor.size(), static_cast<std::int64_t>(shape.size())};
  if (!(indices.shape() == wanted))
    return fail(Code::bad_file, "sparse tensor \"{}\": the indices have shape {} where {} is expected", name,
                pawl::to_string(indices.shape()), pawl::to_string(wanted));
  const std::int64_t size = *checked_size(shape);
  std::vector<std::size_t> positions;
  positions.reserve(count);
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t position = 0;
    if (linear) {
      position = *index++;
      if (position < 0 || position >= size)
        return fail(Code::bad_file, "sparse tensor \"{}\": index {} is outside of shape {}", name, position,
                    pawl::to_string(shape));
    } else {
      for (const std::int64_t extent : shape) {
        if (*index < 0 || *index >= extent)
          return fail(Code::bad_file, "sparse tensor \"{}\": index {} is outside of shape {}", name, *index,
                      pawl::to_string(shape));
        position = position * extent + *index++;
      }
    }
    const auto place = static_cast<std::size_t>(position);
    if (!positions.empty() && place <= positions.back())
      return fail(Code::bad_file, "sparse tensor \"{}\": the indices do not ascend at value {}", name, i);
    positions.push_back(place);
  }
  return positions;
}

}  // namespace

Result<NamedTensor> decode_sparse_tensor(Fields fields, Source& source) {
  TRY_ASSIGN(SparseFields sparse, gather_sparse(fields, source));
  const Tensor& values = sparse.values.tensor;
  TRY_ASSIGN(const Dims shape, checked_shape(sparse.values.name, sparse.dims));
  TRY_ASSIGN(const std::vector<std::size_t> positions, positions_of(sparse, shape));
  TRY_ASSIGN(Tensor dense, source.allocate(values.dtype(), shape));
  if (values.dtype() == DType::string) {
    for (std::size_t i = 0; i < positions.size(); ++i)
      dense.mutable_data<std::string>()[positions[i]] = values.data<std::string>()[i];
  } else {
    const std::size_t width = size_of(values.dtype());
    std::memset(dense.mutable_bytes(), 0, static_cast<std::size_t>(dense.size()) * width);
    for (std::size_t i = 0; i < positions.size(); ++i)
      std::memcpy(dense.mutable_bytes() + positions[i] * width, values.bytes() + i * width, width);
  }
  return NamedTensor{std::move(sparse.values.name), std::move(dense), {}};
}

}  // namespace pawl::onnx
