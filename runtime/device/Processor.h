// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor that this process runs on.
#pragma once

#include "eft/Export.h"

#include <string>

namespace eft {

// A text with the processor's name, a semicolon, and its model and features as hexadecimal words.
// If two texts are equal, LLVM detects the same CPU with the same features on both processors, so
// code for one of them also runs on the other. This takes a quarter of the time that LLVM's
// detection takes. Empty on processors other than x86-64.
EFT_API std::string processorDescription();

} // namespace eft
