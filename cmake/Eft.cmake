# Functions that declare Eft's libraries, programs and tests.

# eft_add_library(NAME [MLIR] [sources...] LINK libraries...): declares a static library. Without sources, it
# has all sources of this folder and its subfolders; Ninja looks for new ones at each build.
function(eft_add_library name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  if(NOT ARG_UNPARSED_ARGUMENTS)
    file(GLOB_RECURSE ARG_UNPARSED_ARGUMENTS CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  endif()
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_MLIR)
    target_link_libraries(${name} PUBLIC EftMLIROptions)
    target_precompile_headers(${name} REUSE_FROM EftPrecompiled)
  else()
    target_link_libraries(${name} PUBLIC EftOptions)
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
  set_property(GLOBAL APPEND PROPERTY EFT_LIBRARIES ${name})
endfunction()

# eft_add_shared_library(NAME [MLIR] sources... WHOLE libraries... LINK libraries... USES shared...):
# declares the shared library lib/libeft-NAME.so, which C++ programs link as `eft::NAME`. All objects of the
# static libraries WHOLE become part of it, since they have parts of the public interface. The static
# libraries LINK are hidden in it, like LLVM. USES names shared libraries that its public headers use.
function(eft_add_shared_library name)
  cmake_parse_arguments(ARG "MLIR" "" "WHOLE;LINK;USES" ${ARGN})
  set(target eft-${name})
  add_library(${target} SHARED ${ARG_UNPARSED_ARGUMENTS})
  add_library(eft::${name} ALIAS ${target})
  if(ARG_MLIR)
    target_link_libraries(${target} PRIVATE EftMLIROptions)
    target_precompile_headers(${target} REUSE_FROM EftPrecompiled)
  else()
    target_link_libraries(${target} PRIVATE EftOptions)
  endif()
  target_include_directories(${target} PUBLIC
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  list(TRANSFORM ARG_USES PREPEND eft-)
  target_link_libraries(${target} PUBLIC ${ARG_USES})
  if(ARG_WHOLE)
    target_link_libraries(${target} PRIVATE "$<LINK_LIBRARY:WHOLE_ARCHIVE,${ARG_WHOLE}>")
  endif()
  target_link_libraries(${target} PRIVATE ${ARG_LINK})
  # Exports Eft's symbols that EFT_API marks, and none of LLVM or other libraries. The symbols with
  # __jit_debug_ are exported, too: by them gdb finds loaded code (compiler/codegen/HostTools.h).
  set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  # The thread pool and loaded code exist until the process ends, so the library must never be unloaded.
  target_link_options(${target} PRIVATE -Wl,--version-script=${exports} -Wl,-z,nodelete)
  if(NOT EFT_SANITIZE) # a sanitizer's symbols are undefined here: only programs link its runtime
    target_link_options(${target} PRIVATE -Wl,-z,defs)
  endif()
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_link_options(${target} PRIVATE -Wl,-s)
  endif()
  set_target_properties(${target} PROPERTIES LINK_DEPENDS ${exports} EXPORT_NAME ${name}
    VERSION ${EFT_VERSION} SOVERSION ${EFT_INTERFACE_VERSION} INSTALL_RPATH "$ORIGIN"
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/lib)
  install(TARGETS ${target} EXPORT eft LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cpp
    NAMELINK_COMPONENT cpp)
endfunction()

# eft_add_program(NAME [MLIR] sources... LINK libraries...): declares an executable.
function(eft_add_program name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  # The same option as for libraries, so that both can use the same precompiled header.
  set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
  target_compile_options(${name} PRIVATE -fPIC)
  if(ARG_MLIR)
    target_link_libraries(${name} PRIVATE EftMLIROptions)
    target_precompile_headers(${name} REUSE_FROM EftPrecompiled)
  else()
    target_link_libraries(${name} PRIVATE EftOptions)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
endfunction()

# eft_add_unit_test(NAME [MLIR] sources... LINK libraries...): declares a GoogleTest program. Release builds
# compile tests that don't use MLIR without optimizations, in a third of the time.
set_property(GLOBAL PROPERTY EFT_UNIT_TESTS "")
function(eft_add_unit_test name)
  cmake_parse_arguments(ARG "MLIR" "" "" ${ARGN})
  eft_add_program(${name} ${ARGN})
  target_link_libraries(${name} PRIVATE GTest::gtest GTest::gtest_main)
  if(NOT ARG_MLIR)
    target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O0>)
    target_precompile_headers(${name} REUSE_FROM EftTestPrecompiled)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/unit)
  add_test(NAME ${name} COMMAND ${name})
  set_property(GLOBAL APPEND PROPERTY EFT_UNIT_TESTS ${name})
endfunction()

# eft_add_python_module(NAME [MLIR] sources... LINK libraries...): declares an extension module of the
# package `eft`. Its only visible symbols are its entry and those that gdb looks for. Release builds strip
# it.
function(eft_add_python_module name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  pybind11_add_module(${name} MODULE NO_EXTRAS ${ARG_UNPARSED_ARGUMENTS}
    ${PROJECT_SOURCE_DIR}/frontend/bindings/ThreadEnd.cpp)
  if(ARG_MLIR)
    target_link_libraries(${name} PRIVATE EftMLIROptions)
    if(TARGET EftPrecompiled) # not with EFT_LIBRARIES_FROM
      target_precompile_headers(${name} REUSE_FROM EftPrecompiled)
    endif()
  else()
    target_link_libraries(${name} PRIVATE EftOptions)
  endif()
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  # The symbols of LLVM and of the C++ library must not be mixed up with those of other modules in the
  # process.
  set(exports ${CMAKE_CURRENT_BINARY_DIR}/${name}.map)
  file(CONFIGURE OUTPUT ${exports} CONTENT "{ global: PyInit_@name@; __jit_debug_*; local: *; };\n" @ONLY)
  target_link_options(${name} PRIVATE -Wl,--version-script=${exports})
  # ThreadEnd.cpp defines both wrappers.
  target_link_options(${name} PRIVATE -Wl,--wrap=__gxx_personality_v0 -Wl,--wrap=__cxa_atexit)
  # ThreadSanitizer can follow the guards of function-local statics only in the shared C++ library.
  if(NOT EFT_SANITIZE MATCHES thread)
    target_link_options(${name} PRIVATE -static-libstdc++ -static-libgcc)
  endif()
  set_target_properties(${name} PROPERTIES LINK_DEPENDS ${exports})
  if(CMAKE_BUILD_TYPE STREQUAL "Release")
    target_link_options(${name} PRIVATE -Wl,-s)
  endif()
  set_target_properties(${name} PROPERTIES
    LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/python/eft)
  install(TARGETS ${name} LIBRARY DESTINATION eft COMPONENT python)
endfunction()
