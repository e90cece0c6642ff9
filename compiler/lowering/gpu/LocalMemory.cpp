// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/gpu/LocalMemory.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace eft {

Value LocalMemory::at(ImplicitLocOpBuilder &b, unsigned offset, unsigned bytes) {
  if (!area) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.getBody().front());
    count = b.create<arith::ConstantOp>(b.getI32IntegerAttr(0));
    auto type = LLVM::LLVMPointerType::get(b.getContext());
    area = b.create<LLVM::AllocaOp>(type, b.getI8Type(), count, /*alignment=*/16);
  }
  size = std::max(size, offset + bytes);
  count.setValueAttr(b.getI32IntegerAttr(int32_t(size)));
  return b.create<LLVM::GEPOp>(area.getType(), b.getI8Type(), area, LLVM::GEPArg(int32_t(offset)));
}

} // namespace eft
