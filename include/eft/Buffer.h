// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory on a device.
#pragma once

#include "eft/Stream.h"

#include <cstddef>
#include <cstdint>

namespace eft {

/// Owns memory on one device. Memory that somebody else owns needs no Buffer: a kernel takes a
/// plain pointer as well.
///
/// Movable, not copyable. Different buffers may be used from different threads; one buffer, like a
/// container, by one thread at a time, or by several that only read.
class EFT_API Buffer {
public:
  /// Empty.
  Buffer() = default;
  /// Frees the memory. On a GPU the driver waits for the work that uses it.
  ~Buffer();
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;

  /// `bytes` bytes, not initialised, at an address that is a multiple of 256 on a GPU and of 64 on
  /// the host. Of 0 bytes it has a null pointer. Fails with NoDriver, NoDevice, Cuda or
  /// OutOfMemory.
  static Expected<Buffer> allocate(Device device, size_t bytes);

  Device device() const { return where; }
  size_t bytes() const { return size; }
  /// Where the memory lies, on its device. It stays the buffer's.
  void *data() const { return memory; }

  /// Copies `bytes` bytes from `source`, in the host's memory, to `offset` bytes behind this
  /// buffer's start. Done when the call returns. On a GPU the copy comes after what is in `stream`,
  /// which must be on the buffer's device; without one, in the default stream. Fails with
  /// InvalidArgument for what lies outside the buffer, or with Cuda.
  Status copyFromHost(const Stream &stream, const void *source, size_t bytes, size_t offset = 0);
  Status copyFromHost(const void *source, size_t bytes, size_t offset = 0) {
    return copyFromHost(Stream(where), source, bytes, offset);
  }

  /// The other way: from `offset` bytes behind this buffer's start to `target` in the host's
  /// memory.
  Status copyToHost(const Stream &stream, void *target, size_t bytes, size_t offset = 0) const;
  Status copyToHost(void *target, size_t bytes, size_t offset = 0) const {
    return copyToHost(Stream(where), target, bytes, offset);
  }

  /// Sets every byte to `value`. On a GPU the work stands in `stream` when the call returns, or in
  /// the default stream. Fails with InvalidArgument for a stream of another device, or with Cuda.
  Status fill(const Stream &stream, uint8_t value);
  Status fill(uint8_t value) { return fill(Stream(where), value); }

private:
  void release();

  Device where;
  void *memory = nullptr;
  size_t size = 0;
};

} // namespace eft
