// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Codegen.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace llvm {
// Declared here because the NVPTX target's own headers are not installed.
void clearAnnotationCache(const Module *module);
} // namespace llvm

namespace eft {

// The NVPTX target reads a kernel's annotations, such as its number of threads, only once. It
// caches them in a table of the process, by the addresses of the module and of the function, and
// clears them after it has printed that module. But some modules are optimized and never printed
// themselves: a clone is printed, or nothing is. A later module at the same address would then get
// their annotations.
void CodeModuleDeleter::operator()(llvm::Module *module) const {
  llvm::clearAnnotationCache(module);
  delete module;
}

void registerTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

llvm::Expected<CodeModule> translate(mlir::ModuleOp module, llvm::LLVMContext &context) {
  CodeModule translated(mlir::translateModuleToLLVMIR(module, context, "eft").release());
  if (!translated)
    return llvm::createStringError("the module could not be translated to LLVM IR");
  return translated;
}

} // namespace eft
