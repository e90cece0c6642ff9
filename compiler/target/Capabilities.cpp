// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/target/Capabilities.h"

namespace eft {

bool hasWarpgroups(const Target &target) {
  return target.kind == Target::Kind::Cuda && target.computeCapability == 90 && !target.isPortable;
}

bool hasFloat8(const Target &target) {
  return target.kind == Target::Kind::Cuda && target.computeCapability >= 89;
}

bool hasVectorAtomics(const Target &target) {
  return target.kind == Target::Kind::Cuda && target.computeCapability >= 90;
}

uint64_t sharedBytesOfProgram(const Target &target) {
  constexpr uint64_t kibibyte = 1024;
  const unsigned capability = target.computeCapability, generation = capability / 10;
  if (target.isPortable || generation == 12)
    return 99 * kibibyte;
  if (generation == 8)
    return (capability == 80 || capability == 87 ? 163 : 99) * kibibyte;
  return 227 * kibibyte;
}

} // namespace eft
