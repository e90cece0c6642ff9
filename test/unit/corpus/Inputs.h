// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inputs of the lit tests, as modules of IR.
#pragma once

#include <string>
#include <vector>

namespace eft::test {

struct Input {
  std::string name; ///< file and number of the module in it
  std::string text;
  /// The passes that the file's RUN lines run, as `mlir::parsePassPipeline` reads them.
  std::vector<std::string> pipelines;
};

/// Every module of every .mlir file of the tests, in the order of their names.
std::vector<Input> readInputs();

} // namespace eft::test
