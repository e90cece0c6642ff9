// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tests several threads that compile, load and launch at the same time.
#include "Programs.h"
#include "Support.h"
#include "eft/Compiler.h"

#include <atomic>
#include <thread>
#include <vector>

using namespace eft;

namespace {

// Compiles, loads and launches. Returns true if the results are right.
bool runOnce(const Module &module, float factor) {
  auto compiled = compile(module, Target(), {.keepStages = false});
  if (!compiled.ok())
    return false;
  auto kernel = load(*compiled, Device::host());
  if (!kernel.ok())
    return false;
  alignas(64) float x[300], out[300];
  std::fill(std::begin(x), std::end(x), 2.0f);
  if (!kernel->launch({2}, Stream(), x, out, factor, 300).ok())
    return false;
  return std::all_of(std::begin(out), std::end(out), [&](float y) { return y == 2.0f * factor; });
}

void expectAllRight(bool shareModule) {
  auto shared = Module::parse(scaleText);
  ASSERT_OK(shared);
  std::atomic<int> right = 0;
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      for (int again = 0; again < 5; ++again) {
        auto own = shareModule ? *shared : Module::parse(scaleText);
        right += own.ok() && runOnce(*own, float(thread * 10 + again));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 20);
}

TEST(Threads, each_with_a_module_of_its_own) { expectAllRight(false); }

TEST(Threads, with_one_module) { expectAllRight(true); }

TEST(Threads, get_their_own_errors) {
  std::atomic<int> right = 0;
  auto shared = Module::parse(scaleText);
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&, thread] {
      std::string wrong = "func.func @k() {" + std::string(size_t(thread), '\n') + "retorn }";
      std::string place = "kernel.mlir:" + std::to_string(thread + 1) + ":";
      for (int again = 0; again < 5; ++again) {
        auto parsed = Module::parse(wrong);
        right += !parsed.ok() && parsed.error().message.starts_with(place);
        auto refused = compile(*shared, *Target::parse("cuda:75"));
        right += !refused.ok() && refused.error().message.find('\n') == std::string::npos;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(right, 40);
}

} // namespace
