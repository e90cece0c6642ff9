// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that can be launched, wherever it lives, its parameters as bare slots. eft::Kernel gives
// programs in C++ the same with types and checks; the Python module has checks of its own.
#pragma once

#include "eft/Device.h"
#include "runtime/cpu/Kernel.h"
#include "runtime/cuda/Kernel.h"
#include "runtime/launch/Grid.h"

#include <span>
#include <string>
#include <string_view>

namespace eft {

// Safe to launch from several threads.
class AnyKernel {
public:
  // Loads PTX or a cubin on a GPU. `name` is the kernel's entry in it.
  static Expected<std::unique_ptr<const AnyKernel>>
  loadCuda(int ordinal, std::string_view image, std::string name, cuda::KernelShape shape);
  // Borrows compiled code on the host, which must outlive the kernel.
  static Expected<std::unique_ptr<const AnyKernel>> loadHost(HostFunction *function,
                                                             std::string name);

  const std::string &name() const { return entry; }
  Device device() const { return where; }

  // Its resources, by the driver; null on the host.
  const cuda::KernelResources *resources() const { return onGpu ? &onGpu->resources() : nullptr; }

  // `grid`, if this kernel's device can run it.
  Expected<CheckedGrid> check(const Grid &grid) const;

  // Launches the kernel; an empty grid launches nothing. `slots` holds the parameters, eight bytes
  // each, the value in the low ones. On a GPU this returns at once and the work stands in `stream`
  // (null: the legacy default stream); on the host it returns when the work is done, or when
  // `interruption`, if there is one, has ended it. A kernel on a GPU that has assertions is waited
  // for, too; the interruption ends the wait, and the kernel goes on.
  Status launch(const CheckedGrid &grid, std::span<const uint64_t> slots,
                cuda::StreamHandle stream = nullptr, Interruption *interruption = nullptr) const;

  // True if a launch returns within microseconds, so that making ready to wait is not worth it.
  bool returnsAtOnce(const CheckedGrid &grid) const {
    return onHost && (grid.programs == 0 || onHost->isTiny(grid.programs));
  }

private:
  AnyKernel(Device where, std::string name)
      : where(where), place(where.name()), entry(std::move(name)) {}

  Device where;
  std::string place; // its name
  std::string entry;
  std::unique_ptr<const cuda::Kernel> onGpu; // one of the two is set
  std::unique_ptr<const cpu::Kernel> onHost;
};

} // namespace eft
