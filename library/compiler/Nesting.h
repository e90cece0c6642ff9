// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks for text that must not reach MLIR's parser, because the text would overflow the stack or
// trigger a defect of the parser.
#pragma once

#include "eft/Error.h"

#include <string_view>

namespace eft {

// Fails if brackets nest more than 500 deep, which is deeper than in any kernel. The parser, the
// verifier and the passes recurse once per level, so deeper text could overflow the stack.
Status checkNesting(std::string_view text, std::string_view fileName);

// Fails if the name of a value occurs outside of all functions. CheckText.h explains why.
Status checkValues(std::string_view text, std::string_view fileName);

} // namespace eft
