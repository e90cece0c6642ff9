// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-order-arithmetic: computes what is stored right before it is stored.
//
// A block's operations are lowered one after the other, each for all elements of a thread. If it
// has a hundred of these, as those of a product's result, a long function of each needs several
// hundred registers in that order, and ptxas, which looks at some instructions at a time, spills.
// One element after the other needs few.
#include "compiler/lowering/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_ORDERARITHMETIC
#include "compiler/lowering/Passes.h.inc"

namespace {

bool isArithmetic(Operation *op) {
  return op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>() && isPure(op);
}

/// Whether results may be moved up to an operation: more arithmetic, a store, or an instruction
/// that only LLVM has a name for.
bool takesResults(Operation *op) {
  return isArithmetic(op) || isa<LLVM::CallIntrinsicOp>(op) ||
         (op->getNumRegions() == 0 && hasSingleEffect<MemoryEffects::Write>(op));
}

/// A sequence of arithmetic that nothing else interrupts. A terminator stands behind it at the
/// latest.
class Sequence {
public:
  /// The sequence that begins with `first`.
  explicit Sequence(Operation *first) {
    for (behind = first; isArithmetic(behind); behind = behind->getNextNode())
      waiting.insert(behind);
  }

  size_t size() const { return waiting.size(); }
  /// The operation behind the sequence.
  Operation *next() const { return behind; }

  /// Moves each operation to what first needs it, among the operations that take results behind the
  /// sequence. The others follow.
  void order() {
    for (; takesResults(behind); behind = behind->getNextNode())
      placeOperands(behind);
    for (Operation *op : waiting)
      if (!placed.contains(op))
        op->moveBefore(behind);
  }

private:
  /// Moves what an operation is computed from in front of it: the operands of each before itself.
  void placeOperands(Operation *user) {
    SmallVector<std::pair<Operation *, unsigned>> path = {{user, 0}};
    while (!path.empty()) {
      auto &[op, operand] = path.back();
      if (operand < op->getNumOperands()) {
        Operation *source = op->getOperand(operand++).getDefiningOp();
        if (source && waiting.contains(source) && !placed.contains(source))
          path.push_back({source, 0});
        continue;
      }
      if (op != user && placed.insert(op).second)
        op->moveBefore(user);
      path.pop_back();
    }
  }

  llvm::SetVector<Operation *> waiting;
  DenseSet<Operation *> placed;
  Operation *behind;
};

struct OrderArithmeticPass : impl::OrderArithmeticBase<OrderArithmeticPass> {
  using OrderArithmeticBase::OrderArithmeticBase;

  void runOnOperation() override {
    getOperation().walk([&](Block *block) {
      for (Operation *op = block->empty() ? nullptr : &block->front(); op;) {
        if (!isArithmetic(op)) {
          op = op->getNextNode();
          continue;
        }
        Sequence sequence(op);
        if (sequence.size() >= leastOperations)
          sequence.order();
        op = sequence.next();
      }
    });
  }
};

} // namespace
} // namespace eft
