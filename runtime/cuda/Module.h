// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Code that is loaded on a GPU.
#pragma once

#include "runtime/cuda/Gpu.h"

#include <string>
#include <string_view>

namespace eft::cuda {

// The resources that a kernel uses, as the driver reports them.
struct KernelResources {
  int registers = 0;  // registers of each thread
  int stackBytes = 0; // stack of each thread: its local memory and spilled registers
};

// Owns a module of the driver. The context of the module's GPU must be current when the module is
// loaded, asked for its resources, or unloaded, also by the destructor or by an assignment.
class Module {
public:
  // `image` is PTX, which the driver assembles (or finds in its own cache), or a cubin.
  static Expected<Module> load(const Driver &driver, std::string_view image,
                               const std::string &name, std::string_view doing);
  ~Module() { unload(); }
  Module() = default;
  Module(Module &&other) noexcept { *this = std::move(other); }
  Module &operator=(Module &&other) noexcept;

  Expected<KernelResources> resources(std::string_view doing) const;
  ModuleHandle handle() const { return module; }
  FunctionHandle function() const { return kernel; }
  void unload();
  // Gives up the module without unloading it, because another process owns it or the driver has
  // shut down.
  void release() { module = nullptr; }

private:
  const Driver *driver = nullptr;
  ModuleHandle module = nullptr;
  FunctionHandle kernel = nullptr;
};

} // namespace eft::cuda
