// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the parameters that reach an address, or a mask that limits how many elements one access
// moves: the masks of loads of a product's factors, those of atomic updates, and masks that are the
// same in all programs, such as the mask of a row's columns. If such a mask may end within a run,
// then it does in every program, so all of them pay for the test. The walk goes from each
// address and mask back to the values from which it is computed. It begins with the accesses to the
// smallest elements, so that each parameter is first reached from these.
#include "compiler/analysis/AddressParameters.h"

#include "compiler/analysis/ProgramDependence.h"
#include "compiler/analysis/RegionFlow.h"
#include "compiler/ir/Accesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>

using namespace mlir;
using namespace eft;

namespace {

/// True if the loaded block is a factor of a matrix product, as it is or transposed, and has no
/// other use.
bool isFactor(LoadOp load) {
  Value value = load.getResult();
  while (value.hasOneUse()) {
    Operation *user = value.use_begin()->getOwner();
    if (auto dot = dyn_cast<DotOp>(user))
      return dot.getAcc() != value;
    if (!isa<TransOp>(user))
      return false;
    value = user->getResult(0);
  }
  return false;
}

unsigned elementBytesOf(Value pointer) {
  auto type = cast<PointerType>(getElementTypeOrSelf(pointer.getType()));
  return std::max(1u, type.getPointee().getIntOrFloatBitWidth() / 8);
}

class AddressWalk {
public:
  explicit AddressWalk(func::FuncOp function)
      : function(function), flow(function), dependence(function) {}

  std::vector<AddressParameter> run() {
    std::map<unsigned, SmallVector<Operation *>> accesses; // accesses by the size of their elements
    function.walk([&](Operation *op) {
      if (Value pointer = pointerOf(op))
        accesses[elementBytesOf(pointer)].push_back(op);
    });
    for (const auto &[bytes, ops] : accesses)
      walkFrom(ops, bytes);
    std::vector<AddressParameter> found;
    for (auto [number, bytes] : llvm::enumerate(marks))
      if (bytes != 0)
        found.push_back({unsigned(number), bytes});
    return found;
  }

private:
  void walkFrom(ArrayRef<Operation *> ops, unsigned bytes) {
    elementBytes = bytes;
    for (Operation *op : ops) {
      visit(pointerOf(op));
      auto load = dyn_cast<LoadOp>(op);
      auto sum = dyn_cast<AtomicRMWOp>(op);
      const bool countsMask =
          (load && isFactor(load)) || (sum && atomicWidth(sum, /*hasVectors=*/true) > 1);
      Value mask = maskOf(op);
      if (mask && countsMask)
        visitMask(mask);
      else if (mask && isa<LoadOp, StoreOp>(op))
        visitColumns(mask);
    }
    while (!pending.empty())
      expand(pending.pop_back_val());
  }

  /// Adds a value to the walk if it is an integer or a pointer. Other values, conditions and
  /// floats, pass no divisibility on.
  void visit(Value value) {
    Type element = getElementTypeOrSelf(value);
    const bool carries =
        isa<PointerType>(element) || (element.isIntOrIndex() && !element.isInteger(1));
    if (carries && seen.insert(value).second)
      pending.push_back(value);
  }

  void visitMask(Value mask) {
    if (seen.insert(mask).second)
      pending.push_back(mask);
  }

  /// Visits the comparisons of which the mask is the conjunction, as far as they differ between
  /// elements and are the same in all programs.
  void visitColumns(Value mask) {
    SmallVector<Value> parts = {mask};
    while (!parts.empty()) {
      Operation *op = parts.pop_back_val().getDefiningOp();
      if (isa_and_present<arith::AndIOp, BroadcastOp, ExpandDimsOp>(op)) {
        if (visitedParts.insert(op).second)
          llvm::append_range(parts, op->getOperands());
      } else if (auto comparison = dyn_cast_or_null<arith::CmpIOp>(op)) {
        const bool isUniform = llvm::all_of(comparison->getOperands(), [](Value operand) {
          return !isa<RankedTensorType>(operand.getType()) || operand.getDefiningOp<SplatOp>();
        });
        if (!isUniform && !dependence.mayDiffer(comparison.getResult()))
          visitMask(comparison.getResult());
      }
    }
  }

  void expand(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (parent == function.getOperation() && argument.getOwner()->isEntryBlock()) {
        if (isa<IntegerType>(argument.getType()))
          marks[argument.getArgNumber()] = elementBytes;
        return;
      }
      if (auto loop = dyn_cast<scf::ForOp>(parent); loop && argument == loop.getInductionVar()) {
        visit(loop.getLowerBound());
        visit(loop.getStep());
        return;
      }
    }
    for (OpOperand *source : flow.sourcesOf(value))
      visit(source->get());
    Operation *op = value.getDefiningOp();
    // The divisibility of an address says nothing about the values in memory, and that of a counter
    // nothing about random numbers.
    if (!op || op->getNumRegions() != 0 || pointerOf(op) || isa<PhiloxOp>(op))
      return;
    const bool isMask = getElementTypeOrSelf(value).isInteger(1);
    for (Value operand : op->getOperands())
      if (isMask && getElementTypeOrSelf(operand).isInteger(1))
        visitMask(operand);
      else
        visit(operand);
  }

  func::FuncOp function;
  RegionFlow flow;
  ProgramDependence dependence;
  // The element size, in bytes, of the accesses from which the walk currently starts.
  unsigned elementBytes = 0;
  SmallVector<unsigned> marks = SmallVector<unsigned>(function.getNumArguments(), 0);
  SmallVector<Value> pending;
  DenseSet<Value> seen;
  DenseSet<Operation *> visitedParts;
};

} // namespace

std::vector<AddressParameter> eft::addressParameters(func::FuncOp function) {
  return AddressWalk(function).run();
}
