// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An attribute of upstream's operations.
#pragma once

#include "llvm/ADT/StringRef.h"

namespace eft {

/// On a comparison of placed blocks: so many neighbours of a thread have one result.
inline constexpr llvm::StringLiteral constancyName = "eft.constancy";

} // namespace eft
