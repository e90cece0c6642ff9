// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel loaded on the host, and its launch.
#pragma once

#include "eft/Export.h"
#include "runtime/cpu/ThreadPool.h"

#include <array>
#include <atomic>
#include <memory>
#include <span>

namespace eft::cpu {

// Borrows the compiled function, whose memory must outlive this object. Remembers the cost of a
// program, so that a job runs on the calling thread alone if it is too small for waking other
// threads to pay. Safe to launch from several threads.
class EFT_API Kernel {
public:
  explicit Kernel(HostFunction *function) : function(function) {}

  // Runs all `programs` programs of `grid`. Returns when they are done, or earlier if the
  // interruption ends the launch. `slots` holds the parameters, eight bytes each.
  Status launch(const std::array<uint32_t, 3> &grid, uint64_t programs,
                std::span<const uint64_t> slots, Interruption *interruption = nullptr) const;

  // True if a launch of this many programs would run on the calling thread alone, within
  // microseconds.
  bool isTiny(uint64_t programs) const;

private:
  void remember(Cost cost) const;

  HostFunction *function;
  mutable std::atomic<float> programNanoseconds = 0; // 0: not known yet
};

} // namespace eft::cpu
