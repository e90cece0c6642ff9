// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The lowering of `eft.map`, which applies a function of scalars to every element. On a GPU, a
// thread applies the function to its elements one after the other, and may take different branches
// for each of them. On a CPU, a loop applies it to the lanes of a vector one after the other.
#include "compiler/lowering/FragmentLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace eft {
namespace {

using Values = SmallVector<Value>;

bool isOfNumbers(Operation *op) {
  auto isOther = llvm::IsaPred<RankedTensorType, PointerType>;
  return llvm::none_of(op->getOperandTypes(), isOther) &&
         llvm::none_of(op->getResultTypes(), isOther);
}

LogicalResult checkFunction(MapOp map) {
  auto isAllowed = [](Operation *op) {
    const bool isOwn = isa_and_present<EftDialect>(op->getDialect()) && !isa<YieldOp>(op);
    return isOfNumbers(op) && isMemoryEffectFree(op) &&
           (!isOwn || OpTrait::hasElementwiseMappableTraits(op));
  };
  WalkResult result = map.getFunction().walk([&](Operation *op) -> WalkResult {
    if (isAllowed(op))
      return success();
    return op->emitError("this can't be a part of a mapped function, which computes with its "
                         "numbers alone, without blocks and memory");
  });
  return failure(result.wasInterrupted());
}

/// Emits the function on scalars. Returns its results.
Values apply(ImplicitLocOpBuilder &b, MapOp map, ValueRange elements) {
  Block &body = map.getFunction().front();
  IRMapping values;
  values.map(body.getArguments(), elements);
  for (Operation &op : body.without_terminator())
    b.clone(op, values);
  return llvm::map_to_vector(body.getTerminator()->getOperands(),
                             [&](Value value) { return values.lookup(value); });
}

/// Emits a loop that applies the function to each lane of vectors. Returns vectors of its results.
Values applyToLanes(ImplicitLocOpBuilder &b, MapOp map, ValueRange vectors) {
  const int64_t lanes = cast<VectorType>(vectors.front().getType()).getNumElements();
  auto constant = [&](int64_t value) -> Value { return b.create<arith::ConstantIntOp>(value, 32); };
  Values none;
  for (Value result : map.getFunction().front().getTerminator()->getOperands())
    none.push_back(
        b.create<arith::ConstantOp>(b.getZeroAttr(VectorType::get(lanes, result.getType()))));
  auto loop = b.create<scf::ForOp>(constant(0), constant(lanes), constant(1), none);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  Value lane = loop.getInductionVar();
  Values elements;
  for (Value vector : vectors)
    elements.push_back(b.create<LLVM::ExtractElementOp>(vector, lane));
  Values results;
  for (auto [all, result] : llvm::zip_equal(loop.getRegionIterArgs(), apply(b, map, elements)))
    results.push_back(b.create<LLVM::InsertElementOp>(all, result, lane));
  b.create<scf::YieldOp>(results);
  return Values(loop.getResults());
}

LogicalResult lowerMap(FragmentLowering &lowering, ImplicitLocOpBuilder &b, MapOp op) {
  if (failed(checkFunction(op)))
    return failure();
  const unsigned pack = op.getPack(), count = lowering.numFragments(op.getResult(0).getType());
  SmallVector<FragmentLowering::Fragments> results(op.getNumResults());
  for (unsigned first = 0; first < count; first += pack) {
    Values group;
    for (Value source : op.getSources())
      for (unsigned i = first; i < first + pack; ++i)
        group.push_back(lowering.fragmentsOf(source)[std::min(i, count - 1)]);
    const bool isVector = isa<VectorType>(group.front().getType());
    Values made = isVector ? applyToLanes(b, op, group) : apply(b, op, group);
    for (auto [number, value] : llvm::enumerate(made))
      results[number / pack].push_back(value);
  }
  for (auto [result, fragments] : llvm::zip_equal(op.getResults(), results)) {
    fragments.truncate(count);
    lowering.setFragments(result, std::move(fragments));
  }
  return success();
}

} // namespace

void populateMapLowerings(LoweringTable &table) { table.add(lowerMap); }

} // namespace eft
