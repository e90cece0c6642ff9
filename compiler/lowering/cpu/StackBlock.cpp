// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/cpu/StackBlock.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {

/// The length in bytes of a cache line, and of the longest vector.
static constexpr unsigned alignment = 64;

StackBlock::StackBlock(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape, Type element,
                       unsigned fastest)
    : b(b), element(element), fastest(fastest), strides(shape.size(), 1) {
  int64_t stride = shape[fastest];
  for (unsigned dimension = shape.size(); dimension-- > 0;) {
    if (dimension == fastest)
      continue;
    strides[dimension] = stride;
    stride *= shape[dimension];
  }
  // The alloca is in the function's first block. So it is a part of the frame, even if the
  // operation that needs the memory is in a loop.
  OpBuilder::InsertionGuard guard(b);
  auto function = b.getInsertionBlock()->getParentOp();
  if (!isa<func::FuncOp>(function))
    function = function->getParentOfType<func::FuncOp>();
  b.setInsertionPointToStart(&function->getRegion(0).front());
  memory = b.create<LLVM::AllocaOp>(LLVM::LLVMPointerType::get(b.getContext()), element,
                                    b.create<arith::ConstantIntOp>(stride, 64), alignment);
}

Value StackBlock::at(Value number) {
  return b.create<LLVM::GEPOp>(memory.getType(), element, memory, LLVM::GEPArg(number));
}

Value StackBlock::at(int64_t number) {
  return b.create<LLVM::GEPOp>(memory.getType(), element, memory, LLVM::GEPArg(int32_t(number)));
}

int64_t StackBlock::numberOf(ArrayRef<int64_t> index) const {
  int64_t number = 0;
  for (auto [coordinate, stride] : llvm::zip_equal(index, strides))
    number += coordinate * stride;
  return number;
}

int64_t StackBlock::runOf(const LinearLayout &layout) const {
  return layout.contiguousAlong("lane", fastest);
}

void StackBlock::store(ArrayRef<Value> fragments, const LinearLayout &given) {
  const LinearLayout layout = withPlaces(given, cpuPlaces);
  const int64_t lanes = int64_t(1) << layout.placeBits("lane"), run = runOf(layout);
  const unsigned align = element.getIntOrFloatBitWidth() / 8;
  for (auto [step, fragment] : llvm::enumerate(fragments))
    for (int64_t lane = 0; lane < lanes; lane += run) {
      Value part = fragment;
      if (run < lanes) {
        auto selected = llvm::to_vector(llvm::seq(lane, lane + run));
        part = b.create<vector::ShuffleOp>(fragment, fragment, selected);
      }
      Value pointer = at(numberOf(layout.apply(std::array{lane, int64_t(step)})));
      b.create<LLVM::StoreOp>(part, pointer, align);
    }
}

SmallVector<Value> StackBlock::load(const LinearLayout &given) {
  const LinearLayout layout = withPlaces(given, cpuPlaces);
  const int64_t lanes = int64_t(1) << layout.placeBits("lane"), run = runOf(layout);
  const unsigned align = element.getIntOrFloatBitWidth() / 8;
  SmallVector<Value> fragments;
  for (int64_t step = 0; step < int64_t(1) << layout.placeBits("step"); ++step) {
    SmallVector<Value> parts;
    for (int64_t lane = 0; lane < lanes; lane += run)
      parts.push_back(b.create<LLVM::LoadOp>(VectorType::get(run, element),
                                             at(numberOf(layout.apply(std::array{lane, step}))),
                                             align));
    // The parts are joined in pairs, then the results in pairs, and so on: each lane then takes
    // part in few shuffles.
    for (int64_t length = run; parts.size() > 1; length *= 2) {
      auto all = llvm::to_vector(llvm::seq<int64_t>(0, 2 * length));
      for (size_t i = 0; i < parts.size(); i += 2)
        parts[i / 2] = b.create<vector::ShuffleOp>(parts[i], parts[i + 1], all);
      parts.resize(parts.size() / 2);
    }
    fragments.push_back(parts.front());
  }
  return fragments;
}

} // namespace eft
