// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests the first use of LLVM's targets in a process.
#include "compiler/codegen/Codegen.h"

#include "gtest/gtest.h"

#include <atomic>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace eft;

namespace {

bool isThere(llvm::Expected<std::unique_ptr<llvm::TargetMachine>> machine) {
  if (machine)
    return true;
  llvm::consumeError(machine.takeError());
  return false;
}

/// Asks for both targets in two threads at once, and then for both again, since a target whose
/// registration was lost remains lost.
bool startsInTwoThreads() {
  std::atomic<int> here = 0;
  auto meet = [&] {
    ++here;
    while (here < 2) {
    }
  };
  bool gpu = false;
  std::thread other([&] {
    meet();
    gpu = isThere(makePtxMachine(90));
  });
  meet();
  bool host = isThere(makeHostMachine("", ""));
  other.join();
  return gpu && host && isThere(makePtxMachine(90)) && isThere(makeHostMachine("", ""));
}

/// Runs the test in `count` new processes, and returns the number of failures. If each target had
/// its own lock, one process in some hundreds would fail.
int failuresOf(int count) {
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60); // if the list of targets has become a ring, iterating over it never ends
      _exit(startsInTwoThreads() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    failures += status != 0;
  }
  return failures;
}

/// The "threadsafe" style starts this program again for the test, so that no other test has used
/// LLVM before.
TEST(TargetsDeathTest, FirstUseInTwoThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(failuresOf(400)), testing::ExitedWithCode(0), "");
}

} // namespace
