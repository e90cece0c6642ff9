// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory on a GPU, in its primary context.
#pragma once

#include "runtime/cuda/Gpu.h"

namespace eft::cuda {

// `bytes` must not be 0.
Expected<DevicePointer> allocate(const Gpu &gpu, size_t bytes);

// Waits for the work that uses the memory. Does nothing in a forked child, whose parent's it is.
void release(const Gpu &gpu, DevicePointer memory);

// Between the host and the GPU, after what is in the stream; done when the call returns.
Status copyFromHost(const Gpu &gpu, StreamHandle stream, DevicePointer target, const void *source,
                    size_t bytes);
Status copyToHost(const Gpu &gpu, StreamHandle stream, void *target, DevicePointer source,
                  size_t bytes);

// Sets every byte; the work stands in the stream when the call returns.
Status fill(const Gpu &gpu, StreamHandle stream, DevicePointer target, uint8_t value, size_t bytes);

} // namespace eft::cuda
