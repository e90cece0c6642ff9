// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processor that this process runs on.
#pragma once

#include "eft/Export.h"

#include <string>

namespace eft {

// What the processor says of itself: its name, a semicolon, then its model and its features in
// hexadecimal words. Where two texts are equal, LLVM names the same CPU with the same features, so
// code that it makes for the one processor is code for the other. Found in a quarter of the time
// that LLVM takes for the names. Empty on processors other than x86-64.
EFT_API std::string processorDescription();

} // namespace eft
