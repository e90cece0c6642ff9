// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/Combiner.h"

#include "compiler/ir/CombineRegions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace eft {

namespace {

bool isScalarArithmetic(Operation &op) {
  return isa<arith::ConstantOp>(op) ||
         (OpTrait::hasElementwiseMappableTraits(&op) && isMemoryEffectFree(&op));
}

LogicalResult checkBlock(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      for (Region *region : branch.getRegions())
        if (!region->empty() && failed(checkBlock(region->front())))
          return failure();
      continue;
    }
    if (!isScalarArithmetic(op))
      return op.emitOpError("can't be a part of a combining function, which is arithmetic on the "
                            "elements alone");
  }
  return success();
}

} // namespace

LogicalResult Combiner::check() const { return checkBlock(body); }

int64_t Combiner::cost() const {
  constexpr int64_t ofLongOperation = 10;
  auto isLong = [](Operation *op) {
    return isa<math::MathDialect>(op->getDialect()) ||
           isa<arith::DivFOp, arith::RemFOp, arith::DivSIOp, arith::DivUIOp, arith::RemSIOp,
               arith::RemUIOp>(op);
  };
  int64_t sum = 0;
  body.walk([&](Operation *op) {
    if (!op->hasTrait<OpTrait::IsTerminator>() && !op->hasTrait<OpTrait::ConstantLike>())
      sum += isLong(op) ? ofLongOperation : 1;
  });
  return sum;
}

Operation *Combiner::commutativeOperation() const {
  Operation *op = onlyOperation(body);
  return op && op->hasTrait<OpTrait::IsCommutative>() ? op : nullptr;
}

Type Combiner::fragmentTypeOf(Type scalar) const {
  return lowering.fragmentType(like, lowering.scalarType(scalar));
}

SmallVector<Value> Combiner::combine(ImplicitLocOpBuilder &b, ArrayRef<Value> lower,
                                     ArrayRef<Value> higher) {
  Values values;
  for (auto [number, argument] : llvm::enumerate(body.getArguments()))
    values[argument] = number < lower.size() ? lower[number] : higher[number - lower.size()];
  return cloneBlock(b, body, values);
}

/// Emits the operations of a block on fragments. Returns the fragments of the terminator's
/// operands.
SmallVector<Value> Combiner::cloneBlock(ImplicitLocOpBuilder &b, Block &block, Values &values) {
  for (Operation &op : block.without_terminator())
    cloneOp(b, op, values);
  SmallVector<Value> results;
  for (Value value : block.getTerminator()->getOperands())
    results.push_back(values.at(value));
  return results;
}

void Combiner::cloneOp(ImplicitLocOpBuilder &b, Operation &op, Values &values) {
  SmallVector<Type> types;
  for (Type type : op.getResultTypes())
    types.push_back(fragmentTypeOf(type));
  SmallVector<Value> results;
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (op.getNumResults() == 0)
      return;
    Value condition = values.at(branch.getCondition());
    SmallVector<Value> then = cloneBlock(b, *branch.thenBlock(), values);
    SmallVector<Value> otherwise = cloneBlock(b, *branch.elseBlock(), values);
    for (auto [yes, no] : llvm::zip_equal(then, otherwise))
      results.push_back(b.create<arith::SelectOp>(condition, yes, no));
  } else if (isa<arith::ConstantOp>(op)) {
    results.push_back(lowering.splat(b, b.clone(op)->getResult(0), types.front()));
  } else {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(values.at(operand));
    results = lowering.cloneOnFragments(b, &op, operands, types);
  }
  for (auto [result, value] : llvm::zip_equal(op.getResults(), results))
    values[result] = value;
}

FailureOr<CombinedSources> CombinedSources::of(FragmentLowering &lowering, Operation *op,
                                               ValueRange sources) {
  Type first = sources.front().getType();
  CombinedSources result{lowering.placesOf(first), {}};
  for (Value source : sources) {
    if (!(lowering.placesOf(source.getType()) == result.layout))
      return op->emitOpError("sources must lie alike, got ")
             << first << " and " << source.getType();
    result.fragments.push_back(FragmentLowering::Fragments(lowering.fragmentsOf(source)));
  }
  return result;
}

} // namespace eft
