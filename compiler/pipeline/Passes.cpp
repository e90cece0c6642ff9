// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/pipeline/Passes.h"

#include "compiler/codegen/Codegen.h"
#include "compiler/layout/Placement.h"
#include "compiler/lowering/Passes.h"
#include "compiler/lowering/gpu/SharedMemory.h"
#include "compiler/pipeline/CheckInput.h"
#include "compiler/placing/Passes.h"
#include "compiler/target/Capabilities.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace eft {

/// The most words of a block that a GPU's thread keeps in its registers, of which it has 255. More
/// words would also take long code.
static constexpr unsigned maxWordsOfThread = 128;

/// The most words of a block that a GPU's thread reduces, scans or sorts in registers. All threads
/// of a program together use at most 32768 registers for them, half of those of a multiprocessor.
static unsigned maxWordsInRegisters(const PassOptions &options) {
  return std::min(maxWordsOfThread, 32768 / (options.numWarps * unsigned(lanesPerWarp)));
}
/// A sort of more words takes long code.
static unsigned maxSortedWords(const PassOptions &options) {
  return std::min(64u, maxWordsInRegisters(options));
}

llvm::Expected<std::unique_ptr<llvm::TargetMachine>> makeMachine(const Target &target) {
  return target.kind == Target::Kind::Cuda ? makePtxMachine(target.computeCapability)
                                           : makeHostMachine(target.cpu, target.features);
}

PassOptions passOptions(const Target &target, const CompileOptions &options,
                        const llvm::TargetMachine &machine) {
  PassOptions result;
  result.isGpu = target.kind == Target::Kind::Cuda;
  result.numWarps = options.numWarps;
  result.numStages = options.numStages;
  result.target = target;
  result.maxRegisters = options.maxRegisters;
  result.allGrids = options.allGrids;
  result.lines = options.lines;
  if (!result.isGpu) {
    result.vectorBits = vectorBits(machine);
    result.convertsF16 = convertsF16(machine);
  }
  return result;
}

void addInlining(OpPassManager &passes) {
  passes.addPass(createInlinerPass({}, [](OpPassManager &) {}));
  passes.addPass(createSymbolDCEPass());
}

void addBlockTransforms(OpPassManager &passes, const PassOptions &options) {
  if (options.lines) // before inlining, while functions are separate
    passes.addPass(createAddDebugScopes({options.isGpu}));
  addInlining(passes);
  passes.addPass(createExtendHints());
  // Before all passes that differ between targets, so that all targets reduce in one order.
  passes.addPass(createOrderReductions({options.numWarps}));
  passes.addPass(createAllowApproximation());
  ExpandSortOptions sorts;
  if (options.isGpu)
    sorts.maxElements = maxSortedWords(options) * lanesPerWarp * options.numWarps;
  else // blocks that fit into two vector registers
    sorts.maxBits = int64_t(options.vectorBits) * 2;
  passes.addPass(createExpandSort(sorts));
  if (options.isGpu)
    passes.addPass(createMarkDivisions());
  // Before anything is folded: the value of a function of a constant must come from Eft's expansion
  // of the function, not from this machine's mathematical library.
  passes.addPass(createFuseMultiplyAdd());
  passes.addPass(createExpandMath({options.isGpu, options.isGpu}));
  passes.addPass(createCanonicalizerPass());
  // Before divisions get a result for all operands, which hides their operands.
  passes.addPass(createLimitPrograms({options.isGpu, options.allGrids}));
  if (!options.isGpu) {
    passes.addPass(createWidenDot());
    passes.addPass(createReduceAssertions());
  }
  passes.addPass(createExpandFloat8({options.isGpu && hasFloat8(options.target)}));
  passes.addPass(createExpandNarrowFloats({options.isGpu, options.isGpu, options.convertsF16}));
  passes.addPass(createExpandFloatToInt({options.isGpu}));
  if (!options.isGpu) // the others stay until they are operations on vectors
    passes.addPass(createExpandMinMax({/*onlyConstants=*/true}));
  passes.addPass(createExpandIntegerCorners());
  passes.addPass(createExpandPhilox({options.isGpu ? 32u : 64u}));
  passes.addPass(createHoistUniform());
  passes.addPass(createCarryScalars());
  if (options.isGpu) {
    passes.addNestedPass<func::FuncOp>(createVersionStores({options.numWarps}));
    passes.addNestedPass<func::FuncOp>(createVersionLoops());
  } else {
    passes.addNestedPass<func::FuncOp>(createPrefetchFactors());
    passes.addNestedPass<func::FuncOp>(createVersionFactors());
  }
  passes.addPass(createUniformComparison({options.isGpu}));
  passes.addPass(createUniformDivision());
  passes.addPass(createCanonicalizerPass());
  passes.addPass(createCSEPass());
}

void addPlacing(OpPassManager &passes, const PassOptions &options) {
  PlaceOptions place;
  place.target = options.isGpu ? options.target.name() : "cpu";
  place.numWarps = options.numWarps;
  place.vectorBits = options.vectorBits;
  place.numStages = options.numStages;
  passes.addPass(createPlace(place));
  if (!options.isGpu) // after placing, whose analysis knows the runs of remainders
    passes.addPass(createExpandIntegerDivision());
}

void addLowering(OpPassManager &passes, const PassOptions &options) {
  TileBlocksOptions steps;
  if (!options.isGpu) {
    steps.dimension = "step";
    // Four vectors of 64-bit words: enough chains of products to keep two multipliers busy. With
    // eight, code for AVX-512 would run an eighth faster, and take one and a half times as long to
    // compile.
    steps.elements = options.vectorBits / 16;
    steps.vectors = 1;
    steps.splitPrefix = true;
    steps.useBuffers = true;
    passes.addNestedPass<func::FuncOp>(createKeepInBuffers({options.vectorBits}));
  }
  if (options.isGpu) {
    // Local memory is as slow as the second-level cache: to store an element there and to load it
    // again takes as long as dozens of operations.
    steps.cheapOperations = 32;
    steps.alternate = true;
    steps.maxBits = maxWordsOfThread * 32;
    steps.maxReducedBits = maxWordsInRegisters(options) * 32;
    const uint64_t sharedBytes =
        sharedBytesOfProgram(options.target) - SharedMemory::bytesBehindAll;
    passes.addNestedPass<func::FuncOp>(createPipelineCopies({options.numStages, sharedBytes}));
    passes.addNestedPass<func::FuncOp>(createPrefetchLoads());
    passes.addNestedPass<func::FuncOp>(createAdvanceCopies({sharedBytes}));
    if (hasWarpgroups(options.target)) {
      passes.addNestedPass<func::FuncOp>(createStageFactors({sharedBytes}));
      passes.addNestedPass<func::FuncOp>(createOverlapProducts());
    }
  }
  if (options.isGpu)
    passes.addNestedPass<func::FuncOp>(
        createTileScans({maxWordsInRegisters(options), /*tileFragments=*/8}));
  passes.addNestedPass<func::FuncOp>(createTileBlocks(steps));
  if (options.isGpu) {
    passes.addPass(createLowerToGpu({options.numWarps, options.target.computeCapability}));
  } else {
    passes.addPass(createLowerToCpu({options.vectorBits, options.stoppable}));
    passes.addPass(createBf16ToBits());
    if (options.vectorBits >= 512) // AVX-512 with the extensions DQ and VL
      passes.addPass(createRangeMinMax());
    else
      passes.addPass(createExpandMinMax());
  }
  passes.addPass(createCSEPass());
  if (options.isGpu) {
    passes.addNestedPass<func::FuncOp>(createSpecializeMasked());
    passes.addNestedPass<func::FuncOp>(createSkipMasked());
    passes.addNestedPass<func::FuncOp>(createMaskDistances());
    passes.addNestedPass<func::FuncOp>(createOrderArithmetic());
    passes.addPass(createOutlineParts());
  }
  passes.addPass(createLowerToLLVM({options.maxRegisters}));
  if (options.isGpu) {
    passes.addPass(createNarrowBarriers());
    passes.addPass(createShareBlocks());
  }
}

void addPipeline(OpPassManager &passes, const PassOptions &options) {
  addBlockTransforms(passes, options);
  addPlacing(passes, options);
  addLowering(passes, options);
}

std::vector<std::string> pipelinePasses(const PassOptions &options) {
  OpPassManager passes(ModuleOp::getOperationName());
  addPipeline(passes, options);
  std::vector<std::string> texts;
  for (Pass &pass : passes) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    pass.printAsTextualPipeline(stream);
    // Function passes that follow each other are printed as one list: func.func(a{b=c},d)
    StringRef list = text;
    const bool isOfFunctions = list.consume_front("func.func(") && list.consume_back(")");
    size_t start = 0, depth = 0;
    for (size_t at = 0; at <= list.size(); ++at) {
      if (at == list.size() || (list[at] == ',' && depth == 0)) {
        std::string one = list.slice(start, at).str();
        texts.push_back(isOfFunctions ? "func.func(" + one + ")" : one);
        start = at + 1;
      } else if (list[at] == '{' || list[at] == '}') {
        depth += list[at] == '{' ? 1 : -1;
      }
    }
  }
  return texts;
}

namespace {

struct PipelineOptions : PassPipelineOptions<PipelineOptions> {
  Option<std::string> target{*this, "target",
                             llvm::cl::desc("What to compile for: sm_80, sm_90, …, or host"),
                             llvm::cl::init("host")};
  Option<unsigned> numWarps{*this, "num-warps", llvm::cl::desc("Warps of a program on a GPU"),
                            llvm::cl::init(4)};
  Option<unsigned> numStages{
      *this, "num-stages", llvm::cl::desc("Iterations of a loop with products under way at a time"),
      llvm::cl::init(3)};
  Option<unsigned> maxRegisters{
      *this, "max-registers", llvm::cl::desc("Registers of a thread on a GPU at most; 0: no bound"),
      llvm::cl::init(0)};
  Option<bool> allGrids{*this, "all-grids",
                        llvm::cl::desc("Make code that is right for every grid"),
                        llvm::cl::init(true)};
};

LogicalResult addNamedPipeline(OpPassManager &passes, StringRef text,
                               function_ref<LogicalResult(const Twine &)> fail) {
  PipelineOptions given;
  if (failed(given.parseFromString(text)))
    return failure();
  auto target = Target::parse(given.target.getValue());
  if (!target.ok())
    return fail(target.error().message);
  CompileOptions options;
  options.numWarps = given.numWarps;
  options.numStages = given.numStages;
  options.maxRegisters = given.maxRegisters;
  options.allGrids = given.allGrids;
  if (std::string fault = validateOptions(*target, options); !fault.empty())
    return fail(fault);
  auto machine = makeMachine(*target);
  if (!machine)
    return fail(llvm::toString(machine.takeError()));
  addPipeline(passes, passOptions(*target, options, **machine));
  return success();
}

} // namespace

void registerPasses() {
  registerTransformsPasses();
  registerEftTransformsPasses();
  registerEftPlacingPasses();
  registerEftLoweringPasses();
  registerPassPipeline(
      "eft-pipeline", "All that a compile does, from block IR to the LLVM dialect",
      addNamedPipeline,
      [](function_ref<void(const mlir::detail::PassOptions &)> show) { show(PipelineOptions()); });
}

} // namespace eft
