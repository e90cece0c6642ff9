// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All threads write the factors to shared memory. Then each walks over k, reads the factors'
// elements in its rows and in its columns, and adds all products of the two to its part of the
// accumulator:
//
//     for k
//       for each row and column of the thread
//         acc[row, column] += a[row, k] × b[k, column]
//
// That is a loop, so the code has the size of a thread's part of the accumulator. Factors that
// don't fit into the usual shared memory go in several rounds, a part of k in each.
#include "compiler/lowering/gpu/OuterProducts.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/lowering/LinearCode.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {

namespace {

using Values = SmallVector<Value>;

constexpr int64_t elementBytes = 4;
/// Enough products in a turn of the loop to hide its own instructions.
constexpr int64_t productsOfTurn = 64;

Value constant(ImplicitLocOpBuilder &b, int64_t value) {
  return b.create<arith::ConstantIntOp>(value, 32);
}

/// Coordinates along one block dimension: what the thread adds at run time, and what each register
/// adds to it.
struct ThreadCoordinates {
  ThreadCoordinates(ImplicitLocOpBuilder &b, const LinearLayout &layout, unsigned dimension)
      : registers(imagesOf(layout, "register", dimension)) {
    SmallVector<int64_t> images = imagesOf(layout, "lane", dimension);
    images.append(imagesOf(layout, "warp", dimension));
    ofThread = emitLinearMap(b, b.create<NVVM::ThreadIdXOp>(b.getI32Type()), images);
  }

  int64_t ofRegister(unsigned number) const {
    int64_t coordinate = 0;
    for (auto [bit, image] : llvm::enumerate(registers))
      coordinate ^= (number >> bit & 1) ? image : 0;
    return coordinate;
  }

  Value at(ImplicitLocOpBuilder &b, int64_t ofRegister) const {
    return b.create<arith::XOrIOp>(ofThread, constant(b, ofRegister));
  }

  SmallVector<int64_t> registers;
  Value ofThread;
};

class OuterProducts {
public:
  OuterProducts(ImplicitLocOpBuilder &b, SharedMemory &memory, DotOp dot)
      : b(b), memory(memory), element(getElementTypeOrSelf(dot.getType())),
        layoutA(*layoutOf(dot.getA().getType())), layoutB(*layoutOf(dot.getB().getType())),
        layout(*layoutOf(dot.getType())), rows(layout.shape()[0]), columns(layout.shape()[1]),
        depth(layoutA.shape()[1]), part(depth) {
    while (part > 1 && bytes() > SharedMemory::usualBytes)
      part /= 2;
  }

  Values sum(ArrayRef<Value> a, ArrayRef<Value> other, Values acc) {
    ThreadCoordinates row(b, layout, 0), column(b, layout, 1);
    for (int64_t first = 0; first < depth; first += part) {
      memory.beginWriting(b);
      write(a, layoutA, /*isFirst=*/true, first);
      write(other, layoutB, /*isFirst=*/false, first);
      memory.beginReading(b);
      acc = sumPart(row, column, acc);
    }
    return acc;
  }

private:
  // A row of the first factor has an odd number of elements, so that a column's lie in different
  // banks. The second factor's rows are read four elements at a time.
  int64_t strideA() const { return part + 1; }
  int64_t strideB() const { return columns + 4; }
  int64_t startOfB() const { return llvm::alignTo(rows * strideA(), 4); }
  int64_t bytes() const { return (startOfB() + part * strideB()) * elementBytes; }

  Value pointer(Value number, int64_t offset) {
    Value start = memory.buffer(b, unsigned(bytes()));
    Value all = b.create<arith::AddIOp>(number, constant(b, offset));
    return b.create<LLVM::GEPOp>(start.getType(), element, start, ValueRange{all});
  }

  /// The number of element (i, j) of a factor in shared memory.
  Value numberOf(bool isFirst, Value i, Value j) {
    Value stride = constant(b, isFirst ? strideA() : strideB());
    return b.create<arith::AddIOp>(b.create<arith::MulIOp>(i, stride), j);
  }

  /// Writes what a thread has of columns (of the second factor, rows) `first` to `first + part`.
  /// Threads with copies write the same.
  void write(ArrayRef<Value> fragments, const LinearLayout &from, bool isFirst, int64_t first) {
    ThreadCoordinates row(b, from, 0), column(b, from, 1);
    for (auto [number, fragment] : llvm::enumerate(fragments)) {
      Value i = row.at(b, row.ofRegister(number)), j = column.at(b, column.ofRegister(number));
      Value &k = isFirst ? j : i;
      OpBuilder::InsertionGuard guard(b);
      if (part < depth) {
        Value round = b.create<arith::AndIOp>(k, constant(b, ~(part - 1)));
        Value isInPart =
            b.create<arith::CmpIOp>(arith::CmpIPredicate::eq, round, constant(b, first));
        b.setInsertionPointToStart(b.create<scf::IfOp>(isInPart).thenBlock());
        k = b.create<arith::AndIOp>(k, constant(b, part - 1));
      }
      b.create<LLVM::StoreOp>(fragment, pointer(numberOf(isFirst, i, j), isFirst ? 0 : startOfB()),
                              unsigned(elementBytes));
    }
  }

  Values sumPart(const ThreadCoordinates &row, const ThreadCoordinates &column, Values acc) {
    int64_t turn = 1;
    while (turn < part && turn * int64_t(acc.size()) < productsOfTurn)
      turn *= 2;
    auto loop = b.create<scf::ForOp>(constant(b, 0), constant(b, part), constant(b, turn), acc);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values sums(loop.getRegionIterArgs());
    for (int64_t step = 0; step < turn; ++step)
      addProducts(row, column, b.create<arith::AddIOp>(loop.getInductionVar(), constant(b, step)),
                  sums);
    b.create<scf::YieldOp>(sums);
    return Values(loop.getResults());
  }

  void addProducts(const ThreadCoordinates &row, const ThreadCoordinates &column, Value k,
                   Values &sums) {
    llvm::DenseMap<int64_t, Value> left, right;
    for (auto [number, sum] : llvm::enumerate(sums)) {
      int64_t i = row.ofRegister(number), j = column.ofRegister(number);
      Value &x = left[i], &y = right[j];
      if (!x)
        x = b.create<LLVM::LoadOp>(element, pointer(numberOf(true, row.at(b, i), k), 0),
                                   unsigned(elementBytes));
      if (!y)
        readColumns(column, k, j, right);
      sum = multiplyAdd(x, right[j], sum);
    }
  }

  /// Reads the second factor's elements in the columns that lie beside column `j` of the thread.
  void readColumns(const ThreadCoordinates &column, Value k, int64_t j,
                   llvm::DenseMap<int64_t, Value> &values) {
    const int64_t run = std::min<int64_t>(layout.contiguousAlong("register", 1), 4);
    const int64_t first = j & ~(run - 1);
    Value start = pointer(numberOf(false, k, column.at(b, first)), startOfB());
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
  SharedMemory &memory;
  Type element;
  LinearLayout layoutA, layoutB, layout;
  int64_t rows, columns, depth;
  int64_t part; // of k, in one round
};

} // namespace

SmallVector<Value> sumOuterProducts(ImplicitLocOpBuilder &b, SharedMemory &memory, DotOp dot,
                                    ArrayRef<Value> a, ArrayRef<Value> other, ArrayRef<Value> acc) {
  return OuterProducts(b, memory, dot).sum(a, other, Values(acc));
}

} // namespace eft
