// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds text that MLIR's parser can't be given.
#pragma once

#include <optional>
#include <string_view>

namespace eft {

/// The end of the string or comment that begins at `at`; `at` if none does.
size_t skipText(std::string_view text, size_t at);

/// The place of a value's name outside of all functions; nothing if there is none. Block IR has
/// operations in functions alone. The parser of MLIR 19 takes such a name for one of the function
/// behind it, and if that has a mistake, it works with freed memory.
std::optional<size_t> valueOutsideFunctions(std::string_view text);

} // namespace eft
