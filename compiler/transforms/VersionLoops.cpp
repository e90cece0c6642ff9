// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-version-loops: gives loops with products a second version, for arrays whose addresses and row
// strides are multiples of 16 bytes.
//
// A launch knows the alignment of its arguments, and the compiler specialises code for it. The
// alignment of addresses and row strides that a kernel loads from memory is unknown when it is
// compiled. So the kernel tests the loaded values before the loop, and the version for which the
// test succeeds has hints.
#include "compiler/analysis/AxisInfo.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_VERSIONLOOPS
#include "compiler/transforms/Passes.h.inc"

namespace {

constexpr int64_t widestAccess = 16;

/// The integers that a kernel has loaded, each with the power of two that must divide it for wide
/// accesses.
using Divisors = llvm::MapVector<Value, int64_t>;

int64_t bytesOfElement(Type pointer) {
  return AxisInfo::unknown(getElementTypeOrSelf(pointer)).getUnit();
}

/// Finds the loaded integers on which the alignment of addresses depends.
class DivisorFinder {
public:
  explicit DivisorFinder(const AxisInfos &infos) : infos(infos) {}

  /// Adds the integers on which `pointer` depends, if its runs are long enough for wide accesses
  /// but not known to be aligned.
  void addAccess(Value pointer) {
    const AxisInfo info = infos.of(pointer);
    const int64_t elements = widestAccess / info.getUnit();
    auto isRun = [&](unsigned dim) { return info.contiguity(dim) >= elements; };
    auto isWide = [&](unsigned dim) { return info.alignedRun(dim) >= elements; };
    auto dims = llvm::seq(info.rank());
    if (info.isReached() && llvm::any_of(dims, isRun) && llvm::none_of(dims, isWide))
      pending.push_back({pointer, widestAccess});
    while (!pending.empty()) {
      auto [value, divisor] = pending.pop_back_val();
      follow(value, divisor);
    }
  }

  Divisors take() { return std::move(divisors); }

private:
  void add(Value value, int64_t divisor) { pending.push_back({value, divisor}); }

  void follow(Value value, int64_t divisor) {
    const AxisInfo info = infos.of(value);
    if (divisor <= 1 || !info.isReached() || info.divisibilityOfAll() >= divisor ||
        !visited.insert({value, divisor}).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value))
      return addCarried(argument, divisor);
    Operation *op = value.getDefiningOp();
    if (isa<LoadOp>(op) && value.getType().isInteger()) {
      int64_t &known = divisors[value];
      known = std::max(known, divisor);
    } else if (auto move = dyn_cast<AddPtrOp>(op)) {
      add(move.getPointer(), divisor);
      add(move.getOffset(), divisor / bytesOfElement(move.getType()));
    } else if (op->hasTrait<KeepsNumbers>() ||
               isa<ElementMoveOpInterface, arith::AddIOp, arith::SubIOp, arith::MulIOp,
                   arith::ExtSIOp, arith::ExtUIOp, arith::TruncIOp>(op)) {
      for (Value operand : op->getOperands())
        add(operand, divisor);
    }
  }

  /// Follows the initial value and the yielded value: if both are multiples of the divisor, so is
  /// the carried value in every iteration.
  void addCarried(BlockArgument argument, int64_t divisor) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || argument == loop.getInductionVar())
      return;
    add(loop.getTiedLoopInit(argument)->get(), divisor);
    add(loop.getTiedLoopYieldedValue(argument)->get(), divisor);
  }

  const AxisInfos &infos;
  Divisors divisors;
  SmallVector<std::pair<Value, int64_t>> pending;
  DenseSet<std::pair<Value, int64_t>> visited;
};

bool isInside(Value value, Operation *op) { return op->isAncestor(value.getDefiningOp()); }

/// The load that gives a factor of a product, directly or through transpositions; else null.
LoadOp loadOfFactor(Value factor) {
  while (auto trans = factor.getDefiningOp<TransOp>())
    factor = trans.getSource();
  return factor.getDefiningOp<LoadOp>();
}

/// The divisors that loaded integers must have for the factors of the loop's products to be loaded
/// by wide accesses. Empty if one of the integers is loaded inside the loop.
Divisors divisorsOfFactors(scf::ForOp loop, const AxisInfos &infos) {
  DivisorFinder finder(infos);
  for (DotOp dot : loop.getBody()->getOps<DotOp>())
    if (dot.usesTensorCores())
      for (Value factor : {dot.getA(), dot.getB()})
        if (LoadOp load = loadOfFactor(factor); load && load->getBlock() == loop.getBody())
          finder.addAccess(load.getPointer());
  Divisors divisors = finder.take();
  const bool isKnownBefore =
      llvm::none_of(divisors, [&](auto &entry) { return isInside(entry.first, loop); });
  return isKnownBefore ? divisors : Divisors();
}

/// The outermost loop or conditional around `loop` that contains none of the loads of these
/// integers, or `loop` itself.
Operation *outermost(Operation *loop, const Divisors &divisors) {
  Operation *result = loop;
  for (Operation *around = loop->getParentOp();
       isa<scf::ForOp, scf::WhileOp, scf::IfOp>(around) &&
       llvm::none_of(divisors, [&](auto &entry) { return isInside(entry.first, around); });
       around = around->getParentOp())
    result = around;
  return result;
}

/// Adds the divisors that loaded integers must have for blocks of two or more dimensions to be
/// stored by wide accesses. Leaves out stores that depend on integers loaded inside `op`.
void addStores(Operation *op, const AxisInfos &infos, Divisors &divisors) {
  op->walk([&](StoreOp store) {
    auto block = dyn_cast<RankedTensorType>(store.getPointer().getType());
    if (!block || block.getRank() < 2)
      return;
    DivisorFinder finder(infos);
    finder.addAccess(store.getPointer());
    Divisors own = finder.take();
    if (llvm::any_of(own, [&](auto &entry) { return isInside(entry.first, op); }))
      return;
    for (auto [number, divisor] : own) {
      int64_t &known = divisors[number];
      known = std::max(known, divisor);
    }
  });
}

Value areMultiples(OpBuilder &b, Location loc, const Divisors &divisors) {
  Value all;
  for (auto [number, divisor] : divisors) {
    auto constant = [&](int64_t value) {
      return b.create<arith::ConstantOp>(loc, b.getIntegerAttr(number.getType(), value));
    };
    Value rest = b.create<arith::AndIOp>(loc, number, constant(divisor - 1));
    Value isMultiple = b.create<arith::CmpIOp>(loc, arith::CmpIPredicate::eq, rest, constant(0));
    all = all ? b.create<arith::AndIOp>(loc, all, isMultiple).getResult() : isMultiple;
  }
  return all;
}

/// The pure operations before `op` that compute values from the integers, in the order of the text.
SmallVector<Operation *> computedBefore(Operation *op, const Divisors &divisors) {
  auto isBefore = [&](Operation *user) {
    Operation *ancestor = user->getBlock()->findAncestorOpInBlock(*op);
    return ancestor && user != ancestor && user->isBeforeInBlock(ancestor);
  };
  DenseSet<Operation *> found;
  SmallVector<Value> pending;
  for (auto &entry : divisors)
    pending.push_back(entry.first);
  while (!pending.empty())
    for (Operation *user : pending.pop_back_val().getUsers())
      if (user->getNumRegions() == 0 && isMemoryEffectFree(user) && isBefore(user) &&
          found.insert(user).second)
        llvm::append_range(pending, user->getResults());
  SmallVector<Operation *> result;
  op->getParentOfType<func::FuncOp>().walk([&](Operation *each) {
    if (found.contains(each))
      result.push_back(each);
  });
  return result;
}

/// Replaces `op` by an `scf.if` with two copies of `op`: one for the case that the integers are
/// multiples of their divisors, with hints, and one for all other cases.
void makeVersions(RewriterBase &rewriter, Operation *op, const Divisors &divisors) {
  const SmallVector<Operation *> computed = computedBefore(op, divisors);
  rewriter.setInsertionPoint(op);
  Value condition = areMultiples(rewriter, op->getLoc(), divisors);
  auto aligned = [&](OpBuilder &b, Location loc) {
    IRMapping mapping;
    for (auto [number, divisor] : divisors)
      mapping.map(number, b.create<HintOp>(loc, number.getType(), number, nullptr,
                                           b.getDenseI64ArrayAttr({divisor}), nullptr)
                              .getResult());
    for (Operation *each : computed)
      b.clone(*each, mapping);
    b.create<scf::YieldOp>(loc, b.clone(*op, mapping)->getResults());
  };
  auto anywhere = [&](OpBuilder &b, Location loc) {
    b.create<scf::YieldOp>(loc, b.clone(*op)->getResults());
  };
  auto choice = rewriter.create<scf::IfOp>(op->getLoc(), condition, aligned, anywhere);
  rewriter.replaceOp(op, choice.getResults());
}

void versionLoops(func::FuncOp function) {
  AxisInfos infos(function);
  llvm::MapVector<Operation *, Divisors> versioned;
  function.walk([&](scf::ForOp loop) {
    Divisors divisors = divisorsOfFactors(loop, infos);
    if (divisors.empty())
      return;
    Divisors &all = versioned[outermost(loop, divisors)];
    for (auto [number, divisor] : divisors)
      all[number] = std::max(all[number], divisor);
  });
  IRRewriter rewriter(function.getContext());
  for (auto &[op, divisors] : versioned) {
    const bool isInOther = llvm::any_of(
        versioned, [op = op](auto &other) { return other.first->isProperAncestor(op); });
    if (!isInOther)
      addStores(op, infos, divisors);
    else
      divisors.clear();
  }
  for (auto &[op, divisors] : versioned)
    if (!divisors.empty())
      makeVersions(rewriter, op, divisors);
}

struct VersionLoopsPass : impl::VersionLoopsBase<VersionLoopsPass> {
  void runOnOperation() override { versionLoops(getOperation()); }
};

} // namespace
} // namespace eft
