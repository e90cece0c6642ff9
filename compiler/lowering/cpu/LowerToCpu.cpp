// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-lower-to-cpu: the pass, and the table of its lowerings.
#include "compiler/lowering/Passes.h"

#include "compiler/lowering/OutlineParts.h"
#include "compiler/lowering/StackLifetimes.h"
#include "compiler/lowering/cpu/CpuLowering.h"
#include "compiler/lowering/cpu/ProgramLoop.h"
#include "compiler/lowering/cpu/StopPolls.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_LOWERTOCPU
#include "compiler/lowering/Passes.h.inc"

namespace {

void populateCpuLowerings(LoweringTable &table) {
  populateValueLowerings(table);
  populateMoveLowerings(table);
  populateBufferLowerings(table);
  populateReduceLowerings(table);
  populateScanLowerings(table);
  populateMapLowerings(table);
  populateCpuProgramLowerings(table);
  populateCpuMemoryLowerings(table);
  populateCpuAtomicLowerings(table);
  populateCpuMoveLowerings(table);
  populateCpuDotLowerings(table);
  populateCpuScanLowerings(table);
  populateCpuSortLowerings(table);
  populateCpuHistogramLowerings(table);
  populateCpuDebugLowerings(table);
}

/// The most bytes of stack that a kernel's buffers may take. A thread's stack has 8 MiB by default,
/// and the caller's frames are on it too.
constexpr int64_t maxStackBytes = 4 * 1024 * 1024;

/// A program of at most this many operations is inlined into the loop over programs before LLVM
/// optimizes it. A longer one is not: the call takes a negligible part of its time.
constexpr int64_t mostInlined = 2048;

bool hasFewOperations(func::FuncOp function) {
  int64_t count = 0;
  return !function
              .walk([&](Operation *) {
                return ++count > mostInlined ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Marks the lifetimes of the arrays on the stack in all functions. `parts` are the functions that
/// `outlineParts` made of the program; called functions come before their callers. Returns the
/// bytes of stack that the program takes together with the functions that it calls.
///
/// A program whose arrays share memory is not inlined into the loop over programs. When a launch is
/// stopped, the program returns from the middle of its code, before the ends of lifetimes are
/// reached. If the program were inlined, LLVM would therefore take all arrays to be in use in the
/// next program too, and they would not share memory.
int64_t layOutFrames(func::FuncOp program, ArrayRef<func::FuncOp> parts) {
  llvm::StringMap<int64_t> bytesOf;
  auto layOut = [&](func::FuncOp function) {
    const StackBytes own = markStackLifetimes(function);
    int64_t ofCalls = 0;
    function.walk(
        [&](func::CallOp call) { ofCalls = std::max(ofCalls, bytesOf.lookup(call.getCallee())); });
    bytesOf[function.getName()] = own.atOnce + ofCalls;
    return own;
  };
  for (func::FuncOp part : parts)
    layOut(part);
  const StackBytes own = layOut(program);
  if (own.atOnce != own.all)
    program->setAttr("passthrough", Builder(program).getStrArrayAttr({"noinline"}));
  else if (hasFewOperations(program))
    program->setAttr("passthrough", Builder(program).getStrArrayAttr({"alwaysinline"}));
  return bytesOf[program.getName()];
}

LogicalResult layOutStack(func::FuncOp program, ArrayRef<func::FuncOp> parts) {
  const int64_t bytes = layOutFrames(program, parts);
  if (bytes > maxStackBytes)
    return emitError(program.getLoc())
           << "kernel needs " << bytes << " bytes of stack for its blocks, more than "
           << maxStackBytes << "; use smaller blocks";
  return success();
}

struct LowerToCpuPass : impl::LowerToCpuBase<LowerToCpuPass> {
  using LowerToCpuBase::LowerToCpuBase;

  void runOnOperation() override {
    if (vectorBits < 64 || !llvm::isPowerOf2_32(vectorBits)) {
      getOperation().emitError("vector-bits must be a power of two of at least 64, got ")
          << vectorBits.getValue();
      return signalPassFailure();
    }
    LoweringTable table;
    populateCpuLowerings(table);
    for (auto kernel : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (failed(lower(kernel, table)))
        return signalPassFailure();
  }

private:
  /// Emits an error if a block has elements in places that a CPU does not have: it has lanes and
  /// steps alone.
  LogicalResult checkLayouts(func::FuncOp kernel) {
    WalkResult result = kernel.walk([&](Operation *op) -> WalkResult {
      for (TypeRange types : {TypeRange(op->getOperandTypes()), TypeRange(op->getResultTypes())})
        for (Type type : types)
          if (!isOfCpu(type))
            return op->emitOpError(
                       "has a layout that puts elements elsewhere than in lanes and steps, "
                       "got ")
                   << type;
      return success();
    });
    return failure(result.wasInterrupted());
  }

  static bool isOfCpu(Type type) {
    auto buffer = dyn_cast<BufferType>(type);
    std::optional<LinearLayout> layout = layoutOf(buffer ? buffer.getBlock() : type);
    return !layout || isOfCpu(*layout);
  }

  static bool isOfCpu(const LinearLayout &layout) {
    std::vector<PlaceBases> places = layout.bases();
    std::erase_if(places, [](const PlaceBases &place) {
      return place.name != "lane" && place.name != "step";
    });
    std::string error;
    return LinearLayout::create(places, layout.shape(), error)->rank() == layout.rank();
  }

  LogicalResult lower(func::FuncOp kernel, const LoweringTable &table) {
    if (failed(FragmentLowering::checkKernel(kernel)) || failed(checkLayouts(kernel)))
      return failure();
    CpuLowering lowering(&getContext(), table, vectorBits);
    lowering.takeArguments(kernel);
    lowering.addProgramArguments(kernel);
    if (failed(lowering.lower(kernel.getBody())))
      return failure();
    lowering.dropArguments(kernel);
    if (stoppable)
      emitStopPolls(kernel);
    if (failed(layOutStack(kernel, outlineParts(kernel, {maxOperations, operationsPerValue}))))
      return failure();
    makeProgramLoop(kernel, stoppable);
    return success();
  }
};

} // namespace
} // namespace eft
