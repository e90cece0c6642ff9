// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waiting for the GPU, such that an interruption can end the wait.
//
// The driver's own waits return only when the GPU is done. So a wait with an `Interruption` first
// polls the driver until the GPU is done. The driver's wait then returns at once, and reports
// errors.
#pragma once

#include "runtime/device/Interruption.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace eft::cuda {

// Waits until `isDone()` returns true. Returns false if the interruption, which is asked every 50
// ms, has ended the wait.
//
// During the first 2 ms the wait polls without sleeping, as the driver does, so a short wait ends
// without delay. After that it sleeps between polls for 1/128 of the time waited so far, but at
// most 250 µs, so that other threads can use the processor.
template <typename Condition> bool waitUntil(Condition isDone, Interruption &interruption) {
  using namespace std::chrono_literals;
  using Clock = std::chrono::steady_clock;
  constexpr std::chrono::nanoseconds period = 50ms, spinning = 2ms, longestSleep = 250us;
  const Clock::time_point begin = Clock::now();
  Clock::time_point nextLook = begin + period;
  while (!isDone()) {
    Clock::time_point now = Clock::now();
    if (now >= nextLook) {
      if (interruption.look())
        return false;
      nextLook = Clock::now() + period;
    }
    if (now - begin > spinning)
      std::this_thread::sleep_for(std::min((now - begin) / 128, longestSleep));
  }
  return true;
}

} // namespace eft::cuda
