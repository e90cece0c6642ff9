// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of work on a device.
#pragma once

#include "eft/Device.h"

#include <memory>
#include <utility>

/// The type that CUDA's CUstream and cudaStream_t point to, so that they can be given without a
/// header of CUDA.
struct CUstream_st;

namespace eft {

/// A queue of work on one device. Work in one stream is done in order. On the host, where every
/// call returns when its work is done, a stream is only the device's name.
///
/// A handle: copies share one stream. One that was made by `create` goes with its last copy; the
/// driver then finishes the work that is in it. One that was moved from is its device's default
/// stream. Safe to use from several threads.
class EFT_API Stream {
public:
  /// The device's default stream; on a GPU the legacy one, which waits for all streams but the
  /// non-blocking ones, as they wait for it. Costs nothing, and asks nothing of the device.
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

  /// A new stream, owned by the handle and its copies. Fails with NoDriver, NoDevice, Cuda or
  /// OutOfMemory.
  static Expected<Stream> create(Device device);

  /// The caller's own stream, which must belong to the device's primary context and outlive the
  /// work that is put into it. `handle` is ignored on the host.
  static Stream borrow(Device device, CUstream_st *handle);

  Device device() const { return where; }
  /// The driver's handle, still the stream's own; null for a default stream and on the host.
  CUstream_st *handle() const { return raw; }

  /// Waits until the work that was put into the stream so far is done. What went wrong in it is an
  /// error of kind Cuda.
  Status synchronize() const;

private:
  Device where;
  CUstream_st *raw = nullptr;
  std::shared_ptr<const void> owned;
};

} // namespace eft
