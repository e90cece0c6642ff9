// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/analysis/ProgramDependence.h"

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace eft;

ProgramDependence::ProgramDependence(func::FuncOp function) {
  function.getBody().walk([&](Operation *op) {
    if (isa<scf::ForOp>(op))
      return;
    if (isa<ProgramIdOp>(op) || !isMemoryEffectFree(op) || op->getNumRegions() != 0)
      add(op->getResults());
    for (Region &region : op->getRegions())
      for (Block &block : region)
        add(block.getArguments());
  });
  while (!pending.empty())
    for (OpOperand &use : pending.pop_back_val().getUses())
      follow(use);
}

void ProgramDependence::add(ValueRange values) {
  for (Value value : values)
    if (differing.insert(value).second)
      pending.push_back(value);
}

/// Adds what an operation computes from a value that may differ. The number of iterations of a loop
/// does not count, so the upper bound of a loop adds nothing.
void ProgramDependence::follow(OpOperand &use) {
  Operation *user = use.getOwner();
  if (auto loop = dyn_cast<scf::ForOp>(user)) {
    const bool isInit = use.getOperandNumber() >= loop.getNumControlOperands();
    if (isInit) {
      add({loop.getTiedLoopRegionIterArg(&use), loop.getTiedLoopResult(&use)});
    } else if (&use != &loop.getUpperBoundMutable()) {
      add(loop.getInductionVar());
    }
  } else if (auto outer = dyn_cast<scf::ForOp>(user->getParentOp());
             outer && isa<scf::YieldOp>(user)) {
    const unsigned number = use.getOperandNumber();
    add({outer.getRegionIterArg(number), outer.getResult(number)});
  } else {
    add(user->getResults());
  }
}
