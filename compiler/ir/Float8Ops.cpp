// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers and folders of the operations on 8-bit floats.
#include "compiler/ir/EftDialect.h"

#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace eft;

LogicalResult ExtendFloat8Op::verify() {
  Type element = getElementTypeOrSelf(getType());
  if (element.isF16() || element.isF32())
    return success();
  return emitOpError("result must be of f16 or f32, got ") << element;
}

LogicalResult TruncateFloat8Op::verify() {
  Type element = getElementTypeOrSelf(getOperand());
  if (element.isF16() || element.isF32() || element.isF64())
    return success();
  return emitOpError("operand must be of f16, f32 or f64, got ") << element;
}

/// Folds +0, whose code is 0 in every format.
OpFoldResult TruncateFloat8Op::fold(FoldAdaptor) {
  if (matchPattern(getOperand(), m_PosZeroFloat()))
    return Builder(getContext()).getZeroAttr(getType());
  return {};
}
