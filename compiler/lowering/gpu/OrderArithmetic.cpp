// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-order-arithmetic: computes each stored value right before it is stored.
//
// Each operation on a block is lowered for all elements of a thread before the next operation is. A
// thread may have a hundred elements, for example of a product's result. A long function of each
// element then needs several hundred registers, and ptxas spills, because it reorders instructions
// only within a window. If the code computes one element after another, few registers suffice.
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

/// True if arithmetic may be moved to right before this operation, which uses its results. The
/// operation is more arithmetic, a store, or an instruction that MLIR has only as an intrinsic.
bool takesResults(Operation *op) {
  return isArithmetic(op) || isa<LLVM::CallIntrinsicOp>(op) ||
         (op->getNumRegions() == 0 && hasSingleEffect<MemoryEffects::Write>(op));
}

/// A sequence of arithmetic operations without any other operation between them. At the latest a
/// terminator ends it.
class Sequence {
public:
  /// The sequence that begins with `first`.
  explicit Sequence(Operation *first) {
    for (behind = first; isArithmetic(behind); behind = behind->getNextNode())
      waiting.insert(behind);
  }

  size_t size() const { return waiting.size(); }
  /// The first operation after the sequence.
  Operation *next() const { return behind; }

  /// Moves each operation to right before its first user among the operations that take results
  /// after the sequence. Operations without such a user come last.
  void order() {
    for (; takesResults(behind); behind = behind->getNextNode())
      placeOperands(behind);
    for (Operation *op : waiting)
      if (!placed.contains(op))
        op->moveBefore(behind);
  }

private:
  /// Moves the operations from which `user` is computed to right before `user`, each after its own
  /// operands.
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
