// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes that print what the analyses find, for the lit tests.
#pragma once

namespace eft {

/// Makes the passes known to eft-opt.
void registerAnalysisTestPasses();

} // namespace eft
