// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Launches on the host, on the calling thread alone or on the pool.
#include "runtime/cpu/Kernel.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace eft::cpu {
namespace {

// Work that takes less time than this is done before another thread could start to help.
constexpr float tinyNanoseconds = 6000;

} // namespace

bool Kernel::isTiny(uint64_t programs) const {
  float each = programNanoseconds.load(std::memory_order_relaxed);
  return each > 0 && each * static_cast<float>(programs) < tinyNanoseconds;
}

// Updates the cost of a program, as a moving average. The newest cost has the greatest weight,
// because costs depend on the arguments. It does not replace the average, because single launches
// can be much slower: the first run of a kernel also pays for page faults.
void Kernel::remember(Cost cost) const {
  float each =
      std::max(1.0f, static_cast<float>(cost.nanoseconds)) / static_cast<float>(cost.programs);
  float before = programNanoseconds.load(std::memory_order_relaxed);
  programNanoseconds.store(before > 0 ? 0.25f * before + 0.75f * each : each,
                           std::memory_order_relaxed);
}

Status Kernel::launch(const std::array<uint32_t, 3> &grid, uint64_t programs,
                      std::span<const uint64_t> slots, Interruption *interruption) const {
  Failure failure;
  std::optional<Stop> stop;
  if (interruption)
    stop.emplace(*interruption);
  auto isStopped = [&] { return stop && stop->isRequested(); };
  Job job{function, slots.data(), grid.data(), 0, programs, &failure, stop ? &*stop : nullptr};
  if (isTiny(programs)) {
    LaunchScope scope(&failure, job.stop);
    // The estimate may come from launches with other arguments. So a quarter of the job runs first.
    // If the rest is not tiny by the cost of that quarter, the pool runs it.
    auto begin = std::chrono::steady_clock::now();
    uint64_t part = (programs + 3) / 4;
    function(job.slots, job.grid, 0, part);
    auto time = std::chrono::steady_clock::now() - begin;
    if (isStopped())
      return failure.status();
    remember({part, static_cast<uint64_t>(std::chrono::nanoseconds(time).count())});
    job.first = part;
    job.count = programs - part;
    if (job.count == 0)
      return failure.status();
    if (isTiny(job.count)) {
      function(job.slots, job.grid, job.first, job.count);
      return failure.status();
    }
  }
  auto pool = ThreadPool::process();
  if (!pool.ok())
    return pool.error();
  Cost cost = (*pool)->run(job);
  if (!isStopped())
    remember(cost);
  return failure.status();
}

} // namespace eft::cpu
