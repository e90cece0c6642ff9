// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-split-into-steps: makes loops over parts of large blocks. What is done together, StepGroups.h
// says; which loops there are, StepPlan.h; what is in them, StepLoops.h and StepTiles.h.
#include "compiler/lowering/Passes.h"

#include "compiler/lowering/steps/StepLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_SPLITINTOSTEPS
#include "compiler/lowering/Passes.h.inc"

namespace {

struct SplitIntoStepsPass : impl::SplitIntoStepsBase<SplitIntoStepsPass> {
  using SplitIntoStepsBase::SplitIntoStepsBase;

  void runOnOperation() override {
    AxisInfos infos(getOperation());
    StepOptions options{dimension, elements, vectors, splitPrefix, useBuffers};
    SmallVector<Block *> blocks;
    getOperation().walk([&](Operation *op) {
      // The functions of reductions work on scalars.
      for (Region &region : op->getRegions())
        for (Block &block : region)
          blocks.push_back(&block);
    });
    for (Block *block : blocks) {
      StepPlan plan = planSteps(*block, options);
      StepLoops(*block, plan, options, infos).emit();
    }
  }
};

} // namespace
} // namespace eft
