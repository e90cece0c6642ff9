// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver. It is opened with dlopen at the first use of a GPU, and not before. So a process
// that only imports Eft or compiles needs no driver, and can still fork.
#pragma once

#include "eft/Error.h"
#include "eft/Export.h"
#include "runtime/cuda/DriverFunctions.h"
#include "runtime/cuda/DriverTypes.h"

#include <memory>
#include <string>
#include <string_view>

namespace eft::cuda {

// The driver's entry points, as function pointers.
class Driver {
public:
  // Opens the library at `path`, checks the driver's version, and initialises the driver. The
  // library is never closed, since other parts of the process use it too.
  static Expected<std::unique_ptr<const Driver>> open(const std::string &path);

#define EFT_DECLARE(name, symbol, parameters) Result(*name) parameters = nullptr;
  EFT_CUDA_DRIVER_FUNCTIONS(EFT_DECLARE)
#undef EFT_DECLARE

  // The newest CUDA version that the driver supports, as 1000 × major + 10 × minor.
  int version() const { return cudaVersion; }
  // False if the driver finds no GPU.
  bool hasDevices() const { return devices; }

  // The error for a failed call, with a message such as "cuFuncLoad failed while loading kernel
  // 'k': CUDA_ERROR_OUT_OF_MEMORY (out of memory)". If `log` is not empty, it follows on new lines.
  Error error(Result result, std::string_view call, std::string_view doing,
              std::string_view log = {}) const;
  // Returns success if `result` is success, and otherwise `error(result, call, doing)`.
  Status check(Result result, std::string_view call, std::string_view doing) const {
    return result == success ? Status() : Status(error(result, call, doing));
  }

private:
  Status load(void *library);

  int cudaVersion = 0;
  bool devices = true;
};

// The process's driver: libcuda.so.1, or the library that EFT_LIBCUDA names. The first call opens
// it; a failure is remembered. Fails in a child process that was forked after the parent had
// started the driver, because CUDA does not survive a fork.
EFT_API Expected<const Driver *> driver();

// True in a child process that was forked after the parent had started the driver. The parent's
// handles must not be used or freed there.
EFT_API bool forkedAfterStart();

} // namespace eft::cuda
