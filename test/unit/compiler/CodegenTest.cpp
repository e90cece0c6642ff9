// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests of code generation from LLVM IR: the code of a module depends on that module only, and long
// basic blocks are split.
#include "compiler/codegen/Codegen.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/IR/Verifier.h"
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

// A new module can get the addresses of a destroyed one for which no PTX was emitted. What was
// stored for the old addresses must not affect the new module.
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

/// Parses a function with one basic block of `additions` additions.
CodeModule straightLine(llvm::LLVMContext &context, unsigned additions) {
  std::string text = "define i32 @f(i32 %a, i32 %v0) {\n";
  for (unsigned i = 0; i < additions; ++i)
    text += "%v" + std::to_string(i + 1) + " = add i32 %a, %v" + std::to_string(i) + "\n";
  llvm::SMDiagnostic diagnostic;
  text += "ret i32 %v" + std::to_string(additions) + "\n}";
  return CodeModule(llvm::parseAssemblyString(text, diagnostic, context).release());
}

TEST(Codegen, LongBlocksAreCut) {
  llvm::LLVMContext context;
  CodeModule module = straightLine(context, 10000);
  ASSERT_TRUE(module);
  cutLongBlocks(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  llvm::Function &function = *module->getFunction("f");
  EXPECT_GT(function.size(), 30u);
  for (llvm::BasicBlock &block : function)
    EXPECT_LT(block.size(), 350u);
}

TEST(Codegen, ShortBlocksStayWhole) {
  llvm::LLVMContext context;
  CodeModule module = straightLine(context, 300);
  ASSERT_TRUE(module);
  cutLongBlocks(*module);
  EXPECT_EQ(module->getFunction("f")->size(), 1u);
}

// A gather or scatter counts as many instructions, since the CPU may access each element by
// instructions of its own.
TEST(Codegen, BlocksOfGathersAreCut) {
  std::string text =
      "declare <64 x i8> @llvm.masked.gather.v64i8.v64p0(<64 x ptr>, i32, <64 x i1>, "
      "<64 x i8>)\n"
      "declare void @llvm.masked.scatter.v64i8.v64p0(<64 x i8>, <64 x ptr>, i32, "
      "<64 x i1>)\n"
      "define void @f(<64 x ptr> %from, <64 x ptr> %to, <64 x i1> %mask) {\n";
  for (unsigned i = 0; i < 16; ++i) {
    const std::string v = "%v" + std::to_string(i);
    text += v +
            " = call <64 x i8> @llvm.masked.gather.v64i8.v64p0(<64 x ptr> %from, i32 1, <64 x i1> "
            "%mask, <64 x i8> poison)\n"
            "call void @llvm.masked.scatter.v64i8.v64p0(<64 x i8> " +
            v + ", <64 x ptr> %to, i32 1, <64 x i1> %mask)\n";
  }
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  CodeModule module(llvm::parseAssemblyString(text + "ret void\n}", diagnostic, context).release());
  ASSERT_TRUE(module) << diagnostic.getMessage().str();
  cutLongBlocks(*module);
  EXPECT_FALSE(llvm::verifyModule(*module, &llvm::errs()));
  for (llvm::BasicBlock &block : *module->getFunction("f"))
    EXPECT_LE(block.size(), 8u);
}

// The parts must remain separate basic blocks. LLVM would merge them if it could tell that one part
// always follows the other.
TEST(Codegen, CutsStayInTheCode) {
  llvm::LLVMContext context;
  auto machine = makeHostMachine("", "");
  ASSERT_TRUE(bool(machine));
  CodeModule module = straightLine(context, 1000);
  ASSERT_TRUE(module);
  cutLongBlocks(*module);
  const size_t blocks = module->getFunction("f")->size();
  ASSERT_GT(blocks, 1u);
  auto code = emit(*module, **machine, llvm::CodeGenFileType::AssemblyFile);
  ASSERT_TRUE(bool(code)) << llvm::toString(code.takeError());
  size_t jumps = 0;
  for (size_t at = 0; (at = code->find(".LBB0_", at + 1)) != std::string::npos;)
    jumps += (*code)[at - 1] != '\n';
  // Each part except the last has a detour, and a jump past the detour.
  EXPECT_EQ(jumps, blocks / 2) << *code;
}

} // namespace
