// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-bf16-to-bits: what is left of bf16 only moves bits, so integers hold them.
//
// LLVM's x86 code for bf16 is no move. It takes vectors apart. A number that lives over several
// basic blocks it keeps as f32, and where the CPU has an instruction for it, narrows it again with
// that; and the instruction takes denormals for zeros.
#include "compiler/lowering/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_BF16TOBITS
#include "compiler/lowering/Passes.h.inc"

namespace {

struct Bf16ToBitsPass : impl::Bf16ToBitsBase<Bf16ToBitsPass> {
  void runOnOperation() override {
    Type bits = IntegerType::get(&getContext(), 16);
    AttrTypeReplacer replacer;
    replacer.addReplacement([=](BFloat16Type) { return bits; });
    replacer.addReplacement([=](FloatAttr number) -> std::optional<Attribute> {
      if (!number.getType().isBF16())
        return std::nullopt;
      return IntegerAttr::get(bits, number.getValue().bitcastToAPInt());
    });
    replacer.addReplacement([=](DenseElementsAttr numbers) -> std::optional<Attribute> {
      if (!numbers.getElementType().isBF16())
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
