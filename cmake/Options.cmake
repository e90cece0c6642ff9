# The compile options of all Eft sources.

add_library(EftOptions INTERFACE)
target_include_directories(EftOptions INTERFACE ${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
target_compile_options(EftOptions INTERFACE -Wall -Wextra -Werror=dangling -Wno-unused-parameter)
target_link_options(EftOptions INTERFACE -Wl,--gc-sections -Wl,--as-needed)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_link_options(EftOptions INTERFACE -fuse-ld=lld)
  # Lets ccache reuse objects that were made with a precompiled header.
  target_compile_options(EftOptions INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()
if(EFT_SANITIZE)
  target_compile_options(EftOptions INTERFACE -fsanitize=${EFT_SANITIZE} -fno-omit-frame-pointer)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # This check reads a type signature before a function's first instruction. Code that Eft
    # compiles at run time does not have one.
    target_compile_options(EftOptions INTERFACE -fno-sanitize=function)
  endif()
  target_link_options(EftOptions INTERFACE -fsanitize=${EFT_SANITIZE})
endif()
target_compile_options(EftOptions INTERFACE -ffunction-sections -fdata-sections)

# The public headers. Eft's own code includes them by the same paths as its users.
add_library(EftHeaders INTERFACE)
target_include_directories(EftHeaders INTERFACE ${PROJECT_SOURCE_DIR}/include)

# LLVM's and MLIR's headers, as system headers, so that the compiler does not warn about them.
add_library(EftMLIROptions INTERFACE)
target_include_directories(EftMLIROptions SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(EftMLIROptions INTERFACE EftOptions)

# A precompiled header of MLIR and of Eft's dialect. With it, a pass takes 3 s to compile instead of
# 12 s.
add_library(EftPrecompiled OBJECT ${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp)
target_link_libraries(EftPrecompiled PRIVATE EftMLIROptions)
target_precompile_headers(EftPrecompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)
add_dependencies(EftPrecompiled EftIRGenerated)

set_property(GLOBAL PROPERTY EFT_LIBRARIES EftOptions EftHeaders EftMLIROptions)
