// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/LoopGuard.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {

scf::IfOp runIfAnyIteration(OpBuilder &b, scf::ForOp loop) {
  OpBuilder::InsertionGuard guard(b);
  const Location loc = loop.getLoc();
  b.setInsertionPoint(loop);
  Value any = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, loop.getLowerBound(),
                                      loop.getUpperBound());
  auto branch = b.create<scf::IfOp>(loc, loop.getResultTypes(), any, /*withElseRegion=*/true);
  loop->replaceAllUsesWith(branch.getResults());
  b.setInsertionPointToStart(branch.elseBlock());
  b.create<scf::YieldOp>(loc, loop.getInitArgs());
  b.setInsertionPointToStart(branch.thenBlock());
  auto yield = b.create<scf::YieldOp>(loc, loop.getResults());
  loop->moveBefore(yield);
  return branch;
}

} // namespace eft
