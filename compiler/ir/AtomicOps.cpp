// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The verifiers of the atomic operations, and the canonicalization of an `eft.atomic_rmw` whose
// mask is constant. Also the verifier and the folder of `eft.cast_ptr`.
#include "compiler/ir/Accesses.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace eft;

namespace {

bool isOfWord(Type type) {
  unsigned width = type.getIntOrFloatBitWidth();
  return width == 32 || width == 64;
}

/// Numbers of 16 bits are allowed, too. Where a target has no instruction for them, the lowering
/// makes a loop of compare-and-swap.
bool isOfWordOrHalf(Type type) { return isOfWord(type) || type.getIntOrFloatBitWidth() == 16; }

/// Returns null if the kind works on `type`. Otherwise returns the types that it works on, as the
/// text of a message.
const char *expectedBy(AtomicKind kind, Type type) {
  switch (kind) {
  case AtomicKind::FAdd:
    return isa<FloatType>(type) ? nullptr : "f16, bf16, f32 or f64";
  case AtomicKind::Exchange:
    return isOfWord(type) ? nullptr : "numbers of 32 or 64 bits";
  case AtomicKind::Max:
  case AtomicKind::Min:
  case AtomicKind::UMax:
  case AtomicKind::UMin:
    return isa<IntegerType>(type) && isOfWordOrHalf(type) ? nullptr
                                                          : "integers of 16, 32 or 64 bits";
  default:
    return isa<IntegerType>(type) && isOfWord(type) ? nullptr : "integers of 32 or 64 bits";
  }
}

} // namespace

LogicalResult AtomicRMWOp::verify() {
  if (failed(verifyRun(*this, getRun())))
    return failure();
  Type element = getElementTypeOrSelf(getResult());
  if (const char *expected = expectedBy(getKind(), element))
    return emitOpError("'") << stringifyAtomicKind(getKind()) << "' works on " << expected
                            << ", got " << element;
  return success();
}

LogicalResult AtomicCASOp::verify() {
  Type element = getElementTypeOrSelf(getResult());
  if (element.getIntOrFloatBitWidth() < 16)
    return emitOpError("works on numbers of 16, 32 or 64 bits, got ") << element;
  return success();
}

LogicalResult AtomicLoadOp::verify() {
  if (getOrder() == MemoryOrder::Relaxed || getOrder() == MemoryOrder::Acquire)
    return success();
  return emitOpError("order must be relaxed or acquire, got ") << stringifyMemoryOrder(getOrder());
}

LogicalResult AtomicStoreOp::verify() {
  if (getOrder() == MemoryOrder::Relaxed || getOrder() == MemoryOrder::Release)
    return success();
  return emitOpError("order must be relaxed or release, got ") << stringifyMemoryOrder(getOrder());
}

LogicalResult AtomicRMWOp::canonicalize(AtomicRMWOp op, PatternRewriter &rewriter) {
  APInt mask;
  if (!op.getMask() || !matchPattern(op.getMask(), m_ConstantInt(&mask)))
    return rewriter.notifyMatchFailure(op, "the mask is not constant");
  if (mask.isOne())
    rewriter.modifyOpInPlace(op, [&] { op.getMaskMutable().clear(); });
  else
    rewriter.replaceOpWithNewOp<arith::ConstantOp>(op, op.getType(),
                                                   rewriter.getZeroAttr(op.getType()));
  return success();
}

LogicalResult CastPtrOp::verify() {
  Type element = getElementTypeOrSelf(getResult());
  if (withElementType(getSource().getType(), element) != getResult().getType())
    return emitOpError("must keep the shape and the layout, got ")
           << getSource().getType() << " and " << getResult().getType();
  return success();
}

OpFoldResult CastPtrOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  auto inner = getSource().getDefiningOp<CastPtrOp>();
  if (!inner)
    return {};
  getSourceMutable().assign(inner.getSource());
  return getResult();
}
