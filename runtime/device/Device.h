// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names the place where a kernel runs and its arrays live.
#pragma once

#include <cstdint>
#include <string>

namespace eft {

enum class DeviceKind : uint8_t { Host, Cuda };

struct Device {
  DeviceKind kind = DeviceKind::Host;
  int32_t index = 0; // the driver's ordinal of a GPU; 0 for the host

  static Device host() { return {}; }
  static Device cuda(int32_t index) { return {DeviceKind::Cuda, index}; }

  bool isHost() const { return kind == DeviceKind::Host; }
  bool operator==(const Device &) const = default;

  // "cpu", "cuda:0"
  std::string name() const { return isHost() ? "cpu" : "cuda:" + std::to_string(index); }
};

} // namespace eft
