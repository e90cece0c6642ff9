// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/ConstantTurns.h"

#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

std::optional<int64_t> eft::constantTurns(scf::ForOp loop) {
  if (matchPattern(loop.getStep(), m_Zero()))
    return std::nullopt;
  return constantTripCount(loop.getLowerBound(), loop.getUpperBound(), loop.getStep());
}
