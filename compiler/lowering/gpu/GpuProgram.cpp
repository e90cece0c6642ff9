// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The position of a thread: its program in the grid, and the indices of the elements that it holds
// of a block.
#include "compiler/layout/Placement.h"
#include "compiler/lowering/LinearCode.h"
#include "compiler/lowering/gpu/GpuLowering.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

constexpr unsigned maxThreads = 1024;

/// The coordinate that each bit of a thread's number adds: first the bits of the lane, then those
/// of the warp.
SmallVector<int64_t> imagesOfThread(const LinearLayout &layout, unsigned dimension) {
  SmallVector<int64_t> images = imagesOf(layout, "lane", dimension);
  images.resize(llvm::Log2_32(lanesPerWarp));
  images.append(imagesOf(layout, "warp", dimension));
  return images;
}

Value threadId(ImplicitLocOpBuilder &b) { return b.create<NVVM::ThreadIdXOp>(b.getI32Type()); }

} // namespace

Value coordinate(ImplicitLocOpBuilder &b, const LinearLayout &layout, unsigned dim,
                 unsigned fragment) {
  int64_t ofRegister = 0;
  for (auto [bit, image] : llvm::enumerate(imagesOf(layout, "register", dim)))
    ofRegister ^= (fragment >> bit & 1) ? image : 0;
  Value ofThread = emitLinearMap(b, threadId(b), imagesOfThread(layout, dim));
  return b.create<arith::XOrIOp>(ofThread, b.create<arith::ConstantIntOp>(ofRegister, 32));
}

unsigned redundantThreadBits(const LinearLayout &layout) {
  return layout.redundantBits("lane") | layout.redundantBits("warp") << llvm::Log2_32(lanesPerWarp);
}

bool hasPlainCopies(const LinearLayout &layout) {
  if (layout.redundantBits("register") != 0)
    return false;
  for (std::string place : {"lane", "warp"})
    for (unsigned bit = 0; bit < layout.placeBits(place); ++bit)
      if (layout.redundantBits(place) >> bit & 1)
        for (int64_t coordinate : layout.basis(place, bit))
          if (coordinate != 0)
            return false;
  return true;
}

LogicalResult refuseCopies(Operation *op, Type block) {
  return op->emitOpError("must be done once for each element, but the layout has copies of "
                         "another kind than whole threads, got ")
         << block;
}

Value storingThread(ImplicitLocOpBuilder &b, Type type) {
  std::optional<LinearLayout> layout = layoutOf(type);
  // Every thread holds a scalar.
  unsigned redundant = layout ? redundantThreadBits(*layout) : maxThreads - 1;
  if (redundant == 0)
    return {};
  Value bits = b.create<arith::AndIOp>(threadId(b), b.create<arith::ConstantIntOp>(redundant, 32));
  return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, bits,
                                 b.create<arith::ConstantIntOp>(0, 32));
}

Value programId(ImplicitLocOpBuilder &b, Axis axis) {
  switch (axis) {
  case Axis::X:
    return b.create<NVVM::BlockIdXOp>(b.getI32Type());
  case Axis::Y:
    return b.create<NVVM::BlockIdYOp>(b.getI32Type());
  case Axis::Z:
    return b.create<NVVM::BlockIdZOp>(b.getI32Type());
  }
}

namespace {

Value numPrograms(ImplicitLocOpBuilder &b, Axis axis) {
  switch (axis) {
  case Axis::X:
    return b.create<NVVM::GridDimXOp>(b.getI32Type());
  case Axis::Y:
    return b.create<NVVM::GridDimYOp>(b.getI32Type());
  case Axis::Z:
    return b.create<NVVM::GridDimZOp>(b.getI32Type());
  }
}

void lowerArange(GpuLowering &lowering, ImplicitLocOpBuilder &b, ArangeOp op) {
  auto block = cast<RankedTensorType>(op.getType());
  const auto start = int64_t(int32_t(op.getStart()));
  LinearLayout layout = *layoutOf(block);
  SmallVector<int64_t> registerImages = imagesOf(layout, "register", 0);
  int64_t registerMask = 0;
  for (int64_t image : registerImages)
    registerMask |= image;
  SmallVector<int64_t> threadImages = imagesOfThread(layout, 0);
  bool isDisjoint =
      llvm::all_of(threadImages, [&](int64_t image) { return (image & registerMask) == 0; });

  Value ofThread = emitLinearMap(b, threadId(b), threadImages);
  auto constant = [&](int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); };
  FragmentLowering::Fragments result;
  for (unsigned fragment = 0; fragment < lowering.numFragments(block); ++fragment) {
    int64_t ofRegister = 0;
    for (auto [bit, image] : llvm::enumerate(registerImages))
      ofRegister ^= (fragment >> bit & 1) ? image : 0;
    // Without common bits, a sum equals the exclusive or. Addresses can absorb the constant of a
    // sum.
    if (isDisjoint) {
      result.push_back(b.create<arith::AddIOp>(ofThread, constant(ofRegister + start),
                                               arith::IntegerOverflowFlags::nsw));
      continue;
    }
    Value index = b.create<arith::XOrIOp>(ofThread, constant(ofRegister));
    result.push_back(b.create<arith::AddIOp>(index, constant(start)));
  }
  lowering.setFragments(op, std::move(result));
}

void lowerProgramId(GpuLowering &lowering, ImplicitLocOpBuilder &b, ProgramIdOp op) {
  lowering.setFragments(op, {programId(b, op.getAxis())});
}

void lowerNumPrograms(GpuLowering &lowering, ImplicitLocOpBuilder &b, NumProgramsOp op) {
  lowering.setFragments(op, {numPrograms(b, op.getAxis())});
}

/// Keeps the operation, on the lowered scalar: makeControlUniform decides whether it needs code.
void lowerOfFirstThread(GpuLowering &lowering, ImplicitLocOpBuilder &b, OfFirstThreadOp op) {
  lowering.setFragments(op, {b.create<OfFirstThreadOp>(lowering.scalarOf(op.getSource()))});
}

} // namespace

void populateGpuProgramLowerings(LoweringTable &table) {
  table.add(lowerArange);
  table.add(lowerProgramId);
  table.add(lowerNumPrograms);
  table.add(lowerOfFirstThread);
}

} // namespace eft
