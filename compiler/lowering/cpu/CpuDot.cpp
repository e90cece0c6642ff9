// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Matrix products on a CPU.
//
// The factors and the accumulator lie on the stack. A tile of the accumulator, several rows high
// and two vectors wide, is held in registers for all of k:
//
//     for each two vectors of columns
//       copy these two vectors of b[k, …], for all k, to contiguous memory
//       for each tile in these columns
//         for k
//           for each row of the tile
//             row += a[row, k] (in every lane) × the two vectors of b[k, …]
//
// All tiles in the same columns read the same copies. The copies are contiguous, so they spread
// over all sets of the first-level cache. In b itself, rows are a power of two apart in memory, so
// all of them would compete for a few sets of the cache. A product of fewer than 32 rows, or of no
// more columns than one tile has, makes no copies and reads b itself.
//
// Whatever the size of the block, the code computes one tile, and a lower tile for the rows that
// are left. Every element is one chain of fused multiply-adds, with k ascending, that begins with
// the accumulator.
#include "compiler/lowering/cpu/CpuLowering.h"
#include "compiler/lowering/cpu/StackBlock.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace eft {

namespace {

/// With fewer rows, copying the second factor costs more than it saves.
constexpr int64_t minRowsOfPanel = 32;

class DotLoops {
public:
  DotLoops(ImplicitLocOpBuilder &b, StackMatrix a, StackMatrix other, StackMatrix acc,
           ArrayRef<int64_t> extents, unsigned vectorBits)
      : b(b), a(a), other(other), acc(acc), rows(extents[0]), columns(extents[1]),
        depth(extents[2]),
        type(VectorType::get(
            std::min<int64_t>(vectorBits / acc.element.getIntOrFloatBitWidth(), columns),
            acc.element)),
        // With 32 registers, a tile of 8 rows takes half of them: enough independent chains to hide
        // the latency of a multiply-add. With 16 registers, a tile of 6 rows takes twelve; the
        // second factor takes two more, and the first factor takes one. With fewer rows, loads of
        // factors would take as long as the products.
        tileRows(std::min<int64_t>(vectorBits >= 512 ? 8 : 6, rows)),
        tileVectors(std::min<int64_t>(2, columns / type.getNumElements())) {}

  void emit() {
    if (other.strides[1] != 1)
      layOutByRows();
    const int64_t tileColumns = tileVectors * type.getNumElements();
    const int64_t panelShape[] = {depth, tileColumns};
    if (columns > tileColumns && rows >= minRowsOfPanel)
      panel = StackBlock(b, panelShape, other.element, 1).matrix();
    loop(columns, tileColumns, [&](Value column) {
      if (panel)
        fillPanel(column);
      emitTiles(column);
    });
  }

private:
  using Tile = SmallVector<Value>;

  Value constant(int64_t value) { return b.create<arith::ConstantIntOp>(value, 64); }

  Value add(Value number, int64_t offset) {
    return offset == 0 ? number : b.create<arith::AddIOp>(number, constant(offset)).getResult();
  }

  void loop(int64_t end, int64_t step, llvm::function_ref<void(Value)> body) {
    auto loop = b.create<scf::ForOp>(constant(0), constant(end), constant(step));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    body(loop.getInductionVar());
  }

  /// Emits the tiles of all rows. The last one may be lower than the others.
  void emitTiles(Value column) {
    const int64_t rest = rows % tileRows;
    loop(rows - rest, tileRows, [&](Value row) { emitTile(row, tileRows, column); });
    if (rest != 0)
      emitTile(constant(rows - rest), rest, column);
  }

  /// The address of element (row + i, column + j).
  Value address(const StackMatrix &matrix, Value row, int64_t i, Value column, int64_t j) {
    Value down = b.create<arith::MulIOp>(row, constant(matrix.strides[0]));
    Value across = b.create<arith::MulIOp>(column, constant(matrix.strides[1]));
    Value number = b.create<arith::AddIOp>(down, across);
    number = add(number, i * matrix.strides[0] + j * matrix.strides[1]);
    return b.create<LLVM::GEPOp>(matrix.memory.getType(), matrix.element, matrix.memory,
                                 LLVM::GEPArg(number));
  }

  Value vectorAt(const StackMatrix &matrix, Value row, int64_t i, Value column, unsigned vector) {
    return address(matrix, row, i, column, int64_t(vector) * type.getNumElements());
  }

  /// Copies the second factor into row-major order. The product reads its elements once for each
  /// row of tiles, so the copy pays. The code copies one square after another: it loads as many
  /// vectors as a vector has lanes, transposes them and stores them.
  void layOutByRows() {
    const int64_t extents[] = {depth, columns}, lanes = type.getNumElements();
    const unsigned bytes = type.getElementTypeBitWidth() / 8;
    StackMatrix byRows = StackBlock(b, extents, other.element, 1).matrix();
    loop(columns, lanes, [&](Value column) {
      loop(depth, lanes, [&](Value k) {
        Tile square;
        for (int64_t i = 0; i < lanes; ++i)
          square.push_back(b.create<LLVM::LoadOp>(type, address(other, k, 0, column, i), bytes));
        transpose(square);
        for (int64_t i = 0; i < lanes; ++i)
          b.create<LLVM::StoreOp>(square[i], address(byRows, k, i, column, 0), bytes);
      });
    });
    other = byRows;
  }

  /// Copies the part of the second factor in a tile's columns to the panel.
  void fillPanel(Value column) {
    const unsigned bytes = type.getElementTypeBitWidth() / 8;
    loop(depth, 1, [&](Value k) {
      for (unsigned vector = 0; vector < tileVectors; ++vector) {
        Value copied = b.create<LLVM::LoadOp>(type, vectorAt(other, k, 0, column, vector), bytes);
        b.create<LLVM::StoreOp>(copied, vectorAt(*panel, k, 0, constant(0), vector), bytes);
      }
    });
  }

  /// Transposes a square: vector i gets lane i of every vector. For each bit, two vectors whose
  /// numbers differ in the bit exchange elements. The vector without the bit gives its lanes with
  /// the bit, and gets the other vector's lanes without the bit.
  void transpose(Tile &square) {
    const int64_t lanes = square.size();
    for (int64_t bit = 1; bit < lanes; bit *= 2) {
      SmallVector<int64_t> even, odd;
      for (int64_t lane = 0; lane < lanes; ++lane) {
        even.push_back(lane & bit ? lanes + lane - bit : lane);
        odd.push_back(lane & bit ? lanes + lane : lane + bit);
      }
      for (int64_t i = 0; i < lanes; ++i) {
        if (i & bit)
          continue;
        Value first = square[i], second = square[i + bit];
        square[i] = b.create<vector::ShuffleOp>(first, second, even);
        square[i + bit] = b.create<vector::ShuffleOp>(first, second, odd);
      }
    }
  }

  void emitTile(Value row, int64_t height, Value column) {
    const unsigned bytes = type.getElementTypeBitWidth() / 8;
    Tile tile;
    for (int64_t i = 0; i < height; ++i)
      for (unsigned vector = 0; vector < tileVectors; ++vector)
        tile.push_back(b.create<LLVM::LoadOp>(type, vectorAt(acc, row, i, column, vector), bytes));
    auto sum = b.create<scf::ForOp>(constant(0), constant(depth), constant(1), tile);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(sum.getBody());
      b.create<scf::YieldOp>(
          emitStep(row, height, column, sum.getInductionVar(), sum.getRegionIterArgs()));
    }
    for (int64_t i = 0; i < height; ++i)
      for (unsigned vector = 0; vector < tileVectors; ++vector)
        b.create<LLVM::StoreOp>(sum.getResult(i * tileVectors + vector),
                                vectorAt(acc, row, i, column, vector), bytes);
  }

  /// Emits one iteration over k: returns the tile with the products of this k added.
  Tile emitStep(Value row, int64_t height, Value column, Value k, ValueRange tile) {
    const unsigned bytes = type.getElementTypeBitWidth() / 8;
    SmallVector<Value, 2> vectors;
    for (unsigned vector = 0; vector < tileVectors; ++vector)
      vectors.push_back(b.create<LLVM::LoadOp>(type,
                                               panel ? vectorAt(*panel, k, 0, constant(0), vector)
                                                     : vectorAt(other, k, 0, column, vector),
                                               bytes));
    Tile result;
    for (int64_t i = 0; i < height; ++i) {
      Value scalar = b.create<LLVM::LoadOp>(type.getElementType(), address(a, row, i, k, 0), bytes);
      Value factor = b.create<vector::SplatOp>(type, scalar);
      for (Value vector : vectors)
        result.push_back(multiplyAdd(factor, vector, tile[result.size()]));
    }
    return result;
  }

  Value multiplyAdd(Value x, Value y, Value sum) {
    if (isa<FloatType>(type.getElementType()))
      return b.create<math::FmaOp>(x, y, sum);
    return b.create<arith::AddIOp>(b.create<arith::MulIOp>(x, y), sum);
  }

  ImplicitLocOpBuilder &b;
  StackMatrix a, other, acc;
  int64_t rows, columns, depth;
  VectorType type;
  int64_t tileRows;
  unsigned tileVectors;
  std::optional<StackMatrix> panel; // the copy of the second factor in a tile's columns
};

/// The dimension along which more lanes are neighbours; `preferred` if both have the same number.
unsigned fastestDimension(const LinearLayout &layout, unsigned preferred) {
  const unsigned another = 1 - preferred;
  bool isBetter =
      layout.contiguousAlong("lane", another) > layout.contiguousAlong("lane", preferred);
  return isBetter ? another : preferred;
}

LogicalResult lowerDot(CpuLowering &lowering, ImplicitLocOpBuilder &b, DotOp dot) {
  Type element = getElementTypeOrSelf(dot.getType());
  if (getElementTypeOrSelf(dot.getA()) != element)
    return dot.emitOpError("must have factors of its accumulator's type on a CPU; run "
                           "eft-widen-dot first, got ")
           << dot.getA().getType();
  auto shapeOf = [](Value value) { return cast<RankedTensorType>(value.getType()).getShape(); };
  LinearLayout layoutA = *layoutOf(dot.getA().getType());
  // The loops read single elements of the first factor, so it may lie in any order.
  StackBlock a(b, shapeOf(dot.getA()), element, fastestDimension(layoutA, 0));
  StackBlock other(b, shapeOf(dot.getB()), element, 1), acc(b, shapeOf(dot), element, 1);
  a.store(lowering.fragmentsOf(dot.getA()), layoutA);
  other.store(lowering.fragmentsOf(dot.getB()), *layoutOf(dot.getB().getType()));
  acc.store(lowering.fragmentsOf(dot.getAcc()), *layoutOf(dot.getType()));
  const int64_t extents[] = {shapeOf(dot)[0], shapeOf(dot)[1], shapeOf(dot.getA())[1]};
  DotLoops(b, a.matrix(), other.matrix(), acc.matrix(), extents, lowering.vectorBits).emit();
  lowering.setFragments(dot, acc.load(*layoutOf(dot.getType())));
  return success();
}

LogicalResult lowerDotInto(CpuLowering &lowering, ImplicitLocOpBuilder &b, DotIntoOp dot) {
  auto blockOf = [](Value buffer) { return cast<BufferType>(buffer.getType()).getBlock(); };
  SmallVector<StackMatrix> matrices;
  for (Value buffer : dot->getOperands()) {
    auto strides = plainStrides(*layoutOf(blockOf(buffer)));
    if (!strides)
      return dot.emitOpError("can't multiply a buffer in this order, got ") << buffer.getType();
    matrices.push_back({lowering.scalarOf(buffer), blockOf(buffer).getElementType(), *strides});
  }
  ArrayRef<int64_t> shape = blockOf(dot.getAcc()).getShape();
  const int64_t depth = blockOf(dot.getA()).getDimSize(1);
  auto [first, second, acc] = std::tie(matrices[0], matrices[1], matrices[2]);
  if (acc.strides[1] == 1)
    DotLoops(b, first, second, acc, {shape[0], shape[1], depth}, lowering.vectorBits).emit();
  else // a column of the accumulator is a row of the transposed product
    DotLoops(b, second.transposed(), first.transposed(), acc.transposed(),
             {shape[1], shape[0], depth}, lowering.vectorBits)
        .emit();
  return success();
}

} // namespace

void populateCpuDotLowerings(LoweringTable &table) {
  table.add(lowerDot);
  table.add(lowerDotInto);
}

} // namespace eft
