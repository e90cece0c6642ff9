// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All threads write the factors to shared memory. Then each thread iterates over k, reads the
// factors' elements in its rows and in its columns, and adds the products of all pairs to its part
// of the accumulator:
//
//     for k
//       for each row and column of the thread
//         acc[row, column] += a[row, k] × b[k, column]
//
// This is a loop, so the size of the code grows only with a thread's part of the accumulator.
// Factors that do not fit in `SharedMemory::usualBytes` are processed in parts of k.
#include "compiler/lowering/gpu/OuterProducts.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/lowering/gpu/FactorParts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {

namespace {

using Values = SmallVector<Value>;

constexpr int64_t elementBytes = 4;
/// The least number of products in an iteration of the loop: enough to hide the loop's own
/// instructions.
constexpr int64_t productsOfTurn = 64;

Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return b.create<arith::ConstantIntOp>(value, 32);
}

class OuterProducts {
public:
  OuterProducts(ImplicitLocOpBuilder &b, SharedMemory &memory, DotOp dot)
      : b(b), element(getElementTypeOrSelf(dot.getType())), layout(*layoutOf(dot.getType())),
        rows(layout.shape()[0]), columns(layout.shape()[1]),
        depth(layoutOf(dot.getA().getType())->shape()[1]), part(partOf(depth)), row(b, layout, 0),
        column(b, layout, 1), parts(memory, element, depth, part, bytes(part), {{strideA(part), 1}},
                                    {{strideB(), 1}, startOfB(part)}) {}

  Values sum(const FactorFragments (&factors)[2], Values acc) {
    return parts.sum(b, factors, std::move(acc),
                     [&](Values before) { return sumPart(std::move(before)); });
  }

private:
  // The row stride of the first factor is the length of a row plus 1, so that the elements of a
  // column are in different banks. The second factor's rows are read four elements at a time, so
  // their stride is a multiple of four.
  static int64_t strideA(int64_t part) { return part + 1; }
  int64_t strideB() const { return columns + 4; }
  int64_t startOfB(int64_t part) const { return llvm::alignTo(rows * strideA(part), 4); }
  int64_t bytes(int64_t part) const { return (startOfB(part) + part * strideB()) * elementBytes; }

  int64_t partOf(int64_t depth) const {
    int64_t part = depth;
    while (part > 1 && bytes(part) > SharedMemory::usualBytes)
      part /= 2;
    return part;
  }

  Values sumPart(Values acc) {
    int64_t turn = 1;
    while (turn < part && turn * int64_t(acc.size()) < productsOfTurn)
      turn *= 2;
    auto loop = b.create<scf::ForOp>(constant(b, 0), constant(b, part), constant(b, turn), acc);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values sums(loop.getRegionIterArgs());
    for (int64_t step = 0; step < turn; ++step)
      addProducts(b.create<arith::AddIOp>(loop.getInductionVar(), constant(b, step)), sums);
    b.create<scf::YieldOp>(sums);
    return Values(loop.getResults());
  }

  void addProducts(Value k, Values &sums) {
    llvm::DenseMap<int64_t, Value> left, right;
    for (auto [number, sum] : llvm::enumerate(sums)) {
      int64_t i = row.ofRegister(number), j = column.ofRegister(number);
      Value &x = left[i], &y = right[j];
      if (!x)
        x = b.create<LLVM::LoadOp>(element, parts.pointer(b, 0, row.at(b, i), k),
                                   unsigned(elementBytes));
      if (!y)
        readColumns(k, j, right);
      sum = multiplyAdd(x, right[j], sum);
    }
  }

  /// Reads the second factor's elements in the run of columns that contains column `j` of the
  /// thread.
  void readColumns(Value k, int64_t j, llvm::DenseMap<int64_t, Value> &values) {
    const int64_t run = std::min<int64_t>(layout.contiguousAlong("register", 1), 4);
    const int64_t first = j & ~(run - 1);
    Value start = parts.pointer(b, 1, k, column.at(b, first));
    Value vector =
        b.create<LLVM::LoadOp>(VectorType::get(run, element), start, unsigned(run * elementBytes));
    for (int64_t i = 0; i < run; ++i)
      values[first + i] = b.create<LLVM::ExtractElementOp>(vector, constant(b, i));
  }

  Value multiplyAdd(Value x, Value y, Value sum) {
    if (isa<FloatType>(element))
      return b.create<math::FmaOp>(x, y, sum);
    return b.create<arith::AddIOp>(b.create<arith::MulIOp>(x, y), sum);
  }

  ImplicitLocOpBuilder &b;
  Type element;
  LinearLayout layout;
  int64_t rows, columns, depth;
  int64_t part; // the extent along k of the part that is in shared memory at a time
  ThreadCoordinates row, column;
  FactorParts parts;
};

} // namespace

SmallVector<Value> sumOuterProducts(ImplicitLocOpBuilder &b, SharedMemory &memory, DotOp dot,
                                    ArrayRef<Value> a, ArrayRef<Value> other, ArrayRef<Value> acc) {
  const FactorFragments factors[] = {{*layoutOf(dot.getA().getType()), Values(a)},
                                     {*layoutOf(dot.getB().getType()), Values(other)}};
  return OuterProducts(b, memory, dot).sum(factors, Values(acc));
}

} // namespace eft
