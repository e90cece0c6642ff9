// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel that is loaded on a device, and its launch.
#pragma once

#include "eft/Argument.h"

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace eft {

/// The facts that a launch needs of a kernel beside its code. eft::Compiled has all of them.
struct KernelInfo {
  std::string name; ///< the name of the kernel's function in the code
  std::vector<Parameter> parameters;
  unsigned numWarps = 4;    ///< a program on a GPU is run by 32 times as many threads
  unsigned sharedBytes = 0; ///< shared memory of a program on a GPU
};

/// A loaded kernel.
///
/// A handle: copies share one kernel, whose code goes with the last of them. Until then nothing
/// else has to be kept. The caller sees to it that no launch is under way then: on a GPU, that its
/// stream was waited for. Safe to use from several threads, launches included. One that was moved
/// from has no name and no parameters, and its launch fails with InvalidArgument.
class EFT_API Kernel {
public:
  /// Loads a cubin or PTX, which the driver then compiles, on a GPU. `image` can go when the call
  /// returns. Fails with InvalidArgument (no image, no GPU's device, more shared memory than the
  /// GPU has), NoDriver, NoDevice, OutOfMemory, or Cuda, for PTX with the words of the driver's
  /// compiler.
  static Expected<Kernel> loadCuda(Device device, std::string_view image, KernelInfo info);

  /// Takes a function that was compiled for the host. `owner` is what its memory belongs to, and is
  /// held as long as the kernel; null if the function stays anyway. Fails with InvalidArgument for
  /// a null function.
  static Expected<Kernel> loadHost(HostFunction *function, KernelInfo info,
                                   std::shared_ptr<const void> owner = nullptr);

  const std::string &name() const;
  Device device() const;
  /// The parameters of a launch, in order. They live as long as the kernel.
  std::span<const Parameter> parameters() const;

  /// Runs one program for each point of the grid. On a GPU the call returns at once, and the work
  /// stands in `stream`; on the host it returns when the work is done by the calling thread and the
  /// process's pool (EFT_NUM_THREADS). A grid with an extent of 0 launches nothing.
  ///
  /// Each argument is checked against its parameter, as Argument's table says. Fails with
  /// InvalidArgument: a wrong number of arguments, or a wrong type, device or divisibility, named
  /// with the parameter's number from 0, what was found and what was expected; a stream of another
  /// device; a grid beyond the device's limits. Fails with Cuda or OutOfMemory if the driver does.
  /// After any of them nothing was launched. A kernel with assertions is waited for on a GPU too,
  /// and one that failed is an error of kind Assertion: its program has ended there, others have
  /// not.
  template <typename... Arguments>
  Status launch(const Grid &grid, const Stream &stream, const Arguments &...arguments) const {
    const std::array<Argument, sizeof...(Arguments)> packed{Argument(arguments)...};
    return launchWith(grid, stream, packed);
  }

  /// The same for arguments whose number is only known at run time.
  Status launchWith(const Grid &grid, const Stream &stream,
                    std::span<const Argument> arguments) const;

private:
  struct State;
  explicit Kernel(std::shared_ptr<const State> state);

  std::shared_ptr<const State> state;
};

} // namespace eft
