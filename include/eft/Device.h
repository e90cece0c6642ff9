// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The place where a kernel runs and its arrays live.
#pragma once

#include "eft/Error.h"
#include "eft/Export.h"

#include <cstdint>
#include <string>

namespace eft {

enum class DeviceKind : uint8_t { Host, Cuda };

/// Names the host or one GPU. A value that owns nothing; whether there is such a GPU shows when it
/// is used. Every function may be called from any thread.
///
/// Eft works in a GPU's primary context, the one that the CUDA runtime and PyTorch use too. It
/// makes that context current for its own calls and the previous one again afterwards, and never
/// lets go of it. The CUDA driver is opened at the first use of a GPU, so a process can fork before
/// that.
struct Device {
  DeviceKind kind = DeviceKind::Host;
  int32_t index = 0; ///< the CUDA driver's number of a GPU; 0 for the host

  static Device host() { return {}; }
  static Device cuda(int32_t index) { return {DeviceKind::Cuda, index}; }

  /// The number of NVIDIA GPUs that this process can use. 0 where there is no driver; an error for
  /// one that is there but can't be used (too old, broken, started before a fork).
  EFT_API static Expected<int> cudaCount();

  bool isHost() const { return kind == DeviceKind::Host; }
  bool operator==(const Device &) const = default;

  /// "cpu", "cuda:0"
  std::string name() const { return isHost() ? "cpu" : "cuda:" + std::to_string(index); }

  /// The name that its maker gave it, such as "NVIDIA H200"; "cpu" for the host. Fails with
  /// NoDriver, NoDevice or Cuda.
  EFT_API Expected<std::string> product() const;

  /// The target that the compiler should compile for: "cpu", or "cuda:90" (the compute capability
  /// times ten). Fails with NoDriver, NoDevice or Cuda.
  EFT_API Expected<std::string> target() const;

  /// Waits for all work on the device, that of others in this process included. What a kernel did
  /// wrong while it ran, such as an access beyond its arrays, is an error of kind Cuda here or at
  /// any later call. On the host there is nothing to wait for.
  EFT_API Status synchronize() const;
};

} // namespace eft
