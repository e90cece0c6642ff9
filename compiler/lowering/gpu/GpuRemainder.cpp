// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Computes the remainder by long division of |x| by d = |y| in binary. First a multiple m = d is
// doubled as long as the result is at most |x|. Then, with a rest r that begins as |x|, m is
// subtracted from r if m ≤ r, and m is halved; this repeats down to m = d. Every operation is
// exact: doubling and halving change the exponent only, and for m ≤ r < 2m the difference r − m is
// representable. The number of halvings is at most the difference of the exponents.
#include "compiler/lowering/gpu/GpuRemainder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

#include <limits>

using namespace mlir;

namespace eft {

namespace {

class LongDivision {
public:
  LongDivision(ImplicitLocOpBuilder &b, Type type) : b(b), type(type) {}

  Value remainder(Value x, Value y) {
    Value size = b.create<math::AbsFOp>(x), divisor = b.create<math::AbsFOp>(y);
    // If x is infinite or NaN, or y is zero or NaN, the remainder is NaN. The loops then compute
    // with 0 and 1 instead of |x| and |y|, so that they end at once.
    Value infinity = number(std::numeric_limits<double>::infinity());
    Value isDefined =
        b.create<arith::AndIOp>(compare(arith::CmpFPredicate::OLT, size, infinity),
                                compare(arith::CmpFPredicate::OGT, divisor, number(0)));
    size = b.create<arith::SelectOp>(isDefined, size, number(0));
    divisor = b.create<arith::SelectOp>(isDefined, divisor, number(1));
    Value left = takeOff(size, divisor, doubled(size, divisor));
    Value result = b.create<math::CopySignOp>(left, x);
    return b.create<arith::SelectOp>(isDefined, result,
                                     number(std::numeric_limits<double>::quiet_NaN()));
  }

private:
  /// The largest `divisor` · 2^i ≤ `size` with i ≥ 0; `divisor` if there is none.
  Value doubled(Value size, Value divisor) {
    auto loop = b.create<scf::WhileOp>(
        TypeRange{type}, ValueRange{divisor},
        [&](OpBuilder &, Location, ValueRange state) {
          Value twice = b.create<arith::AddFOp>(state[0], state[0]);
          b.create<scf::ConditionOp>(compare(arith::CmpFPredicate::OLE, twice, size), state);
        },
        [&](OpBuilder &, Location, ValueRange state) {
          Value twice = b.create<arith::AddFOp>(state[0], state[0]);
          b.create<scf::YieldOp>(twice);
        });
    b.setInsertionPointAfter(loop);
    return loop.getResult(0);
  }

  /// The rest of `size` after the subtraction of `multiple`, of its half, and so on down to
  /// `divisor`. Each is subtracted only if it is at most the rest.
  Value takeOff(Value size, Value divisor, Value multiple) {
    auto loop = b.create<scf::WhileOp>(
        TypeRange{type, type}, ValueRange{size, multiple},
        [&](OpBuilder &, Location, ValueRange state) {
          // The rest is always less than twice the multiple. So it is less than the divisor after
          // the divisor itself was tried, and the loop ends. If the divisor is infinite, nothing is
          // subtracted.
          b.create<scf::ConditionOp>(compare(arith::CmpFPredicate::OGE, state[0], divisor), state);
        },
        [&](OpBuilder &, Location, ValueRange state) {
          Value fits = compare(arith::CmpFPredicate::OGE, state[0], state[1]);
          Value less = b.create<arith::SubFOp>(state[0], state[1]);
          Value left = b.create<arith::SelectOp>(fits, less, state[0]);
          Value half = b.create<arith::MulFOp>(state[1], number(0.5));
          b.create<scf::YieldOp>(ValueRange{left, half});
        });
    b.setInsertionPointAfter(loop);
    return loop.getResult(0);
  }

  Value number(double value) { return b.create<arith::ConstantOp>(b.getFloatAttr(type, value)); }
  Value compare(arith::CmpFPredicate predicate, Value a, Value c) {
    return b.create<arith::CmpFOp>(predicate, a, c);
  }

  ImplicitLocOpBuilder &b;
  Type type;
};

} // namespace

void expandRemainders(func::FuncOp kernel) {
  SmallVector<arith::RemFOp> remainders;
  kernel.walk([&](arith::RemFOp op) {
    if (op.getType().isF32() || op.getType().isF64())
      remainders.push_back(op);
  });
  for (arith::RemFOp op : remainders) {
    ImplicitLocOpBuilder b(op.getLoc(), op);
    op.replaceAllUsesWith(LongDivision(b, op.getType()).remainder(op.getLhs(), op.getRhs()));
    op.erase();
  }
}

} // namespace eft
