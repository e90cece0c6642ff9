// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/Codegen.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

namespace eft {

void registerTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::registerNVVMDialectTranslation(registry);
}

llvm::Expected<std::unique_ptr<llvm::Module>> translate(mlir::ModuleOp module,
                                                        llvm::LLVMContext &context) {
  std::unique_ptr<llvm::Module> translated = mlir::translateModuleToLLVMIR(module, context, "eft");
  if (!translated)
    return llvm::createStringError("the module could not be translated to LLVM IR");
  return translated;
}

} // namespace eft
