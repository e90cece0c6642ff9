// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel on a GPU or the host that can be launched. Its parameters are untyped slots. eft::Kernel
// adds types and checks for C++ programs; the Python module has its own checks.
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
  // Loads PTX or a cubin on a GPU. `name` is the kernel's entry point in it. The code is right for
  // launches of at most `maxPrograms` along each axis.
  static Expected<std::unique_ptr<const AnyKernel>>
  loadCuda(int ordinal, std::string_view image, std::string name, cuda::KernelShape shape,
           const Grid &maxPrograms = hostGridLimits);
  // Borrows compiled code on the host, which must outlive the kernel.
  static Expected<std::unique_ptr<const AnyKernel>>
  loadHost(HostFunction *function, std::string name, const Grid &maxPrograms = hostGridLimits);

  const std::string &name() const { return entry; }
  Device device() const { return where; }

  // The resources that the kernel uses on a GPU, as the driver reports them; null on the host.
  const cuda::KernelResources *resources() const { return onGpu ? &onGpu->resources() : nullptr; }

  // True if this kernel's device can run so many programs, but its code is for fewer.
  bool hasTooManyPrograms(const Grid &grid) const;

  // Returns the checked grid, or an error if this kernel's device or code can't run it.
  Expected<CheckedGrid> check(const Grid &grid) const;

  // Launches the kernel. An empty grid launches nothing. `slots` holds the parameters, eight bytes
  // each, with the value in the low bytes.
  //
  // On the host this returns when the work is done, or when `interruption`, if there is one, has
  // ended it. On a GPU this submits the work to `stream` (null: the legacy default stream) and
  // returns at once, except that it waits for a kernel with assertions. The interruption then ends
  // the wait, but not the kernel.
  Status launch(const CheckedGrid &grid, std::span<const uint64_t> slots,
                cuda::StreamHandle stream = nullptr, Interruption *interruption = nullptr) const;

  // True if a launch returns within microseconds, so that preparing for a wait is not worthwhile.
  bool returnsAtOnce(const CheckedGrid &grid) const {
    return onHost && (grid.programs == 0 || onHost->isTiny(grid.programs));
  }

private:
  Expected<CheckedGrid> checkForDevice(const Grid &grid) const;

  AnyKernel(Device where, std::string name, const Grid &maxPrograms)
      : where(where), place(where.name()), entry(std::move(name)), maxPrograms(maxPrograms) {}

  Device where;
  std::string place; // the device's name
  std::string entry;
  Grid maxPrograms;
  std::unique_ptr<const cuda::Kernel> onGpu; // exactly one of onGpu and onHost is set
  std::unique_ptr<const cpu::Kernel> onHost;
};

} // namespace eft
