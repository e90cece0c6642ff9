// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves of elements between the vectors of a CPU.
//
// The places between which a fetch moves elements are known at compile time: a turn of its shuffle
// plan (Shuffle.h) permutes one vector, and a swap blends two. Elements whose indices are computed
// at run time are gathered from an array on the stack.
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/cpu/CpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {

Value CpuLowering::isOdd(ImplicitLocOpBuilder &b, uint64_t threads, unsigned laneBits) {
  SmallVector<bool> lanes;
  for (uint64_t lane = 0; lane < uint64_t(1) << laneBits; ++lane)
    lanes.push_back(llvm::popcount(lane & threads) % 2 != 0);
  auto type = VectorType::get(lanes.size(), b.getI1Type());
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(type, lanes));
}

Value CpuLowering::shuffleLanes(ImplicitLocOpBuilder &b, Value fragment, const ShufflePlan &plan,
                                uint64_t lanes) {
  SmallVector<int64_t> mask;
  for (uint64_t lane = 0; lane < uint64_t(1) << plan.takingLaneBits; ++lane) {
    uint64_t from = lanes;
    for (unsigned bit = 0; bit < plan.takingLaneBits; ++bit)
      from ^= (lane >> bit & 1) ? plan.laneColumns[bit] : 0;
    mask.push_back(int64_t(from));
  }
  return b.create<vector::ShuffleOp>(fragment, fragment, mask);
}

Value CpuLowering::indexAt(ImplicitLocOpBuilder &b, const LinearLayout &layout, unsigned fragment) {
  const Space::Dim &lane = layout.source().dims()[1];
  SmallVector<int32_t> indices;
  for (uint64_t i = 0; i < uint64_t(1) << lane.bits; ++i)
    indices.push_back(int32_t(layout.applyPacked(fragment | i << lane.offset)));
  auto type = VectorType::get(indices.size(), b.getI32Type());
  return b.create<arith::ConstantOp>(DenseElementsAttr::get(type, ArrayRef(indices)));
}

Value CpuLowering::scalarOfFragment(ImplicitLocOpBuilder &b, Value fragment) {
  return b.create<vector::ExtractOp>(fragment, 0);
}

namespace {

/// Emits an array of `count` elements in the function's stack frame.
Value stackBuffer(ImplicitLocOpBuilder &b, Type element, uint64_t count) {
  OpBuilder::InsertionGuard guard(b);
  Operation *op = b.getInsertionBlock()->getParentOp();
  auto function =
      isa<func::FuncOp>(op) ? cast<func::FuncOp>(op) : op->getParentOfType<func::FuncOp>();
  b.setInsertionPointToStart(&function.getBody().front());
  constexpr unsigned cacheLine = 64;
  Value elements = b.create<arith::ConstantIntOp>(count, 32);
  return b.create<LLVM::AllocaOp>(LLVM::LLVMPointerType::get(b.getContext()), element, elements,
                                  cacheLine);
}

/// The vector as it is stored in memory: each boolean becomes a byte.
Value toMemory(ImplicitLocOpBuilder &b, Value vector) {
  auto type = cast<VectorType>(vector.getType());
  if (!type.getElementType().isInteger(1))
    return vector;
  return b.create<arith::ExtUIOp>(VectorType::get(type.getShape(), b.getI8Type()), vector);
}

Value fromMemory(ImplicitLocOpBuilder &b, Value vector, Type element) {
  auto type = cast<VectorType>(vector.getType());
  if (type.getElementType() == element)
    return vector;
  return b.create<arith::TruncIOp>(VectorType::get(type.getShape(), element), vector);
}

} // namespace

SmallVector<FragmentLowering::Fragments> CpuLowering::gather(ImplicitLocOpBuilder &b,
                                                             ArrayRef<Fragments> sources,
                                                             const LinearLayout &from,
                                                             ArrayRef<Value> indices) {
  // The array has one vector after the other, each with its lanes side by side. `images` has what
  // each bit of a packed index adds to the element's number in the array.
  LinearLayout places = *from.rightInverse();
  const std::vector<Space::Dim> &dims = from.source().dims();
  SmallVector<int64_t> images;
  for (unsigned bit = 0; bit < places.source().bits(); ++bit) {
    uint64_t place = places.applyPacked(uint64_t(1) << bit);
    uint64_t step = place & from.source().mask(0);
    images.push_back(int64_t(step << dims[1].bits | place >> dims[1].offset));
  }
  Fragments offsets;
  for (Value index : indices)
    offsets.push_back(emitLinearMap(b, index, images));

  SmallVector<Fragments> results;
  auto pointerType = LLVM::LLVMPointerType::get(b.getContext());
  for (const Fragments &source : sources) {
    Type element = cast<VectorType>(source.front().getType()).getElementType();
    auto stored = cast<VectorType>(toMemory(b, source.front()).getType());
    Type inMemory = stored.getElementType();
    unsigned bytes = inMemory.getIntOrFloatBitWidth() / 8;
    int64_t lanes = stored.getNumElements();
    Value buffer = stackBuffer(b, inMemory, source.size() * lanes);
    for (auto [step, fragment] : llvm::enumerate(source)) {
      Value pointer =
          b.create<LLVM::GEPOp>(pointerType, inMemory, buffer, LLVM::GEPArg(int32_t(step * lanes)));
      b.create<LLVM::StoreOp>(toMemory(b, fragment), pointer, bytes);
    }
    Fragments &result = results.emplace_back();
    for (Value offset : offsets) {
      int64_t count = cast<VectorType>(offset.getType()).getNumElements();
      Value pointers = b.create<LLVM::GEPOp>(LLVM::getFixedVectorType(pointerType, count), inMemory,
                                             buffer, ValueRange{offset});
      auto type = VectorType::get(count, inMemory);
      auto all = DenseElementsAttr::get(VectorType::get(count, b.getI1Type()), true);
      Value picked = b.create<LLVM::masked_gather>(
          type, pointers, b.create<arith::ConstantOp>(all),
          ValueRange{b.create<arith::ConstantOp>(b.getZeroAttr(type))}, b.getI32IntegerAttr(bytes));
      result.push_back(fromMemory(b, picked, element));
    }
  }
  return results;
}

} // namespace eft
