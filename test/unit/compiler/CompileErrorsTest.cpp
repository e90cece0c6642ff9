// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft::compile always returns, also for invalid input, and its errors say where and what is wrong.
#include "compiler/codegen/Codegen.h"
#include "test/unit/compiler/Kernels.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

using namespace mlir;
using namespace eft;
using namespace eft::test;

namespace {

/// Expects that compiling the text fails, and that the diagnostics contain `message`.
void expectError(llvm::StringRef text, llvm::StringRef target, llvm::StringRef message,
                 const CompileOptions &options = {}) {
  Session session;
  ASSERT_TRUE(session.parse(text)) << session.diagnostics;
  EXPECT_TRUE(failed(session.compile(text, target, options)));
  EXPECT_NE(session.diagnostics.find(message.str()), std::string::npos)
      << "expected " << message.str() << "\ngot " << session.diagnostics;
}

void expectErrorOnBoth(llvm::StringRef text, llvm::StringRef message) {
  for (const char *target : {"cpu", "cuda:90"})
    expectError(text, target, message);
}

TEST(CompileErrors, NoKernel) {
  expectErrorOnBoth(
      "module {}",
      R"(loc("kernel.mlir":1:1): 'builtin.module' op has no public function to compile)");
  expectErrorOnBoth("func.func private @f() { return }",
                    "'builtin.module' op has no public function to compile");
}

TEST(CompileErrors, TwoKernels) {
  expectErrorOnBoth(
      "func.func @a() { return }\nfunc.func @b() { return }",
      R"(loc("kernel.mlir":2:1): 'func.func' op is a second public function; a module has one kernel)");
}

TEST(CompileErrors, CallsThatCanNotBeInlined) {
  expectErrorOnBoth(
      "func.func private @f()\nfunc.func @a() {\n  func.call @f() : () -> ()\n  return\n}",
      R"(loc("kernel.mlir":3:3): 'func.call' op can't be inlined: 'f' calls itself or has no body)");
  expectErrorOnBoth("func.func private @f() {\n  func.call @f() : () -> ()\n  return\n}\n"
                    "func.func @a() {\n  func.call @f() : () -> ()\n  return\n}",
                    "'f' calls itself or has no body");
}

TEST(CompileErrors, KernelWithResults) {
  expectErrorOnBoth("func.func @a(%x: i32) -> i32 { return %x : i32 }",
                    R"(loc("kernel.mlir":1:1): 'func.func' op must have no results, got 1)");
}

TEST(CompileErrors, NumberOfWarps) {
  for (unsigned count : {0u, 3u, 64u, 4294967295u})
    expectError(vectorAdd, "cuda:90",
                "number of warps must be a power of two from 1 to 32, got " + std::to_string(count),
                {.numWarps = count});
}

TEST(CompileErrors, NumberOfRegisters) {
  expectError(vectorAdd, "cuda:90", "number of registers must be at most 255, got 256",
              {.maxRegisters = 256});
}

TEST(CompileErrors, ComputeCapabilityTooOld) {
  expectError(
      vectorAdd, "cuda:75",
      R"(loc("kernel.mlir":2:1): a GPU of compute capability 7.5 is too old: 8.0 is needed)");
  expectError(vectorAdd, "cuda:0", "a GPU of compute capability 0.0 is too old");
}

TEST(CompileErrors, TargetsHaveOneName) {
  for (auto [text, name] : std::initializer_list<std::pair<const char *, const char *>>{
           {"sm_90", "cuda:90"},
           {"cuda:90", "cuda:90"},
           {"compute_90", "compute_90"},
           {"sm_120", "cuda:120"},
           {"gpu", "compute_80"},
           {"host", "cpu"},
           {"cpu", "cpu"},
           {"host:x86-64-v3", "host:x86-64-v3"},
           {"host:x86-64,+avx2,-bmi", "host:x86-64,+avx2,-bmi"}}) {
    auto target = Target::parse(text);
    ASSERT_TRUE(target.ok()) << text;
    EXPECT_EQ(target->name(), name);
    EXPECT_EQ(*Target::parse(target->name()), *target);
  }
}

TEST(CompileErrors, TargetText) {
  for (const char *text : {"", "gpus", "sm_", "sm90", "compute_", "sm_90a", "cuda",
                           "cuda:", "cuda:-1", "cuda:9.0", "host ", "host:"}) {
    auto target = Target::parse(text);
    ASSERT_FALSE(target.ok()) << text;
    EXPECT_EQ(target.error().kind, ErrorKind::InvalidArgument);
    EXPECT_EQ(target.error().message,
              "target must be 'sm_' or 'cuda:' with the compute capability times ten, such as "
              "'sm_90', 'gpu' for every GPU, 'host' or 'cpu' for the CPU at hand, or 'host:' with "
              "LLVM's name of a CPU, such as 'host:x86-64-v3', got '" +
                  std::string(text) + "'");
  }
}

TEST(CompileErrors, ComputeCapabilityOfNoGpu) {
  EXPECT_TRUE(Target::parse("cuda:121").ok());
  EXPECT_TRUE(Target::parse("sm_199").ok());
  for (const char *text :
       {"cuda:200", "cuda:999", "sm_1000", "cuda:4294967295", "cuda:99999999999999999999"}) {
    auto target = Target::parse(text);
    ASSERT_FALSE(target.ok()) << text;
    EXPECT_EQ(target.error().kind, ErrorKind::InvalidArgument);
  }
  EXPECT_EQ(Target::parse("cuda:999").error().message,
            "no GPU has compute capability 99.9, which target 'cuda:999' names");
}

/// LLVM itself ends the process for some of these CPUs and features, so Eft checks them first.
TEST(CompileErrors, CpusAndFeatures) {
  auto expect = [](std::string cpu, std::string features, std::string message) {
    Session session;
    OwningOpRef<ModuleOp> module = session.parse(vectorAdd);
    Target target;
    target.cpu = std::move(cpu);
    target.features = std::move(features);
    EXPECT_TRUE(failed(eft::compile(*module, target)));
    EXPECT_NE(session.diagnostics.find(message), std::string::npos) << session.diagnostics;
  };
  expect("abacus", "", R"(loc("kernel.mlir":2:1): LLVM knows no CPU 'abacus' for )");
  expect("", "+abacus", "features must be '+' or '-' and a name that LLVM knows for ");
  expect("", "avx2", "got 'avx2'");
  expect("", "+avx2,", "got ''");
#ifdef __x86_64__
  expect("i486", "", "the CPU 'i486' does not run code of 64 bits");
  expect("", "-64bit", "the CPU '' does not run code of 64 bits");
  expect("x86-64", "-64bit", "the CPU 'x86-64' does not run code of 64 bits");
#endif
}

/// LLVM ends the process for some of these operations, so Eft refuses them first.
TEST(CompileErrors, OperationsThatAreNotOfBlockIR) {
  for (const char *line :
       {"math.fpowi %x, %n : f32, i32", "vector.splat %x : vector<4xf32>", "llvm.fneg %x : f32"}) {
    std::string name(line, llvm::StringRef(line).find(' '));
    expectErrorOnBoth(
        "func.func @a(%x: f32, %n: i32) {\n  %y = " + std::string(line) + "\n  return\n}",
        R"(loc("kernel.mlir":2:8): ')" + name + "' op is not of block IR, or has no lowering");
  }
  expectErrorOnBoth("func.func @a() {\n  cf.br ^next\n^next:\n  return\n}",
                    R"(loc("kernel.mlir":2:3): 'cf.br' op is not of block IR)");
  expectErrorOnBoth("func.func @a() {\n  return\n}\nmodule {}",
                    R"(loc("kernel.mlir":4:1): 'builtin.module' op is not of block IR)");
}

TEST(CompileErrors, TypesThatAreNotOfBlockIR) {
  for (const char *type : {"i7", "i128", "f80", "f128", "f8E5M2", "vector<4xf32>", "memref<4xf32>",
                           "complex<f32>", "tensor<4xi128>", "si32"})
    expectErrorOnBoth("func.func @a(%x: " + std::string(type) + ") {\n  return\n}",
                      R"(loc("kernel.mlir":1:1): 'func.func' op has a value of type ')" +
                          std::string(type) + "', which block IR does not have");
  expectErrorOnBoth("func.func @a(%x: f32) {\n  %y = arith.extf %x : f32 to f128\n  return\n}",
                    R"(loc("kernel.mlir":2:8): 'arith.extf' op has a value of type 'f128')");
}

TEST(CompileErrors, OperationWithoutALowering) {
  expectErrorOnBoth("func.func @a(%p: !eft.ptr<i32>, %x: i32) {\n"
                    "  %y = arith.ceildivsi %x, %x : i32\n"
                    "  eft.store %p, %y : !eft.ptr<i32>\n  return\n}",
                    R"(loc("kernel.mlir":2:8): failed to legalize operation 'arith.ceildivsi')");
}

TEST(Emit, WhatLLVMHasNoCodeForIsAnError) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic problem;
  std::unique_ptr<llvm::Module> module = llvm::parseAssemblyString(
      "declare float @llvm.exp2.f32(float)\n"
      "define void @f(float %x, ptr %p) {\n"
      "  %y = call float @llvm.exp2.f32(float %x)\n  store float %y, ptr %p\n  ret void\n}",
      problem, context);
  ASSERT_TRUE(module) << problem.getMessage().str();
  auto machine = makePtxMachine(90);
  ASSERT_TRUE(bool(machine));
  optimize(*module, **machine);
  auto text = emit(*module, **machine, llvm::CodeGenFileType::AssemblyFile);
  ASSERT_FALSE(bool(text));
  EXPECT_EQ(llvm::toString(text.takeError()),
            "LLVM can't generate code: no libcall available for fexp2");
}

TEST(CompileErrors, BlocksTooLargeToPlace) {
  expectErrorOnBoth(R"(func.func @a(%p: !eft.ptr<i32>) {
  %r = arith.constant dense<1> : tensor<65536x65536xi32>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<65536x65536x!eft.ptr<i32>>
  eft.store %ps, %r : tensor<65536x65536x!eft.ptr<i32>>
  return
})",
                    "block of 65536 x 65536 elements is too large: expected at most 2^30 elements, "
                    "got 2^32");
}

/// A block of 2^30 elements compiles to small code, because a tiled loop computes it.
TEST(Compile, LargestBlockInSteps) {
  for (const char *target : {"cpu", "cuda:90"}) {
    Session session;
    EXPECT_TRUE(succeeded(session.compile(R"(func.func @a(%p: !eft.ptr<i32>) {
  %r = eft.arange 0 to 1073741824 : tensor<1073741824xi32>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<1073741824x!eft.ptr<i32>>
  %q = eft.addptr %ps, %r : tensor<1073741824x!eft.ptr<i32>>, tensor<1073741824xi32>
  eft.store %q, %r : tensor<1073741824x!eft.ptr<i32>>
  return
})",
                                          target)))
        << session.diagnostics;
  }
}

/// Tiling does not recurse along operands, so a long chain of operations does not exhaust the
/// stack.
TEST(Compile, LongChainsOfOperations) {
  std::string text = R"(func.func @a(%p: !eft.ptr<f32>) {
  %ps = eft.splat %p : !eft.ptr<f32> -> tensor<65536x!eft.ptr<f32>>
  %v0 = eft.load %ps : tensor<65536x!eft.ptr<f32>>
)";
  constexpr int length = 20000;
  for (int i = 0; i < length; ++i)
    text += "%v" + std::to_string(i + 1) + " = arith.mulf %v" + std::to_string(i) + ", %v" +
            std::to_string(i) + " : tensor<65536xf32>\n";
  text +=
      "eft.store %ps, %v" + std::to_string(length) + " : tensor<65536x!eft.ptr<f32>>\n return\n}";
  Session session;
  EXPECT_TRUE(succeeded(session.compile(text, "cpu", {.keepStages = false})))
      << session.diagnostics;
}

/// A block that is loaded once must be held as a whole if a scalar access comes between the load
/// and its store.
TEST(CompileErrors, LargeBlockThatMustBeHeld) {
  std::string text = R"(func.func @a(%p: !eft.ptr<i32>, %s: !eft.ptr<i32>) {
  %r = eft.arange 0 to 1073741824 : tensor<1073741824xi32>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<1073741824x!eft.ptr<i32>>
  %q = eft.addptr %ps, %r : tensor<1073741824x!eft.ptr<i32>>, tensor<1073741824xi32>
  %v = eft.load %q : tensor<1073741824x!eft.ptr<i32>>
  %one = arith.constant 1 : i32
  eft.store %s, %one : !eft.ptr<i32>
  eft.store %q, %v : tensor<1073741824x!eft.ptr<i32>>
  return
})";
  expectError(text, "cuda:90",
              R"(loc("kernel.mlir":1:1): kernel needs 33554432 bytes of a thread's local memory )"
              "for its blocks, more than 524288; use smaller blocks or more warps");
  expectError(
      text, "cpu",
      "kernel needs 4294967296 bytes of stack for its blocks, more than 4194304; use smaller "
      "blocks");
}

} // namespace
