// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/pipelining/Calls.h"

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

bool eft::mayCall(Operation *op) {
  if (isa<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp>(op)) {
    Type type = getElementTypeOrSelf(op->getResult(0));
    return type.isIndex() || type.getIntOrFloatBitWidth() > 32;
  }
  return isa<arith::DivFOp, arith::RemFOp, math::SqrtOp, math::RsqrtOp>(op) ||
         op->hasTrait<MayCall>();
}
