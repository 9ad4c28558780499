#include "ort.h"

#include <dlfcn.h>

#include "base/try.h"

namespace pawl::bench {
namespace {

// What OrtGetApiBase() points at.
struct ApiBase {
  void* const* (*get_api)(std::uint32_t version);
  const char* (*version)();
};

// The interface is a table of functions that only grows at its end: entries by their place in it.
// Source: onnxruntime_c_api.h, struct OrtApi.
template <int kPlace, class... Args>
struct Entry {
  static void* call(void* const* api, Args... args) {
    return reinterpret_cast<void* (*)(Args...)>(api[kPlace])(args...);
  }
};
using GetErrorMessage = Entry<2, void*>;
using CreateEnv = Entry<3, int, const char*, void**>;
using CreateSession = Entry<7, void*, const char*, const void*, void**>;
using Run = Entry<9, void*, const void*, const char* const*, const void* const*, std::size_t, const char* const*,
                  std::size_t, void**>;
using CreateSessionOptions = Entry<10, void**>;
using SetSessionExecutionMode = Entry<13, void*, int>;
using SetSessionGraphOptimizationLevel = Entry<23, void*, int>;
using SetIntraOpNumThreads = Entry<24, void*, int>;
using SetInterOpNumThreads = Entry<25, void*, int>;
using CreateTensorWithData = Entry<49, const void*, void*, std::size_t, const std::int64_t*, std::size_t, int, void**>;
using CreateCpuMemoryInfo = Entry<69, int, int, void**>;
constexpr int kReleaseStatus = 93, kReleaseSession = 95, kReleaseValue = 96, kReleaseSessionOptions = 100;

constexpr std::uint32_t kVersion = 16;  // has all of these
constexpr int kErrors = 3, kSequential = 0, kAllOptimizations = 99, kDeviceAllocator = 0, kDefaultMemory = 0;

void release(void* const* api, int place, void* object) { reinterpret_cast<void (*)(void*)>(api[place])(object); }

/// Frees the status.
Result<void> checked(void* const* api, void* status) {
  if (status == nullptr) return {};
  const auto* message = static_cast<const char*>(GetErrorMessage::call(api, status));
  auto error = fail(Code::unsupported, "ONNX Runtime: {}", message);
  release(api, kReleaseStatus, status);
  return error;
}

struct Session {
  void* const* api = nullptr;
  void* session = nullptr;
  std::vector<std::string> input_names, output_names;
  std::vector<void*> inputs, outputs;

  Session() = default;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session() {
    for (void* value : inputs) release(api, kReleaseValue, value);
    for (void* value : outputs) release(api, kReleaseValue, value);
    if (session != nullptr) release(api, kReleaseSession, session);
  }

  Result<void> add(void* memory, const std::string& name, const Tensor& tensor, std::vector<std::string>& names,
                   std::vector<void*>& values) const {
    void* value = nullptr;
    TRY(checked(api, CreateTensorWithData::call(api, memory, const_cast<std::byte*>(tensor.bytes()),
                                                static_cast<std::size_t>(tensor.size()) * size_of(tensor.dtype()),
                                                tensor.shape().begin(), tensor.shape().size(),
                                                static_cast<int>(tensor.dtype()), &value)));
    names.push_back(name);
    values.push_back(value);
    return {};
  }
};

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> list;
  list.reserve(names.size());
  for (const std::string& name : names) list.push_back(name.c_str());
  return list;
}

}  // namespace

Result<OnnxRuntime> OnnxRuntime::load(const std::filesystem::path& library) {
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) return fail(Code::io, "{}", dlerror());
  auto* base = reinterpret_cast<const ApiBase* (*)()>(dlsym(handle, "OrtGetApiBase"));
  if (base == nullptr) return fail(Code::unsupported, "{} is not ONNX Runtime", library.string());
  OnnxRuntime runtime;
  runtime.version_ = base()->version();
  runtime.api_ = base()->get_api(kVersion);
  if (runtime.api_ == nullptr) return fail(Code::unsupported, "ONNX Runtime {} is too old", runtime.version_);
  TRY(checked(runtime.api_, CreateEnv::call(runtime.api_, kErrors, "pawl", &runtime.environment_)));
  TRY(checked(runtime.api_,
              CreateCpuMemoryInfo::call(runtime.api_, kDeviceAllocator, kDefaultMemory, &runtime.memory_)));
  return runtime;
}

Result<std::function<Result<void>()>> OnnxRuntime::prepare(const std::filesystem::path& model, int threads,
                                                           const std::vector<Named>& inputs,
                                                           std::vector<Named>& outputs) const {
  auto session = std::make_shared<Session>();
  session->api = api_;
  void* options = nullptr;
  TRY(checked(api_, CreateSessionOptions::call(api_, &options)));
  TRY(checked(api_, SetSessionExecutionMode::call(api_, options, kSequential)));
  TRY(checked(api_, SetSessionGraphOptimizationLevel::call(api_, options, kAllOptimizations)));
  TRY(checked(api_, SetIntraOpNumThreads::call(api_, options, threads)));
  TRY(checked(api_, SetInterOpNumThreads::call(api_, options, 1)));
  Result<void> made = checked(api_, CreateSession::call(api_, environment_, model.c_str(), options, &session->session));
  release(api_, kReleaseSessionOptions, options);
  TRY(made);
  for (const Named& each : inputs)
    TRY(session->add(memory_, each.first, each.second, session->input_names, session->inputs));
  for (const Named& each : outputs)
    TRY(session->add(memory_, each.first, each.second, session->output_names, session->outputs));
  return std::function<Result<void>()>([session, input_names = pointers(session->input_names),
                                        output_names = pointers(session->output_names)]() -> Result<void> {
    return checked(session->api,
                   Run::call(session->api, session->session, nullptr, input_names.data(), session->inputs.data(),
                             input_names.size(), output_names.data(), output_names.size(), session->outputs.data()));
  });
}

}  // namespace pawl::bench
