// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "VectorKernel.h"

#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/HostCode.h"
#include "compiler/ir/EftDialect.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"

#include <mutex>
#include <stdexcept>

using namespace mlir;

namespace eft::test {
namespace {

std::string vectorOf(StringRef type, unsigned lanes) {
  return lanes == 1 ? type.str() : "vector<" + std::to_string(lanes) + "x" + type.str() + ">";
}

/// `body` with every `{TYPE}` replaced by a vector of `lanes` such elements, or by TYPE if `lanes`
/// is 1.
std::string withTypes(StringRef body, unsigned lanes) {
  std::string result;
  while (body.contains('{')) {
    auto [before, rest] = body.split('{');
    auto [type, after] = rest.split('}');
    result += before.str() + vectorOf(type, lanes);
    body = after;
  }
  return result + body.str();
}

/// A module with a loop that loads the operands, runs the body and stores the result.
std::string moduleText(const KernelText &kernel) {
  std::string bases, loads;
  for (auto [i, element] : llvm::enumerate(kernel.inputs)) {
    std::string n = std::to_string(i);
    bases += "  %slot" + n + " = llvm.getelementptr %inputs[" + n +
             "] : (!llvm.ptr) -> !llvm.ptr, i64\n  %base" + n + " = llvm.load %slot" + n +
             " : !llvm.ptr -> !llvm.ptr\n";
    loads += "    %from" + n + " = llvm.getelementptr %base" + n +
             "[%i] : (!llvm.ptr, i64) -> !llvm.ptr, " + element + "\n    %" + "xyz"[i] +
             " = llvm.load %from" + n + " {alignment = 1 : i64} : !llvm.ptr -> " +
             vectorOf(element, kernel.lanes) + "\n";
  }
  return "func.func @kernel(%inputs: !llvm.ptr, %output: !llvm.ptr, %count: i64) {\n"
         "  %zero = arith.constant 0 : i64\n  %lanes = arith.constant " +
         std::to_string(kernel.lanes) + " : i64\n" + bases +
         "  scf.for %i = %zero to %count step %lanes : i64 {\n" + loads +
         withTypes(kernel.body, kernel.lanes) +
         "\n    %to = llvm.getelementptr %output[%i] : (!llvm.ptr, i64) -> !llvm.ptr, " +
         kernel.output + "\n    llvm.store %r, %to {alignment = 1 : i64} : " +
         vectorOf(kernel.output, kernel.lanes) + ", !llvm.ptr\n  }\n  return\n}\n";
}

void check(bool ok, const std::string &message) {
  if (!ok)
    throw std::runtime_error(message);
}

template <typename T> T unwrap(llvm::Expected<T> value) {
  check(static_cast<bool>(value), value ? "" : llvm::toString(value.takeError()));
  return std::move(*value);
}

void lowerToLLVM(ModuleOp module, StringRef passes, std::string &diagnostics) {
  PassManager manager(module.getContext());
  llvm::raw_string_ostream stream(diagnostics);
  check(succeeded(parsePassPipeline(passes, manager, stream)), diagnostics);
  for (StringRef pass :
       {"convert-scf-to-cf", "convert-arith-to-llvm", "convert-math-to-llvm", "convert-cf-to-llvm",
        "convert-func-to-llvm", "reconcile-unrealized-casts"})
    check(succeeded(parsePassPipeline(pass, manager, stream)), diagnostics);
  check(succeeded(manager.run(module)), diagnostics);
}

void registerPassesOnce() {
  static std::once_flag once;
  std::call_once(once, [] {
    registerEftTransformsPasses();
    registerSCFToControlFlowPass();
    registerArithToLLVMConversionPass();
    registerConvertMathToLLVMPass();
    registerConvertControlFlowToLLVMPass();
    registerConvertFuncToLLVMPass();
    registerReconcileUnrealizedCastsPass();
  });
}

} // namespace

VectorKernel::VectorKernel(const KernelText &text) {
  registerPassesOnce();
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, EftDialect, func::FuncDialect,
                  LLVM::LLVMDialect, math::MathDialect, scf::SCFDialect>();
  registerTranslations(registry);
  MLIRContext context(registry);
  std::string diagnostics;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    diagnostics += diagnostic.str() + "\n";
    return success();
  });
  std::string source = moduleText(text);
  auto module = parseSourceString<ModuleOp>(source, &context);
  check(static_cast<bool>(module), diagnostics + source);
  lowerToLLVM(*module, text.passes, diagnostics);

  llvm::LLVMContext llvmContext;
  auto llvmModule = unwrap(translate(*module, llvmContext));
  auto machine = unwrap(makeHostMachine("", ""));
  optimize(*llvmModule, *machine);
  std::string object = unwrap(emit(*llvmModule, *machine, llvm::CodeGenFileType::ObjectFile));
  function = reinterpret_cast<Function>(unwrap(loadHostObject(object, "kernel", {})));
}

void VectorKernel::run(llvm::ArrayRef<const void *> inputs, void *output, size_t count) const {
  function(inputs.data(), output, static_cast<int64_t>(count));
}

} // namespace eft::test
