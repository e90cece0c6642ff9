// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds text that MLIR's parser can't be given.
#pragma once

#include <optional>
#include <string_view>

namespace eft {

/// Where a string or a comment that begins at `at` ends; `at` if none does.
size_t skipText(std::string_view text, size_t at);

/// Where the name of a value stands outside of all functions; nothing if none does. Block IR has
/// operations in functions alone. The parser of MLIR 19 takes such a name for one of the function
/// behind it, and if that has a mistake, it works with freed memory.
std::optional<size_t> valueOutsideFunctions(std::string_view text);

} // namespace eft
