// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The functions of Device.
#include "eft/Device.h"

#include "runtime/cuda/Gpu.h"

namespace eft {

Expected<int> Device::cudaCount() { return cuda::gpuCount(); }

Expected<std::string> Device::product() const {
  if (isHost())
    return name();
  auto gpu = cuda::gpu(index);
  if (!gpu.ok())
    return gpu.error();
  return (*gpu)->properties().name;
}

Expected<std::string> Device::target() const {
  if (isHost())
    return name();
  auto gpu = cuda::gpu(index);
  if (!gpu.ok())
    return gpu.error();
  return (*gpu)->target();
}

Status Device::synchronize() const {
  if (isHost())
    return {};
  auto gpu = cuda::gpu(index);
  if (!gpu.ok())
    return gpu.error();
  return (*gpu)->synchronize();
}

} // namespace eft
