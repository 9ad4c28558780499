# Links a library with those parts of LLVM that compile kernels. The whole of LLVM, as a shared library, has relocations for
# twenty targets: loading it takes longer than compiling a kernel does, and twice the memory (docs/benchmarks/compile.md).
include(CheckLinkerFlag)
find_program(PAWL_LLVM_CONFIG llvm-config-19 PATHS /usr/lib/llvm-19/bin)
# What LLVM's object files are compressed with; only the libraries that its own package brings are needed.
find_library(PAWL_ZSTD NAMES zstd libzstd.so.1)
find_library(PAWL_ZLIB NAMES z libz.so.1)

# `whole`: LLVM as a shared library, for where its parts are missing.
function(pawl_link_llvm library whole)
  set(parts)
  # A sanitizer would see half of each lock in functions that both sides have.
  if(PAWL_LLVM_CONFIG AND PAWL_ZSTD AND PAWL_ZLIB AND NOT PAWL_SANITIZE)
    execute_process(COMMAND ${PAWL_LLVM_CONFIG} --link-static --libfiles x86codegen aarch64codegen irreader passes
                    OUTPUT_VARIABLE parts OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    separate_arguments(parts)
  endif()
  set(missing)
  foreach(part IN LISTS parts)
    if(NOT EXISTS ${part})
      list(APPEND missing ${part})
    endif()
  endforeach()
  if(NOT parts OR missing)
    message(STATUS "LLVM 19 as a shared library: the first kernel takes longer")
    target_link_libraries(${library} PRIVATE ${whole})
    return()
  endif()
  target_link_libraries(${library} PRIVATE ${parts} ${PAWL_ZSTD} ${PAWL_ZLIB} Threads::Threads ${CMAKE_DL_LIBS})
  # Nothing of LLVM is seen outside: a process may have another one.
  target_link_options(${library} PRIVATE -Wl,--gc-sections -Wl,--exclude-libs,ALL -Wl,-Bsymbolic)
  check_linker_flag(CXX -Wl,-z,pack-relative-relocs PAWL_PACKED_RELOCATIONS)
  if(PAWL_PACKED_RELOCATIONS)
    target_link_options(${library} PRIVATE -Wl,-z,pack-relative-relocs)
  endif()
endfunction()
