// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futexes: sleeping on a word of memory, and waking a given number of sleepers with one system
// call.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace eft::cpu {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

// Sleeps while `word` equals `expected`, until a wake-up, and at most for the time `atMost`. May
// return early, for example when a signal was handled.
inline void futexWait(std::atomic<uint32_t> &word, uint32_t expected,
                      const timespec *atMost = nullptr) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, atMost, nullptr, 0);
}

inline void futexWake(std::atomic<uint32_t> &word, int sleepers) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, sleepers, nullptr, nullptr, 0);
}

// Hints to the processor that this thread is in a spin loop.
inline void spinPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace eft::cpu
