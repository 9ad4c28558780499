#include "dlpack.h"

#include "errors.h"

namespace pawl::python {

namespace py = pybind11;

namespace {

// The layout of the format: facts of an interface.
struct DlDevice {
  std::int32_t type;
  std::int32_t id;
};
struct DlType {
  std::uint8_t code;
  std::uint8_t bits;
  std::uint16_t lanes;
};
struct DlTensor {
  void* data;
  DlDevice device;
  std::int32_t rank;
  DlType dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct DlManagedTensor {
  DlTensor tensor;
  void* context;
  void (*release)(DlManagedTensor*);
};

struct Row {
  std::uint8_t code;
  std::uint8_t bits;
  DType dtype;
};
constexpr Row kTypes[] = {
    {0, 8, DType::i8},          {0, 16, DType::i16},    {0, 32, DType::i32},        {0, 64, DType::i64},
    {1, 8, DType::u8},          {1, 16, DType::u16},    {1, 32, DType::u32},        {1, 64, DType::u64},
    {2, 16, DType::f16},        {2, 32, DType::f32},    {2, 64, DType::f64},        {4, 16, DType::bf16},
    {5, 64, DType::c64},        {5, 128, DType::c128},  {6, 8, DType::boolean},     {10, 8, DType::f8e4m3fn},
    {11, 8, DType::f8e4m3fnuz}, {12, 8, DType::f8e5m2}, {13, 8, DType::f8e5m2fnuz}, {14, 8, DType::f8e8m0},
};

DType dtype_of(const DlType& type) {
  for (const Row& row : kTypes)
    if (row.code == type.code && row.bits == type.bits && type.lanes == 1) return row.dtype;
  return DType::undefined;
}

/// Gives the memory back where it came from; there may be no lock of the interpreter at that moment.
struct Owner {
  DlManagedTensor* managed;
  explicit Owner(DlManagedTensor* taken) : managed(taken) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() {
    const py::gil_scoped_acquire lock;
    if (managed->release != nullptr) managed->release(managed);
  }
};

constexpr std::int32_t kCpu = 1;

}  // namespace

bool has_dlpack(py::handle object) { return py::hasattr(object, "__dlpack__"); }

Tensor tensor_from_dlpack(py::handle object) {
  const py::object capsule = object.attr("__dlpack__")();
  auto* managed = static_cast<DlManagedTensor*>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
  if (managed == nullptr) throw py::error_already_set();
  PyCapsule_SetName(capsule.ptr(), "used_dltensor");
  const auto owner = std::make_shared<Owner>(managed);
  const DlTensor& found = managed->tensor;
  if (found.device.type != kCpu)
    raise(Code::bad_argument, "a tensor in the memory of a device: copy it to the processor's first");
  const DType dtype = dtype_of(found.dtype);
  if (dtype == DType::undefined)
    raise(Code::bad_type, "a DLPack type of code " + std::to_string(found.dtype.code) + " and " +
                              std::to_string(found.dtype.bits) + " bits");
  const auto rank = static_cast<std::size_t>(found.rank);
  const Dims shape(std::span<const std::int64_t>(found.shape, rank));
  static constexpr std::byte kNothing{};
  const void* data = found.data != nullptr ? static_cast<const std::byte*>(found.data) + found.byte_offset : &kNothing;
  const Tensor tensor = Tensor::borrow(dtype, shape, data, owner);
  if (found.strides == nullptr) return tensor;
  return tensor.view(shape, Dims(std::span<const std::int64_t>(found.strides, rank)));
}

}  // namespace pawl::python
