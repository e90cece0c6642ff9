// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decides between the calling thread alone and the pool.
#include "runtime/cpu/Kernel.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace eft::cpu {
namespace {

// Work that takes less than this is done before another thread has come to help.
constexpr float tinyNanoseconds = 6000;

} // namespace

bool Kernel::isTiny(uint64_t programs) const {
  float each = programNanoseconds.load(std::memory_order_relaxed);
  return each > 0 && each * static_cast<float>(programs) < tinyNanoseconds;
}

// A cost is a property of the arguments too, so the newest one weighs most, but not alone: the
// first run of a kernel also pays for its pages.
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
    // The estimate may be from other arguments. So part of the job goes first, and if that was no
    // small matter the pool gets the rest.
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
