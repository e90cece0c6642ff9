// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/UniformControl.h"

#include "compiler/analysis/RegionFlow.h"
#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/gpu/Convergence.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {

namespace {

/// True if threads may get different results from the operation. It may read memory that other
/// threads write, or it may be a kernel's own assembly, which can also read the thread's number.
/// Loads from shared memory do not count: only the program itself writes it, between barriers.
bool differsBetweenThreads(Operation *op) {
  if (auto load = dyn_cast<LLVM::LoadOp>(op))
    return cast<LLVM::LLVMPointerType>(load.getAddr().getType()).getAddressSpace() !=
           SharedMemory::addressSpace;
  auto memory = dyn_cast<MemoryEffectOpInterface>(op);
  return isa<LLVM::InlineAsmOp>(op) || (memory && memory.hasEffect<MemoryEffects::Read>());
}

class UniformControl {
public:
  UniformControl(func::FuncOp kernel, SharedMemory &shared)
      : kernel(kernel), shared(shared), flow(kernel) {}

  /// Visits inner conditionals and loops first, because a vote is itself a convergent operation.
  void run() {
    kernel.walk([&](OfFirstThreadOp op) {
      ImplicitLocOpBuilder b(op.getLoc(), op);
      Value source = op.getSource();
      op.replaceAllUsesWith(mayDiffer(source) ? ofFirstThread(b, source) : source);
      op.erase();
    });
    SmallVector<Operation *> choices;
    kernel.walk<WalkOrder::PostOrder>([&](Operation *op) {
      if (isa<scf::IfOp, scf::ForOp, scf::WhileOp>(op))
        choices.push_back(op);
    });
    for (Operation *op : choices)
      if (containsConvergent(op))
        for (OpOperand *control : controlsOf(op))
          if (mayDiffer(control->get()))
            agreeOn(*control);
  }

private:
  /// The operands that decide which branch threads take.
  static SmallVector<OpOperand *> controlsOf(Operation *op) {
    if (auto choice = dyn_cast<scf::IfOp>(op))
      return {&choice.getConditionMutable()};
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return {&loop.getConditionOp().getConditionMutable()};
    if (isa<scf::ForOp>(op))
      return {&op->getOpOperand(0), &op->getOpOperand(1), &op->getOpOperand(2)};
    return {};
  }

  bool mayDiffer(Value value) const {
    SmallVector<Value> pending = {value};
    DenseSet<Value> seen;
    while (!pending.empty()) {
      Value next = pending.pop_back_val();
      if (!seen.insert(next).second)
        continue;
      for (OpOperand *source : flow.sourcesOf(next))
        pending.push_back(source->get());
      Operation *op = next.getDefiningOp();
      // A loop's counter depends on the loop's bounds, and a conditional's result on its condition.
      Operation *region = op ? op : cast<BlockArgument>(next).getOwner()->getParentOp();
      for (OpOperand *control : controlsOf(region))
        pending.push_back(control->get());
      if (!op || isVote(op) || isa<OfFirstThreadOp>(op))
        continue;
      if (differsBetweenThreads(op))
        return true;
      if (op->getNumRegions() == 0)
        llvm::append_range(pending, op->getOperands());
    }
    return false;
  }

  void agreeOn(OpOperand &control) {
    ImplicitLocOpBuilder b(control.getOwner()->getLoc(), control.getOwner());
    bool isCondition = control.get().getType().isInteger(1);
    control.set(isCondition ? ofAnyThread(b, control.get()) : ofFirstThread(b, control.get()));
  }

  /// Returns the value that the number has in the first thread. The code may be between any other
  /// uses of shared memory, so it uses bytes of its own, with barriers before, between and after
  /// its accesses.
  Value ofFirstThread(ImplicitLocOpBuilder &b, Value number) {
    Type type = number.getType();
    if (type.isIndex())
      number = b.create<arith::IndexCastOp>(b.getI64Type(), number);
    Value place = shared.behindAll(b);
    b.create<NVVM::Barrier0Op>();
    Value thread = b.create<NVVM::ThreadIdXOp>(b.getI32Type());
    Value isFirst = b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, thread,
                                            b.create<arith::ConstantIntOp>(0, 32));
    {
      auto first = b.create<scf::IfOp>(isFirst);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(first.thenBlock());
      b.create<LLVM::StoreOp>(number, place);
    }
    b.create<NVVM::Barrier0Op>();
    Value common = b.create<LLVM::LoadOp>(number.getType(), place);
    b.create<NVVM::Barrier0Op>();
    return type.isIndex() ? b.create<arith::IndexCastOp>(type, common) : common;
  }

  func::FuncOp kernel;
  SharedMemory &shared;
  RegionFlow flow;
};

} // namespace

void makeControlUniform(func::FuncOp kernel, SharedMemory &shared) {
  UniformControl(kernel, shared).run();
}

} // namespace eft
