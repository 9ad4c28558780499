#include "backend/cpu/dnnl_library.h"

#include <dlfcn.h>

#include <algorithm>
#include <optional>

#include "base/try.h"

namespace pawl::cpu {
namespace {

template <class F>
bool look_up(void* handle, const char* name, F& function) {
  function = reinterpret_cast<F>(dlsym(handle, name));
  return function != nullptr;
}

std::optional<DnnlLibrary> load() {
  void* handle = dlopen("libdnnl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return std::nullopt;
  DnnlLibrary library{};
  const bool complete =
      look_up(handle, "dnnl_engine_create", library.engine_create) &&
      look_up(handle, "dnnl_stream_create", library.stream_create) &&
      look_up(handle, "dnnl_stream_wait", library.stream_wait) &&
      look_up(handle, "dnnl_stream_destroy", library.stream_destroy) &&
      look_up(handle, "dnnl_memory_desc_init_by_strides", library.memory_desc_init_by_strides) &&
      look_up(handle, "dnnl_memory_desc_init_by_tag", library.memory_desc_init_by_tag) &&
      look_up(handle, "dnnl_memory_desc_get_size", library.memory_desc_get_size) &&
      look_up(handle, "dnnl_memory_desc_equal", library.memory_desc_equal) &&
      look_up(handle, "dnnl_memory_create", library.memory_create) &&
      look_up(handle, "dnnl_memory_destroy", library.memory_destroy) &&
      look_up(handle, "dnnl_memory_set_data_handle", library.memory_set_data_handle) &&
      look_up(handle, "dnnl_primitive_desc_create", library.primitive_desc_create) &&
      look_up(handle, "dnnl_primitive_desc_destroy", library.primitive_desc_destroy) &&
      look_up(handle, "dnnl_primitive_desc_query_md", library.primitive_desc_query_md) &&
      look_up(handle, "dnnl_primitive_create", library.primitive_create) &&
      look_up(handle, "dnnl_primitive_destroy", library.primitive_destroy) &&
      look_up(handle, "dnnl_primitive_execute", library.primitive_execute) &&
      look_up(handle, "dnnl_reorder_primitive_desc_create", library.reorder_primitive_desc_create) &&
      look_up(handle, "dnnl_dilated_convolution_forward_desc_init", library.dilated_convolution_forward_desc_init) &&
      look_up(handle, "dnnl_dilated_deconvolution_forward_desc_init",
              library.dilated_deconvolution_forward_desc_init) &&
      look_up(handle, "dnnl_pooling_v2_forward_desc_init", library.pooling_v2_forward_desc_init) &&
      look_up(handle, "dnnl_primitive_desc_query", library.primitive_desc_query) &&
      look_up(handle, "dnnl_primitive_attr_create", library.primitive_attr_create) &&
      look_up(handle, "dnnl_primitive_attr_destroy", library.primitive_attr_destroy) &&
      look_up(handle, "dnnl_primitive_attr_set_scratchpad_mode", library.primitive_attr_set_scratchpad_mode) &&
      look_up(handle, "dnnl_primitive_attr_set_post_ops", library.primitive_attr_set_post_ops) &&
      look_up(handle, "dnnl_post_ops_create", library.post_ops_create) &&
      look_up(handle, "dnnl_post_ops_destroy", library.post_ops_destroy) &&
      look_up(handle, "dnnl_post_ops_append_sum", library.post_ops_append_sum) &&
      look_up(handle, "dnnl_matmul_desc_init", library.matmul_desc_init) &&
      look_up(handle, "dnnl_sgemm", library.sgemm);
  if (!look_up(handle, "omp_get_max_threads", library.omp_get_max_threads) ||
      !look_up(handle, "omp_set_num_threads", library.omp_set_num_threads))
    library.omp_set_num_threads = nullptr;
  // The library stays loaded for the life of the process: its threads may.
  if (!complete || library.engine_create(&library.engine, dnnl_cpu, 0) != dnnl_success) return std::nullopt;
  return library;
}

/// An object of oneDNN, destroyed with its owner.
template <class T>
using Owned = std::unique_ptr<T, dnnl_status_t (*)(T*)>;

/// A memory object over a tensor that keeps its bytes, or over the caller's.
struct Memory {
  Owned<dnnl_memory> object{nullptr, nullptr};
  Tensor bytes;
};

class Runner {
 public:
  explicit Runner(const DnnlLibrary& library) : library_(library) {}
  ~Runner() {
    if (stream_ != nullptr) library_.stream_destroy(stream_);
  }
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  bool start() { return library_.stream_create(&stream_, library_.engine, dnnl_stream_default_flags) == dnnl_success; }

  bool view(const dnnl_memory_desc_t& description, void* data, Memory& memory) {
    dnnl_memory_t made = nullptr;
    if (library_.memory_create(&made, &description, library_.engine, data) != dnnl_success) return false;
    memory.object = {made, library_.memory_destroy};
    return true;
  }

  Result<bool> allocate(const dnnl_memory_desc_t& description, Memory& memory) {
    TRY_ASSIGN(memory.bytes,
               Tensor::allocate(DType::u8, {static_cast<std::int64_t>(library_.memory_desc_get_size(&description))}));
    return view(description, memory.bytes.mutable_data<std::uint8_t>(), memory);
  }

  bool run(const_dnnl_primitive_desc_t description, std::span<const dnnl_exec_arg_t> arguments) {
    dnnl_primitive_t made = nullptr;
    if (library_.primitive_create(&made, description) != dnnl_success) return false;
    const Owned<dnnl_primitive> primitive(made, library_.primitive_destroy);
    return library_.primitive_execute(made, stream_, static_cast<int>(arguments.size()), arguments.data()) ==
               dnnl_success &&
           library_.stream_wait(stream_) == dnnl_success;
  }

  bool reorder(const dnnl_memory_desc_t& from, const Memory& source, const dnnl_memory_desc_t& to,
               const Memory& target) {
    dnnl_primitive_desc_t made = nullptr;
    if (library_.reorder_primitive_desc_create(&made, &from, library_.engine, &to, library_.engine, nullptr) !=
        dnnl_success)
      return false;
    const Owned<dnnl_primitive_desc> description(made, library_.primitive_desc_destroy);
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, source.object.get()}, {DNNL_ARG_TO, target.object.get()}};
    return run(made, arguments);
  }

 private:
  const DnnlLibrary& library_;
  dnnl_stream_t stream_ = nullptr;
};

}  // namespace

const DnnlLibrary* DnnlLibrary::get() {
  static const std::optional<DnnlLibrary> library = load();
  return library ? &*library : nullptr;
}

ThreadLimit::ThreadLimit(const DnnlLibrary& library, bool one) : library_(library) {
  if (!one || library.omp_set_num_threads == nullptr) return;
  before_ = library.omp_get_max_threads();
  library.omp_set_num_threads(1);
}

ThreadLimit::~ThreadLimit() {
  if (before_ > 0) library_.omp_set_num_threads(before_);
}

bool describe(const DnnlLibrary& library, std::span<const std::int64_t> dims, std::span<const std::int64_t> strides,
              dnnl_memory_desc_t& plain) {
  if (dims.size() > DNNL_MAX_NDIMS) return false;
  return library.memory_desc_init_by_strides(&plain, static_cast<int>(dims.size()), dims.data(), dnnl_f32,
                                             strides.empty() ? nullptr : strides.data()) == dnnl_success;
}

bool describe_any(const DnnlLibrary& library, std::span<const std::int64_t> dims, dnnl_memory_desc_t& any) {
  if (dims.size() > DNNL_MAX_NDIMS) return false;
  return library.memory_desc_init_by_tag(&any, static_cast<int>(dims.size()), dims.data(), dnnl_f32,
                                         dnnl_format_tag_any) == dnnl_success;
}

Result<bool> run_primitive(const DnnlLibrary& library, const_dnnl_op_desc_t operation,
                           std::span<const DnnlArgument> arguments) {
  Runner runner(library);
  dnnl_primitive_desc_t made = nullptr;
  if (!runner.start() ||
      library.primitive_desc_create(&made, operation, nullptr, library.engine, nullptr) != dnnl_success)
    return false;
  const Owned<dnnl_primitive_desc> description(made, library.primitive_desc_destroy);
  std::vector<Memory> given(arguments.size()), used(arguments.size());
  std::vector<const dnnl_memory_desc_t*> wanted(arguments.size());
  std::vector<dnnl_exec_arg_t> bound;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const DnnlArgument& argument = arguments[i];
    wanted[i] = library.primitive_desc_query_md(made, argument.wanted, argument.position);
    if (wanted[i] == nullptr || !runner.view(argument.plain, argument.data, given[i])) return false;
    const bool same = library.memory_desc_equal(wanted[i], &argument.plain) != 0;
    if (!same) {
      TRY_ASSIGN(const bool allocated, runner.allocate(*wanted[i], used[i]));
      if (!allocated || (!argument.output && !runner.reorder(argument.plain, given[i], *wanted[i], used[i])))
        return false;
    }
    bound.push_back({argument.index, (same ? given[i] : used[i]).object.get()});
  }
  if (!runner.run(made, bound)) return false;
  for (std::size_t i = 0; i < arguments.size(); ++i)
    if (arguments[i].output && used[i].object != nullptr &&
        !runner.reorder(*wanted[i], used[i], arguments[i].plain, given[i]))
      return false;
  return true;
}

}  // namespace pawl::cpu
