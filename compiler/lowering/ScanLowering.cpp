// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, for both targets: one level for each bit of the index along the axis.
#include "compiler/lowering/Combiner.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace eft {

namespace {

constexpr uint64_t bitNumber(unsigned bit) { return uint64_t(1) << bit; }

/// One level: the places whose index has `bit`, or in a reverse scan lacks it, combine what the
/// last element of the half before theirs holds with what they hold.
struct Level {
  uint64_t bit;   // of the packed index
  uint64_t lower; // the bits below, along the axis
  bool isReverse;

  /// The layout and constant of the element that each place looks at.
  Fetch fetchIn(const LinearLayout &layout) const {
    std::vector<uint64_t> columns;
    for (unsigned place = 0; place < layout.source().bits(); ++place)
      columns.push_back(layout.applyPacked(bitNumber(place)) & ~(bit | lower));
    auto wanted = LinearLayout::fromColumns(layout.source(), layout.target(), std::move(columns));
    return {layout, std::move(wanted), isReverse ? bit : lower};
  }
};

/// The pieces of a layout that have a bit in all their places, or may have it in some.
struct Receivers {
  uint64_t threads = 0;         // parity of these bits of the thread changes a piece's own
  SmallVector<unsigned> pieces; // if no thread changes it: those that receive
  SmallVector<bool> isOdd;      // of each piece

  Receivers(const LinearLayout &layout, const Level &level) {
    const std::vector<Space::Dim> &dims = layout.source().dims();
    for (unsigned place = dims[1].offset; place < layout.source().bits(); ++place)
      if (layout.applyPacked(bitNumber(place)) & level.bit)
        threads |= bitNumber(place - dims[1].offset);
    for (unsigned piece = 0; piece < bitNumber(dims[0].bits); ++piece) {
      isOdd.push_back(((layout.applyPacked(piece) & level.bit) != 0) != level.isReverse);
      if (threads != 0 || isOdd.back())
        pieces.push_back(piece);
    }
  }
};

/// The same fetch for the receivers alone: their pieces are those of the map, where they are half
/// of all, by a bit that is theirs.
Fetch forReceivers(Fetch fetch, const LinearLayout &layout, const Level &level,
                   const Receivers &receivers) {
  const std::vector<Space::Dim> &dims = layout.source().dims();
  if (receivers.pieces.size() == bitNumber(dims[0].bits))
    return fetch;
  // Some piece bit decides which half a piece is in; the others are free, each with that one put
  // right.
  unsigned decider = 0;
  while (!(layout.applyPacked(bitNumber(decider)) & level.bit))
    ++decider;
  std::vector<std::pair<std::string, unsigned>> small;
  std::vector<uint64_t> columns;
  for (const Space::Dim &dim : dims)
    small.emplace_back(dim.name, small.empty() ? dim.bits - 1 : dim.bits);
  for (unsigned place = 0; place < layout.source().bits(); ++place) {
    if (place == decider)
      continue;
    uint64_t image = fetch.wanted.applyPacked(bitNumber(place));
    if (place < dims[1].offset && (layout.applyPacked(bitNumber(place)) & level.bit))
      image ^= fetch.wanted.applyPacked(bitNumber(decider));
    columns.push_back(image);
  }
  if (!level.isReverse)
    fetch.offset ^= fetch.wanted.applyPacked(bitNumber(decider));
  fetch.wanted = LinearLayout::fromColumns(Space::places(small), layout.target(), columns);
  return fetch;
}

} // namespace

LogicalResult PieceLowering::lowerScan(ImplicitLocOpBuilder &b, ScanOp op) {
  auto type = cast<RankedTensorType>(op.getSources().front().getType());
  for (Type other : op.getOperandTypes())
    if (!(placesOf(other) == placesOf(type)))
      return op.emitOpError("sources must lie alike, got ") << type << " and " << other;
  Combiner combiner(*this, op.getCombine(), type);
  if (failed(combiner.check()))
    return failure();

  LinearLayout layout = placesOf(type);
  SmallVector<Pieces> values;
  for (Value source : op.getSources())
    values.push_back(Pieces(piecesOf(source)));

  const Space::Dim &axis = layout.target().dims()[op.getAxis()];
  for (unsigned number = 0; number < axis.bits; ++number) {
    Level level{bitNumber(axis.offset + number), (bitNumber(number) - 1) << axis.offset,
                op.getReverse()};
    Receivers receivers(layout, level);
    Fetch wanted = forReceivers(level.fetchIn(layout), layout, level, receivers);
    SmallVector<Pieces> lasts = fetch(b, values, wanted);
    Value isOddThread =
        receivers.threads ? isOdd(b, receivers.threads, layout.source().dims()[1].bits) : Value();
    // All look at what was there before this level.
    SmallVector<Pieces> before = values;
    for (auto [position, piece] : llvm::enumerate(receivers.pieces)) {
      SmallVector<Value> first, second;
      for (auto [last, own] : llvm::zip_equal(lasts, before)) {
        first.push_back(last[position]);
        second.push_back(own[piece]);
      }
      SmallVector<Value> combined = combiner.combine(b, first, second);
      for (unsigned i = 0; i < values.size(); ++i) {
        Value own = second[i], result = combined[i];
        if (isOddThread) {
          // A piece that receives in even threads keeps its own in odd ones.
          bool inEven = receivers.isOdd[piece];
          result =
              b.create<arith::SelectOp>(isOddThread, inEven ? own : result, inEven ? result : own);
        }
        values[i][piece] = result;
      }
    }
  }
  for (auto [result, pieces] : llvm::zip_equal(op.getResults(), values))
    setPieces(result, std::move(pieces));
  return success();
}

} // namespace eft
