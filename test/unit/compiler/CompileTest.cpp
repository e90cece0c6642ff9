// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft::compile on valid input: stages, determinism, threads.
#include "test/unit/compiler/Kernels.h"

#include "gtest/gtest.h"

#include <pthread.h>
#include <thread>

using namespace mlir;
using namespace eft;
using namespace eft::test;

namespace {

std::vector<std::string> stageNames(const Compiled &compiled) {
  std::vector<std::string> names;
  for (const auto &[name, text] : compiled.stages)
    names.push_back(name);
  return names;
}

TEST(Compile, HostStages) {
  Session session;
  FailureOr<Compiled> compiled = session.compile(vectorAdd, "cpu");
  ASSERT_TRUE(succeeded(compiled)) << session.diagnostics;
  EXPECT_EQ(compiled->name, "add");
  EXPECT_EQ(stageNames(*compiled), (std::vector<std::string>{"ir", "placed", "llvm", "asm"}));
  EXPECT_NE(compiled->stages[0].second.find("eft.load"), std::string::npos);
  EXPECT_NE(compiled->stages[1].second.find("#eft.layout<lane"), std::string::npos);
  EXPECT_NE(compiled->stages[2].second.find("define void @add(ptr"), std::string::npos);
  EXPECT_NE(compiled->stages[3].second.find("add:"), std::string::npos);
  EXPECT_EQ(compiled->binary.substr(1, 3), "ELF");
}

#ifdef __x86_64__
TEST(Compile, HostOfAName) {
  auto target = Target::parse("host:x86-64-v3,-bmi2,+avx512f");
  ASSERT_TRUE(target.ok());
  EXPECT_EQ(target->cpu, "x86-64-v3");
  EXPECT_EQ(target->features, "-bmi2,+avx512f");
  auto features = hostFeatures(*target);
  ASSERT_TRUE(bool(features));
  auto has = [&](llvm::StringRef name) { return llvm::is_contained(*features, name); };
  EXPECT_TRUE(has("avx2") && has("avx512f") && has("fma"));
  EXPECT_FALSE(has("bmi2") || has("avx512vl"));

  auto unknown = hostFeatures(*Target::parse("host:abacus"));
  EXPECT_EQ(llvm::toString(unknown.takeError()).find("LLVM knows no CPU 'abacus' for "), 0u);
}
#endif

class CompileForGpu : public ::testing::TestWithParam<unsigned> {};

TEST_P(CompileForGpu, Ptx) {
  Session session;
  std::string number = std::to_string(GetParam());
  FailureOr<Compiled> compiled =
      session.compile(vectorAdd, "cuda:" + number, {.numWarps = 2, .keepStages = true});
  ASSERT_TRUE(succeeded(compiled)) << session.diagnostics;
  EXPECT_EQ(stageNames(*compiled), (std::vector<std::string>{"ir", "placed", "llvm", "ptx"}));
  EXPECT_EQ(compiled->stages[3].second, compiled->binary);
  EXPECT_EQ(compiled->numWarps, 2u);
  EXPECT_EQ(compiled->sharedBytes, 0u);
  const std::string &ptx = compiled->binary;
  EXPECT_NE(ptx.find(".target sm_" + number), std::string::npos);
  EXPECT_NE(ptx.find(".visible .entry add("), std::string::npos);
  EXPECT_EQ(compiled->programsPerBlock, 4u);
  EXPECT_NE(ptx.find(".maxntid 64, 4, 1"), std::string::npos);
}

INSTANTIATE_TEST_SUITE_P(Capabilities, CompileForGpu, ::testing::Values(80, 86, 89, 90));

TEST(Compile, NewerGpusGetCodeForTheNewestKnownOne) {
  Session session;
  FailureOr<Compiled> compiled = session.compile(vectorAdd, "cuda:120");
  ASSERT_TRUE(succeeded(compiled)) << session.diagnostics;
  EXPECT_NE(compiled->binary.find(".target sm_90"), std::string::npos);
}

// Each program writes the columns of 1024 elements, in rows of 56.
constexpr const char *columns = R"(
func.func @columns(%p: !eft.ptr<i32>) {
  %program = eft.program_id x
  %c1024 = arith.constant 1024 : i32
  %start = arith.muli %program, %c1024 : i32
  %starts = eft.splat %start : i32 -> tensor<1024xi32>
  %range = eft.arange 0 to 1024 : tensor<1024xi32>
  %number = arith.addi %starts, %range : tensor<1024xi32>
  %length = arith.constant dense<56> : tensor<1024xi32>
  %column = arith.remsi %number, %length : tensor<1024xi32>
  %ps = eft.splat %p : !eft.ptr<i32> -> tensor<1024x!eft.ptr<i32>>
  %pn = eft.addptr %ps, %number : tensor<1024x!eft.ptr<i32>>, tensor<1024xi32>
  eft.store %pn, %column : tensor<1024x!eft.ptr<i32>>
  return
})";

TEST(Compile, LimitsTheNumberOfProgramsIfItMay) {
  constexpr int64_t most = INT32_MAX;
  for (auto [target, mostOfY] : {std::pair("cpu", most), std::pair("cuda:90", int64_t(65535))}) {
    Session session;
    FailureOr<Compiled> all = session.compile(columns, target);
    FailureOr<Compiled> few = session.compile(columns, target, {.allGrids = false});
    FailureOr<Compiled> other = session.compile(vectorAdd, target, {.allGrids = false});
    ASSERT_TRUE(succeeded(all) && succeeded(few) && succeeded(other)) << session.diagnostics;
    EXPECT_EQ(all->maxPrograms, (Grid{most, mostOfY, mostOfY}));
    EXPECT_EQ(few->maxPrograms, (Grid{1 << 21, mostOfY, mostOfY}));
    EXPECT_EQ(other->maxPrograms, (Grid{most, most, most}));
  }
}

TEST(Compile, KeepsNoStagesThatNobodyAskedFor) {
  for (const char *target : {"cpu", "cuda:90"}) {
    Session session;
    FailureOr<Compiled> full = session.compile(vectorAdd, target);
    FailureOr<Compiled> bare = session.compile(vectorAdd, target, {.keepStages = false});
    ASSERT_TRUE(succeeded(full) && succeeded(bare)) << session.diagnostics;
    EXPECT_TRUE(bare->stages.empty());
    EXPECT_EQ(bare->binary, full->binary) << target;
  }
}

TEST(Compile, NamesThatCodeCanNotHave) {
  for (auto [name, expected] :
       {std::pair("add", "add"), std::pair("memset", "kernel_memset"),
        std::pair("llvm.sqrt.f32", "kernel_llvm_sqrt_f32"), std::pair("\"a b\"", "kernel_a_b"),
        std::pair("\"k\\C3\\B6\"", "kernel_k__"), std::pair("\"7\"", "kernel_7"),
        std::pair("\"\"", "kernel_")})
    for (const char *target : {"cpu", "cuda:90"}) {
      Session session;
      FailureOr<Compiled> compiled =
          session.compile("func.func @" + std::string(name) + "() { return }", target);
      ASSERT_TRUE(succeeded(compiled)) << session.diagnostics;
      EXPECT_EQ(compiled->name, expected);
      EXPECT_NE(compiled->stages[3].second.find(expected), std::string::npos);
    }
}

TEST(Compile, LeavesTheModuleAsItWas) {
  for (const char *name : {"cpu", "cuda:80"}) {
    Session session;
    OwningOpRef<ModuleOp> module = session.parse(vectorAdd);
    ASSERT_TRUE(module) << session.diagnostics;
    auto print = [&] {
      std::string text;
      llvm::raw_string_ostream stream(text);
      module->print(stream, OpPrintingFlags().enableDebugInfo());
      return text;
    };
    std::string before = print();
    ASSERT_TRUE(succeeded(eft::compile(*module, *Target::parse(name)))) << session.diagnostics;
    EXPECT_EQ(print(), before);
  }
}

TEST(Compile, TheSameModuleGivesTheSameBits) {
  for (const char *name : {"cpu", "cuda:90"}) {
    Session first, second;
    FailureOr<Compiled> a = first.compile(vectorAdd, name), b = first.compile(vectorAdd, name),
                        c = second.compile(vectorAdd, name);
    ASSERT_TRUE(succeeded(a) && succeeded(b) && succeeded(c)) << first.diagnostics;
    EXPECT_EQ(a->binary, b->binary);
    EXPECT_EQ(a->binary, c->binary);
    EXPECT_EQ(a->stages, c->stages);
  }
}

TEST(Compile, ThreadsWithContextsOfTheirOwn) {
  constexpr unsigned count = 8;
  std::array<std::string, count> binaries;
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < count; ++i)
    threads.emplace_back([i, &binaries] {
      Session session;
      for (int again = 0; again < 3; ++again)
        if (auto compiled = session.compile(vectorAdd, i % 2 ? "cpu" : "cuda:90");
            succeeded(compiled))
          binaries[i] = compiled->binary;
    });
  for (std::thread &thread : threads)
    thread.join();
  for (unsigned i = 0; i < count; ++i) {
    EXPECT_FALSE(binaries[i].empty());
    EXPECT_EQ(binaries[i], binaries[i % 2]);
  }
}

/// A thread's stack may be as small as 32 KiB, and LLVM needs more.
TEST(Compile, CallersWithASmallStack) {
  Session session;
  OwningOpRef<ModuleOp> module = session.parse(vectorAdd);
  ASSERT_TRUE(module);
  bool compiled = false, analysed = false;
  auto work = [&] {
    compiled = succeeded(eft::compile(*module, Target(), {.keepStages = false}));
    analysed = succeeded(addressParameters(*module));
  };
  auto entry = [](void *function) -> void * {
    (*static_cast<decltype(work) *>(function))();
    return nullptr;
  };
  pthread_attr_t attributes;
  ASSERT_EQ(pthread_attr_init(&attributes), 0);
  ASSERT_EQ(pthread_attr_setstacksize(&attributes, size_t(32) << 10), 0);
  pthread_t thread;
  ASSERT_EQ(pthread_create(&thread, &attributes, entry, &work), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
  EXPECT_TRUE(compiled && analysed) << session.diagnostics;
}

TEST(AddressParameters, ThoseThatReachAnAddress) {
  Session session;
  OwningOpRef<ModuleOp> module = session.parse(R"(
    func.func private @move(%p: !eft.ptr<i32>, %by: i32) -> !eft.ptr<i32> {
      %q = eft.addptr %p, %by : !eft.ptr<i32>, i32
      return %q : !eft.ptr<i32>
    }
    func.func @kernel(%p: !eft.ptr<i32>, %value: i32, %offset: i32) {
      %q = func.call @move(%p, %offset) : (!eft.ptr<i32>, i32) -> !eft.ptr<i32>
      eft.store %q, %value : !eft.ptr<i32>
      return
    })");
  ASSERT_TRUE(module) << session.diagnostics;
  FailureOr<std::vector<AddressParameter>> parameters = addressParameters(*module);
  ASSERT_TRUE(succeeded(parameters)) << session.diagnostics;
  EXPECT_EQ(*parameters, (std::vector<AddressParameter>{{2, 4}}));
}

TEST(AddressParameters, ThoseThatMaskAFactorOfAProduct) {
  Session session;
  OwningOpRef<ModuleOp> module = session.parse(R"(
    func.func @kernel(%p: tensor<16x16x!eft.ptr<f16>>, %i: tensor<16x16xi32>, %k: i32, %n: i32,
                      %out: tensor<16x16x!eft.ptr<f32>>) {
      %zero = arith.constant dense<0.0> : tensor<16x16xf32>
      %ks = eft.splat %k : i32 -> tensor<16x16xi32>
      %ns = eft.splat %n : i32 -> tensor<16x16xi32>
      %pid = eft.program_id x
      %pids = eft.splat %pid : i32 -> tensor<16x16xi32>
      %rows = arith.addi %i, %pids : tensor<16x16xi32>
      %inner = arith.cmpi slt, %rows, %ks : tensor<16x16xi32>
      %outer = arith.cmpi slt, %rows, %ns : tensor<16x16xi32>
      %a = eft.load %p, mask %inner : tensor<16x16x!eft.ptr<f16>>
      %b = eft.trans %a order [1, 0] : tensor<16x16xf16> -> tensor<16x16xf16>
      %c = eft.load %p : tensor<16x16x!eft.ptr<f16>>
      %d = eft.dot %b, %c, %zero precision ieee
          : tensor<16x16xf16>, tensor<16x16xf16> -> tensor<16x16xf32>
      eft.store %out, %d, mask %outer : tensor<16x16x!eft.ptr<f32>>
      return
    })");
  ASSERT_TRUE(module) << session.diagnostics;
  FailureOr<std::vector<AddressParameter>> parameters = addressParameters(*module);
  ASSERT_TRUE(succeeded(parameters)) << session.diagnostics;
  EXPECT_EQ(*parameters, (std::vector<AddressParameter>{{2, 2}}));
}

} // namespace
