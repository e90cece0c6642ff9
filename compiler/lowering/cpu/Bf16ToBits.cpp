// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-bf16-to-bits: holds bf16 in integers, because the remaining operations on bf16 only move
// bits. If no operation converts f16 either, as on a CPU without conversions of f16, the pass does
// the same with f16.
//
// LLVM's code for bf16 on x86 does more than move bits. LLVM takes vectors apart. If a number of
// bf16 lives over several basic blocks, LLVM keeps it as f32 and narrows it again later. If the CPU
// has an instruction for this, LLVM uses it, and the instruction turns denormals into zeros. On a
// CPU that can't convert f16, LLVM turns operations on the bits of f16 back into operations on f16,
// and calls a function for each element.
#include "compiler/lowering/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_BF16TOBITS
#include "compiler/lowering/Passes.h.inc"

namespace {

/// True if some operation uses f16 as a number. At this point only conversions do.
bool convertsF16(ModuleOp module) {
  return module
      .walk([](Operation *op) {
        auto isF16 = [](Type type) { return getElementTypeOrSelf(type).isF16(); };
        bool converts = isa<arith::ExtFOp, arith::TruncFOp>(op) &&
                        (isF16(op->getOperand(0).getType()) || isF16(op->getResult(0).getType()));
        return converts ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

struct Bf16ToBitsPass : impl::Bf16ToBitsBase<Bf16ToBitsPass> {
  void runOnOperation() override {
    Type bits = IntegerType::get(&getContext(), 16);
    const bool holdsF16 = !convertsF16(getOperation());
    auto isHeld = [=](Type type) { return type.isBF16() || (holdsF16 && type.isF16()); };
    AttrTypeReplacer replacer;
    replacer.addReplacement(
        [=](FloatType type) -> std::optional<Type> { return isHeld(type) ? bits : Type(type); });
    replacer.addReplacement([=](FloatAttr number) -> std::optional<Attribute> {
      if (!isHeld(number.getType()))
        return std::nullopt;
      return IntegerAttr::get(bits, number.getValue().bitcastToAPInt());
    });
    replacer.addReplacement([=](DenseElementsAttr numbers) -> std::optional<Attribute> {
      if (!isHeld(numbers.getElementType()))
        return std::nullopt;
      return numbers.bitcast(bits);
    });
    replacer.recursivelyReplaceElementsIn(getOperation(), /*replaceAttrs=*/true,
                                          /*replaceLocs=*/false, /*replaceTypes=*/true);
    getOperation().walk([](arith::BitcastOp cast) {
      if (cast.getIn().getType() != cast.getType())
        return;
      cast.replaceAllUsesWith(cast.getIn());
      cast.erase();
    });
  }
};

} // namespace
} // namespace eft
