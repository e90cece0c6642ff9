// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/pipelining/FactorSource.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/Placement.h"
#include "compiler/layout/WarpgroupLayouts.h"
#include "compiler/lowering/Renaming.h"
#include "compiler/lowering/pipelining/Calls.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;

namespace eft {

namespace {

int64_t bytesOf(RankedTensorType type) { return type.getElementType().getIntOrFloatBitWidth() / 8; }

LinearLayout places(Value block) { return withPlaces(*layoutOf(block.getType()), gpuPlaces); }

} // namespace

FactorSource::FactorSource(Value factor, unsigned k) : block(factor), k(k) {
  for (auto trans = block.getDefiningOp<TransOp>(); trans; trans = block.getDefiningOp<TransOp>()) {
    isTransposed ^= trans.getOrder().front() != 0;
    block = trans.getSource();
  }
  if (isTransposed)
    this->k = 1 - k;
  if (auto read = block.getDefiningOp<ReadSharedOp>()) {
    RankedTensorType slot = read.getShared().getType().getBlock();
    std::optional<unsigned> rows = rowsOfWarpgroupOrder(*layoutOf(slot), bytesOf(slot));
    if (rows && (bytesOf(slot) == 2 || *rows == this->k))
      present = read;
  } else if (auto convert = block.getDefiningOp<ConvertLayoutOp>()) {
    isInRegisters = isRenaming(cast<ElementMoveOpInterface>(*convert));
    block = convert.getSource();
  } else {
    isInRegisters = true;
  }
}

bool FactorSource::isPlaced() const { return present || layoutOf(block.getType()); }

SharedType FactorSource::slotType() {
  if (present)
    return present.getShared().getType();
  auto type = cast<RankedTensorType>(block.getType());
  const LinearLayout layout = places(block);
  const unsigned rows = rowsForWarpgroups(layout, bytesOf(type), k);
  auto plain = RankedTensorType::get(type.getShape(), type.getElementType());
  return SharedType::get(type.getContext(), 1,
                         withLayout(plain, warpgroupOrder(layout.shape(), rows, bytesOf(type))));
}

uint64_t FactorSource::bytes() { return present ? 0 : slotType().getBytes(); }

void FactorSource::eraseUnused(RewriterBase &rewriter, Value factor) {
  Operation *op = factor.getDefiningOp();
  while (op && op->use_empty() && isa<ElementMoveOpInterface, ReadSharedOp>(op)) {
    Operation *source = isa<ReadSharedOp>(op) ? nullptr : op->getOperand(0).getDefiningOp();
    rewriter.eraseOp(op);
    op = source;
  }
}

bool mustLeaveRegisters(DotOp dot) {
  Value source = FactorSource(dot.getA(), 1).block;
  auto mayCallIn = [](Operation *loop) {
    return loop
        ->walk([](Operation *op) {
          return mayCall(op) ? WalkResult::interrupt() : WalkResult::advance();
        })
        .wasInterrupted();
  };
  for (auto loop = dot->getParentOfType<LoopLikeOpInterface>(); loop;
       loop = loop->getParentOfType<LoopLikeOpInterface>())
    if (loop.isDefinedOutsideOfLoop(source) && mayCallIn(loop))
      return true;
  return false;
}

} // namespace eft
