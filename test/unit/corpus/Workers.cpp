// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "test/unit/corpus/Workers.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace eft::test {
namespace {

constexpr int failed = 99;
constexpr size_t manyFailures = 20;
constexpr long secondsOfItem = 60;

void copy(char *to, size_t size, const std::string &from) {
  size_t length = std::min(size - 1, from.size());
  std::memcpy(to, from.data(), length);
  to[length] = 0;
}

/// The end of a file's content, at most `most` bytes.
std::string endOf(int file, off_t most) {
  off_t size = lseek(file, 0, SEEK_END);
  off_t from = std::max<off_t>(0, size - most);
  std::string text(size_t(size - from), 0);
  ssize_t got = pread(file, text.data(), text.size(), from);
  text.resize(size_t(std::max<ssize_t>(0, got)));
  return text;
}

void limitTime(long seconds) {
  itimerval timer = {};
  timer.it_value.tv_sec = seconds;
  setitimer(ITIMER_PROF, &timer, nullptr);
}

/// Limits the memory, so that a mutant with huge blocks does not make the machine swap. Not under
/// sanitizers, which reserve more address space than any limit.
void limitMemory() {
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) &&                             \
    !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
  rlimit limit = {rlim_t(8) << 30, rlim_t(8) << 30};
  setrlimit(RLIMIT_AS, &limit);
#endif
  rlimit none = {0, 0};
  setrlimit(RLIMIT_CORE, &none);
}

} // namespace

void Progress::setInput(const std::string &inputName, const std::string &inputText) {
  copy(name, sizeof(name), inputName);
  copy(text, sizeof(text), inputText);
}

void Progress::setStep(const std::string &words) { copy(step, sizeof(step), words); }

void Progress::fail(const std::string &words) {
  copy(why, sizeof(why), words);
  _exit(failed);
}

/// Worker i of n does the items i, i + n, i + 2n and so on.
class Workers {
public:
  Workers(size_t items, const std::function<void(size_t, Progress &)> &work)
      : items(items), work(work),
        workers(std::clamp<size_t>(std::thread::hardware_concurrency(), 1, 8)) {}

  Report run() {
    for (size_t i = 0; i < workers.size(); ++i) {
      void *memory = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE,
                          MAP_SHARED | MAP_ANONYMOUS, -1, 0);
      workers[i].progress = static_cast<Progress *>(memory);
      workers[i].errors = memfd_create("errors", 0);
      start(workers[i], i);
    }
    int status = 0;
    for (size_t running = workers.size(); running > 0;) {
      pid_t ended = wait(&status);
      auto found = std::find_if(workers.begin(), workers.end(),
                                [&](const Worker &each) { return each.process == ended; });
      if (found == workers.end())
        continue;
      if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        --running;
      else if (note(*found, status); report.failures.size() >= manyFailures)
        --running;
      else
        start(*found, found->progress->item + workers.size());
    }
    for (Worker &worker : workers) {
      report.done += worker.progress->done;
      munmap(worker.progress, sizeof(Progress));
      close(worker.errors);
    }
    return std::move(report);
  }

private:
  struct Worker {
    Progress *progress = nullptr;
    int errors = -1;
    pid_t process = 0;
  };

  void start(Worker &worker, size_t first) {
    std::fflush(nullptr);
    worker.process = fork();
    if (worker.process != 0)
      return;
    ftruncate(worker.errors, 0);
    dup2(worker.errors, STDERR_FILENO);
    limitMemory();
    for (size_t item = first; item < items; item += workers.size()) {
      worker.progress->item = item;
      worker.progress->why[0] = 0;
      limitTime(secondsOfItem);
      work(item, *worker.progress);
    }
    _exit(0);
  }

  void note(const Worker &worker, int status) {
    const Progress &progress = *worker.progress;
    std::string why = progress.why;
    if (WIFSIGNALED(status))
      why = std::string("it was ended by the signal ") + strsignal(WTERMSIG(status)) + "\n" +
            endOf(worker.errors, 2000);
    else if (WEXITSTATUS(status) != failed)
      why = "it ended with status " + std::to_string(WEXITSTATUS(status)) + "\n" +
            endOf(worker.errors, 2000);
    // Print each failure at once, because a run may be long.
    std::fprintf(stderr, "%zu, of %s, in %s: %s\n", progress.item, progress.name, progress.step,
                 why.c_str());
    report.failures.push_back({progress.item, progress.name, progress.text, progress.step, why});
  }

  size_t items;
  const std::function<void(size_t, Progress &)> &work;
  std::vector<Worker> workers;
  Report report;
};

Report workOn(size_t items, const std::function<void(size_t item, Progress &)> &work) {
  return Workers(items, work).run();
}

} // namespace eft::test
