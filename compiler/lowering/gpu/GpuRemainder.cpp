// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Long division of |x| by d = |y|, in binary. First d is doubled while it still fits into |x|. Then
// it is halved back, and after each halving subtracted from the rest if it fits. Every operation is
// exact: doubling and halving are by powers of two, and where m ≤ r < 2m the difference r − m is
// representable. There are as many halvings as the exponents differ.
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
    // Of an infinity or NaN, and by zero or NaN, there is none; the loops then end at once.
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
  /// The greatest multiple of `divisor` by a power of two that fits into `size`, or `divisor`.
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

  /// The rest of `size` after `multiple`, its half, … and at last `divisor` are subtracted where
  /// they fit.
  Value takeOff(Value size, Value divisor, Value multiple) {
    auto loop = b.create<scf::WhileOp>(
        TypeRange{type, type}, ValueRange{size, multiple},
        [&](OpBuilder &, Location, ValueRange state) {
          // The rest is less than twice the multiple, so it is less than the divisor at the
          // latest after the divisor itself was tried. By an infinity nothing is taken off at all.
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
