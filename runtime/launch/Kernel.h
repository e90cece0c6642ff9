// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that can be launched, wherever it lives. This is all that a program in C++ needs of the
// runtime once it has compiled code: load, launch.
#pragma once

#include "runtime/cpu/Kernel.h"
#include "runtime/cuda/Kernel.h"
#include "runtime/device/Device.h"
#include "runtime/launch/Grid.h"

#include <span>
#include <string>
#include <string_view>

namespace eft {

// Safe to launch from several threads.
class Kernel {
public:
  // Loads PTX or a cubin on a GPU. `name` is the kernel's entry in it.
  static Expected<std::unique_ptr<const Kernel>>
  loadCuda(int ordinal, std::string_view image, std::string name, cuda::KernelShape shape);
  // Borrows compiled code on the host, which must outlive the kernel.
  static Expected<std::unique_ptr<const Kernel>> loadHost(cpu::HostFunction *function,
                                                          std::string name);

  const std::string &name() const { return entry; }
  Device device() const { return where; }

  // `grid`, if this kernel's device can run it.
  Expected<CheckedGrid> check(const Grid &grid) const;

  // Launches the kernel; an empty grid launches nothing. `slots` holds the parameters, eight bytes
  // each, the value in the low ones. On a GPU this returns at once and the work stands in `stream`
  // (null: the legacy default stream); on the host it returns when the work is done.
  Status launch(const CheckedGrid &grid, std::span<const uint64_t> slots,
                cuda::StreamHandle stream = nullptr) const;

  // True if a launch returns within microseconds, so that making ready to wait is not worth it.
  bool returnsAtOnce(const CheckedGrid &grid) const {
    return onHost && (grid.programs == 0 || onHost->isTiny(grid.programs));
  }

private:
  Kernel(Device where, std::string name) : where(where), entry(std::move(name)) {}

  Device where;
  std::string entry;
  std::unique_ptr<const cuda::Kernel> onGpu; // one of the two is set
  std::unique_ptr<const cpu::Kernel> onHost;
};

} // namespace eft
