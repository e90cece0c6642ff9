// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/LargeStack.h"

#include <csignal>
#include <cstddef>
#include <pthread.h>

namespace eft {

namespace {

// Address space only: the system makes pages of it when they are used.
constexpr size_t stackBytes = size_t(64) << 20;

void *callWork(void *work) {
  (*static_cast<llvm::function_ref<void()> *>(work))();
  return nullptr;
}

/// Starts the thread with all signals blocked: they are for the process's own threads.
bool start(pthread_t &thread, llvm::function_ref<void()> &work) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_attr_setstacksize(&attributes, stackBytes) == 0 &&
                 pthread_create(&thread, &attributes, callWork, &work) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

} // namespace

void runOnLargeStack(llvm::function_ref<void()> work) {
  pthread_t thread;
  if (start(thread, work))
    pthread_join(thread, nullptr);
  else
    work();
}

} // namespace eft
