// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds text that MLIR's parser must not get.
#pragma once

#include <optional>
#include <string_view>

namespace eft {

/// Returns the end of the string or comment that begins at `at`; `at` if none begins there.
size_t skipText(std::string_view text, size_t at);

/// Returns the position of the first name of a value outside of all functions; nothing if there is
/// none. Block IR has operations only inside functions. MLIR 19's parser takes a name outside of
/// all functions for the name of a value of the next function. If the next function has a mistake,
/// the parser uses memory that it has freed.
std::optional<size_t> valueOutsideFunctions(std::string_view text);

} // namespace eft
