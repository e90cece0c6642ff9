// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs of the lit tests, as modules of IR.
#pragma once

#include <string>
#include <vector>

namespace eft::test {

struct Input {
  std::string name; ///< the file, and the module's number in the file
  std::string text;
  /// The pass pipelines of the file's RUN lines, in the syntax of `mlir::parsePassPipeline`.
  std::vector<std::string> pipelines;
};

/// All modules of all .mlir files of the tests, in the order of their names.
std::vector<Input> readInputs();

} // namespace eft::test
