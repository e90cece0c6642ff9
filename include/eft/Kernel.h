// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kernel: compiled code that is loaded on a device and can be launched.
#pragma once

#include "eft/Argument.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eft {

/// The facts about a kernel that a launch needs in addition to the code. All of them are fields of
/// eft::Compiled.
struct KernelInfo {
  std::string name; ///< the name of the kernel's function in the code
  std::vector<Parameter> parameters;
  unsigned numWarps = 4;    ///< warps of 32 threads per program on a GPU
  unsigned sharedBytes = 0; ///< bytes of shared memory per program on a GPU
  /// The most programs that a launch on a GPU may put into one thread block. More than 1 is only
  /// for code in which program number x is ctaid.x * ntid.y + tid.y.
  unsigned programsPerBlock = 1;
  /// The code is right for launches of at most these numbers of programs along the three axes. A
  /// larger launch fails with InvalidArgument.
  Grid maxPrograms = {INT32_MAX, INT32_MAX, INT32_MAX};
};

/// A kernel that is loaded on a device.
///
/// A handle: copies share one kernel, and the destructor of the last copy unloads the code. The
/// kernel refers to nothing else that the caller must keep. When the last copy is destroyed, no
/// launch may be running; on a GPU the caller must have waited for the stream. Safe to use from
/// several threads, launches included. A moved-from Kernel has an empty name and no parameters, and
/// launching it fails with InvalidArgument.
class EFT_API Kernel {
public:
  /// Loads a cubin or PTX onto a GPU; the driver compiles PTX. `image` may be destroyed after the
  /// call. Fails with InvalidArgument if `image` is empty or cut off, `device` is the host, `info`
  /// is invalid, or the kernel needs more shared memory than the GPU has. Also fails with NoDriver,
  /// NoDevice, OutOfMemory or Cuda; for PTX, the message has the log of the driver's compiler.
  static Expected<Kernel> loadCuda(Device device, std::string_view image, KernelInfo info);

  /// Makes a kernel of a function that was compiled for the host. The kernel holds `owner`, which
  /// must own the memory of the function's code; `owner` may be null if that memory outlives the
  /// kernel in any case. Fails with InvalidArgument if `function` is null or `info` is invalid.
  static Expected<Kernel> loadHost(HostFunction *function, KernelInfo info,
                                   std::shared_ptr<const void> owner = nullptr);

  const std::string &name() const;
  Device device() const;
  /// The parameters, in order. The span is valid as long as any copy of this handle lives.
  std::span<const Parameter> parameters() const;

  /// Runs one program for each point of the grid. On a GPU the call puts the work into `stream` and
  /// returns at once. On the host the calling thread and the process's thread pool run the
  /// programs, and the call returns when all are done; EFT_NUM_THREADS sets the number of threads.
  /// A grid with an extent of 0 launches nothing.
  ///
  /// Each argument must fit its parameter, as the table at Argument says. Fails with
  /// InvalidArgument for a wrong number of arguments, for an argument of a wrong type, device or
  /// divisibility, for a stream of another device, or for a grid beyond the device's limits. The
  /// message names the parameter by its number, counted from 0, what was found and what was
  /// expected. Fails with Cuda or OutOfMemory if the driver does. After any of these failures
  /// nothing was launched.
  ///
  /// If the kernel has assertions, the call waits for the kernel on a GPU too. If an assertion
  /// fails, the call fails with Assertion. The program whose assertion failed ended there; the
  /// other programs ran on.
  template <typename... Arguments>
  Status launch(const Grid &grid, const Stream &stream, const Arguments &...arguments) const {
    const std::array<Argument, sizeof...(Arguments)> packed{Argument(arguments)...};
    return launchWith(grid, stream, packed);
  }

  /// Launches the kernel like `launch`, with a number of arguments that is known only at run time.
  Status launchWith(const Grid &grid, const Stream &stream,
                    std::span<const Argument> arguments) const;

private:
  struct State;
  explicit Kernel(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state;
};

} // namespace eft
