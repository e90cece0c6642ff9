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
// another one. If somebody else changes the mask, that change stays. Only a thread that may run on
// the missing core can give it back: otherwise somebody may have taken that core from all threads.
// On machines with more than 1024 cores, no core can be taken.
class AffinityMask {
public:
  // The core that is missing, or -1.
  int missing() const { return taken; }

  // Gives back the missing core, and takes `core` instead. Does nothing if the missing core can't
  // be given back, or if the thread has no core but `core`.
  void take(pthread_t thread, int core);

  // Gives back the missing core, if the calling thread can do that.
  void giveBack(pthread_t thread);

private:
  // Reads the mask with the missing core, or as somebody else has changed it. Returns false if the
  // missing core can't be given back, or if the system does not tell.
  bool readWhole(pthread_t thread, cpu_set_t &whole);

  int taken = -1;
  cpu_set_t left = {}; // the mask without the missing core
};

} // namespace eft::cpu
