// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inline assembly: its memory effects, and the verifier of its operands' and results' shapes. The
// lowering checks the constraints.
#include "compiler/ir/EftDialect.h"

using namespace mlir;
using namespace eft;

bool InlineAsmOp::hasAnchor() { return !getPure(); }

void InlineAsmOp::getEffects(SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  if (getPure())
    return;
  effects.emplace_back(MemoryEffects::Read::get());
  effects.emplace_back(MemoryEffects::Write::get());
}

LogicalResult InlineAsmOp::verify() {
  if (getNumResults() == 0)
    return emitOpError("needs a result");
  Type first = getResult(0).getType();
  auto isLikeFirst = [&](Type type) {
    return isa<RankedTensorType>(type) == isa<RankedTensorType>(first) &&
           withElementType(first, getElementTypeOrSelf(type)) == type;
  };
  for (TypeRange types : {TypeRange(getOperandTypes()), TypeRange(getResultTypes())})
    for (Type type : types)
      if (!isLikeFirst(type))
        return emitOpError("must have operands and results of one shape and layout, got ")
               << type << " and " << first;
  return success();
}
