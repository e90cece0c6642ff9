// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The number of iterations of a loop.
#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace eft {

/// The number of iterations of a loop whose bounds and step are constants. Nothing for other loops,
/// or if the step is zero, by which MLIR would divide.
std::optional<int64_t> constantTurns(mlir::scf::ForOp loop);

} // namespace eft
