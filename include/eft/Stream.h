// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stream: a queue of work on a device.
#pragma once

#include "eft/Device.h"

#include <memory>
#include <utility>

/// The type that CUDA's CUstream and cudaStream_t point to. It is declared here so that this header
/// needs no header of CUDA.
struct CUstream_st;

namespace eft {

/// A queue of work on one device. Work in one stream runs in order. On the host every call returns
/// when its work is done, so a stream there holds nothing but the device.
///
/// A handle: copies share one stream. A stream from `create` is destroyed with its last copy; the
/// driver still finishes the work that the stream has. A moved-from Stream is its device's default
/// stream. Safe to use from several threads.
class EFT_API Stream {
public:
  /// The device's default stream. On a GPU it is the legacy default stream: its work and the work
  /// of all other streams wait for each other, except that of non-blocking streams. The constructor
  /// calls no driver.
  explicit Stream(Device device = Device::host()) : where(device) {}

  Stream(const Stream &) = default;
  Stream &operator=(const Stream &) = default;
  Stream(Stream &&other) noexcept
      : where(other.where), raw(std::exchange(other.raw, nullptr)), owned(std::move(other.owned)) {}
  Stream &operator=(Stream &&other) noexcept {
    where = other.where;
    raw = std::exchange(other.raw, nullptr);
    owned = std::exchange(other.owned, nullptr);
    return *this;
  }

  /// Makes a new stream, owned by the handle and its copies. Fails with NoDriver, NoDevice, Cuda or
  /// OutOfMemory.
  static Expected<Stream> create(Device device);

  /// Returns a handle of a stream that the caller owns. The stream must belong to the device's
  /// primary context and must outlive the work that is put into it. On the host `handle` is
  /// ignored.
  static Stream borrow(Device device, CUstream_st *handle);

  Device device() const { return where; }
  /// The driver's handle; null for a default stream and on the host. The caller does not become its
  /// owner.
  CUstream_st *handle() const { return raw; }

  /// Waits until the work that is in the stream now is done. Fails with Cuda if that work failed,
  /// and with NoDriver or NoDevice if there is no such GPU.
  Status synchronize() const;

private:
  Device where;
  CUstream_st *raw = nullptr;
  std::shared_ptr<const void> owned;
};

} // namespace eft
