// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Device: the host or one GPU, where a kernel runs and its arrays lie.
#pragma once

#include "eft/Error.h"
#include "eft/Export.h"

#include <cstdint>
#include <string>

namespace eft {

enum class DeviceKind : uint8_t { Host, Cuda };

/// The name of the host or of one GPU. A Device is a plain value and owns nothing. A GPU that does
/// not exist is reported by the first function that uses it. Every function may be called from any
/// thread.
///
/// Eft works in a GPU's primary context, which the CUDA runtime and PyTorch use too. During its own
/// calls Eft makes that context current; afterwards it makes the previous context current again.
/// Eft never releases the primary context. The CUDA driver is opened at the first use of a GPU, so
/// a process may fork before that.
struct Device {
  DeviceKind kind = DeviceKind::Host;
  int32_t index = 0; ///< the GPU's number in the CUDA driver; 0 for the host

  static Device host() { return {}; }
  static Device cuda(int32_t index) { return {DeviceKind::Cuda, index}; }

  /// Returns the number of NVIDIA GPUs that this process can use: 0 if there is no driver. Fails if
  /// there is a driver that can't be used, because it is too old, is broken, or was started before
  /// a fork.
  EFT_API static Expected<int> cudaCount();

  bool isHost() const { return kind == DeviceKind::Host; }
  bool operator==(const Device &) const = default;

  /// "cpu", "cuda:0"
  std::string name() const { return isHost() ? "cpu" : "cuda:" + std::to_string(index); }

  /// Returns the product's name, such as "NVIDIA H200"; "cpu" for the host. Fails with NoDriver,
  /// NoDevice or Cuda.
  EFT_API Expected<std::string> product() const;

  /// Returns the name of the target that fits this device: "cpu", or "cuda:90" with the compute
  /// capability times ten. Fails with NoDriver, NoDevice or Cuda.
  EFT_API Expected<std::string> target() const;

  /// Waits for all work on the device, including work that other libraries in this process started.
  /// If a kernel failed while it ran, for example by an access outside its arrays, this or a later
  /// call fails with Cuda. On the host the call returns at once.
  EFT_API Status synchronize() const;
};

} // namespace eft
