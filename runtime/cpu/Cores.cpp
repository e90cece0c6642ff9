// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks on which core a thread runs, and changes affinity masks.
#include "runtime/cpu/Cores.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace eft::cpu {

int currentCore() { return sched_getcpu(); }

bool isVirtualMachine() {
#if defined(__x86_64__)
  // Hypervisors set bit 31 of ECX, and processors clear it.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx >> 31) != 0;
#else
  return false;
#endif
}

bool AffinityMask::readWhole(pthread_t thread, cpu_set_t &whole) {
  cpu_set_t own;
  if (pthread_getaffinity_np(thread, sizeof(whole), &whole) != 0 ||
      sched_getaffinity(0, sizeof(own), &own) != 0)
    return false;
  if (taken < 0)
    return true;
  if (!CPU_EQUAL(&whole, &left)) { // somebody else has changed it
    taken = -1;
    return true;
  }
  if (!CPU_ISSET(static_cast<unsigned>(taken), &own))
    return false;
  CPU_SET(static_cast<unsigned>(taken), &whole);
  return true;
}

void AffinityMask::take(pthread_t thread, int core) {
  cpu_set_t mask;
  if (core < 0 || core >= CPU_SETSIZE || !readWhole(thread, mask))
    return;
  CPU_CLR(static_cast<unsigned>(core), &mask);
  if (CPU_COUNT(&mask) == 0 || pthread_setaffinity_np(thread, sizeof(mask), &mask) != 0)
    return;
  taken = core;
  left = mask;
}

void AffinityMask::giveBack(pthread_t thread) {
  cpu_set_t mask;
  if (taken >= 0 && readWhole(thread, mask) &&
      pthread_setaffinity_np(thread, sizeof(mask), &mask) == 0)
    taken = -1;
}

} // namespace eft::cpu
