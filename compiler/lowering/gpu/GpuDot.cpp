// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products on a GPU.
#include "compiler/lowering/gpu/GpuLowering.h"
#include "compiler/lowering/gpu/OuterProducts.h"
#include "compiler/lowering/gpu/TensorCores.h"

using namespace mlir;

namespace eft {

LogicalResult GpuLowering::lowerDot(ImplicitLocOpBuilder &b, DotOp dot) {
  Pieces a(piecesOf(dot.getA())), other(piecesOf(dot.getB())), acc(piecesOf(dot.getAcc()));
  if (!dot.usesTensorCores())
    return setPieces(dot, sumOuterProducts(b, shared, dot, a, other, acc)), success();
  FailureOr<Pieces> result = multiplyOnTensorCores(b, dot, a, other, acc);
  if (failed(result))
    return failure();
  setPieces(dot, std::move(*result));
  return success();
}

} // namespace eft
