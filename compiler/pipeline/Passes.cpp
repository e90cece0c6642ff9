// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/Passes.h"

#include "compiler/lowering/Passes.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace eft {

void addInlining(OpPassManager &passes) {
  passes.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  passes.addPass(createSymbolDCEPass());
}

void addBlockTransforms(OpPassManager &passes, const PassOptions &options) {
  addInlining(passes);
  // What fits into two registers is sorted there.
  passes.addPass(createExpandSort({options.isGpu ? 0 : int64_t(options.vectorBits) * 2}));
  // Before anything folds: what a function is of a constant, its expansion says, not this machine's
  // mathematical library.
  passes.addPass(createFuseMultiplyAdd());
  passes.addPass(createExpandMath());
  passes.addPass(createCanonicalizerPass());
  if (!options.isGpu) {
    passes.addPass(createWidenDot());
    passes.addPass(createReduceAssertions());
  }
  passes.addPass(createExpandNarrowFloats({options.isGpu, options.isGpu, options.convertsF16}));
  passes.addPass(createExpandFloatToInt());
  if (!options.isGpu)
    passes.addPass(createExpandMinMax());
  passes.addPass(createExpandIntegerCorners());
  if (!options.isGpu)
    passes.addPass(createExpandIntegerDivision());
  passes.addPass(createExpandPhilox({options.isGpu ? 32u : 64u}));
  passes.addPass(createHoistUniform());
  passes.addPass(createCarryScalars());
  passes.addPass(createUniformDivision());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void addPlacing(OpPassManager &passes, const PassOptions &options) {
  PlaceOptions place;
  place.target = options.isGpu ? "gpu" : "cpu";
  place.numWarps = options.numWarps;
  place.vectorBits = options.vectorBits;
  passes.addPass(createPlace(place));
}

void addLowering(OpPassManager &passes, const PassOptions &options) {
  SplitIntoStepsOptions steps;
  if (!options.isGpu) {
    steps.dimension = "step";
    // Four vectors of 64-bit words: enough chains of products to keep two multipliers busy. Twice
    // as many would run an eighth faster with AVX-512, and take half as long again to compile.
    steps.elements = options.vectorBits / 16;
    steps.vectors = 1;
    steps.splitPrefix = true;
    steps.useBuffers = true;
    passes.addNestedPass<func::FuncOp>(createKeepInBuffers({options.vectorBits}));
  }
  passes.addNestedPass<func::FuncOp>(createSplitIntoSteps(steps));
  if (options.isGpu) {
    passes.addPass(createLowerToGpu({options.numWarps, options.computeCapability}));
  } else {
    passes.addPass(createLowerToCpu({options.vectorBits, options.stoppable}));
    passes.addPass(createBf16ToBits());
  }
  passes.addPass(createCSEPass());
  if (options.isGpu)
    passes.addNestedPass<func::FuncOp>(createSpecializeMasked());
  passes.addPass(createLowerToLLVM({options.maxRegisters}));
}

} // namespace eft
