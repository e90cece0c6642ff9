// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream: streams that Eft makes and streams that the caller owns.
#include "eft/Stream.h"

#include "library/runtime/Handles.h"
#include "runtime/cuda/Event.h"

namespace eft {

Expected<Stream> Stream::create(Device device) {
  Stream stream(device);
  if (device.isHost())
    return stream;
  auto gpu = cuda::gpu(device.index);
  if (!gpu.ok())
    return gpu.error();
  auto made = cuda::Stream::create(**gpu);
  if (!made.ok())
    return made.error();
  stream.raw = publicHandle((*made)->handle());
  stream.owned = std::shared_ptr<const cuda::Stream>(*std::move(made));
  return stream;
}

Stream Stream::borrow(Device device, CUstream_st *handle) {
  Stream stream(device);
  if (!device.isHost())
    stream.raw = handle;
  return stream;
}

Status Stream::synchronize() const {
  if (where.isHost())
    return {};
  auto gpu = cuda::gpu(where.index);
  if (!gpu.ok())
    return gpu.error();
  return cuda::synchronize(**gpu, driverHandle(*this));
}

} // namespace eft
