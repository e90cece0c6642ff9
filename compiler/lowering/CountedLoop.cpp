// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/lowering/CountedLoop.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {

void emitLoop(ImplicitLocOpBuilder &b, int64_t first, int64_t end, int64_t step,
              function_ref<void(Value)> body) {
  auto constant = [&](int64_t value) { return b.create<arith::ConstantIntOp>(value, 32); };
  Value start = constant(first), bound = constant(end);
  auto loop = b.create<scf::ForOp>(start, bound, constant(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  body(loop.getInductionVar());
}

} // namespace eft
