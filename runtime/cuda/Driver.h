// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The CUDA driver, opened with dlopen at the first use of a GPU and never before: a process that
// only imports Eft or compiles can still fork, and needs no driver.
#pragma once

#include "eft/Error.h"
#include "eft/Export.h"
#include "runtime/cuda/DriverFunctions.h"
#include "runtime/cuda/DriverTypes.h"

#include <memory>
#include <string>
#include <string_view>

namespace eft::cuda {

// The driver's entry points by name, ready to be called.
class Driver {
public:
  // Opens the library at `path`, checks the driver's version and starts it. The library stays open
  // for good: other parts of the process use it too.
  static Expected<std::unique_ptr<const Driver>> open(const std::string &path);

#define EFT_DECLARE(name, symbol, parameters) Result(*name) parameters = nullptr;
  EFT_CUDA_DRIVER_FUNCTIONS(EFT_DECLARE)
#undef EFT_DECLARE

  // The newest CUDA version that the driver serves, as 1000 × major + 10 × minor.
  int version() const { return cudaVersion; }
  // False if there is a driver but no GPU for it.
  bool hasDevices() const { return devices; }

  // "cuFuncLoad failed while loading kernel 'k': CUDA_ERROR_OUT_OF_MEMORY (out of memory)", and
  // below that what the driver has written to a log.
  Error error(Result result, std::string_view call, std::string_view doing,
              std::string_view log = {}) const;
  // The same as a Status, which is success where `result` is.
  Status check(Result result, std::string_view call, std::string_view doing) const {
    return result == success ? Status() : Status(error(result, call, doing));
  }

private:
  Status load(void *library);

  int cudaVersion = 0;
  bool devices = true;
};

// The process's driver: libcuda.so.1, or the library that EFT_LIBCUDA names. Opened at the first
// call; a failure is remembered. In a child that was forked after the parent had started the driver
// this is an error, since CUDA does not survive fork.
EFT_API Expected<const Driver *> driver();

// True in a child that was forked from a process that had started the driver. Handles made by the
// parent must then be left alone.
EFT_API bool forkedAfterStart();

} // namespace eft::cuda
