// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Driver calls for memory, each made in the context of its GPU.
#include "runtime/cuda/Memory.h"

#include "runtime/cuda/Event.h"

namespace eft::cuda {

Expected<DevicePointer> allocate(const Gpu &gpu, size_t bytes) {
  DevicePointer memory = 0;
  Status status = inContext(
      gpu, "cuMemAlloc", "allocating " + std::to_string(bytes) + " bytes on " + gpu.name(),
      [&](const Driver &driver) { return driver.cuMemAlloc(&memory, bytes); });
  if (!status.ok())
    return std::move(status).error();
  return memory;
}

void release(const Gpu &gpu, DevicePointer memory) {
  if (!forkedAfterStart())
    (void)inContext(gpu, "cuMemFree", "freeing memory on " + gpu.name(),
                    [&](const Driver &driver) { return driver.cuMemFree(memory); });
}

Status copyFromHost(const Gpu &gpu, StreamHandle stream, DevicePointer target, const void *source,
                    size_t bytes) {
  Status status = inContext(gpu, "cuMemcpyHtoDAsync",
                            "copying " + std::to_string(bytes) + " bytes to " + gpu.name(),
                            [&](const Driver &driver) {
                              return driver.cuMemcpyHtoDAsync(target, source, bytes, stream);
                            });
  return status.ok() ? synchronize(gpu, stream) : std::move(status);
}

Status copyToHost(const Gpu &gpu, StreamHandle stream, void *target, DevicePointer source,
                  size_t bytes) {
  Status status = inContext(gpu, "cuMemcpyDtoHAsync",
                            "copying " + std::to_string(bytes) + " bytes from " + gpu.name(),
                            [&](const Driver &driver) {
                              return driver.cuMemcpyDtoHAsync(target, source, bytes, stream);
                            });
  return status.ok() ? synchronize(gpu, stream) : std::move(status);
}

Status fill(const Gpu &gpu, StreamHandle stream, DevicePointer target, uint8_t value,
            size_t bytes) {
  return inContext(
      gpu, "cuMemsetD8Async", "filling " + std::to_string(bytes) + " bytes on " + gpu.name(),
      [&](const Driver &driver) { return driver.cuMemsetD8Async(target, value, bytes, stream); });
}

} // namespace eft::cuda
