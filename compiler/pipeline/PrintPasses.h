// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prints the IR between passes, as the setting EFT_PRINT_IR asks.
#pragma once

#include "eft/Error.h"

#include "mlir/Pass/PassManager.h"

#include <set>
#include <string>
#include <string_view>

namespace eft {

/// The passes after which the IR is printed on standard error.
class PrintedPasses {
public:
  /// Reads `all`, `changed` (after each pass that changes the IR), or names of the pipeline's
  /// passes with commas between them. Fails with InvalidArgument for other words.
  static Expected<PrintedPasses> parse(std::string_view text);

  /// Makes the pass manager print the IR after these passes. Its context must have one thread.
  void watch(mlir::PassManager &passes) const;

private:
  bool onlyChanges = false;
  std::set<std::string> names; // empty: all
};

} // namespace eft
