// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text that the parser is not given, because it recurses, and because it has a fault.
#pragma once

#include "eft/Error.h"

#include <string_view>

namespace eft {

// Refuses text whose brackets nest deeper than any kernel's: parser, verifier and passes recurse
// along them, and the stack is finite.
Status checkNesting(std::string_view text, std::string_view fileName);

// Refuses text in which a value stands outside of all functions; see CheckText.h.
Status checkValues(std::string_view text, std::string_view fileName);

} // namespace eft
