// libpawl_llvm.so: LLVM IR to an object file, by LLVM's C interface.
#include <link.h>
#include <llvm-c/Analysis.h>
#include <llvm-c/Core.h>
#include <llvm-c/IRReader.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <sys/mman.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "backend/cpu/llvm_interface.h"

namespace {

template <class T, void (*Dispose)(T)>
struct Disposed {
  using pointer = T;
  void operator()(T object) const { Dispose(object); }
};
template <class T, void (*Dispose)(T)>
using Owned = std::unique_ptr<std::remove_pointer_t<T>, Disposed<T, Dispose>>;

using Context = Owned<LLVMContextRef, LLVMContextDispose>;
using Module = Owned<LLVMModuleRef, LLVMDisposeModule>;
using Machine = Owned<LLVMTargetMachineRef, LLVMDisposeTargetMachine>;
using Options = Owned<LLVMPassBuilderOptionsRef, LLVMDisposePassBuilderOptions>;
using Buffer = Owned<LLVMMemoryBufferRef, LLVMDisposeMemoryBuffer>;
using Message = Owned<char*, LLVMDisposeMessage>;

void initialise() {
  static std::once_flag once;
  std::call_once(once, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
  });
}

/// Errors of code generation are kept; without this they would end the process.
void keep_error(LLVMDiagnosticInfoRef info, void* kept) {
  if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
  const Message text(LLVMGetDiagInfoDescription(info));
  static_cast<std::string*>(kept)->append(text.get());
}

/// The object's bytes, or what is wrong.
bool compile(const PawlLlvmRequest& request, std::string& result) {
  initialise();
  std::string diagnosed;
  const Context context(LLVMContextCreate());
  LLVMContextSetDiagnosticHandler(context.get(), keep_error, &diagnosed);
  char* raw = nullptr;
  const auto failed = [&](const char* what) {
    const Message message(raw);
    result = std::string(what) + ": " + (message ? message.get() : diagnosed.c_str());
    return false;
  };

  LLVMMemoryBufferRef text =
      LLVMCreateMemoryBufferWithMemoryRangeCopy(request.text, request.size, "kernel");  // the parser's from here on
  LLVMModuleRef parsed = nullptr;
  if (LLVMParseIRInContext(context.get(), text, &parsed, &raw) != 0) return failed("the IR cannot be read");
  const Module module(parsed);
  if (LLVMVerifyModule(module.get(), LLVMReturnStatusAction, &raw) != 0) return failed("the IR is wrong");
  LLVMDisposeMessage(raw);
  raw = nullptr;

  LLVMTargetRef target = nullptr;
  if (LLVMGetTargetFromTriple(request.triple, &target, &raw) != 0) return failed("LLVM lacks the target");
  const Machine machine(LLVMCreateTargetMachine(target, request.triple, request.cpu, request.features,
                                                LLVMCodeGenLevelDefault, LLVMRelocPIC, LLVMCodeModelSmall));
  if (!machine) return failed("LLVM lacks the machine");
  LLVMSetTarget(module.get(), request.triple);
  LLVMTargetDataRef layout = LLVMCreateTargetDataLayout(machine.get());
  LLVMSetModuleDataLayout(module.get(), layout);
  LLVMDisposeTargetData(layout);

  const Options options(LLVMCreatePassBuilderOptions());
  if (LLVMErrorRef error = LLVMRunPasses(module.get(), "function(early-cse,instcombine<no-verify-fixpoint>)",
                                         machine.get(), options.get())) {
    char* message = LLVMGetErrorMessage(error);
    result = message;
    LLVMDisposeErrorMessage(message);
    return false;
  }
  LLVMMemoryBufferRef object = nullptr;
  if (LLVMTargetMachineEmitToMemoryBuffer(machine.get(), module.get(), LLVMObjectFile, &raw, &object) != 0)
    return failed("no code comes out");
  const Buffer owned(object);
  if (!diagnosed.empty()) return failed("no code comes out");
  result.assign(LLVMGetBufferStart(object), LLVMGetBufferSize(object));
  return true;
}

/// Gives LLVM's code and constants back to the kernel's cache of files, where the next kernel finds them: tens of MB of
/// the process, which runs what was compiled and not the compiler.
int give_back(dl_phdr_info* object, std::size_t /*size*/, void* inside) {
  const std::uintptr_t place = reinterpret_cast<std::uintptr_t>(inside);
  const std::uintptr_t page = static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE));
  bool found = false;
  const auto parts = std::span(object->dlpi_phdr, object->dlpi_phnum);
  for (const ElfW(Phdr) & part : parts)
    found = found || (part.p_type == PT_LOAD && place - (object->dlpi_addr + part.p_vaddr) < part.p_memsz);
  if (!found) return 0;
  for (const ElfW(Phdr) & part : parts) {
    if (part.p_type != PT_LOAD || (part.p_flags & PF_W) != 0) continue;
    const std::uintptr_t begin = (object->dlpi_addr + part.p_vaddr) / page * page;
    madvise(reinterpret_cast<void*>(begin), object->dlpi_addr + part.p_vaddr + part.p_memsz - begin, MADV_DONTNEED);
  }
  return 1;
}

/// The last one that leaves gives the memory back.
class Compiling {
 public:
  Compiling() { ++count(); }
  Compiling(const Compiling&) = delete;
  Compiling& operator=(const Compiling&) = delete;
  ~Compiling() {
    if (--count() == 0) dl_iterate_phdr(give_back, reinterpret_cast<void*>(&LLVMContextCreate));
  }

 private:
  static std::atomic<int>& count() {
    static std::atomic<int> threads{0};
    return threads;
  }
};

}  // namespace

extern "C" __attribute__((visibility("default"))) int pawl_llvm_version(void) { return PAWL_LLVM_INTERFACE; }

extern "C" __attribute__((visibility("default"))) int pawl_llvm_compile(const PawlLlvmRequest* request, char** bytes,
                                                                        size_t* size) {
  std::string result;
  const Compiling here;
  const bool done = compile(*request, result);
  *bytes = static_cast<char*>(std::malloc(result.size() + 1));
  *size = *bytes == nullptr ? 0 : result.size();
  if (*bytes == nullptr) return 1;
  std::memcpy(*bytes, result.c_str(), result.size() + 1);
  return done ? 0 : 1;
}
