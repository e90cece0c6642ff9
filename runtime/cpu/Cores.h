// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cores that threads run on, and their affinity masks.
#pragma once

#include <pthread.h>

namespace eft::cpu {

// The core on which the calling thread runs, or -1 if the system does not tell.
int currentCore();

// True if Linux may wake a thread on the core of the thread that wakes it although other cores are
// idle. On a virtual machine it may take a core that has been idle for some time for one that the
// host has taken away.
bool wakesOnSameCore();

// Takes a core from the affinity mask of a thread, so that the thread wakes on another core. Before
// that, gives back the core `taken`, if it is not -1. Returns false and changes nothing if the
// thread has no other core, or if the machine has more than 1024 cores.
bool takeCore(pthread_t thread, int core, int taken);

} // namespace eft::cpu
