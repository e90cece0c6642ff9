// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product of 256 × 256 × 256 by four warps has 2048 instructions `mma.sync` for each warp, and
// its factors need more shared memory than a program has. So it becomes a loop over parts of k.
// Each iteration writes a part of both factors to shared memory, in an order in which neighbours
// along k are neighbours in memory. Each operand word of an instruction holds neighbours along k,
// so one access reads it.
#include "compiler/lowering/gpu/LargeProducts.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/MatrixLayouts.h"
#include "compiler/layout/Placement.h"
#include "compiler/lowering/gpu/TensorCores.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace eft {

namespace {

using Values = SmallVector<Value>;

/// The most instructions of an unrolled product or part. Products whose factors are copied to
/// shared memory have fewer.
constexpr int64_t maxInstructions = 512;

int64_t registersOf(const LinearLayout &layout) {
  return int64_t(1) << layout.placeBits(place::registers);
}

/// A product, and the extent `part` of its parts along k.
struct Cut {
  explicit Cut(DotOp dot)
      : element(getElementTypeOrSelf(dot.getA().getType())), layout(*layoutOf(dot.getType())),
        depth(cast<RankedTensorType>(dot.getA().getType()).getDimSize(1)),
        tile(matrixTile(element.getIntOrFloatBitWidth(), depth)),
        tiles(registersOf(layout) / registersOf(tile.acc)), part(kOfTile()) {
    while (2 * part <= depth && bytes(2 * part) <= SharedMemory::usualBytes &&
           2 * instructions(part) <= maxInstructions)
      part *= 2;
  }

  int64_t kOfTile() const { return tile.a.shape()[1]; }
  /// The number of instructions of a thread for `k` elements along k.
  int64_t instructions(int64_t k) const { return tiles * (k / kOfTile()); }

  int64_t elementBytes() const { return element.getIntOrFloatBitWidth() / 8; }
  /// The row stride in elements: 16 bytes more than the row, so that the elements of a column are
  /// in different banks.
  int64_t stride(int64_t k) const { return k + 16 / elementBytes(); }
  int64_t bytes(int64_t k) const {
    return (layout.shape()[0] + layout.shape()[1]) * stride(k) * elementBytes();
  }

  Type element;
  LinearLayout layout;
  int64_t depth;
  MatrixTile tile;
  int64_t tiles, part;
};

/// Reads a thread's fragments of a part of a factor from shared memory, each run when it is first
/// needed.
class PartReader {
public:
  PartReader(ImplicitLocOpBuilder &b, FactorParts &parts, unsigned factor,
             const LinearLayout &layout, Type element)
      : b(b), parts(parts), factor(factor), element(element), row(b, layout, 0),
        column(b, layout, 1),
        run(std::min<int64_t>(layout.contiguousAlong("register", factor == 0 ? 1 : 0),
                              std::max<int64_t>(32 / element.getIntOrFloatBitWidth(), 1))),
        fragments(registersOf(layout)) {}

  Value fragment(unsigned number) {
    if (!fragments[number])
      readRun(number / run * run);
    return fragments[number];
  }

private:
  void readRun(unsigned first) {
    Value address = parts.pointer(b, factor, row.at(b, row.ofRegister(first)),
                                  column.at(b, column.ofRegister(first)));
    const unsigned alignment = unsigned(run) * element.getIntOrFloatBitWidth() / 8;
    Type type = run == 1 ? element : VectorType::get(run, element);
    Value whole = b.create<LLVM::LoadOp>(type, address, alignment);
    for (unsigned i = 0; i < run; ++i)
      fragments[first + i] =
          run == 1 ? whole
                   : b.create<LLVM::ExtractElementOp>(whole, b.create<arith::ConstantIntOp>(i, 32))
                         .getResult();
  }

  ImplicitLocOpBuilder &b;
  FactorParts &parts;
  unsigned factor;
  Type element;
  ThreadCoordinates row, column;
  int64_t run;
  Values fragments;
};

} // namespace

bool isLargeProduct(DotOp dot) {
  const Cut cut(dot);
  return cut.instructions(cut.depth) > maxInstructions && cut.part < cut.depth;
}

FailureOr<SmallVector<Value>> multiplyPartByPart(ImplicitLocOpBuilder &b, SharedMemory &memory,
                                                 DotOp dot, const FactorFragments (&factors)[2],
                                                 ArrayRef<Value> acc) {
  const Cut cut(dot);
  FailureOr<FactorLayouts> layouts = layoutsOfFactors(dot, cut.part);
  if (failed(layouts))
    return failure();
  const int64_t stride = cut.stride(cut.part), rows = cut.layout.shape()[0];
  FactorParts parts(memory, cut.element, cut.depth, cut.part, cut.bytes(cut.part), {{stride, 1}},
                    {{1, stride}, rows * stride});
  return parts.sum(b, factors, Values(acc), [&](Values sums) {
    PartReader readers[] = {{b, parts, 0, layouts->a, cut.element},
                            {b, parts, 1, layouts->b, cut.element}};
    auto a = [&](unsigned fragment) { return readers[0].fragment(fragment); };
    auto other = [&](unsigned fragment) { return readers[1].fragment(fragment); };
    return multiplyTiles(b, dot, *layouts, cut.part, a, other, sums);
  });
}

} // namespace eft
