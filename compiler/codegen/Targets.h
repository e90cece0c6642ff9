// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's targets, of which Eft uses two: NVPTX and the host's.
#pragma once

namespace eft {

/// Registers both targets with LLVM, once per process. LLVM keeps its targets in a list without a
/// lock. So every thread must call this function before it looks a target up.
void registerTargets();

} // namespace eft
