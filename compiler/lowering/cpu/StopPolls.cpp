// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/cpu/StopPolls.h"

#include "compiler/ir/EftDialect.h"
#include "compiler/lowering/ConstantTurns.h"
#include "compiler/lowering/DebugCode.h"
#include "compiler/lowering/tiling/TiledLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {

namespace {

constexpr llvm::StringLiteral attentionName = "eft$attention", pollName = "eft$poll";

/// The most times that loop bodies may run between two tests. A body takes a millisecond at most,
/// and rarely more than a few microseconds.
constexpr int64_t maxTurns = 256;

/// The address of the word `eft$attention`.
Value attentionWord(ImplicitLocOpBuilder &b) {
  auto module = b.getInsertionBlock()->getParentOp()->getParentOfType<ModuleOp>();
  auto word = module.lookupSymbol<LLVM::GlobalOp>(attentionName);
  if (!word)
    word = OpBuilder::atBlockBegin(module.getBody())
               .create<LLVM::GlobalOp>(module.getLoc(), b.getI32Type(), /*isConstant=*/false,
                                       LLVM::Linkage::External, attentionName, Attribute());
  return b.create<LLVM::AddressOfOp>(word);
}

/// Declares `eft$poll` as a function that is rarely called and touches no memory that the program
/// can reach.
LLVM::LLVMFuncOp pollFunction(ImplicitLocOpBuilder &b) {
  LLVM::LLVMFuncOp poll = declareFunction(b, pollName, b.getI32Type(), {});
  auto none = LLVM::ModRefInfo::NoModRef;
  poll.setMemoryAttr(
      LLVM::MemoryEffectsAttr::get(b.getContext(), none, none, LLVM::ModRefInfo::ModRef));
  poll.setPassthroughAttr(b.getStrArrayAttr({"cold", "nounwind"}));
  return poll;
}

void emitAtStart(Block *body) {
  ImplicitLocOpBuilder b(body->getParentOp()->getLoc(), body->getParentOp()->getContext());
  b.setInsertionPointToStart(body);
  emitStopPoll(b);
}

int64_t turnsIn(Operation *op);

/// The number of times that loop bodies run in a loop without a test. If that is unknown or more
/// than `maxTurns`, the loop gets a test, and the number is 1.
int64_t turnsOf(LoopLikeOpInterface loop) {
  int64_t inside = std::max<int64_t>(1, turnsIn(loop));
  std::optional<int64_t> turns;
  if (auto forLoop = dyn_cast<scf::ForOp>(*loop))
    turns = forLoop->hasAttr(ofStepsName) ? 1 : constantTurns(forLoop);
  if (turns && *turns <= maxTurns / inside)
    return *turns * inside;
  // A `while` has its condition in one region and its body in the other.
  emitAtStart(&loop->getRegions().back().front());
  return 1;
}

/// The sum of `turnsOf` over the outermost loops that are nested in an operation.
int64_t turnsIn(Operation *op) {
  int64_t turns = 0;
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (Operation &nested : llvm::make_early_inc_range(block)) {
        auto loop = dyn_cast<LoopLikeOpInterface>(nested);
        turns += loop ? turnsOf(loop) : turnsIn(&nested);
      }
  return turns;
}

} // namespace

void emitStopPoll(ImplicitLocOpBuilder &b) {
  Value word = attentionWord(b), zero = b.create<arith::ConstantIntOp>(0, 32);
  Value seen = b.create<LLVM::LoadOp>(b.getI32Type(), word, /*alignment=*/4, /*isVolatile=*/true);
  // The call is marked as unlikely, so that LLVM puts it outside of the loop: an iteration then
  // needs no jump around it.
  Value isRaised =
      b.create<LLVM::ExpectOp>(b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, seen, zero),
                               b.create<arith::ConstantIntOp>(0, 1));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(b.create<scf::IfOp>(isRaised).thenBlock());
  Value answer = b.create<LLVM::CallOp>(pollFunction(b), ValueRange()).getResult();
  Value isStopped = b.create<arith::CmpIOp>(arith::CmpIPredicate::ne, answer, zero);
  b.setInsertionPointToStart(b.create<scf::IfOp>(isStopped).thenBlock());
  b.create<StopOp>();
}

void emitStopPolls(func::FuncOp program) { turnsIn(program); }

} // namespace eft
