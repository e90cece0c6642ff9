// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Emits one mma.sync (an intrinsic of LLVM, or PTX for 8-bit floats) for each tile of the
// accumulator and each tile along k. The instructions of all accumulator tiles for one tile along k
// follow each other: they do not depend on each other, so the tensor core is kept busy.
//
// A factor of f32 is rounded to tf32, to nearest. With the precision tf32x3, each number is split
// into a sum of two tf32 numbers, high + low. Of the four products of the parts, low·low is
// omitted, and the sums of low·high and high·low are computed separately from those of high·high.
#include "compiler/lowering/gpu/TensorCores.h"

#include "compiler/ir/LayoutConversion.h"
#include "compiler/layout/MatrixLayouts.h"
#include "compiler/layout/Placement.h"
#include "compiler/lowering/gpu/InlinePtx.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace eft {

namespace {

using Values = SmallVector<Value>;

constexpr int64_t minFloat8K = 32; // the extent along k of an instruction for 8-bit floats

/// The part of the intrinsic's name that gives the types of its operands.
StringRef typesInName(Type element) {
  if (element.isF16())
    return "f32.f32"; // of the result and of the accumulator
  if (element.isBF16())
    return "bf16";
  if (element.isF64())
    return "f64";
  return element.isF32() ? "tf32" : "s8";
}

/// Rounds f32 to tf32. Returns the bits that the tensor core reads.
Value toTf32(ImplicitLocOpBuilder &b, Value value) {
  return emitPtx(b, b.getI32Type(), value, "cvt.rna.tf32.f32 $0, $1;", "=r,f", PtxEffects::None)
      .getResult(0);
}

/// The difference between a number and its rounding to tf32; zero for an infinity.
Value lostInTf32(ImplicitLocOpBuilder &b, Value value, Value rounded) {
  Value back = b.create<arith::BitcastOp>(value.getType(), rounded);
  Value isExact = b.create<arith::CmpFOp>(arith::CmpFPredicate::OEQ, value, back);
  Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(value.getType()));
  Value lost = b.create<arith::SubFOp>(value, back);
  return b.create<arith::SelectOp>(isExact, zero, lost);
}

/// Returns `value`, a sum of low·high and high·low, or zero if it is not finite. With infinite
/// factors it is NaN, since zero times infinity is NaN.
Value finiteOrZero(ImplicitLocOpBuilder &b, Value value) {
  auto type = cast<FloatType>(value.getType());
  auto constant = [&](const llvm::APFloat &number) {
    return b.create<arith::ConstantOp>(b.getFloatAttr(type, number));
  };
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  Value magnitude = b.create<math::AbsFOp>(value);
  Value isFinite = b.create<arith::CmpFOp>(arith::CmpFPredicate::OLT, magnitude,
                                           constant(llvm::APFloat::getInf(semantics)));
  return b.create<arith::SelectOp>(isFinite, value, constant(llvm::APFloat::getZero(semantics)));
}

/// A factor's tiles, each packed where it is first used. For tf32x3, a tile also has the
/// differences that rounding loses.
class Factor {
public:
  struct Tile {
    Values words, lost;
  };

  Factor(ImplicitLocOpBuilder &b, FactorFragment fragment, const LinearLayout &tile,
         const LinearLayout &whole, Precision precision)
      : b(b), fragment(fragment), precision(precision), perTile(fragmentsOf(tile)),
        tiles(fragmentsOf(whole) / perTile) {}

  const Tile &tile(unsigned number) {
    Tile &tile = tiles[number];
    if (tile.words.empty())
      fill(tile, number * perTile);
    return tile;
  }

private:
  static unsigned fragmentsOf(const LinearLayout &layout) {
    return 1u << layout.placeBits(place::registers);
  }

  void fill(Tile &tile, unsigned first) {
    Values fragments;
    for (unsigned i = 0; i < perTile; ++i)
      fragments.push_back(fragment(first + i));
    if (!fragments.front().getType().isF32()) {
      tile.words = packWords(b, fragments);
      return;
    }
    for (Value value : fragments) {
      tile.words.push_back(toTf32(b, value));
      if (precision == Precision::Tf32x3)
        tile.lost.push_back(toTf32(b, lostInTf32(b, value, tile.words.back())));
    }
  }

  ImplicitLocOpBuilder &b;
  FactorFragment fragment;
  Precision precision;
  unsigned perTile;
  std::vector<Tile> tiles;
};

/// Emits the instruction for one tile.
class Multiplier {
public:
  Multiplier(ImplicitLocOpBuilder &b, DotOp dot, const MatrixTile &tile) : b(b) {
    auto extent = [](const LinearLayout &layout, unsigned dimension) {
      return std::to_string(layout.shape()[dimension]);
    };
    std::string shape =
        "m" + extent(tile.acc, 0) + "n" + extent(tile.acc, 1) + "k" + extent(tile.a, 1);
    if (dot.getFormatOfA()) {
      const StringRef ofA = ptxName(*dot.getFormatOfA()), ofB = ptxName(*dot.getFormatOfB());
      ptx = ("mma.sync.aligned." + shape + ".row.col.f32." + ofA + "." + ofB + ".f32 ").str();
      return;
    }
    name = "llvm.nvvm.mma." + shape + ".row.col." +
           typesInName(getElementTypeOrSelf(dot.getA())).str();
  }

  void multiply(ArrayRef<Value> a, ArrayRef<Value> other, MutableArrayRef<Value> acc) {
    auto type = LLVM::LLVMStructType::getLiteral(
        b.getContext(), SmallVector<Type>(acc.size(), acc.front().getType()));
    Values operands(a);
    llvm::append_range(operands, other);
    llvm::append_range(operands, acc);
    Value result = ptx.empty() ? b.create<LLVM::CallIntrinsicOp>(type, name, operands).getResults()
                               : multiplyFloat8(type, operands);
    for (auto [i, value] : llvm::enumerate(acc))
      value = b.create<LLVM::ExtractValueOp>(result, i);
  }

private:
  /// Emits a product of 8-bit floats, for which LLVM 19 has no intrinsics.
  Value multiplyFloat8(Type type, ValueRange operands) {
    auto code = emitPtx(b, type, operands,
                        ptx + "{$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};",
                        "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f", PtxEffects::Some);
    code->setAttr(EftDialect::convergentName, b.getUnitAttr());
    return code.getResult(0);
  }

  ImplicitLocOpBuilder &b;
  std::string name; // the name of the intrinsic
  std::string ptx;  // if not empty: the PTX instruction to use instead, without its operands
};

/// The bits of `number` at `positions`, packed into the lowest bits.
unsigned gatherBits(unsigned number, ArrayRef<unsigned> positions) {
  unsigned result = 0;
  for (auto [i, position] : llvm::enumerate(positions))
    result |= (number >> position & 1) << i;
  return result;
}

bool isLaidOut(Value block, const LinearLayout &layout) {
  return *layoutOf(block.getType()) == layout;
}

} // namespace

SmallVector<Value> packWords(ImplicitLocOpBuilder &b, ArrayRef<Value> elements) {
  Type element = elements.front().getType();
  const unsigned perWord = std::max(32 / element.getIntOrFloatBitWidth(), 1u);
  if (perWord == 1)
    return SmallVector<Value>(elements);
  Type part = element.isBF16() ? b.getI16Type() : element;
  auto vectorType = VectorType::get(perWord, part);
  SmallVector<Value> words;
  for (size_t first = 0; first < elements.size(); first += perWord) {
    Value word = b.create<LLVM::UndefOp>(vectorType);
    for (unsigned i = 0; i < perWord; ++i) {
      Value value = elements[first + i];
      if (part != element)
        value = b.create<arith::BitcastOp>(part, value);
      word = b.create<LLVM::InsertElementOp>(word, value, b.create<arith::ConstantIntOp>(i, 32));
    }
    words.push_back(element.isF16() ? word
                                    : b.create<LLVM::BitcastOp>(b.getI32Type(), word).getResult());
  }
  return words;
}

FailureOr<FactorLayouts> layoutsOfFactors(DotOp dot, int64_t k) {
  Type element = getElementTypeOrSelf(dot.getA());
  const int64_t depth = cast<RankedTensorType>(dot.getA().getType()).getDimSize(1);
  const LinearLayout acc = *layoutOf(dot.getType());
  MatrixTile tile = matrixTile(element.getIntOrFloatBitWidth(), depth);
  std::optional<FactorLayouts> whole = factorLayouts(tile, acc, depth);
  if (!whole || !isLaidOut(dot.getA(), whole->a) || !isLaidOut(dot.getB(), whole->b))
    return dot.emitOpError("has operands in other layouts than those of a tensor core's tiles");
  if (dot.getFormatOfA() && (ptxName(*dot.getFormatOfA()).empty() ||
                             ptxName(*dot.getFormatOfB()).empty() || k < minFloat8K))
    return dot.emitOpError("has no lowering on this target; run eft-expand-float8 first");
  return k == depth ? *whole : *factorLayouts(tile, acc, k);
}

SmallVector<Value> multiplyTiles(ImplicitLocOpBuilder &b, DotOp dot, const FactorLayouts &layouts,
                                 int64_t k, FactorFragment a, FactorFragment other,
                                 ArrayRef<Value> acc) {
  MatrixTile tile = matrixTile(getElementTypeOrSelf(dot.getA()).getIntOrFloatBitWidth(), k);
  Factor left(b, a, tile.a, layouts.a, dot.getPrecision());
  Factor right(b, other, tile.b, layouts.b, dot.getPrecision());
  Multiplier multiplier(b, dot, tile);
  const unsigned tilesOfK = k / tile.a.shape()[1];
  const unsigned rows = 1u << layouts.rowBits.size(), columns = 1u << layouts.columnBits.size();
  Values result(acc);
  const size_t perTile = result.size() / (rows * columns);
  auto addProducts = [&](Values &sums, Values Factor::Tile::*x, Values Factor::Tile::*y) {
    for (unsigned step = 0; step < tilesOfK; ++step)
      for (unsigned number = 0; number < rows * columns; ++number) {
        unsigned row = gatherBits(number, layouts.rowBits) * tilesOfK + step;
        unsigned column = gatherBits(number, layouts.columnBits) * tilesOfK + step;
        multiplier.multiply(left.tile(row).*x, right.tile(column).*y,
                            MutableArrayRef(sums).slice(number * perTile, perTile));
      }
  };
  constexpr auto words = &Factor::Tile::words, lostWords = &Factor::Tile::lost;
  if (dot.getPrecision() == Precision::Tf32x3) {
    Value zero = b.create<arith::ConstantOp>(b.getZeroAttr(result.front().getType()));
    Values lost(result.size(), zero);
    addProducts(lost, lostWords, words);
    addProducts(lost, words, lostWords);
    for (auto [sum, correction] : llvm::zip_equal(result, lost))
      sum = b.create<arith::AddFOp>(sum, finiteOrZero(b, correction));
  }
  addProducts(result, words, words);
  return result;
}

} // namespace eft
