// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipeline as pass managers see it: the passes of each stage, in order.
#pragma once

#include "eft/Compiler.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace eft {

/// The properties of the target that the passes need.
struct PassOptions {
  bool isGpu = false;
  unsigned numWarps = 4;     ///< GPU
  unsigned numStages = 3;    ///< GPU; of loops with products
  Target target = {};        ///< GPU
  unsigned maxRegisters = 0; ///< GPU; 0: no bound
  bool lines = true;         ///< whether the code has lines of the source
  unsigned vectorBits = 128; ///< CPU
  bool convertsF16 = true;   ///< CPU: between f32 and f16
  bool stoppable = false;    ///< CPU
};

/// LLVM's machine for a target, which knows how long its vectors are.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeMachine(const Target &target);

/// The passes' options for a compile.
PassOptions passOptions(const Target &target, const CompileOptions &options,
                        const llvm::TargetMachine &machine);

/// Block IR to block IR in which the kernel calls nobody. Nothing is folded.
void addInlining(mlir::OpPassManager &passes);

/// Block IR to simpler block IR.
void addBlockTransforms(mlir::OpPassManager &passes, const PassOptions &options);

/// Block IR to block IR in which every block has a layout.
void addPlacing(mlir::OpPassManager &passes, const PassOptions &options);

/// Placed block IR to the LLVM dialect.
void addLowering(mlir::OpPassManager &passes, const PassOptions &options);

/// All of it: block IR to the LLVM dialect.
void addPipeline(mlir::OpPassManager &passes, const PassOptions &options);

/// The passes of the whole pipeline, each with its options, in order, as
/// `mlir::parsePassPipeline` reads them: `eft-place{num-warps=4 target=gpu vector-bits=128}`,
/// `func.func(eft-specialize-masked{max-operations=4096})`.
std::vector<std::string> pipelinePasses(const PassOptions &options);

/// Makes all passes known by their names, and the whole pipeline as `eft-pipeline`, with the
/// options `target`, `num-warps` and `max-registers`. For tools: a compile needs no names.
void registerPasses();

} // namespace eft
