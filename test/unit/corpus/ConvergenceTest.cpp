// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks that the LLVM IR of every kernel is valid, and that operations which threads of a GPU must
// execute together are marked convergent.
#include "compiler/pipeline/Compile.h"
#include "test/unit/corpus/Inputs.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"
#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>
#include <map>

using namespace mlir;
using namespace eft;
using namespace eft::test;

namespace {

/// The prefixes of the names of convergent intrinsics. `cp.async` is not among them: each thread
/// begins its copies, and waits for them, independently.
const char *const kinds[] = {"llvm.nvvm.mma.",    "llvm.nvvm.ldmatrix.", "llvm.nvvm.barrier",
                             "llvm.nvvm.bar.",    "llvm.nvvm.shfl.",     "llvm.nvvm.vote.",
                             "llvm.nvvm.match.",  "llvm.nvvm.redux.",    "llvm.nvvm.wmma.",
                             "llvm.nvvm.stmatrix"};

std::string kindOf(const llvm::CallBase &call) {
  if (auto *code = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand()))
    return code->hasSideEffects() ? "inline assembly" : "arithmetic in inline assembly";
  const llvm::Function *callee = call.getCalledFunction();
  for (const char *kind : kinds)
    if (callee && callee->getName().starts_with(kind))
      return kind;
  return "";
}

/// Checks that the LLVM IR is valid, and counts the calls of each kind. Calls of all kinds but one
/// must be convergent. The exception, arithmetic in inline assembly, must contain no instruction
/// that needs several threads or accesses memory.
void checkCalls(const std::string &name, const std::string &text,
                std::map<std::string, int> &count) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic error;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(text, error, context);
  ASSERT_TRUE(module) << name << ": " << error.getMessage().str();
  std::string faults;
  llvm::raw_string_ostream out(faults);
  EXPECT_FALSE(llvm::verifyModule(*module, &out)) << name << ": " << faults;
  for (llvm::Function &function : *module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction);
      std::string kind = call ? kindOf(*call) : "";
      if (kind.empty())
        continue;
      ++count[kind];
      std::string words;
      llvm::raw_string_ostream stream(words);
      call->print(stream);
      if (kind == "arithmetic in inline assembly") {
        for (const char *word : {".sync", "bar", "shfl", "vote", "ld.", "st.", "atom"})
          EXPECT_EQ(words.find(word), std::string::npos) << name << ":" << words;
        continue;
      }
      EXPECT_TRUE(call->isConvergent()) << name << ":" << words;
    }
}

DialectRegistry makeRegistry() {
  DialectRegistry registry;
  registerDialects(registry);
  return registry;
}

} // namespace

TEST(Convergence, of_all_that_threads_do_together) {
  std::map<std::string, int> count;
  int kernels = 0;
  for (const Input &input : readInputs()) {
    MLIRContext context(makeRegistry(), MLIRContext::Threading::DISABLED);
    context.getDiagEngine().registerHandler([](mlir::Diagnostic &) { return success(); });
    auto module = parseSourceString<ModuleOp>(input.text, &context);
    if (!module)
      continue;
    // Compile the module once with each function as its kernel.
    auto functions = llvm::to_vector(module->getOps<func::FuncOp>());
    for (func::FuncOp function : functions)
      if (!function.isExternal())
        function.setPrivate();
    for (func::FuncOp function : functions) {
      function.setPublic();
      for (const char *target : {"sm_80", "sm_90"}) {
        auto compiled = compile(*module, *Target::parse(target), {.last = Stage::LLVM});
        if (failed(compiled))
          continue; // it is not a kernel for this target
        ++kernels;
        checkCalls(input.name + " for " + target, compiled->stages.back().second, count);
      }
      if (!function.isExternal())
        function.setPrivate();
    }
  }
  EXPECT_GT(kernels, 200);
  for (const char *kind :
       {"inline assembly", "arithmetic in inline assembly", "llvm.nvvm.mma.", "llvm.nvvm.ldmatrix.",
        "llvm.nvvm.barrier", "llvm.nvvm.shfl.", "llvm.nvvm.redux."})
    EXPECT_GT(count[kind], 0) << kind;
}
