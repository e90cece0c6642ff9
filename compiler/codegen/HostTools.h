// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debuggers and profilers that are told of the code that Eft loads on the host.
#pragma once

#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/Error.h"

namespace eft {

/// The tools that are told of loaded code. `EFT_SHOW_CODE` names them, with commas between them.
struct HostTools {
  bool gdb = false;  ///< gets each object through gdb's interface for JITs
  bool perf = false; ///< gets a file with the code and its lines, for `perf inject --jit`

  static llvm::Expected<HostTools> parse(llvm::StringRef words);

  /// Makes the JIT report everything that it loads from now on to the tools.
  llvm::Error attach(llvm::orc::LLJIT &jit) const;

  /// True if a tool may look at loaded code later, so that the code must stay in memory.
  bool any() const { return gdb || perf; }
};

} // namespace eft
