// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that print what the analyses find, for the lit tests.
#pragma once

namespace eft {

/// Registers the passes, so that eft-opt finds them by name.
void registerAnalysisTestPasses();

} // namespace eft
