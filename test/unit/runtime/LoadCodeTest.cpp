// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the loading of code without LLVM, the description of the processor, and the description of
// Eft's code files.
#include "runtime/cpu/LoadCode.h"
#include "runtime/cache/CodeFiles.h"
#include "runtime/device/Processor.h"
#include "test/unit/runtime/TemporaryFolder.h"

#include <cctype>
#include <fstream>
#include <gtest/gtest.h>

using namespace eft;
using namespace std::literals;

namespace {

// mov rax, [rdi]; mov rcx, [rip + 6]; mov [rax], rcx; ret; int3; int3; then eight bytes of data.
// The function stores these eight bytes to the address in its first slot.
constexpr std::string_view stores =
    "\x48\x8b\x07\x48\x8b\x0d\x06\x00\x00\x00\x48\x89\x08\xc3\xcc\xcc"
    "\x00\x00\x00\x00\x00\x00\x00\x00"sv;
constexpr uint64_t place = 16;

uint64_t run(HostFunction *function) {
  uint64_t stored = 0;
  const uint64_t slots[] = {reinterpret_cast<uintptr_t>(&stored)};
  const uint32_t grid[] = {1, 1, 1};
  function(slots, grid, 0, 1);
  return stored;
}

std::string failure(std::string_view code, uint64_t entry,
                    const std::vector<cpu::CodeAddress> &addresses = {}) {
  auto function = cpu::loadCode(code, entry, addresses);
  return function.ok() ? "" : function.error().message;
}

} // namespace

TEST(LoadCode, finds_the_functions_that_the_code_calls) {
  uintptr_t poll = 0;
  for (const HostSymbol &symbol : hostSymbols())
    if (symbol.name == "eft$poll"s)
      poll = symbol.address;
  ASSERT_NE(poll, 0u);
  auto ours = cpu::loadCode(stores, 0, {{place, "eft$poll", 2}});
  ASSERT_TRUE(ours.ok());
  EXPECT_EQ(run(*ours), poll + 2);
  auto theirs = cpu::loadCode(stores, 0, {{place, "memcpy", 0}});
  ASSERT_TRUE(theirs.ok());
  EXPECT_NE(run(*theirs), 0u);
}

TEST(LoadCode, knows_where_it_is) {
  auto function = cpu::loadCode(stores, 0, {{place, "", 16}});
  ASSERT_TRUE(function.ok());
  EXPECT_EQ(run(*function), reinterpret_cast<uintptr_t>(*function) + 16);
  const std::string moved = "\xcc\xcc\xcc" + std::string(stores);
  auto second = cpu::loadCode(moved, 3, {{place + 3, "", -1}});
  ASSERT_TRUE(second.ok());
  EXPECT_EQ(run(*second), reinterpret_cast<uintptr_t>(*second) - 3 - 1);
}

TEST(LoadCode, refuses_what_does_not_fit) {
  EXPECT_EQ(failure("", 0), "the code is damaged: its function begins behind its end");
  EXPECT_EQ(failure(stores, 24), "the code is damaged: its function begins behind its end");
  const std::string behind = "the code is damaged: an address lies behind its end";
  EXPECT_EQ(failure(stores, 0, {{place + 1, "", 0}}), behind);
  EXPECT_EQ(failure(stores, 0, {{~uint64_t(0), "", 0}}), behind);
  EXPECT_EQ(failure(stores.substr(0, 7), 0, {{0, "", 0}}), behind);
  EXPECT_EQ(failure(stores, 0, {{place, "no_such_function", 0}}),
            "the code calls 'no_such_function', which is not in this process");
}

TEST(Processor, has_one_description) {
  const std::string text = processorDescription();
  size_t end = text.find(';');
  ASSERT_NE(end, std::string::npos) << text;
  EXPECT_TRUE(std::isalnum(text[0]) && std::isgraph(text[end - 1])) << text;
  EXPECT_EQ(text.find_first_not_of(" 0123456789abcdef", end + 1), std::string::npos) << text;
  EXPECT_GT(text.size() - end, 60u);
  EXPECT_EQ(processorDescription(), text);
}

TEST(CodeFiles, tell_names_sizes_and_times) {
  TemporaryFolder folder;
  auto write = [&](const std::string &name, const std::string &text) {
    std::ofstream(folder.path / name) << text;
  };
  EXPECT_EQ(cache::describeCodeFiles(folder.path), "");
  write("b.py", "1");
  write("a.so", "22");
  write("notes.txt", "333");
  const std::string text = cache::describeCodeFiles(folder.path);
  EXPECT_TRUE(text.starts_with("a.so 2 ")) << text;
  EXPECT_NE(text.find("\nb.py 1 "), std::string::npos) << text;
  EXPECT_EQ(text.find("notes"), std::string::npos) << text;
  EXPECT_EQ(cache::describeCodeFiles(folder.path), text);
  write("b.py", "4444");
  EXPECT_NE(cache::describeCodeFiles(folder.path), text);
  EXPECT_EQ(cache::describeCodeFiles(folder.path / "nowhere"), "");
}
