// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cores that threads run on, and their affinity masks.
#pragma once

#include <pthread.h>
#include <sched.h>

namespace eft::cpu {

// The core on which the calling thread runs, or -1 if the system does not tell.
int currentCore();

// True if this is a virtual machine. There Linux assumes that the host has descheduled a core that
// has been idle for about 1 ms. So it may wake a thread on the core of the thread that wakes it,
// although other cores are idle.
bool isVirtualMachine();

// The affinity mask of a thread, from which one core may be missing, so that the thread wakes on
// another one. If somebody else changes the mask, that change stays. On machines with more than
// 1024 cores, no core can be taken.
class AffinityMask {
public:
  // The core that is missing, or -1.
  int missing() const { return taken; }

  // Gives back the missing core, and takes `core` instead. Does nothing if the thread has no other
  // core.
  void take(pthread_t thread, int core);

  // Gives back the missing core.
  void giveBack(pthread_t thread);

private:
  // Reads the mask, and adds the missing core, unless somebody else has changed the mask or has
  // taken that core from the calling thread, too. Returns false if the system does not tell.
  bool readWhole(pthread_t thread, cpu_set_t &whole) const;

  int taken = -1;
  cpu_set_t left = {}; // the mask without the missing core
};

} // namespace eft::cpu
