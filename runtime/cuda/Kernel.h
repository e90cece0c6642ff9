// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel loaded on a GPU, and its launch.
#pragma once

#include "runtime/cuda/Assertions.h"
#include "runtime/cuda/Module.h"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace eft::cuda {

// The properties of a kernel, other than its code, that a launch needs.
struct KernelShape {
  int numWarps = 4;
  int sharedBytes = 0; // dynamic shared memory of one block
  // The most programs of one block. Each has a row of the block's threads, along y.
  int programsPerBlock = 1;
  // Whether failed assertions trap, so that launches need not wait (Assertions.h).
  bool assertionsTrap = false;
};

// Owns the kernel's module on the GPU, and unloads it when destroyed. Safe to launch from several
// threads.
class Kernel {
public:
  // `image` is PTX, which the driver assembles (or finds in its own cache), or a cubin.
  static Expected<std::unique_ptr<const Kernel>> load(const Gpu &gpu, std::string_view image,
                                                      const std::string &name, KernelShape shape);
  ~Kernel();
  Kernel(const Kernel &) = delete;

  const Gpu &gpu() const { return *owner; }
  const KernelResources &resources() const { return used; }

  // Launches the programs of `grid`, which must be within the GPU's limits.
  // `slots` holds the parameters, eight bytes each, and may be freed when the call returns. If the
  // kernel has assertions that don't trap, waits for it, until it is done or the interruption, if
  // there is one, ends the wait.
  Status launch(const std::array<uint32_t, 3> &grid, std::span<const uint64_t> slots,
                StreamHandle stream, Interruption *interruption = nullptr) const;

private:
  Kernel(const Gpu &gpu, const std::string &name, KernelShape shape, ContextHandle context)
      : owner(&gpu), context(context), shape(shape), name(name) {}
  Status prepare(std::string_view image);
  Status fitRegisters(std::string_view image, std::string_view doing);
  Error launchError(Result result, std::string_view call) const;

  const Gpu *owner;
  ContextHandle context;
  Module module;
  KernelResources used;
  std::unique_ptr<Assertions> assertions; // null if the kernel has none
  KernelShape shape;
  std::string name;
};

} // namespace eft::cuda
