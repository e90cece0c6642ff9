# Finds LLVM and MLIR 19 and makes their static archives linkable.
#
# Debian's MLIR archives name the shared library target `LLVM` in their link interface. Eft must
# carry its own LLVM, hidden, to live beside PyTorch and Triton in one process, so that name is taken
# out of every interface, and the programs link the static components that they need.
find_package(MLIR 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/mlir)
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
# LLVM's rules write dependencies relative to the build folder, as CMake took them before 3.20.
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

# The two compression libraries that LLVM's Support uses come along too: a wheel needs nothing of the
# machine that it is used on.
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

# NVPTX and the host are the only targets; ORC loads host objects.
llvm_map_components_to_libnames(EFT_LLVM_LIBRARIES
  core support passes ipo scalaropts vectorize instcombine transformutils bitwriter
  nvptxcodegen nvptxinfo nvptxdesc x86codegen x86info x86desc x86asmparser
  orcjit orcdebugging orctargetprocess executionengine jitlink)

# Where TableGen looks for the files that .td files include.
include_directories(SYSTEM ${MLIR_INCLUDE_DIRS} ${LLVM_INCLUDE_DIRS})
include_directories(${PROJECT_SOURCE_DIR} ${PROJECT_BINARY_DIR})
