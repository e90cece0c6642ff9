// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipeline as pass managers see it: the passes of each stage, in order.
#pragma once

#include "mlir/Pass/PassManager.h"

namespace eft {

/// What the passes want to know of the target.
struct PassOptions {
  bool isGpu = false;
  unsigned numWarps = 4;           ///< GPU
  unsigned computeCapability = 80; ///< GPU
  unsigned maxRegisters = 0;       ///< GPU; 0: no bound
  unsigned vectorBits = 128;       ///< CPU
  bool convertsF16 = true;         ///< CPU: between f32 and f16
  bool stoppable = false;          ///< CPU
};

/// Block IR to block IR in which the kernel calls nobody. Nothing is folded.
void addInlining(mlir::OpPassManager &passes);

/// Block IR to simpler block IR.
void addBlockTransforms(mlir::OpPassManager &passes, const PassOptions &options);

/// Block IR to block IR in which every block has a layout.
void addPlacing(mlir::OpPassManager &passes, const PassOptions &options);

/// Placed block IR to the LLVM dialect.
void addLowering(mlir::OpPassManager &passes, const PassOptions &options);

} // namespace eft
