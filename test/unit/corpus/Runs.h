// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The runs of passes and compiles over one module of IR. Each run has a context of its own, which
// has loaded no more dialects than the text needs.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>
#include <vector>

namespace eft::test {

/// The passes of the pipelines for both targets, one at a time, as `mlir::parsePassPipeline` reads
/// them.
const std::vector<std::string> &allPasses();

/// Whether the text is a module that verifies.
bool parses(llvm::StringRef text);

/// Runs passes over a module, and reads what they have made. Returns what is wrong with the passes,
/// empty if nothing is: they may refuse the module.
std::string runPasses(llvm::StringRef text, llvm::StringRef pipeline);

/// Compiles a module for a target. What is refused is as good as what is compiled.
void runCompiler(llvm::StringRef text, llvm::StringRef target, unsigned numWarps);

} // namespace eft::test
