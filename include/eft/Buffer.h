// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffer: owned memory on a device.
#pragma once

#include "eft/Stream.h"

#include <cstddef>
#include <cstdint>

namespace eft {

/// Memory on one device, freed by the destructor. Memory that the caller owns in another way needs
/// no Buffer: a kernel takes a plain pointer as well.
///
/// Movable, not copyable. Several threads may use different buffers at once. A single buffer is
/// like a container: several threads may read it at once, but a call that is not const needs the
/// buffer to itself.
class EFT_API Buffer {
public:
  /// An empty buffer on the host: 0 bytes and a null pointer.
  Buffer() = default;
  /// Frees the memory. On a GPU the driver first waits for the work that uses the memory.
  ~Buffer();
  Buffer(Buffer &&other) noexcept;
  Buffer &operator=(Buffer &&other) noexcept;

  /// Returns a buffer of `bytes` bytes, not initialised. Its address is a multiple of 256 on a GPU
  /// and of 64 on the host; it is null for 0 bytes. Fails with NoDriver, NoDevice, Cuda or
  /// OutOfMemory.
  static Expected<Buffer> allocate(Device device, size_t bytes);

  Device device() const { return where; }
  size_t bytes() const { return size; }
  /// The address of the memory on its device. The buffer keeps ownership.
  void *data() const { return memory; }

  /// Copies `bytes` bytes from `source`, in the host's memory, into this buffer, `offset` bytes
  /// from its start on. Returns when the copy is done. On a GPU the copy runs after the work that
  /// `stream` already has; without a stream it runs in the default stream. Fails with
  /// InvalidArgument if the range does not lie inside the buffer or the stream is on another
  /// device, or with Cuda.
  Status copyFromHost(const Stream &stream, const void *source, size_t bytes, size_t offset = 0);
  Status copyFromHost(const void *source, size_t bytes, size_t offset = 0) {
    return copyFromHost(Stream(where), source, bytes, offset);
  }

  /// Copies `bytes` bytes from this buffer, `offset` bytes from its start on, to `target` in the
  /// host's memory. Otherwise like copyFromHost.
  Status copyToHost(const Stream &stream, void *target, size_t bytes, size_t offset = 0) const;
  Status copyToHost(void *target, size_t bytes, size_t offset = 0) const {
    return copyToHost(Stream(where), target, bytes, offset);
  }

  /// Sets every byte to `value`. On a GPU the call only puts this work into `stream`, or into the
  /// default stream, and may return before the work is done. Fails with InvalidArgument if the
  /// stream is on another device, and with Cuda if a call of the driver fails.
  Status fill(const Stream &stream, uint8_t value);
  Status fill(uint8_t value) { return fill(Stream(where), value); }

private:
  void release();

  Device where;
  void *memory = nullptr;
  size_t size = 0;
};

} // namespace eft
