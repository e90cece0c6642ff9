// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/transforms/UniformScalar.h"

#include "compiler/ir/EftDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace eft {

bool isUniform(Value block) {
  SplatElementsAttr constant;
  return block.getDefiningOp<SplatOp>() || matchPattern(block, m_Constant(&constant));
}

Value uniformScalar(Value block, OpBuilder &builder) {
  if (auto splat = block.getDefiningOp<SplatOp>())
    return splat.getSource();
  SplatElementsAttr constant;
  if (!matchPattern(block, m_Constant(&constant)))
    return {};
  return builder.create<arith::ConstantOp>(block.getLoc(),
                                           cast<TypedAttr>(constant.getSplatValue<Attribute>()));
}

} // namespace eft
