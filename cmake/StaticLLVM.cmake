# Finds LLVM and MLIR 19 and makes their static archives linkable.
#
# Eft contains its own LLVM, with hidden symbols, so that it works in one process with PyTorch and
# Triton. But Debian's MLIR archives link the shared library target `LLVM`. So this file removes
# that target from the archives' link interfaces, and Eft's programs link the static components that
# they need.
find_package(MLIR 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
# LLVM's rules write dependency files with paths relative to the build folder, the convention of
# CMake before 3.20.
cmake_policy(SET CMP0116 OLD)
include(TableGen)
include(AddLLVM)
include(AddMLIR)

foreach(library IN LISTS MLIR_ALL_LIBS MLIR_EXPORTED_TARGETS)
  if(TARGET ${library})
    get_target_property(links ${library} INTERFACE_LINK_LIBRARIES)
    if(links)
      list(REMOVE_ITEM links LLVM)
      set_target_properties(${library} PROPERTIES INTERFACE_LINK_LIBRARIES "${links}")
    endif()
  endif()
endforeach()

# The two compression libraries that LLVM's Support uses are linked statically too, so that a wheel
# needs no library of the user's machine.
function(eft_link_archive target archive)
  find_library(EFT_${archive} ${archive} REQUIRED)
  if(TARGET ${target})
    set_target_properties(${target} PROPERTIES
      IMPORTED_LOCATION ${EFT_${archive}} IMPORTED_LOCATION_NONE ${EFT_${archive}}
      IMPORTED_LOCATION_RELEASE ${EFT_${archive}})
  endif()
endfunction()
eft_link_archive(ZLIB::ZLIB libz.a)
eft_link_archive(zstd::libzstd_shared libzstd.a)

# NVPTX and x86 are the only targets. ORC loads host objects.
llvm_map_components_to_libnames(EFT_LLVM_LIBRARIES
  core support passes ipo scalaropts vectorize instcombine transformutils bitwriter
  nvptxcodegen nvptxinfo nvptxdesc x86codegen x86info x86desc x86asmparser
  orcjit orcdebugging orctargetprocess executionengine jitlink)

# The folders in which TableGen looks for included .td files.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
