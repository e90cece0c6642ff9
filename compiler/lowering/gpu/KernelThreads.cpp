// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/KernelThreads.h"

#include "compiler/layout/Placement.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace eft {

LLVM::LLVMFuncOp onlyKernel(ModuleOp module) {
  auto kernels =
      llvm::make_filter_range(module.getOps<LLVM::LLVMFuncOp>(), [](LLVM::LLVMFuncOp function) {
        return function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName());
      });
  return llvm::hasSingleElement(kernels) ? *kernels.begin() : LLVM::LLVMFuncOp();
}

std::optional<int32_t> requiredThreads(LLVM::LLVMFuncOp kernel) {
  auto extents = kernel->getAttrOfType<DenseI32ArrayAttr>(NVVM::NVVMDialect::getReqntidAttrName());
  if (!extents || extents.size() != 3 || extents[1] != 1 || extents[2] != 1)
    return std::nullopt;
  const int32_t threads = extents[0];
  if (threads < lanesPerWarp || threads % lanesPerWarp != 0)
    return std::nullopt;
  return threads;
}

} // namespace eft
