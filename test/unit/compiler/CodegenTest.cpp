// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What becomes of a module of LLVM IR depends on that module alone.
#include "compiler/codegen/Codegen.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace eft;

namespace {

constexpr const char *kernelText = R"(
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
define void @k(ptr addrspace(1) %p) {
  %t = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  store i32 %t, ptr addrspace(1) %p
  ret void
}
!nvvm.annotations = !{!0, !1}
!0 = !{ptr @k, !"kernel", i32 1}
!1 = !{ptr @k, !"reqntidx", i32 )";

// The allocator gives a module and its kernel the places of the one before, whose PTX was never
// asked for.
TEST(Codegen, AModuleTellsTheNextOneNothing) {
  auto machine = makePtxMachine(90);
  ASSERT_TRUE(bool(machine));
  auto optimized = [&](llvm::LLVMContext &context, unsigned threads) {
    llvm::SMDiagnostic diagnostic;
    std::string text = kernelText + std::to_string(threads) + "}\n";
    CodeModule module(llvm::parseAssemblyString(text, diagnostic, context).release());
    if (module)
      optimize(*module, **machine);
    return module;
  };
  for (unsigned i = 0; i < 50; ++i) {
    {
      llvm::LLVMContext context;
      ASSERT_TRUE(optimized(context, 32)) << "the test's own module";
    }
    llvm::LLVMContext context;
    CodeModule module = optimized(context, 256);
    auto ptx = emit(*module, **machine, llvm::CodeGenFileType::AssemblyFile);
    ASSERT_TRUE(bool(ptx)) << llvm::toString(ptx.takeError());
    EXPECT_NE(ptx->find(".reqntid 256, 1, 1"), std::string::npos) << *ptx;
  }
}

} // namespace
