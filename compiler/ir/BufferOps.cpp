// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verifiers of buffers and of what goes into and out of them.
#include "compiler/ir/LayoutConversion.h"

#include "compiler/layout/Placement.h"

using namespace mlir;
using namespace eft;

LogicalResult BufferType::verify(function_ref<InFlightDiagnostic()> emitError,
                                 RankedTensorType block) {
  if (isBlock(block) && isa_and_present<LayoutAttr>(block.getEncoding()))
    return success();
  return emitError() << "a buffer must be of a block with a layout, got " << block;
}

namespace {

/// The number of bits of the place that count pieces: steps on a CPU, registers on a GPU.
unsigned pieceBits(const LinearLayout &layout) {
  return layout.placeBits(layout.source().find(place::step) ? place::step : place::registers);
}

/// A part has the places of the buffer's block, and no more pieces.
LogicalResult verifyPart(Operation *op, RankedTensorType part, BufferType buffer) {
  std::optional<LinearLayout> whole = layoutOf(buffer.getBlock()), own = layoutOf(part);
  bool fits = own && part.getElementType() == buffer.getBlock().getElementType() &&
              pieceBits(*own) <= pieceBits(*whole) &&
              own->source().bits() - pieceBits(*own) == whole->source().bits() - pieceBits(*whole);
  if (fits)
    return success();
  return op->emitOpError("part must be one of the buffer's block, got ")
         << part << " and " << buffer;
}

} // namespace

LogicalResult PutOp::verify() {
  return verifyPart(*this, cast<RankedTensorType>(getPart().getType()), getBuffer().getType());
}

LogicalResult TakeOp::verify() {
  return verifyPart(*this, cast<RankedTensorType>(getPart().getType()), getBuffer().getType());
}
