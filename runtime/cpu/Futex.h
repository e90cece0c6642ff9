// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sleeping on a word of memory, and waking a chosen number of sleepers with one system call.
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace eft::cpu {

static_assert(sizeof(std::atomic<uint32_t>) == sizeof(uint32_t));

// Sleeps as long as `word` is `expected`, and no longer than `atMost`. May return early, and does
// when a signal was handled.
inline void futexWait(std::atomic<uint32_t> &word, uint32_t expected,
                      const timespec *atMost = nullptr) {
  syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, expected, atMost, nullptr, 0);
}

inline void futexWake(std::atomic<uint32_t> &word, int sleepers) {
  syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, sleepers, nullptr, nullptr, 0);
}

// Tells the core that this thread spins.
inline void spinPause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

} // namespace eft::cpu
