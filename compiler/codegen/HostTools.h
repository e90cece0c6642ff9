// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debuggers and profilers that are to see code of the host.
#pragma once

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Error.h"

namespace eft {

/// The tools that are to see the code: those that `EFT_SHOW_CODE` names, with commas between them.
struct HostTools {
  bool gdb = false;  ///< is told of each object, by the interface that gdb has for that
  bool perf = false; ///< gets a file with the code and its lines, for `perf inject --jit`

  static llvm::Expected<HostTools> parse(llvm::StringRef words);

  /// Has the JIT tell them of all that it loads from now on.
  llvm::Error attach(llvm::orc::LLJIT &jit) const;

  /// True if any of them may look at code that was loaded, so that it must stay.
  bool any() const { return gdb || perf; }
};

} // namespace eft
