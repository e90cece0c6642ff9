// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Waits that can be given up.
//
// The driver's own waits return when the GPU is done, and not before. A wait with an `Interruption`
// polls the driver first; when the GPU is done, the driver's wait returns at once, and has the
// error if there is one.
#pragma once

#include "runtime/device/Interruption.h"

#include <algorithm>
#include <chrono>
#include <thread>

namespace eft::cuda {

// Waits until `isDone()`. False if the interruption, which is asked every 50 ms, has ended the
// wait.
//
// A short wait ends at once, as it does in the driver, which polls, too. A longer one leaves the
// processor to others for a small part of the time that it has taken so far.
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
