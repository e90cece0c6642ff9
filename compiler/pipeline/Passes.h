// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipeline: the passes of each stage, in order.
#pragma once

#include "eft/Compiler.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"

#include <memory>
#include <string>
#include <vector>

namespace eft {

/// The settings that the passes need. A comment names the kind of target that a setting is for.
struct PassOptions {
  bool isGpu = false;
  unsigned numWarps = 4;     ///< GPU
  unsigned numStages = 3;    ///< GPU; stages of pipelined loops
  Target target = {};        ///< GPU
  unsigned maxRegisters = 0; ///< GPU; 0: no bound
  bool allGrids = true;      ///< the code is right for every grid
  bool lines = true;         ///< the code gets tables of source lines
  unsigned vectorBits = 128; ///< CPU
  bool convertsF16 = true;   ///< CPU: has instructions between f32 and f16
  bool stoppable = false;    ///< CPU: the code looks whether its launch should end
};

/// Returns LLVM's machine for a target. It determines the width of the target's vectors.
llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeMachine(const Target &target);

/// Returns the settings of the passes for a compile.
PassOptions passOptions(const Target &target, const CompileOptions &options,
                        const llvm::TargetMachine &machine);

/// Adds the passes that inline all calls in the kernel. They fold nothing.
void addInlining(mlir::OpPassManager &passes);

/// Adds the passes that make block IR simpler.
void addBlockTransforms(mlir::OpPassManager &passes, const PassOptions &options);

/// Adds the passes that give every block a layout.
void addPlacing(mlir::OpPassManager &passes, const PassOptions &options);

/// Adds the passes from placed block IR to the LLVM dialect.
void addLowering(mlir::OpPassManager &passes, const PassOptions &options);

/// Adds all passes, from block IR to the LLVM dialect.
void addPipeline(mlir::OpPassManager &passes, const PassOptions &options);

/// Returns the passes of the whole pipeline in order, each with its options, in the form that
/// `mlir::parsePassPipeline` reads: `eft-place{num-warps=4 target=gpu vector-bits=128}`,
/// `func.func(eft-specialize-masked{max-operations=4096})`.
std::vector<std::string> pipelinePasses(const PassOptions &options);

/// Registers all passes by their names, and the whole pipeline as `eft-pipeline`, with the options
/// `target`, `num-warps`, `num-stages`, `max-registers` and `all-grids`. Only tools need this: a
/// compile needs no names.
void registerPasses();

} // namespace eft
