// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// eft-tile-scans: loops over the tiles of blocks that are scanned or sorted.
//
// Scans and sorts are networks with levels for the bits of the index along the axis. The lower bits
// lie inside a tile: a scan or sort of the tile does their levels. The levels of the higher bits
// combine or compare whole tiles.
#include "compiler/lowering/Passes.h"

#include "compiler/layout/Placement.h"
#include "compiler/lowering/CountedLoop.h"
#include "compiler/lowering/buffers/WholeBuffers.h"
#include "compiler/lowering/tiling/AxisTiles.h"
#include "compiler/transforms/ApplyOnce.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace eft {
#define GEN_PASS_DEF_TILESCANS
#include "compiler/lowering/Passes.h.inc"

namespace {

constexpr unsigned wordBits = 32;

/// The most bits of a tile's number for which one loop does the compare-exchanges. It holds
/// 2^bitsAtOnce tiles at a time.
constexpr unsigned bitsAtOnce = 2;

/// Makes the loops of one operation.
class AxisLoops {
protected:
  AxisLoops(ImplicitLocOpBuilder &b, AxisTiles tiles) : b(b), tiles(std::move(tiles)) {}

  Value constant(int64_t value) { return b.create<arith::ConstantIntOp>(value, wordBits); }

  /// Emits a loop over all numbers in which only bits of `bits` are set.
  void forNumbers(ArrayRef<unsigned> bits, function_ref<void(Value)> body) {
    if (bits.empty())
      return body(constant(0));
    emitLoop(b, 0, int64_t(1) << bits.size(), 1,
             [&](Value count) { body(spreadBits(b, count, bits)); });
  }

  void forTiles(function_ref<void(Value)> body) {
    emitLoop(b, 0, int64_t(1) << tiles.numberBits, 1, body);
  }

  /// The bits of a tile's number that are not among `bits`.
  SmallVector<unsigned> bitsWithout(ArrayRef<unsigned> bits) const {
    SmallVector<unsigned> others;
    for (unsigned bit = 0; bit < tiles.numberBits; ++bit)
      if (!llvm::is_contained(bits, bit))
        others.push_back(bit);
    return others;
  }

  Value with(Value number, ArrayRef<unsigned> bits) {
    int64_t mask = 0;
    for (unsigned bit : bits)
      mask |= int64_t(1) << bit;
    return b.createOrFold<arith::OrIOp>(number, constant(mask));
  }

  ImplicitLocOpBuilder &b;
  const AxisTiles tiles;
};

class SortLoops : AxisLoops {
public:
  SortLoops(ImplicitLocOpBuilder &b, SortOp sort, Value buffer, AxisTiles tilesOfBlock)
      : AxisLoops(b, std::move(tilesOfBlock)), sort(sort), buffer(buffer, tiles) {}

  void emit() {
    const unsigned inTile = tiles.indexBits(), first = sort.getFirst(), last = sort.getLast();
    if (first <= inTile)
      forTiles([&](Value number) {
        Value tile = buffer.read(b, number);
        if (first < inTile)
          tile = sorted(tile, first, std::min(last, inTile - 1), sort.getDescending());
        if (last >= inTile)
          tile = merged(tile, number, inTile);
        buffer.write(b, tile, number);
      });
    for (unsigned stage = std::max(first, inTile + 1); stage <= last; ++stage) {
      for (unsigned end = stage - inTile; end > 0;) {
        const unsigned count = std::min(end, bitsAtOnce);
        SmallVector<unsigned> bits(llvm::reverse(ArrayRef(tiles.along).slice(end - count, count)));
        exchange(bits, stage);
        end -= count;
      }
      if (inTile > 0)
        forTiles([&](Value number) {
          buffer.write(b, merged(buffer.read(b, number), number, stage), number);
        });
    }
  }

private:
  Value sorted(Value tile, unsigned first, unsigned last, bool descending) {
    return b.create<SortOp>(tile, sort.getAxis(), first, last, descending, sort.getIsUnsigned());
  }

  /// Does the last part of a stage, inside a tile. The elements of the tile rise and then fall, so
  /// one stage sorts them. For a run that is to fall, all bits of the elements are inverted before
  /// and after: that reverses the order of integers.
  Value merged(Value tile, Value number, unsigned stage) {
    const unsigned inTile = tiles.indexBits();
    Value falls = fallsAt(number, stage);
    if (!falls)
      return sorted(tile, inTile, inTile, sort.getDescending());
    Type element = getElementTypeOrSelf(tile);
    Value ones = b.create<SplatOp>(tile.getType(), b.create<arith::ExtSIOp>(element, falls));
    tile = sorted(b.create<arith::XOrIOp>(tile, ones), inTile, inTile, /*descending=*/false);
    return b.create<arith::XOrIOp>(tile, ones);
  }

  /// Does the compare-exchanges of tiles whose numbers differ in one of the bits `bits`, in the
  /// order of `bits`.
  void exchange(ArrayRef<unsigned> bits, unsigned stage) {
    forNumbers(bitsWithout(bits), [&](Value first) {
      Value falls = fallsAt(first, stage);
      SmallVector<Value> numbers = {first};
      for (unsigned bit : llvm::reverse(bits))
        for (size_t count = numbers.size(), i = 0; i < count; ++i)
          numbers.push_back(with(numbers[i], bit));
      SmallVector<Value> all;
      for (Value number : numbers)
        all.push_back(buffer.read(b, number));
      for (size_t distance = numbers.size() / 2; distance > 0; distance /= 2)
        for (size_t i = 0; i < numbers.size(); ++i)
          if ((i & distance) == 0)
            order(all[i], all[i + distance], falls);
      for (auto [tile, number] : llvm::zip_equal(all, numbers))
        buffer.write(b, tile, number);
    });
  }

  /// Puts the smaller elements into the first tile and the larger ones into the second. Does the
  /// opposite where `falls` is true, or, if `falls` is null, for a descending sort.
  void order(Value &first, Value &second, Value falls) {
    Value less, more;
    if (sort.getIsUnsigned()) {
      less = b.create<arith::MinUIOp>(first, second);
      more = b.create<arith::MaxUIOp>(first, second);
    } else {
      less = b.create<arith::MinSIOp>(first, second);
      more = b.create<arith::MaxSIOp>(first, second);
    }
    if (!falls) {
      first = sort.getDescending() ? more : less;
      second = sort.getDescending() ? less : more;
      return;
    }
    first = b.create<arith::SelectOp>(falls, more, less);
    second = b.create<arith::SelectOp>(falls, less, more);
  }

  /// Emits the condition that a stage sorts the run of a tile in descending order: a test of one
  /// bit of the tile's number. Null for the last stage, in which the axis is one run.
  Value fallsAt(Value number, unsigned stage) {
    const unsigned index = stage - tiles.indexBits();
    if (index == tiles.along.size())
      return {};
    Value bit = b.create<arith::AndIOp>(number, constant(int64_t(1) << tiles.along[index]));
    return b.create<arith::CmpIOp>(sort.getDescending() ? arith::CmpIPredicate::eq
                                                        : arith::CmpIPredicate::ne,
                                   bit, constant(0));
  }

  SortOp sort;
  TiledBuffer buffer;
};

class ScanLoops : AxisLoops {
public:
  ScanLoops(ImplicitLocOpBuilder &b, ScanOp scan, ArrayRef<Value> allBuffers,
            AxisTiles tilesOfBlock)
      : AxisLoops(b, std::move(tilesOfBlock)), scan(scan) {
    for (Value buffer : allBuffers)
      buffers.emplace_back(buffer, tiles);
  }

  /// Scans the tiles along the axis one after the other. For each level i above a tile, the loop
  /// carries the last elements of a sequence of 2^i scanned tiles. If bit i of a tile's position is
  /// set, level i combines the tile with these elements. If bit i is not set but all lower bits
  /// are, the tile is the last of such a sequence, and its last elements are carried on for level
  /// i.
  void emit() {
    forNumbers(bitsWithout(tiles.along), [&](Value others) {
      const int64_t count = int64_t(1) << tiles.along.size();
      auto loop = b.create<scf::ForOp>(constant(0), constant(count), constant(1), zeroCarries());
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(loop.getBody());
      Value position = loop.getInductionVar();
      Value along = position;
      if (scan.getReverse())
        along = b.create<arith::SubIOp>(constant(count - 1), position);
      Value number = b.create<arith::OrIOp>(others, spreadBits(b, along, tiles.along));
      SmallVector<Value> carries(loop.getRegionIterArgs());
      write(scanTile(number, position, carries), number);
      if (!carries.empty()) // else the loop has its terminator
        b.create<scf::YieldOp>(carries);
    });
  }

private:
  /// The blocks of a tile's last elements, of extent 1 along the axis.
  SmallVector<Type> lastTypes() {
    SmallVector<Type> types;
    for (TiledBuffer &buffer : buffers)
      types.push_back(withoutCopies(
          withLayout(RankedTensorType::get(lastShape(), buffer.elementType()), lastLayout()),
          tiles.dimension.name));
    return types;
  }
  SmallVector<int64_t> lastShape() const {
    SmallVector<int64_t> shape(tiles.type.getShape());
    shape[tiles.axis] = 1;
    return shape;
  }
  LinearLayout lastLayout() const { return layoutOf(tiles.type)->collapse(tiles.axis); }

  /// The initial values of the last elements that the loop carries for each level. Nothing reads
  /// them before they are set.
  SmallVector<Value> zeroCarries() {
    SmallVector<Value> carries;
    for (Type type : lastTypes()) {
      Type element = getElementTypeOrSelf(type);
      Value zero = b.create<arith::ConstantOp>(
          DenseElementsAttr::get(cast<ShapedType>(type), b.getZeroAttr(element)));
      carries.append(tiles.along.size(), zero);
    }
    // The levels come first, the sources second.
    SmallVector<Value> byLevel;
    for (size_t level = 0; level < tiles.along.size(); ++level)
      for (size_t source = 0; source < buffers.size(); ++source)
        byLevel.push_back(carries[source * tiles.along.size() + level]);
    return byLevel;
  }

  /// Returns the scanned tile, after all levels. Sets `carries` at the levels at which the tile is
  /// the last of 2^level tiles.
  SmallVector<Value> scanTile(Value number, Value position, MutableArrayRef<Value> carries) {
    SmallVector<Value> own = read(number);
    if (tiles.indexBits() > 0) {
      auto inTile =
          b.create<ScanOp>(ValueRange(own).getTypes(), own, scan.getAxis(), scan.getReverse());
      cloneCombine(inTile.getCombine());
      own = inTile.getResults();
    }
    SmallVector<Value> last = lastOf(own);
    const size_t sources = buffers.size();
    for (size_t level = 0; level < tiles.along.size(); ++level) {
      MutableArrayRef<Value> carry = carries.slice(level * sources, sources);
      Value receives = isSet(position, int64_t(1) << level, int64_t(1) << level);
      const int64_t upTo = (int64_t(2) << level) - 1;
      Value isLast = isSet(position, upTo, upTo >> 1);
      for (auto [before, now] : llvm::zip_equal(carry, last))
        before = b.create<arith::SelectOp>(isLast, now, before);
      SmallVector<Value> both = own;
      llvm::append_range(both, last);
      auto choice = b.create<scf::IfOp>(ValueRange(both).getTypes(), receives,
                                        /*withElseRegion=*/true);
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(choice.elseBlock());
      b.create<scf::YieldOp>(both);
      b.setInsertionPointToStart(choice.thenBlock());
      SmallVector<Value> combined = combine(spreadOverTile(carry), own);
      llvm::append_range(combined, combine(carry, last));
      b.create<scf::YieldOp>(combined);
      own = choice.getResults().take_front(sources);
      last = choice.getResults().drop_front(sources);
    }
    return own;
  }

  /// Emits the condition (number & mask) == bits.
  Value isSet(Value number, int64_t mask, int64_t bits) {
    return b.create<arith::CmpIOp>(arith::CmpIPredicate::eq,
                                   b.create<arith::AndIOp>(number, constant(mask)), constant(bits));
  }

  SmallVector<Value> combine(ArrayRef<Value> lower, ArrayRef<Value> higher) {
    SmallVector<Value> both(lower);
    llvm::append_range(both, higher);
    auto combined = b.create<CombineOp>(ValueRange(lower).getTypes(), both);
    cloneCombine(combined.getCombine());
    return combined.getResults();
  }

  /// The last elements along the axis of a tile.
  SmallVector<Value> lastOf(ArrayRef<Value> parts) {
    SmallVector<Value> lasts(parts);
    if (tiles.indexBits() > 0) {
      SmallVector<int64_t> shape(tiles.type.getShape());
      shape.erase(shape.begin() + tiles.axis);
      SmallVector<Type> types;
      for (Value part : parts) {
        Type element = getElementTypeOrSelf(part);
        types.push_back(shape.empty() ? element
                                      : withLayout(RankedTensorType::get(shape, element),
                                                   layoutOf(tiles.type)->slice(tiles.axis)));
      }
      // The reduction's function returns the later of two elements. Its result is the last element
      // in every order of combining, as long as the first argument comes from the lower index.
      auto reduce = b.create<ReduceOp>(types, parts, tiles.axis, /*order_free=*/false,
                                       /*steps=*/IntegerAttr(), /*tree=*/DenseI32ArrayAttr());
      setOrder(reduce, cheapestOrder(*layoutOf(tiles.type), tiles.axis));
      OpBuilder::InsertionGuard guard(b);
      Block *body = b.createBlock(&reduce.getCombine());
      for (unsigned side = 0; side < 2; ++side)
        for (Value part : parts)
          body->addArgument(getElementTypeOrSelf(part), b.getLoc());
      ValueRange arguments = body->getArguments();
      b.create<YieldOp>(scan.getReverse() ? arguments.take_front(parts.size())
                                          : arguments.drop_front(parts.size()));
      lasts.assign(reduce.result_begin(), reduce.result_end());
    }
    for (auto [last, type] : llvm::zip_equal(lasts, lastTypes()))
      last = withAxis(last, cast<RankedTensorType>(type));
    return lasts;
  }

  /// The result of the reduction as a block of the given type.
  Value withAxis(Value last, RankedTensorType type) {
    auto block = dyn_cast<RankedTensorType>(last.getType());
    if (!block)
      return b.create<SplatOp>(type, last);
    if (block.getRank() != type.getRank())
      last = b.create<ExpandDimsOp>(
          withLayout(RankedTensorType::get(lastShape(), block.getElementType()), lastLayout()),
          last, tiles.axis);
    return b.createOrFold<ConvertLayoutOp>(type, last);
  }

  SmallVector<Value> spreadOverTile(ArrayRef<Value> lasts) {
    SmallVector<Value> spread;
    for (Value last : lasts) {
      Type element = getElementTypeOrSelf(last);
      Value withCopies = b.createOrFold<ConvertLayoutOp>(
          withLayout(RankedTensorType::get(lastShape(), element), lastLayout()), last);
      spread.push_back(
          b.createOrFold<BroadcastOp>(withElementType(tiles.type, element), withCopies));
    }
    return spread;
  }

  void cloneCombine(Region &region) {
    IRMapping mapping;
    scan.getCombine().cloneInto(&region, mapping);
  }

  SmallVector<Value> read(Value number) {
    SmallVector<Value> parts;
    for (TiledBuffer &buffer : buffers)
      parts.push_back(buffer.read(b, number));
    return parts;
  }

  void write(ValueRange parts, Value number) {
    for (auto [buffer, part] : llvm::zip_equal(buffers, parts))
      buffer.write(b, part, number);
  }

  ScanOp scan;
  SmallVector<TiledBuffer> buffers;
};

/// The buffers of a function, which its scans and sorts share: a scan or sort needs its buffers
/// only while it runs.
class Buffers {
public:
  /// Writes blocks, which have one layout, into buffers in front of `op`. Returns the buffers, one
  /// for each block.
  SmallVector<Value> holding(ImplicitLocOpBuilder &b, Operation *op, ValueRange blocks) {
    SmallVector<Value> buffers;
    for (Value block : blocks) {
      auto type = cast<RankedTensorType>(block.getType());
      SmallVector<Value> &ofType = all[type];
      auto *free =
          llvm::find_if(ofType, [&](Value buffer) { return !llvm::is_contained(buffers, buffer); });
      buffers.push_back(free != ofType.end() ? *free : ofType.emplace_back(makeBuffer(op, type)));
      writeWhole(b, b.getLoc(), block, buffers.back());
    }
    return buffers;
  }

private:
  DenseMap<Type, SmallVector<Value>> all;
};

struct TileScansPass : impl::TileScansBase<TileScansPass> {
  using TileScansBase::TileScansBase;

  void runOnOperation() override {
    SmallVector<Operation *> all;
    getOperation().walk([&](Operation *op) {
      if (isa<ScanOp, SortOp>(op) && layoutOf(op->getOperandTypes().front()))
        all.push_back(op);
    });
    Buffers buffers;
    for (Operation *op : all)
      if (isa<SortOp>(op) || numFragments(op->getOperandTypes()) > maxFragments)
        tile(op, buffers);
    RewritePatternSet patterns(&getContext());
    populateExpandSortPatterns(patterns, ExpandSortOptions());
    applyPatternsOnce(getOperation(), std::move(patterns));
  }

private:
  /// The number of elements of all blocks that a thread holds. Elements of 64 bits count twice.
  static uint64_t numFragments(TypeRange blocks) {
    uint64_t number = 0;
    for (Type block : blocks) {
      const unsigned bits = getElementTypeOrSelf(block).getIntOrFloatBitWidth();
      number += llvm::divideCeil(bits, wordBits) << layoutOf(block)->placeBits(place::registers);
    }
    return number;
  }

  void tile(Operation *op, Buffers &buffers) {
    auto scan = dyn_cast<ScanOp>(op);
    auto sort = dyn_cast<SortOp>(op);
    std::optional<AxisTiles> tiles =
        AxisTiles::of(cast<RankedTensorType>(op->getOperandTypes().front()),
                      scan ? scan.getAxis() : sort.getAxis(), tileFragments);
    if (!tiles)
      return;
    ImplicitLocOpBuilder b(op->getLoc(), op);
    SmallVector<Value> held = buffers.holding(b, op, op->getOperands());
    if (scan)
      ScanLoops(b, scan, held, *tiles).emit();
    else
      SortLoops(b, sort, held.front(), *tiles).emit();
    for (auto [result, buffer] : llvm::zip_equal(op->getResults(), held))
      result.replaceAllUsesWith(readWhole(b, b.getLoc(), buffer));
    op->erase();
  }
};

} // namespace
} // namespace eft
