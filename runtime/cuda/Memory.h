// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory on a GPU, in the GPU's primary context.
#pragma once

#include "runtime/cuda/Gpu.h"

namespace eft::cuda {

// Allocates memory. `bytes` must not be 0.
Expected<DevicePointer> allocate(const Gpu &gpu, size_t bytes);

// Frees memory, after the work that uses it. Does nothing in a forked child, because the memory
// belongs to the parent.
void release(const Gpu &gpu, DevicePointer memory);

// Copies between the host and the GPU, after the work already in the stream. The copy is done when
// the call returns.
Status copyFromHost(const Gpu &gpu, StreamHandle stream, DevicePointer target, const void *source,
                    size_t bytes);
Status copyToHost(const Gpu &gpu, StreamHandle stream, void *target, DevicePointer source,
                  size_t bytes);

// Sets every byte to `value`. Only submits the work to the stream, and does not wait for it.
Status fill(const Gpu &gpu, StreamHandle stream, DevicePointer target, uint8_t value, size_t bytes);

} // namespace eft::cuda
