#include "backend/cpu/dnnl_small_products.h"

#include <array>
#include <map>
#include <memory>
#include <mutex>
#include <string_view>

#include "base/spares.h"
#include "base/try.h"

namespace pawl::cpu {
namespace {

/// Of a turned matrix the code makes a copy in each call; so many rows of the other one pay for it.
constexpr std::int64_t kRowsOfTurned = 16;
/// Shapes whose code is kept.
constexpr std::size_t kMostShapes = 1024;

/// Extents and steps: what code is made for.
struct Shape {
  std::int64_t rows, columns, depth;
  std::array<std::int64_t, 2> a, b, to;
  bool add;
  auto operator<=>(const Shape&) const = default;
};

template <class T>
using Owned = std::unique_ptr<T, dnnl_status_t (*)(T*)>;

/// What one call of the code needs besides matrices.
struct CallObjects {
  Owned<dnnl_stream> stream{nullptr, nullptr};
  std::array<Owned<dnnl_memory>, 4> memory{
      {{nullptr, nullptr}, {nullptr, nullptr}, {nullptr, nullptr}, {nullptr, nullptr}}};
};

/// The code of one shape. Any number of threads may run it, each with objects and scratch memory of its own.
struct Code {
  Owned<dnnl_primitive> primitive{nullptr, nullptr};  ///< null: none that pays
  std::array<dnnl_memory_desc_t, 4> memory{};         ///< a, b, to, scratch
  std::int64_t scratch_bytes = 0;
  Spares<CallObjects> spares;
};

/// An object that `make` sets, or null.
template <class T, class Make>
Owned<T> owned(dnnl_status_t (*destroy)(T*), const Make& make) {
  T* made = nullptr;
  if (make(&made) != dnnl_success) made = nullptr;
  return Owned<T>(made, destroy);
}

Owned<dnnl_primitive_attr> attributes_of(const DnnlLibrary& library, bool add) {
  auto attributes = owned<dnnl_primitive_attr>(library.primitive_attr_destroy, library.primitive_attr_create);
  const auto after = owned<dnnl_post_ops>(library.post_ops_destroy, library.post_ops_create);
  const bool made =
      attributes != nullptr && after != nullptr &&
      library.primitive_attr_set_scratchpad_mode(attributes.get(), dnnl_scratchpad_mode_user) == dnnl_success &&
      (!add || library.post_ops_append_sum(after.get(), 1) == dnnl_success) &&
      library.primitive_attr_set_post_ops(attributes.get(), after.get()) == dnnl_success;
  if (!made) attributes.reset();
  return attributes;
}

void make(const DnnlLibrary& library, const Shape& shape, Code& code) {
  auto& [a, b, to, scratch] = code.memory;
  const std::array<std::int64_t, 2> of_a{shape.rows, shape.depth}, of_b{shape.depth, shape.columns},
      of_to{shape.rows, shape.columns};
  dnnl_matmul_desc_t operation;
  if (!describe(library, of_a, shape.a, a) || !describe(library, of_b, shape.b, b) ||
      !describe(library, of_to, shape.to, to) ||
      library.matmul_desc_init(&operation, &a, &b, nullptr, &to) != dnnl_success)
    return;
  const auto attributes = attributes_of(library, shape.add);
  if (attributes == nullptr) return;
  const auto description = owned<dnnl_primitive_desc>(library.primitive_desc_destroy, [&](dnnl_primitive_desc_t* made) {
    return library.primitive_desc_create(made, &operation, attributes.get(), library.engine, nullptr);
  });
  // The other implementations are what sgemm is, or slow.
  const char* name = nullptr;
  if (description == nullptr ||
      library.primitive_desc_query(description.get(), dnnl_query_impl_info_str, 0, static_cast<void*>(&name)) !=
          dnnl_success ||
      !std::string_view(name).starts_with("brg"))
    return;
  const dnnl_memory_desc_t* wanted = library.primitive_desc_query_md(description.get(), dnnl_query_scratchpad_md, 0);
  if (wanted == nullptr) return;
  scratch = *wanted;
  code.scratch_bytes = static_cast<std::int64_t>(library.memory_desc_get_size(wanted));
  code.primitive = owned<dnnl_primitive>(library.primitive_destroy, [&](dnnl_primitive_t* made) {
    return library.primitive_create(made, description.get());
  });
}

/// The code of this process, as oneDNN keeps its own.
std::shared_ptr<Code> code_of(const DnnlLibrary& library, const Shape& shape) {
  static std::mutex mutex;
  static std::map<Shape, std::shared_ptr<Code>> kept;
  const std::lock_guard lock(mutex);
  if (const auto found = kept.find(shape); found != kept.end()) return found->second;
  if (kept.size() >= kMostShapes) kept.clear();
  const auto code = std::make_shared<Code>();
  make(library, shape, *code);
  return kept.emplace(shape, code).first->second;
}

std::unique_ptr<CallObjects> objects_for(const DnnlLibrary& library, Code& code) {
  if (std::unique_ptr<CallObjects> spare = code.spares.take()) return spare;
  auto objects = std::make_unique<CallObjects>();
  objects->stream = owned<dnnl_stream>(library.stream_destroy, [&](dnnl_stream_t* made) {
    return library.stream_create(made, library.engine, dnnl_stream_default_flags);
  });
  bool complete = objects->stream != nullptr;
  for (std::size_t i = 0; i < code.memory.size(); ++i) {
    objects->memory[i] = owned<dnnl_memory>(library.memory_destroy, [&](dnnl_memory_t* made) {
      return library.memory_create(made, &code.memory[i], library.engine, DNNL_MEMORY_NONE);
    });
    complete = complete && objects->memory[i] != nullptr;
  }
  return complete ? std::move(objects) : nullptr;
}

bool run(const DnnlLibrary& library, const Code& code, const CallObjects& objects,
         const std::array<const void*, 4>& data) {
  constexpr std::array kPlaces = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SCRATCHPAD};
  std::array<dnnl_exec_arg_t, 4> arguments{};
  for (std::size_t i = 0; i < data.size(); ++i) {
    if (library.memory_set_data_handle(objects.memory[i].get(), const_cast<void*>(data[i])) != dnnl_success)
      return false;
    arguments[i] = {kPlaces[i], objects.memory[i].get()};
  }
  return library.primitive_execute(code.primitive.get(), objects.stream.get(), static_cast<int>(arguments.size()),
                                   arguments.data()) == dnnl_success &&
         library.stream_wait(objects.stream.get()) == dnnl_success;
}

/// Rows or columns lie without gaps, and do not overlap.
bool is_plain(const ops::Matrix<float>& matrix) {
  return (matrix.column_step == 1 && matrix.row_step >= matrix.columns) ||
         (matrix.row_step == 1 && matrix.column_step >= matrix.rows);
}

}  // namespace

Result<bool> multiply_small(const DnnlLibrary& library, const ops::Matrix<float>& a, const ops::Matrix<float>& b,
                            bool add, float* to, std::int64_t step) {
  if (a.rows < (b.column_step == 1 ? 2 : kRowsOfTurned) || !is_plain(a) || !is_plain(b)) return false;
  const Shape shape{a.rows,    b.columns, a.columns, {a.row_step, a.column_step}, {b.row_step, b.column_step},
                    {step, 1}, add};
  const std::shared_ptr<Code> code = code_of(library, shape);
  if (code->primitive == nullptr) return false;
  Tensor scratch;
  if (code->scratch_bytes > 0) {
    TRY_ASSIGN(scratch, Tensor::allocate(DType::u8, {code->scratch_bytes}));
  }
  std::unique_ptr<CallObjects> objects = objects_for(library, *code);
  if (objects == nullptr) return false;
  const bool done =
      run(library, *code, *objects, {a.data, b.data, to, code->scratch_bytes > 0 ? scratch.mutable_bytes() : nullptr});
  code->spares.give(std::move(objects));
  return done;
}

}  // namespace pawl::cpu
