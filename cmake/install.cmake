# What `cmake --install` puts where, and the Debian package of it. Components: command, library (the C interface, and the
# compiler for kernels), development, cxx (the static library), python.
include(CMakePackageConfigHelpers)
set(PAWL_PYTHON_DIR lib/python3/dist-packages CACHE STRING "Where the Python package goes, below the prefix")
set(PAWL_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/pawl)
set(PAWL_PRIVATE_DIR ${CMAKE_INSTALL_LIBDIR}/pawl)

# Each finds the compiler for kernels from where it lies itself.
function(pawl_finds_compiler target folder)
  file(RELATIVE_PATH path /${folder} /${PAWL_PRIVATE_DIR})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "$ORIGIN/${path}")
endfunction()

install(TARGETS pawl_cli RUNTIME COMPONENT command)
pawl_finds_compiler(pawl_cli ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_BINARY_DIR}/describe/man DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 RENAME pawl.1 COMPONENT command)
install(FILES ${CMAKE_BINARY_DIR}/describe/bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME pawl
  COMPONENT command)
install(FILES ${CMAKE_BINARY_DIR}/describe/zsh DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions RENAME _pawl
  COMPONENT command)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/pawl RENAME copyright COMPONENT command)

set_target_properties(pawl_shared PROPERTIES EXPORT_NAME pawl)
pawl_finds_compiler(pawl_shared ${CMAKE_INSTALL_LIBDIR})
install(TARGETS pawl_shared EXPORT pawl-targets LIBRARY COMPONENT library NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
if(TARGET pawl_llvm)
  install(TARGETS pawl_llvm LIBRARY DESTINATION ${PAWL_PRIVATE_DIR} COMPONENT library)
endif()

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/pawl DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
install(EXPORT pawl-targets NAMESPACE pawl:: DESTINATION ${PAWL_CMAKE_DIR} COMPONENT development)
configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/pawl-config.cmake.in ${CMAKE_BINARY_DIR}/pawl-config.cmake
  INSTALL_DESTINATION ${PAWL_CMAKE_DIR})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/pawl-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/pawl-config.cmake ${CMAKE_BINARY_DIR}/pawl-config-version.cmake
  DESTINATION ${PAWL_CMAKE_DIR} COMPONENT development)
file(RELATIVE_PATH PAWL_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_SOURCE_DIR}/cmake/pawl.pc.in ${CMAKE_BINARY_DIR}/pawl.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/pawl.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

set_target_properties(pawl PROPERTIES EXPORT_NAME pawl_cxx)
# A program has the static library in itself: its run path is where the compiler for kernels is looked for.
target_link_options(pawl INTERFACE $<INSTALL_INTERFACE:LINKER:-rpath,$<INSTALL_PREFIX>/${PAWL_PRIVATE_DIR}>)
install(TARGETS pawl EXPORT pawl-cxx-targets ARCHIVE COMPONENT cxx INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT pawl-cxx-targets NAMESPACE pawl:: DESTINATION ${PAWL_CMAKE_DIR} COMPONENT cxx)

if(TARGET pawl_python)
  pawl_finds_compiler(pawl_python ${PAWL_PYTHON_DIR}/pawl)
  install(TARGETS pawl_python LIBRARY DESTINATION ${PAWL_PYTHON_DIR}/pawl COMPONENT python)
  install(FILES ${PAWL_PYTHON_FILES} DESTINATION ${PAWL_PYTHON_DIR}/pawl COMPONENT python)
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME pawl)
set(CPACK_PACKAGE_CONTACT "pawl maintainers <maintainers@users.noreply.a-seed-4d749e1f.example>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "Runs ONNX models whose work is a loop: Scan, Loop and If")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING ALL_COMPONENTS_IN_ONE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
# Large operators are faster with oneDNN; the module of Python needs its interpreter, the command does not.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "libdnnl2, python3-numpy, python3 (>= 3.11), python3 (<< 3.12)")
include(CPack)
