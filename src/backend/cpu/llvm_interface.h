/* What libpawl_llvm.so, the only part that is linked with LLVM, offers. C, so that it can be looked up by name. */
#pragma once

#include <stddef.h>

/* Raised when anything here changes. */
#define PAWL_LLVM_INTERFACE 1

struct PawlLlvmRequest {
  const char* text; /* LLVM IR */
  size_t size;
  const char* triple;
  const char* cpu;
  const char* features;
};

/* Returns 0, and an object file, or 1, and what is wrong in words. `bytes` is given back by free(). Any number of
   threads may be in it. */
typedef int (*PawlLlvmCompile)(const struct PawlLlvmRequest* request, char** bytes, size_t* size);
/* PAWL_LLVM_INTERFACE of the library. */
typedef int (*PawlLlvmVersion)(void);
