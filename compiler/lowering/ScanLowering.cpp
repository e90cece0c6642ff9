// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scans, for both targets: one level for each bit of the index along the axis.
//
// Before the level of bit i, the axis consists of parts of 2^i elements, each of them scanned. The
// level joins the parts in pairs: every element of the second part is combined with the last
// element of the first. So each place whose index has bit i set needs such a last element. (In a
// reverse scan, each place whose bit i is not set needs the first element of the second part.)
//
// While the needed element lies in the same warp, it is fetched from there. At the first level at
// which it lies in another warp, staging brings the last elements of all parts to every thread, if
// they are few. If they are more, the lanes of every warp share them. From then on, the levels are
// done on these last elements, too, which give every thread what its own elements need.
#include "compiler/lowering/Combiner.h"
#include "compiler/lowering/PlaceMaps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <optional>

using namespace mlir;

namespace eft {

namespace {

using Fragments = FragmentLowering::Fragments;

/// A thread keeps at most 2^maxKeptBits last elements of parts.
constexpr unsigned maxKeptBits = 6;

struct Level {
  uint64_t bit;   // of the packed index
  uint64_t lower; // the bits below, along the axis
  uint64_t upper; // the bit and those above, along the axis
  bool isReverse;

  /// The value of the lower bits in the index of a part's last element.
  uint64_t last() const { return isReverse ? 0 : lower; }
  /// The value of `bit` and `lower` in the index of the element that a place needs. The other bits
  /// are those of the place's own index.
  uint64_t offset() const { return isReverse ? bit : lower; }
};

/// Fragments whose places hold the elements with the indices map(place) ^ offset.
struct Values {
  LinearLayout map;
  uint64_t offset;
  SmallVector<Fragments> sources;
};

/// The places that a level changes: those that receive an element and combine it with their own.
struct Receivers {
  // Bits of a thread's number. The fragment and the parity of these bits decide whether a place
  // receives.
  uint64_t threads;
  SmallVector<unsigned> fragments; // those that receive in some thread
  // For each fragment, whether it receives in threads of even parity.
  SmallVector<bool> inEven;

  Receivers(const LinearLayout &map, const Level &level) : threads(threadsOf(map, level.bit)) {
    for (unsigned fragment = 0; fragment < bitNumber(map.source().dims()[0].bits); ++fragment) {
      inEven.push_back(((map.applyPacked(fragment) & level.bit) != 0) != level.isReverse);
      if (threads != 0 || inEven.back())
        fragments.push_back(fragment);
    }
  }
};

/// The indices of the elements that the receivers of a level need, in the order of
/// `Receivers::fragments`: map(place) ^ offset.
struct Wanted {
  LinearLayout map;
  uint64_t offset;

  Wanted(const LinearLayout &own, const Level &level, const Receivers &receivers)
      : map(cleared(own, level.bit | level.lower)), offset(level.offset()) {
    const unsigned fragmentBits = own.source().dims()[0].bits;
    if (receivers.fragments.size() == bitNumber(fragmentBits))
      return;
    // Half of the fragments receive: those whose index has the level's bit (in a reverse scan, the
    // others). One fragment bit that adds the level's bit is the decider. The other fragment bits
    // number the receivers, and determine the decider: each of them that also adds the level's bit
    // flips it.
    unsigned decider = 0;
    while (!(own.applyPacked(bitNumber(decider)) & level.bit))
      ++decider;
    SmallVector<uint64_t> images;
    for (unsigned bit = 0; bit < fragmentBits; ++bit) {
      uint64_t decided = own.applyPacked(bitNumber(bit)) & level.bit ? bitNumber(decider) : 0;
      if (bit != decider)
        images.push_back(map.applyPacked(bitNumber(bit) | decided));
    }
    if (!level.isReverse)
      offset ^= map.applyPacked(bitNumber(decider));
    map = withFragments(map, images);
  }
};

class Scanner {
public:
  Scanner(FragmentLowering &lowering, ImplicitLocOpBuilder &b, Combiner &combiner,
          CombinedSources sources)
      : lowering(lowering), b(b), combiner(combiner),
        own{std::move(sources.layout), 0, std::move(sources.fragments)} {}

  void add(const Level &level) {
    Receivers receivers(own.map, level);
    Wanted wanted(own.map, level, receivers);
    if (!lasts && !planShuffle(own.map, wanted.map, wanted.offset))
      keepLasts(level);
    combine(own, lasts ? *lasts : own, level);
    if (lasts)
      combine(*lasts, *lasts, level);
  }

  const SmallVector<Fragments> &results() const { return own.sources; }

private:
  /// Gives every thread, or if they are many every warp, the last elements of the finished parts.
  /// Does nothing if they are too many even for a warp.
  void keepLasts(const Level &level) {
    LinearLayout parts = cleared(own.map, level.lower);
    LinearLayout map = gathered(parts, level.upper);
    if (map.source().dims()[0].bits > maxKeptBits)
      map = gatheredInWarp(parts, level.upper);
    if (map.source().dims()[0].bits > maxKeptBits)
      return;
    Values last = lastInThreads(level);
    lasts = Values{map, level.last(),
                   lowering.fetch(b, last.sources, {last.map, map, level.last() ^ last.offset})};
  }

  /// Of the elements of each thread, those that are last as far as its fragments decide: each of
  /// the lower bits of the index that a fragment bit alone adds is that of a last element. This
  /// leaves fewer elements to bring to other warps.
  Values lastInThreads(const Level &level) {
    SmallVector<unsigned> kept;
    uint64_t lower = 0;
    for (unsigned bit = 0; bit < own.map.source().dims()[0].bits; ++bit) {
      uint64_t image = own.map.applyPacked(bitNumber(bit));
      if (llvm::isPowerOf2_64(image) && (image & level.lower) != 0)
        lower |= image;
      else
        kept.push_back(bit);
    }
    LinearLayout map = keepFragments(cleared(own.map, lower), kept);
    uint64_t offset = level.last() & lower;
    return {map, offset, lowering.fetch(b, own.sources, {own.map, map, offset})};
  }

  /// Combines the elements of `values` that receive at this level with the elements that they need.
  /// The needed elements are in `from`.
  void combine(Values &values, const Values &from, const Level &level) {
    Receivers receivers(values.map, level);
    Wanted wanted(values.map, level, receivers);
    SmallVector<Fragments> lower =
        lowering.fetch(b, from.sources, {from.map, wanted.map, wanted.offset ^ from.offset});
    Value isOddThread = receivers.threads == 0 ? Value()
                                               : lowering.isOdd(b, receivers.threads,
                                                                values.map.source().dims()[1].bits);
    for (auto [position, fragment] : llvm::enumerate(receivers.fragments)) {
      SmallVector<Value> first, second;
      for (auto [last, mine] : llvm::zip_equal(lower, values.sources)) {
        first.push_back(last[position]);
        second.push_back(mine[fragment]);
      }
      SmallVector<Value> combined = combiner.combine(b, first, second);
      for (auto [mine, before, after] : llvm::zip_equal(values.sources, second, combined))
        mine[fragment] =
            isOddThread ? choose(isOddThread, receivers.inEven[fragment], before, after) : after;
    }
  }

  /// The fragment's value after the level. A fragment that receives in even threads keeps its value
  /// in odd ones, and the other way round.
  Value choose(Value isOddThread, bool receivesInEven, Value before, Value after) {
    return b.create<arith::SelectOp>(isOddThread, receivesInEven ? before : after,
                                     receivesInEven ? after : before);
  }

  FragmentLowering &lowering;
  ImplicitLocOpBuilder &b;
  Combiner &combiner;
  Values own;
  std::optional<Values> lasts;
};

LogicalResult lowerScan(FragmentLowering &lowering, ImplicitLocOpBuilder &b, ScanOp op) {
  auto type = cast<RankedTensorType>(op.getSources().front().getType());
  auto sources = CombinedSources::of(lowering, op, op.getSources());
  if (failed(sources))
    return failure();
  Combiner combiner(lowering, op.getCombine(), type);
  if (failed(combiner.check()))
    return failure();
  LinearLayout layout = sources->layout;
  Scanner scanner(lowering, b, combiner, *std::move(sources));

  const Space::Dim &axis = layout.target().dims()[op.getAxis()];
  uint64_t all = layout.target().mask(op.getAxis());
  for (unsigned number = 0; number < axis.bits; ++number) {
    uint64_t lower = (bitNumber(number) - 1) << axis.offset;
    scanner.add({bitNumber(axis.offset + number), lower, all & ~lower, op.getReverse()});
  }
  for (auto [result, fragments] : llvm::zip_equal(op.getResults(), scanner.results()))
    lowering.setFragments(result, fragments);
  return success();
}

} // namespace

void populateScanLowerings(LoweringTable &table) { table.add(lowerScan); }

} // namespace eft
