// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/LargeStack.h"

#include <condition_variable>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <pthread.h>

namespace eft {

namespace {

// This reserves only address space. The system allocates a page when it is first used.
constexpr size_t stackBytes = size_t(64) << 20;

thread_local bool isOnLargeStack = false;

void *callWork(void *work) {
  isOnLargeStack = true;
  (*static_cast<llvm::function_ref<void()> *>(work))();
  return nullptr;
}

/// Starts a thread with all signals blocked: the process's other threads handle them. `detachState`
/// is `PTHREAD_CREATE_DETACHED` for a thread that nobody joins.
bool start(pthread_t &thread, int detachState, void *(*entry)(void *), void *argument) {
  pthread_attr_t attributes;
  if (pthread_attr_init(&attributes) != 0)
    return false;
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = pthread_attr_setstacksize(&attributes, stackBytes) == 0 &&
                 pthread_attr_setdetachstate(&attributes, detachState) == 0 &&
                 pthread_create(&thread, &attributes, entry, argument) == 0;
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_attr_destroy(&attributes);
  return started;
}

} // namespace

void runOnLargeStack(llvm::function_ref<void()> work) {
  pthread_t thread;
  if (!isOnLargeStack && start(thread, PTHREAD_CREATE_JOINABLE, callWork, &work))
    pthread_join(thread, nullptr);
  else
    work();
}

struct LargeStackWork::State {
  std::function<void()> work;
  std::mutex mutex;
  std::condition_variable ended;
  bool isDone = false;
};

LargeStackWork::LargeStackWork(std::shared_ptr<State> state) : state(std::move(state)) {}
LargeStackWork::~LargeStackWork() = default;

std::unique_ptr<LargeStackWork> LargeStackWork::start(std::function<void()> work) {
  auto state = std::make_shared<State>();
  state->work = std::move(work);
  auto *shared = new std::shared_ptr<State>(state); // the thread owns it
  pthread_t thread;
  if (!eft::start(thread, PTHREAD_CREATE_DETACHED, entry, shared)) {
    delete shared;
    return nullptr;
  }
  return std::unique_ptr<LargeStackWork>(new LargeStackWork(std::move(state)));
}

void *LargeStackWork::entry(void *argument) {
  isOnLargeStack = true;
  std::unique_ptr<std::shared_ptr<State>> shared(static_cast<std::shared_ptr<State> *>(argument));
  State &state = **shared;
  state.work();
  state.work = nullptr;
  std::lock_guard lock(state.mutex);
  state.isDone = true;
  state.ended.notify_all();
  return nullptr;
}

void LargeStackWork::wait() {
  std::unique_lock lock(state->mutex);
  state->ended.wait(lock, [&] { return state->isDone; });
}

bool LargeStackWork::waitFor(std::chrono::milliseconds time) {
  std::unique_lock lock(state->mutex);
  return state->ended.wait_for(lock, time, [&] { return state->isDone; });
}

} // namespace eft
