// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests objects that the compiler links and the runtime loads.
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/HostCode.h"
#include "runtime/cpu/LoadCode.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include "gtest/gtest.h"

#include <bit>

using namespace eft;

namespace {

/// Compiles LLVM IR to an object. Returns "", after a failed expectation, if that fails.
std::string assemble(llvm::StringRef text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic diagnostic;
  auto module = llvm::parseAssemblyString(text, diagnostic, context);
  EXPECT_TRUE(module) << diagnostic.getMessage().str();
  auto machine = makeHostMachine("", "");
  EXPECT_TRUE(bool(machine));
  if (!module || !machine)
    return "";
  module->setTargetTriple((*machine)->getTargetTriple().str());
  module->setDataLayout((*machine)->createDataLayout());
  auto object = emit(*module, **machine, llvm::CodeGenFileType::ObjectFile);
  EXPECT_TRUE(bool(object));
  return object ? *object : "";
}

/// Links, loads and runs the function `k` with one slot. Returns the slot's value afterwards, or
/// the error.
std::string run(llvm::StringRef text, uint64_t slot) {
  auto linked = linkHostObject(assemble(text), "k");
  if (!linked)
    return llvm::toString(linked.takeError());
  std::vector<cpu::CodeAddress> addresses;
  for (const LinkedObject::Address &each : linked->addresses)
    addresses.push_back({each.offset, each.symbol, each.addend});
  auto function = cpu::loadCode(linked->code, linked->entry, addresses);
  if (!function.ok())
    return function.error().message;
  const uint32_t grid[] = {1, 1, 1};
  (*function)(&slot, grid, 0, 1);
  return std::to_string(slot);
}

constexpr const char *remainder = R"(
    declare double @fmod(double, double)
    define void @k(ptr %slot, ptr %grid, i64 %first, i64 %count) {
      %x = load double, ptr %slot
      %r = call double @fmod(double %x, double 3.0)
      %n = fptoui double %r to i64
      store i64 %n, ptr %slot
      ret void
    })";

TEST(HostLinker, CallsFunctionsOfTheCLibrary) {
  EXPECT_EQ(run(remainder, std::bit_cast<uint64_t>(8.0)), "2");
  auto linked = linkHostObject(assemble(remainder), "k");
  ASSERT_TRUE(bool(linked));
  ASSERT_EQ(linked->addresses.size(), 1u);
  EXPECT_EQ(linked->addresses[0].symbol, "fmod");
}

TEST(HostLinker, ReadsConstantsAndCallsFunctionsOfTheObject) {
  constexpr const char *text = R"(
      @tables = internal constant [2 x ptr] [ptr @five, ptr @six]
      @words = internal constant [4 x i64] [i64 10, i64 20, i64 30, i64 40]
      define internal i64 @five(i64 %x) noinline { ret i64 5 }
      define internal i64 @six(i64 %x) noinline {
        %at = getelementptr i64, ptr @words, i64 %x
        %word = load volatile i64, ptr %at
        ret i64 %word
      }
      define void @k(ptr %slot, ptr %grid, i64 %first, i64 %count) {
        %x = load i64, ptr %slot
        %at = getelementptr ptr, ptr @tables, i64 %first
        %next = getelementptr ptr, ptr %at, i64 %count
        %function = load volatile ptr, ptr %next
        %y = call i64 %function(i64 %x)
        store i64 %y, ptr %slot
        ret void
      })";
  EXPECT_EQ(run(text, 2), "30");
}

TEST(HostLinker, OnlyWhatTheFunctionNeedsStays) {
  std::string text = remainder;
  auto alone = linkHostObject(assemble(text), "k");
  text += "declare void @abort()\n define void @other() { call void @abort() ret void }";
  text.insert(0, "@big = constant [100000 x i8] zeroinitializer\n");
  auto among = linkHostObject(assemble(text), "k");
  ASSERT_TRUE(alone && among);
  EXPECT_LT(among->code.size(), alone->code.size() + 1000);
}

TEST(HostLinker, RefusesWhatCantBeLinked) {
  auto failure = [](const std::string &object, llvm::StringRef name) {
    auto linked = linkHostObject(object, name);
    return linked ? "" : llvm::toString(linked.takeError());
  };
  EXPECT_EQ(failure(assemble(remainder), "absent"),
            "can't link the object: it has no function 'absent'");
  EXPECT_NE(failure("not an object", "k"), "");
  EXPECT_NE(failure("", "k"), "");
  EXPECT_EQ(run(R"(
      @count = internal global i64 0
      define void @k(ptr %slot, ptr %grid, i64 %first, i64 %n) {
        %x = load volatile i64, ptr @count
        store volatile i64 %n, ptr @count
        store i64 %x, ptr %slot
        ret void
      })",
                0),
            "can't link the object: it has variables");
  EXPECT_EQ(run(R"(
      declare i64 @nowhere_to_be_found(i64)
      define void @k(ptr %slot, ptr %grid, i64 %first, i64 %count) {
        %x = call i64 @nowhere_to_be_found(i64 %count)
        store i64 %x, ptr %slot
        ret void
      })",
                0),
            "the code calls 'nowhere_to_be_found', which is not in this process");
}

} // namespace
