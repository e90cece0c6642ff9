// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// LLVM's targets, of which Eft uses two: NVPTX and the host's.
#pragma once

namespace eft {

/// Makes both known to LLVM, once in a process. LLVM keeps its targets in a list without a lock, so
/// whatever looks a target up, in any thread, comes here first.
void registerTargets();

} // namespace eft
