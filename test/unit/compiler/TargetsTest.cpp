// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The first use of LLVM's targets in a process.
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

/// Asks for both targets at once, and then for both again, since one that was lost stays lost.
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

/// The number of fresh processes, of `count`, that went wrong. With a lock for each target, one in
/// some hundreds does.
int failuresOf(int count) {
  int failures = 0;
  for (int i = 0; i < count; ++i) {
    pid_t child = fork();
    if (child == 0) {
      alarm(60); // a list of targets that has become a ring has no end
      _exit(startsInTwoThreads() ? 0 : 1);
    }
    int status = -1;
    waitpid(child, &status, 0);
    failures += status != 0;
  }
  return failures;
}

/// The style starts this program anew for the test, so that no other one has used LLVM before.
TEST(TargetsDeathTest, FirstUseInTwoThreads) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(_exit(failuresOf(400)), testing::ExitedWithCode(0), "");
}

} // namespace
