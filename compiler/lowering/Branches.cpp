// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// This file avoids two costs of upstream. MLIR's conversion of scf to branches visits operations
// from the first to the last, and at each one moves all operations after it into a new block.
// LLVM's loop rotation recomputes the dominance of all blocks after each loop. With hundreds of
// loops in sequence, the two took a third of the compile time. This file visits operations from the
// last to the first, so that little code moves. It can give a loop that is known to run the rotated
// form at once, so that LLVM has nothing to rotate.
#include "compiler/lowering/Branches.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace eft {

namespace {

/// Splits the block after an operation. Returns the second part.
Block *cutBehind(Operation *op) { return op->getBlock()->splitBlock(std::next(op->getIterator())); }

/// Moves the only block of a region in front of the block `rest`. Returns the moved block.
Block *moveBody(Region &region, Block *rest) {
  Block *body = &region.front();
  rest->getParent()->getBlocks().splice(rest->getIterator(), region.getBlocks());
  return body;
}

/// Erases the terminator of a block. Returns the terminator's operands.
SmallVector<Value> takeTerminator(Block *block) {
  Operation *last = block->getTerminator();
  SmallVector<Value> operands(last->getOperands());
  last->erase();
  return operands;
}

SmallVector<Value> withCounter(Value counter, ValueRange carried) {
  SmallVector<Value> all = {counter};
  llvm::append_range(all, carried);
  return all;
}

/// True if the loop's bounds and step are constants, the loop runs at least once, and incrementing
/// its counter after the last iteration does not overflow.
bool isKnownToRun(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound()),
                         upper = getConstantIntValue(loop.getUpperBound()),
                         step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *step <= 0 || *lower >= *upper)
    return false;
  Type type = loop.getInductionVar().getType();
  const unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  return *upper - 1 <= llvm::maxIntN(bits) - *step;
}

/// True for a do-while loop: its second region only passes its arguments back to the first.
bool testsAtEnd(scf::WhileOp loop) {
  Block &after = loop.getAfter().front();
  return llvm::hasSingleElement(after) &&
         llvm::equal(after.getTerminator()->getOperands(), after.getArguments());
}

/// Replaces loops and conditionals by branches. The functions that replace one operation return the
/// blocks of its regions, which may contain further loops and conditionals.
class Brancher {
public:
  Brancher(MLIRContext *context, LoopTest test) : b(context), test(test) {}

  /// Visits the operations from the last to the first. So a split of the block after an operation
  /// moves only the operations between this operation and the one that was visited before it.
  void branch(Block &block) {
    SmallVector<Operation *> operations;
    for (Operation &op : llvm::reverse(block))
      if (isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op))
        operations.push_back(&op);
    for (Operation *op : operations)
      for (Block *inner : branch(op))
        branch(*inner);
  }

private:
  SmallVector<Block *> branch(Operation *op) {
    b.setInsertionPoint(op);
    SmallVector<Block *> inner =
        llvm::TypeSwitch<Operation *, SmallVector<Block *>>(op)
            .Case([&](scf::ForOp loop) {
              return test == LoopTest::AtEnd && isKnownToRun(loop) ? branchAtEnd(loop)
                                                                   : branchAtStart(loop);
            })
            .Case([&](scf::WhileOp loop) { return branchWhile(loop); })
            .Default([&](Operation *other) { return branchIf(cast<scf::IfOp>(other)); });
    op->erase();
    return inner;
  }

  ///   scf.for %i = %a to %b step %s {      cf.br ^header(%a)
  ///     use(%i)                          ^header(%i):
  ///   }                                    %runs = arith.cmpi slt, %i, %b
  ///                                        cf.cond_br %runs, ^body, ^rest
  ///                                      ^body:
  ///                                        use(%i)
  ///                                        %next = arith.addi %i, %s
  ///                                        cf.br ^header(%next)
  SmallVector<Block *> branchAtStart(scf::ForOp loop) {
    Location loc = loop.getLoc();
    Block *rest = cutBehind(loop), *header = moveBody(loop.getRegion(), rest),
          *body = header->splitBlock(header->begin());
    Value counter = header->getArgument(0);
    b.create<cf::BranchOp>(loc, header, withCounter(loop.getLowerBound(), loop.getInitArgs()));
    b.setInsertionPointToEnd(header);
    Value runs =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, counter, loop.getUpperBound());
    b.create<cf::CondBranchOp>(loc, runs, body, ValueRange(), rest, ValueRange());
    SmallVector<Value> carried = takeTerminator(body);
    b.setInsertionPointToEnd(body);
    Value next = b.create<arith::AddIOp>(loc, counter, loop.getStep());
    b.create<cf::BranchOp>(loc, header, withCounter(next, carried));
    loop.replaceAllUsesWith(header->getArguments().drop_front());
    return {body};
  }

  ///   scf.for %i = %c0 to %c4 step %c1 {   cf.br ^body(%c0)
  ///     use(%i)                          ^body(%i):
  ///   }                                    use(%i)
  ///                                        %next = arith.addi %i, %c1
  ///                                        %goes_on = arith.cmpi slt, %next, %c4
  ///                                        cf.cond_br %goes_on, ^body(%next), ^rest
  SmallVector<Block *> branchAtEnd(scf::ForOp loop) {
    Location loc = loop.getLoc();
    Block *rest = cutBehind(loop), *body = moveBody(loop.getRegion(), rest);
    b.create<cf::BranchOp>(loc, body, withCounter(loop.getLowerBound(), loop.getInitArgs()));
    SmallVector<Value> carried = takeTerminator(body);
    b.setInsertionPointToEnd(body);
    Value next = b.create<arith::AddIOp>(loc, body->getArgument(0), loop.getStep(),
                                         arith::IntegerOverflowFlags::nsw);
    Value goesOn =
        b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::slt, next, loop.getUpperBound());
    b.create<cf::CondBranchOp>(loc, goesOn, body, withCounter(next, carried), rest, ValueRange());
    loop.replaceAllUsesWith(carried);
    return {body};
  }

  SmallVector<Block *> branchWhile(scf::WhileOp loop) {
    Location loc = loop.getLoc();
    const bool isShort = testsAtEnd(loop);
    Block *rest = cutBehind(loop), *before = moveBody(loop.getBefore(), rest);
    Block *after = isShort ? before : moveBody(loop.getAfter(), rest);
    b.create<cf::BranchOp>(loc, before, loop.getInits());
    auto condition = cast<scf::ConditionOp>(before->getTerminator());
    Value goesOn = condition.getCondition();
    SmallVector<Value> values(condition.getArgs());
    condition.erase();
    b.setInsertionPointToEnd(before);
    b.create<cf::CondBranchOp>(loc, goesOn, after, values, rest, ValueRange());
    loop.replaceAllUsesWith(values);
    if (isShort)
      return {before};
    SmallVector<Value> again = takeTerminator(after);
    b.setInsertionPointToEnd(after);
    b.create<cf::BranchOp>(loc, before, again);
    return {after, before};
  }

  SmallVector<Block *> branchIf(scf::IfOp choice) {
    Location loc = choice.getLoc();
    Block *rest = cutBehind(choice);
    SmallVector<Block *> arms = {moveBody(choice.getThenRegion(), rest)};
    if (!choice.getElseRegion().empty())
      arms.push_back(moveBody(choice.getElseRegion(), rest));
    b.create<cf::CondBranchOp>(loc, choice.getCondition(), arms.front(), ValueRange(),
                               arms.size() == 2 ? arms.back() : rest, ValueRange());
    for (Block *arm : arms) {
      SmallVector<Value> values = takeTerminator(arm);
      b.setInsertionPointToEnd(arm);
      b.create<cf::BranchOp>(loc, rest, values);
    }
    for (Value result : choice.getResults())
      result.replaceAllUsesWith(rest->addArgument(result.getType(), loc));
    return arms;
  }

  OpBuilder b;
  LoopTest test;
};

} // namespace

void branchControlFlow(func::FuncOp function, LoopTest test) {
  Brancher brancher(function.getContext(), test);
  SmallVector<Block *> blocks;
  for (Block &block : function.getBody())
    blocks.push_back(&block);
  for (Block *block : blocks)
    brancher.branch(*block);
}

} // namespace eft
