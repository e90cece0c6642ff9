// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Conversions between the public headers' type of a stream handle and the runtime's.
#pragma once

#include "eft/Stream.h"
#include "runtime/cuda/DriverTypes.h"

namespace eft {

inline CUstream_st *publicHandle(cuda::StreamHandle handle) {
  return reinterpret_cast<CUstream_st *>(handle);
}

inline cuda::StreamHandle driverHandle(const Stream &stream) {
  return reinterpret_cast<cuda::StreamHandle>(stream.handle());
}

} // namespace eft
