// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer, on the host and on GPUs.
#include "eft/Buffer.h"

#include "library/runtime/Handles.h"
#include "runtime/cuda/Memory.h"

#include <cstdlib>
#include <cstring>
#include <utility>

namespace eft {
namespace {

constexpr size_t hostAlignment = 64; // the alignment of the widest vector

cuda::DevicePointer devicePointer(const void *memory, size_t offset = 0) {
  return reinterpret_cast<cuda::DevicePointer>(memory) + offset;
}

Status checkStream(const Buffer &buffer, const Stream &stream) {
  if (stream.device() == buffer.device())
    return {};
  return Error{ErrorKind::InvalidArgument, "the buffer is on " + buffer.device().name() +
                                               ", the stream on " + stream.device().name()};
}

Status checkCopy(const Buffer &buffer, const Stream &stream, size_t bytes, size_t offset) {
  if (offset > buffer.bytes() || bytes > buffer.bytes() - offset)
    return Error{ErrorKind::InvalidArgument, "a copy of " + std::to_string(bytes) +
                                                 " bytes at offset " + std::to_string(offset) +
                                                 " does not lie inside a buffer of " +
                                                 std::to_string(buffer.bytes()) + " bytes"};
  return checkStream(buffer, stream);
}

} // namespace

Buffer::~Buffer() { release(); }

Buffer::Buffer(Buffer &&other) noexcept
    : where(other.where), memory(std::exchange(other.memory, nullptr)),
      size(std::exchange(other.size, 0)) {}

Buffer &Buffer::operator=(Buffer &&other) noexcept {
  if (this != &other) {
    release();
    where = other.where;
    memory = std::exchange(other.memory, nullptr);
    size = std::exchange(other.size, 0);
  }
  return *this;
}

void Buffer::release() {
  if (!memory)
    return;
  if (where.isHost())
    return std::free(memory);
  // In a forked child `gpu` fails, and the memory belongs to the parent: nothing is freed.
  if (auto gpu = cuda::gpu(where.index); gpu.ok())
    cuda::release(**gpu, devicePointer(memory));
}

Expected<Buffer> Buffer::allocate(Device device, size_t bytes) {
  Buffer buffer;
  buffer.where = device;
  if (bytes == 0)
    return buffer;
  if (device.isHost()) {
    if (bytes <= SIZE_MAX - hostAlignment)
      buffer.memory = std::aligned_alloc(hostAlignment, (bytes + hostAlignment - 1) /
                                                            hostAlignment * hostAlignment);
    if (!buffer.memory)
      return Error{ErrorKind::OutOfMemory,
                   "allocating " + std::to_string(bytes) + " bytes on cpu failed: out of memory"};
  } else {
    auto gpu = cuda::gpu(device.index);
    if (!gpu.ok())
      return gpu.error();
    auto memory = cuda::allocate(**gpu, bytes);
    if (!memory.ok())
      return memory.error();
    buffer.memory = reinterpret_cast<void *>(*memory);
  }
  buffer.size = bytes;
  return buffer;
}

Status Buffer::copyFromHost(const Stream &stream, const void *source, size_t bytes, size_t offset) {
  Status fits = checkCopy(*this, stream, bytes, offset);
  if (!fits.ok() || bytes == 0)
    return fits;
  if (where.isHost()) {
    std::memcpy(static_cast<char *>(memory) + offset, source, bytes);
    return {};
  }
  auto gpu = cuda::gpu(where.index);
  if (!gpu.ok())
    return gpu.error();
  return cuda::copyFromHost(**gpu, driverHandle(stream), devicePointer(memory, offset), source,
                            bytes);
}

Status Buffer::copyToHost(const Stream &stream, void *target, size_t bytes, size_t offset) const {
  Status fits = checkCopy(*this, stream, bytes, offset);
  if (!fits.ok() || bytes == 0)
    return fits;
  if (where.isHost()) {
    std::memcpy(target, static_cast<const char *>(memory) + offset, bytes);
    return {};
  }
  auto gpu = cuda::gpu(where.index);
  if (!gpu.ok())
    return gpu.error();
  return cuda::copyToHost(**gpu, driverHandle(stream), target, devicePointer(memory, offset),
                          bytes);
}

Status Buffer::fill(const Stream &stream, uint8_t value) {
  Status fits = checkStream(*this, stream);
  if (!fits.ok() || size == 0)
    return fits;
  if (where.isHost()) {
    std::memset(memory, value, size);
    return {};
  }
  auto gpu = cuda::gpu(where.index);
  if (!gpu.ok())
    return gpu.error();
  return cuda::fill(**gpu, driverHandle(stream), devicePointer(memory), value, size);
}

} // namespace eft
