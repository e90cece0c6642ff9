// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs passes and compiles over one module of IR. Each run has its own context, which has loaded
// only the dialects that the text needs.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace eft::test {

/// All passes of the pipelines for CPUs and GPUs, each alone, in the syntax of
/// `mlir::parsePassPipeline`.
const std::vector<std::string> &allPasses();

/// True if the text is a module that verifies.
bool parses(llvm::StringRef text);

/// Runs passes over a module, and parses their result. Returns what is wrong with the passes, or ""
/// if nothing is; a pass may refuse the module.
std::string runPasses(llvm::StringRef text, llvm::StringRef pipeline);

/// Compiles a module for a target. The result does not matter: the compiler may refuse the module.
void runCompiler(llvm::StringRef text, llvm::StringRef target, unsigned numWarps);

} // namespace eft::test
