// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks on which core a thread runs, and changes affinity masks.
#include "runtime/cpu/Cores.h"

#include <sched.h>
#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace eft::cpu {

int currentCore() { return sched_getcpu(); }

bool wakesOnSameCore() {
#if defined(__x86_64__)
  // Hypervisors set the bit 31 of ECX, and processors clear it.
  unsigned eax = 0, ebx = 0, ecx = 0, edx = 0;
  return __get_cpuid(1, &eax, &ebx, &ecx, &edx) && (ecx >> 31) != 0;
#else
  return false;
#endif
}

bool takeCore(pthread_t thread, int core, int taken) {
  cpu_set_t cores;
  if (core < 0 || core >= CPU_SETSIZE || pthread_getaffinity_np(thread, sizeof(cores), &cores) != 0)
    return false;
  if (taken >= 0)
    CPU_SET(static_cast<unsigned>(taken), &cores);
  CPU_CLR(static_cast<unsigned>(core), &cores);
  return CPU_COUNT(&cores) > 0 && pthread_setaffinity_np(thread, sizeof(cores), &cores) == 0;
}

} // namespace eft::cpu
