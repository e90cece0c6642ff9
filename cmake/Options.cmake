# The compile options of all of Eft's sources.

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
    # What the compiler makes at run time has no word on its type before its first instruction.
    target_compile_options(EftOptions INTERFACE -fno-sanitize=function)
  endif()
  target_link_options(EftOptions INTERFACE -fsanitize=${EFT_SANITIZE})
endif()
target_compile_options(EftOptions INTERFACE -ffunction-sections -fdata-sections)

# The public headers, which the code behind them includes as its users do.
add_library(EftHeaders INTERFACE)
target_include_directories(EftHeaders INTERFACE ${PROJECT_SOURCE_DIR}/include)

# LLVM and MLIR as a user of them sees them. Their headers are not ours to warn about.
add_library(EftMLIROptions INTERFACE)
target_include_directories(EftMLIROptions SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS})
target_link_libraries(EftMLIROptions INTERFACE EftOptions)

# One header of the dialects that are used everywhere, compiled once: a pass then takes 2 s to
# compile instead of 11.
add_library(EftPrecompiled OBJECT ${PROJECT_SOURCE_DIR}/cmake/Precompiled.cpp)
target_link_libraries(EftPrecompiled PRIVATE EftMLIROptions)
target_precompile_headers(EftPrecompiled PRIVATE ${PROJECT_SOURCE_DIR}/cmake/Precompiled.h)

set_property(GLOBAL PROPERTY EFT_LIBRARIES EftOptions EftHeaders EftMLIROptions)
